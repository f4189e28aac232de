import { feature } from '../../platform/feature.ts'
import { createAutomaticJob } from './automatic.jobs.ts'
import { createUpgradeControl } from './control.service.ts'
import { createDirectUpgrades } from './direct.service.ts'
import { createProgressWriter } from './targets.intake.ts'
import type { MovingTarget } from './targets.queries.ts'
import { createUpgradeResults } from './targets.results.ts'
import { createVerifier } from './targets.verify.ts'
import { createTargetQueue } from './targets.work.ts'
import { createHaste } from './tasks.haste.ts'
import { createTaskQueue } from './tasks.work.ts'
import { createTransitionsJob } from './transitions.jobs.ts'
import { createLiveUpgrades } from './upgrades.live.ts'
import { upgradeTargetsChanged, upgradeTasksChanged } from './upgrades.notices.ts'
import { mountUpgrades } from './upgrades.routes.ts'
import { upgradeSeeds } from './upgrades.seeds.ts'
import { createUpgrades } from './upgrades.service.ts'
import { createUpgradeTasks } from './upgrades.tasks.ts'

/** With more changes at once, ids are not named. */
const namedTargets = 500

/** Upgrade tasks: packages for devices, in stages, each of which has to pass before the next. */
export const upgrades = feature({
  name: 'upgrades',
  tables: [
    'upgrade_task',
    'upgrade_task_package',
    'upgrade_stage',
    'upgrade_target',
    'upgrade_tally',
    'upgrade_transition',
  ],
  constraints: { upgrade_target_active: 'upgradeBusy' },
  notices: [upgradeTasksChanged, upgradeTargetsChanged],
  seeds: upgradeSeeds,
  create({ config, db, pool, log, notices, commands, files }) {
    const haste = createHaste({ db, pool, log })
    const tellTasks = (ids: readonly number[]) => notices.publish(upgradeTasksChanged, ids)
    const tellTargets = (ids: readonly string[] | null) =>
      notices.publish(upgradeTargetsChanged, ids && ids.length > namedTargets ? null : ids)
    const tellChanged = (targets: readonly MovingTarget[]) => {
      if (targets.length === 0) return
      tellTargets(targets.map(({ id }) => id))
      haste.changed(targets.map(({ taskId }) => taskId))
    }
    const service = createUpgrades({ db, tellTasks })
    const control = createUpgradeControl({ db, commands, tellTasks, tellTargets })
    const direct = createDirectUpgrades({ db, tellTasks })
    return {
      service,
      mount: (api) => mountUpgrades(api, service, control, direct),
      live: createLiveUpgrades({ db, notices }),
      tasks: [createUpgradeTasks({ db })],
      writers: { upgrade: createProgressWriter(tellChanged) },
      commandResults: { upgrade: createUpgradeResults(tellChanged) },
      jobs: [
        createAutomaticJob({ db, tellTasks }),
        createTransitionsJob({ db, keptDays: config.historyRetentionDays }),
      ],
      workers: [
        createTaskQueue({ pool, notices, log, commands, tellTasks, tellTargets }),
        createTargetQueue({ pool, notices, log, commands, files, tellChanged }),
        createVerifier({ db, notices, log, commands, tellChanged }),
      ],
    }
  },
})
