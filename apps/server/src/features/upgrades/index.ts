// Upgrades composed of their rooms: what the feature brings, and to which part of the server.
import { tellsRows } from '../../domain/device-work/notices.ts'
import { createReschedule } from '../../domain/device-work/owners.ts'
import { feature } from '../../platform/feature.ts'
import { approvals } from '../approvals/index.ts'
import { versionsReported } from '../devices/index.ts'
import { firmware } from '../firmware/index.ts'
import { createAutomaticJob } from './automatic/index.ts'
import { createAskUpgrade, defineUpgrades } from './consent/index.ts'
import {
  createProgressWriter,
  createTargetQueue,
  createUpgradeResults,
  type MovingTarget,
  targets,
} from './targets/index.ts'
import {
  createDirectUpgrades,
  createStartConsent,
  createTaskQueue,
  createUpgradeControl,
  createUpgradePlanning,
  decisionsOn,
  taskTable,
} from './tasks/index.ts'
import { createTransitionsJob } from './transitions.jobs.ts'
import { createLiveUpgrades } from './upgrades.live.ts'
import { upgradeTargetsChanged, upgradeTasksChanged } from './upgrades.notices.ts'
import { mountUpgrades } from './upgrades.routes.ts'
import { upgradeSeeds } from './upgrades.seeds.ts'
import { createUpgrades } from './upgrades.service.ts'
import { createUpgradeTasks } from './upgrades.tasks.ts'

export { upgradeTargetsChanged, upgradeTasksChanged } from './upgrades.notices.ts'

/** Upgrade tasks: packages for devices, in stages, each of which has to pass before the next. */
export const upgrades = feature({
  name: 'upgrades',
  tables: [
    'upgrade_task',
    'upgrade_task_package',
    'upgrade_stage',
    'upgrade_gone',
    'upgrade_target',
    'upgrade_tally',
    'upgrade_transition',
  ],
  constraints: { upgrade_target_active: 'upgradeBusy' },
  notices: [upgradeTasksChanged, upgradeTargetsChanged],
  seeds: upgradeSeeds,
  create({ config, db, pool, log, notices, commands, files, use }) {
    const reschedule = createReschedule(
      { db, pool, log },
      {
        table: taskTable,
        rowsPerMs: 5,
        failed: {
          zh: '升级任务暂时无法提前检查，稍后自动检查',
          en: 'upgrade tasks cannot be looked at early, they are looked at later',
        },
      },
    )
    const tellTasks = (ids: readonly number[]) => notices.publish(upgradeTasksChanged, ids)
    const tellTargets = tellsRows(notices, upgradeTargetsChanged)
    const tellChanged = (targets: readonly MovingTarget[]) => {
      tellTargets(targets.map(({ id }) => id))
      reschedule.changed(targets.map(({ taskId }) => taskId))
    }
    const ask = createAskUpgrade(use(approvals))
    const consent = createStartConsent({ approvals: use(approvals), ask, tellTasks })
    const service = createUpgrades({ db, consent })
    const planning = createUpgradePlanning({ db, tellTasks, ask, consents: consent })
    const control = createUpgradeControl({ db, commands, tellTasks, tellTargets })
    const direct = createDirectUpgrades({ db, tellTasks, ask })
    defineUpgrades(use(approvals), { ...planning.doers, ...direct.doers, ...consent.doers })
    return {
      service,
      mount: (api) => mountUpgrades(api, service, planning, control, direct),
      live: createLiveUpgrades({ db, notices }),
      tasks: [createUpgradeTasks({ db })],
      writers: { upgrade: createProgressWriter(tellChanged) },
      commandResults: { upgrade: createUpgradeResults(tellChanged) },
      jobs: [
        createAutomaticJob({ db, consent: use(firmware).automatic, tellTasks }),
        createTransitionsJob({ db, keptDays: config.historyRetentionDays }),
      ],
      workers: [
        createTaskQueue({ pool, notices, log, commands, consent, tellTasks, tellTargets }),
        createTargetQueue({ pool, notices, log, commands, files, decisionsOn, tellChanged }),
        targets.verifier({
          db,
          notices,
          notice: versionsReported,
          log,
          failed: {
            zh: '升级结果暂时无法确认，稍后自动检查',
            en: 'results of upgrades cannot be confirmed for now, they are checked later',
          },
          commands,
          tellChanged,
        }),
      ],
    }
  },
})
