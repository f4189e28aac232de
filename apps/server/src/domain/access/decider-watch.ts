import type { Notice, Notices } from '../../platform/database/notices/notices.ts'
import type { Worker } from '../../platform/database/work/worker.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Sentence, spoken } from '../../platform/process/sentences.ts'

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
export function createDeciderWatch({ endUndecided, added, notices, log, complaint }: DeciderWatch): Worker {
  let isRunning = false
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let unsubscribe = () => {}

  function look(): void {
    if (!isRunning || looking) return
    clearTimeout(timer)
    looking = endUndecided()
      .catch((err: unknown) => {
        log.warn({ err }, spoken(complaint))
        return 1
      })
      .then((left) => {
        looking = undefined
        if (left > 0 && isRunning) timer = setTimeout(look, everyMs)
      })
  }

  return {
    start() {
      isRunning = true
      unsubscribe = notices.subscribe(added, () => {
        if (looking) looking.then(look, () => undefined)
        else look()
      })
      look()
    },
    async stop() {
      isRunning = false
      unsubscribe()
      clearTimeout(timer)
      await looking
    },
  }
}
