import { liveBatchDevices, liveParameterBatches } from '@voltkeep/contract'
import { sql } from 'kysely'
import { tellsRows } from '../../domain/device-work/notices.ts'
import { createReschedule } from '../../domain/device-work/owners.ts'
import { liveNoun } from '../../platform/database/notices/live-noun.ts'
import { feature } from '../../platform/feature.ts'
import { approvals } from '../approvals/index.ts'
import { listUnknownCodes, parametersReported } from '../devices/index.ts'
import { createBatchDeeds } from './batch-deeds.ts'
import { batchDevicesChanged, parameterBatchesChanged } from './batches.notices.ts'
import { batchTable, createBatchQueue } from './batches.queue.ts'
import { mountParameterBatches } from './batches.routes.ts'
import { batchSeeds } from './batches.seeds.ts'
import { createParameterBatches } from './batches.service.ts'
import { createBatchTasks } from './batches.tasks.ts'
import { createBatchControl } from './control.service.ts'
import {
  confirms,
  createAttemptsJob,
  eventOf,
  isOpenTarget,
  type MovingTarget,
  readPlacesOfBatches,
  targets,
} from './targets/index.ts'
import { createTargetQueue } from './targets.queue.ts'

export { batchDevicesChanged, parameterBatchesChanged } from './batches.notices.ts'

/** Batch settings: values of parameters for many devices, each followed until the device reports them. */
export const parameterBatches = feature({
  name: 'parameter-batches',
  tables: ['parameter_batch', 'parameter_target', 'parameter_attempt'],
  notices: [parameterBatchesChanged, batchDevicesChanged],
  seeds: batchSeeds,
  create({ config, db, pool, log, notices, commands, use }) {
    const reschedule = createReschedule(
      { db, pool, log },
      {
        table: batchTable,
        rowsPerMs: 20,
        failed: {
          zh: '批量设置暂时无法提前检查，稍后自动检查',
          en: 'parameter batches cannot be looked at early, they are looked at later',
        },
      },
    )
    const tellBatches = (ids: readonly number[]) => notices.publish(parameterBatchesChanged, ids)
    const tellTargets = tellsRows(notices, batchDevicesChanged)
    const tellChanged = (changed: readonly MovingTarget[]) => {
      tellTargets(changed.map(({ id }) => id))
      reschedule.changed(changed.map(({ batchId }) => batchId))
    }
    const deeds = createBatchDeeds({ approvals: use(approvals), tellBatches })
    const service = createParameterBatches({
      db,
      listUnknownCodes: (scope, codes) => listUnknownCodes(db, scope, codes),
      deeds,
    })
    const control = createBatchControl({ db, commands, deeds, tellBatches, tellTargets })
    return {
      service,
      mount: (api) => mountParameterBatches(api, service, control),
      live: [
        liveNoun(liveParameterBatches, notices, {
          changed: parameterBatchesChanged,
          placesOf: (ids) => readPlacesOfBatches(db, ids),
        }),
        targets.live(liveBatchDevices, { db, notices }, { changed: batchDevicesChanged }),
      ],
      tasks: [createBatchTasks({ db })],
      commandResults: {
        setParameters: targets.results(tellChanged, eventOf, { among: () => isOpenTarget, confirms }),
      },
      jobs: [createAttemptsJob({ db, keptDays: config.historyRetentionDays })],
      workers: [
        createBatchQueue({ pool, notices, log, commands, tellBatches, tellTargets }),
        createTargetQueue({ pool, notices, log, commands, tellChanged }),
        targets.verifier({
          db,
          notices,
          notice: parametersReported,
          log,
          failed: {
            zh: '批量设置结果暂时无法确认，稍后自动检查',
            en: 'results of parameter batches cannot be confirmed for now, they are checked later',
          },
          commands,
          tellChanged,
          anyRow: sql`b.next_at IS NOT NULL`,
        }),
      ],
    }
  },
})
