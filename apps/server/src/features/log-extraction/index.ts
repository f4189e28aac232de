import { liveLogExtractions } from '@voltkeep/contract'
import { tellsRows } from '../../domain/device-work/notices.ts'
import { feature } from '../../platform/feature.ts'
import { dictionary } from '../dictionary/index.ts'
import { mappings } from '../mappings/index.ts'
import { createLogLevels } from './levels/index.ts'
import { createLogContents } from './log-contents.service.ts'
import { createDeciderWatch } from './log-extraction.deciders.ts'
import { logExtractionJobs } from './log-extraction.jobs.ts'
import { logExtractionsAdded, logExtractionsChanged } from './log-extraction.notices.ts'
import { eventOf } from './log-extraction.results.ts'
import { mountLogExtractions, mountLogLevels } from './log-extraction.routes.ts'
import { logExtractionSeeds } from './log-extraction.seeds.ts'
import { createLogExtractions } from './log-extraction.service.ts'
import { createExtractionTasks } from './log-extraction.tasks.ts'
import { createExtractionQueue, extractions } from './log-extraction.work.ts'
import { createLogUploads, uploadPurpose } from './log-uploads.ts'

export { logExtractionsChanged } from './log-extraction.notices.ts'

/** Logs that are requested from devices, and the results. */
export const logExtraction = feature({
  name: 'log-extraction',
  tables: ['log_level', 'log_extraction'],
  constraints: {
    log_level_taken: 'logLevelTaken',
    log_extraction_running: 'logExtractionRunning',
  },
  notices: [logExtractionsAdded, logExtractionsChanged],
  seeds: logExtractionSeeds,
  create({ config, db, pool, log, notices, commands, files, use }) {
    const limitBytes = config.logFileLimitMb * 1024 * 1024
    const retentionDays = config.logRetentionDays
    const tellAdded = (id: string) => notices.publish(logExtractionsAdded, [id])
    const tellIds = tellsRows(notices, logExtractionsChanged)
    const tellChanged = (changed: readonly { id: string }[]) => tellIds(changed.map(({ id }) => id))
    const levels = createLogLevels({ db, dictionary: use(dictionary), limitBytes })
    const service = createLogExtractions({
      db,
      files,
      commands,
      notices,
      requireAbility: use(mappings).requireAbility,
      limitBytes,
      retentionDays,
      tellAdded,
      tellChanged,
    })
    const contents = createLogContents({ files, extractions: service })
    return {
      service,
      mount(api) {
        mountLogLevels(api, levels)
        mountLogExtractions(api, service, contents)
      },
      live: [
        extractions.live(
          liveLogExtractions,
          { db, notices },
          { added: logExtractionsAdded, changed: logExtractionsChanged },
        ),
      ],
      tasks: [createExtractionTasks({ db })],
      jobs: logExtractionJobs({
        db,
        retentionDays,
        historyRetentionDays: config.historyRetentionDays,
        tellChanged,
      }),
      commandResults: { extractLog: extractions.results(tellChanged, eventOf) },
      workers: [
        createExtractionQueue({ pool, notices, log, commands, tellChanged }),
        createDeciderWatch({ db, commands, notices, log, tellChanged }),
      ],
      uploads: { [uploadPurpose]: createLogUploads({ db, files, commands, log, limitBytes, tellChanged }) },
    }
  },
})
