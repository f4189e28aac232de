import {
  cancelLogExtraction,
  deleteLogLevel,
  downloadExtractedLog,
  extractLog,
  insertLogLevel,
  listLogEntries,
  listLogExtractions,
  listLogLevels,
  readExtractedLog,
  startLogExtraction,
  updateLogLevel,
} from '@voltkeep/contract'
import type { Api } from '../../platform/http/mount.ts'
import type { LogLevels } from './levels/index.ts'
import type { LogContents } from './log-contents.service.ts'
import type { LogExtractions } from './log-extraction.service.ts'

export function mountLogLevels(api: Api, levels: LogLevels): void {
  api.mount(listLogLevels, ({ input }) => levels.listLogLevels(input))
  api.mount(insertLogLevel, ({ actor, input }) => levels.insertLogLevel(actor, input))
  api.mount(updateLogLevel, ({ actor, input }) => levels.updateLogLevel(actor, input))
  api.mount(deleteLogLevel, ({ actor, input }) => levels.deleteLogLevel(actor, input))
}

export function mountLogExtractions(api: Api, extractions: LogExtractions, contents: LogContents): void {
  api.mount(extractLog, ({ actor, input, signal, leaveTurn }) =>
    extractions.extractLog(actor, input, { signal, leaveTurn }),
  )
  api.mount(startLogExtraction, ({ actor, input }) => extractions.startLogExtraction(actor, input))
  api.mount(cancelLogExtraction, ({ actor, input }) => extractions.cancelLogExtraction(actor, input))
  api.mount(listLogExtractions, ({ actor, input }) => extractions.listLogExtractions(actor, input))
  api.mount(downloadExtractedLog, ({ actor, input }) => extractions.downloadExtractedLog(actor, input.id))
  api.mount(listLogEntries, ({ actor, input }) => contents.listLogEntries(actor, input.id))
  api.mount(readExtractedLog, ({ actor, input }) => contents.readExtractedLog(actor, input))
}
