/**
 * Finds what many alarms and lost connections of the same time have in common, after the commit of their reports: when
 * alarms open, and every ten seconds. It works a small part of the time: a flood of alarms is put into lines
 * some seconds later, and costs no more.
 */
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { alarmsChanged, alarmsOpened } from '../alarms.notices.ts'
import {
  countReach,
  endCauses,
  insertCause,
  insertMembers,
  listHappenings,
  listOpenCauses,
  lockCauses,
} from './causes.queries.ts'
import { findCauses, type Happening } from './causes.rules.ts'

/** Lost connections are seen by this look: their notices are of a feature that uses this one. */
const lookAgainMs = 10_000
/** What opens in one burst is looked at together. */
const gatherMs = 1_000
const restFactor = 20
const restAtMostMs = 30_000
/** What began earlier and has no cause yet gets none. */
const lookBackMs = 600_000
/** As many as one notice names. */
const namedAtMost = 500

export interface CauseNeeds {
  db: Db
  notices: Pick<Notices, 'publish' | 'subscribe'>
  log: Log
}

export function createCauseWatch({ db, notices, log }: CauseNeeds): Worker {
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let dueAtMs = Number.POSITIVE_INFINITY
  let notBeforeMs = 0
  let isRunning = false
  let stops: (() => void)[] = []

  /** Looks in so many ms, or earlier where that is due already. */
  function lookIn(ms: number): void {
    const atMs = Math.max(performance.now() + ms, notBeforeMs)
    if (!isRunning || atMs >= dueAtMs) return
    dueAtMs = atMs
    if (looking) return
    clearTimeout(timer)
    timer = setTimeout(fire, atMs - performance.now())
  }

  function fire(): void {
    dueAtMs = Number.POSITIVE_INFINITY
    const startMs = performance.now()
    looking = lookAtCauses({ db, notices })
      .catch((err: unknown) => {
        log.warn(
          { err },
          spoken({
            zh: '同因告警暂时无法归并，将继续重试',
            en: 'alarms of one cause could not be put together, trying again',
          }),
        )
      })
      .then(() => {
        looking = undefined
        const now = performance.now()
        notBeforeMs = now + Math.min((now - startMs) * restFactor, restAtMostMs)
        const askedMs = dueAtMs
        dueAtMs = Number.POSITIVE_INFINITY
        lookIn(Math.min(lookAgainMs, Math.max(0, askedMs - now)))
      })
  }

  return {
    start() {
      isRunning = true
      stops = [notices.subscribe(alarmsOpened, () => lookIn(gatherMs))]
      lookIn(gatherMs)
    },
    async stop() {
      isRunning = false
      for (const stop of stops) stop()
      clearTimeout(timer)
      await looking
    },
  }
}

/** One look at what has happened lately. Returns how many causes began. */
export async function lookAtCauses({
  db,
  notices,
  now = sharedNow(),
}: {
  db: Db
  notices: Pick<Notices, 'publish'>
  now?: Date
}): Promise<number> {
  const since = new Date(now.getTime() - lookBackMs)
  const { members, founded, ended } = await db.transaction().execute(async (trx) => {
    await lockCauses(trx)
    const over = await endCauses(trx)
    const happenings = await listHappenings(trx, since)
    if (happenings.length === 0) return { members: [], founded: 0, ended: over }
    const sizes = await countReach(trx, happenings)
    const found = findCauses(happenings, await listOpenCauses(trx, since), (key) => sizes.get(key) ?? 0)
    const put: Happening[] = []
    for (const [id, joining] of found.joined) {
      await insertMembers(trx, id, joining)
      put.push(...joining)
    }
    for (const { key, members: first } of found.founded) {
      await insertMembers(trx, await insertCause(trx, key), first)
      put.push(...first)
    }
    return { members: put, founded: found.founded.length, ended: over }
  })
  // Their alarms have left the list, or the line has; lists of lines follow the alarms.
  const ids = members.flatMap(({ episodeId }) => episodeId ?? [])
  if (members.length > 0 || ended > 0) notices.publish(alarmsChanged, ids.length > namedAtMost ? null : ids)
  return founded
}
