import { liveRemoteActions } from '@voltkeep/contract'
import { tellsRows } from '../../domain/device-work/notices.ts'
import { feature } from '../../platform/feature.ts'
import { approvals } from '../approvals/index.ts'
import { mappings } from '../mappings/index.ts'
import { createDeciderWatch } from './actions.deciders.ts'
import { createActionEvidence } from './actions.intake.ts'
import { createActionsJob } from './actions.jobs.ts'
import { remoteActionsAdded, remoteActionsChanged } from './actions.notices.ts'
import { eventOf } from './actions.results.ts'
import { mountRemoteActions } from './actions.routes.ts'
import { actionSeeds } from './actions.seeds.ts'
import { createRemoteActions } from './actions.service.ts'
import { createActionQueue, type MovingAction, actions as work } from './actions.work.ts'
import { createRestartWatch } from './restarts.ts'

/** What users have single devices do at once, and what the devices reported of it afterwards. */
export const actions = feature({
  name: 'actions',
  tables: ['kept_fire', 'remote_action'],
  constraints: { remote_action_sent: 'remoteActionUnderWay' },
  notices: [remoteActionsAdded, remoteActionsChanged],
  seeds: actionSeeds,
  create({ config, db, pool, log, notices, commands, use }) {
    const tellIds = tellsRows(notices, remoteActionsChanged)
    const tellChanged = (changed: readonly MovingAction[]) => tellIds(changed.map(({ id }) => id))
    const service = createRemoteActions({
      db,
      commands,
      approvals: use(approvals),
      requireAbility: use(mappings).requireAbility,
      tellAdded: (id) => notices.publish(remoteActionsAdded, [id]),
    })
    return {
      service: { evidence: createActionEvidence(tellChanged) },
      mount: (api) => mountRemoteActions(api, service),
      live: [
        work.live(
          liveRemoteActions,
          { db, notices },
          { added: remoteActionsAdded, changed: remoteActionsChanged },
        ),
      ],
      commandResults: { action: work.results(tellChanged, eventOf) },
      jobs: [createActionsJob({ db, keptDays: config.historyRetentionDays })],
      workers: [
        createActionQueue({ pool, notices, log, commands, tellChanged }),
        createRestartWatch({ db, notices, log, tellChanged }),
        createDeciderWatch({ db, commands, notices, log, tellChanged }),
      ],
    }
  },
})
