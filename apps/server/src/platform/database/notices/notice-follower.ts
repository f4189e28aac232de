// Runs work for the ids that notices name: one run at a time; ids that are named meanwhile go into the next run
// together.
import { createComplaints } from '../../process/complaints.ts'
import type { Log } from '../../process/log.ts'
import { type Sentence, spoken } from '../../process/sentences.ts'
import { errorFields } from '../database.ts'
import type { Worker } from '../work/worker.ts'
import type { NamedIds, Notice, Notices } from './notices.ts'

/**
 * `work` gets the ids that were named since it last began, or null where any may be meant. Its error is logged with the
 * text `failed`, and those ids are not tried again: a notice may be lost as well, so the feature has another way to
 * find what it missed.
 */
export function createNoticeFollower<Id extends string | number>({
  notices,
  notice,
  log,
  failed,
  work,
}: {
  notices: Pick<Notices, 'subscribe'>
  notice: Notice<Id>
  log: Log
  failed: Sentence
  work: (ids: readonly Id[] | null) => Promise<void>
}): Worker {
  /** Null for any. */
  let named: Set<Id> | null = new Set()
  let running: Promise<void> | undefined
  let unsubscribe = () => {}
  let isStopped = false
  const complain = createComplaints((error, count) =>
    log.warn({ ...errorFields(error), count }, spoken(failed)),
  )

  async function run(): Promise<void> {
    while (!isStopped && (named === null || named.size > 0)) {
      const ids = named
      named = new Set()
      try {
        await work(ids && [...ids])
      } catch (error) {
        complain(error)
      }
    }
  }

  const take = (ids: NamedIds<Id>) => {
    if (ids === null) named = null
    else for (const id of ids) named?.add(id)
    running ??= run().finally(() => {
      running = undefined
    })
  }

  return {
    start() {
      unsubscribe = notices.subscribe(notice, take)
    },
    async stop() {
      isStopped = true
      unsubscribe()
      await running
    },
  }
}
