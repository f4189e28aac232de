import { feature } from '../../platform/feature.ts'
import { listUnknownCodes } from '../devices/index.ts'
import { createAttemptsJob } from './attempts.jobs.ts'
import { createHaste } from './batches.haste.ts'
import { createLiveBatches } from './batches.live.ts'
import { batchDevicesChanged, parameterBatchesChanged } from './batches.notices.ts'
import { mountParameterBatches } from './batches.routes.ts'
import { batchSeeds } from './batches.seeds.ts'
import { createParameterBatches } from './batches.service.ts'
import { createBatchTasks } from './batches.tasks.ts'
import { createBatchQueue } from './batches.work.ts'
import { createBatchControl } from './control.service.ts'
import type { MovingTarget } from './targets.queries.ts'
import { createBatchResults } from './targets.results.ts'
import { createVerifier } from './targets.verify.ts'
import { createTargetQueue } from './targets.work.ts'

/** With more changes at once, ids are not named. */
const namedTargets = 500

/** Batch settings: values of parameters for many devices, each followed until the device reports them. */
export const parameterBatches = feature({
  name: 'parameter-batches',
  tables: ['parameter_batch', 'parameter_target', 'parameter_attempt'],
  notices: [parameterBatchesChanged, batchDevicesChanged],
  seeds: batchSeeds,
  create({ config, db, pool, log, notices, commands }) {
    const haste = createHaste({ db, pool, log })
    const tellBatches = (ids: readonly number[]) => notices.publish(parameterBatchesChanged, ids)
    const tellTargets = (ids: readonly string[] | null) =>
      notices.publish(batchDevicesChanged, ids && ids.length > namedTargets ? null : ids)
    const tellChanged = (targets: readonly MovingTarget[]) => {
      if (targets.length === 0) return
      tellTargets(targets.map(({ id }) => id))
      haste.changed(targets.map(({ batchId }) => batchId))
    }
    const service = createParameterBatches({
      db,
      listUnknownCodes: (scope, codes) => listUnknownCodes(db, scope, codes),
      tellBatches,
    })
    const control = createBatchControl({ db, commands, tellBatches, tellTargets })
    return {
      service,
      mount: (api) => mountParameterBatches(api, service, control),
      live: createLiveBatches({ db, notices }),
      tasks: [createBatchTasks({ db })],
      commandResults: { setParameters: createBatchResults(tellChanged) },
      jobs: [createAttemptsJob({ db, keptDays: config.historyRetentionDays })],
      workers: [
        createBatchQueue({ pool, notices, log, commands, tellBatches, tellTargets }),
        createTargetQueue({ pool, notices, log, commands, tellChanged }),
        createVerifier({ db, notices, log, commands, tellChanged }),
      ],
    }
  },
})
