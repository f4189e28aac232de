import type { Notice, Notices } from '../../platform/database/notices/notices.ts'
import { createWatch } from '../../platform/database/work/watch.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Sentence } from '../../platform/process/sentences.ts'

/** Users change seldom, and what is looked at is little and short: so often is enough. */
const everyMs = 1_000

export interface DeciderWatch {
  /** Ends what its user may not ask for any more. Returns how much is left to be looked at. */
  endUndecided: () => Promise<number>
  /** Published when there is something new to be looked at. */
  added: Notice<string>
  notices: Pick<Notices, 'subscribe'>
  log: Log
  /** The log's sentence where a look has failed; the next one follows. */
  complaint: Sentence
}

/** Looks at the users of what is open as long as any is, and else asks nothing. */
export const createDeciderWatch = ({ endUndecided, added, notices, log, complaint }: DeciderWatch): Worker =>
  createWatch({
    look: async () => ((await endUndecided()) > 0 ? everyMs : null),
    subscribe: (ask) => [notices.subscribe(added, () => ask())],
    retryMs: everyMs,
    log,
    complaint,
  })
