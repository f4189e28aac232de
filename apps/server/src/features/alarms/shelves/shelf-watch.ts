/**
 * Watches the shelves: writes down which alarms they keep quiet, and says when they have left one that lasts. Nothing is
 * decided here: what is quiet is asked for where alarms are read. Notices may be lost, so everything is looked at again
 * each minute, and at the moment when the next shelf begins or ends.
 */
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { createWatch } from '../../../platform/database/work/watch.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { alarmsChanged, alarmsOpened, alarmsUnshelved, shelvesChanged } from '../alarms.notices.ts'
import { isNothing, listOpenShelves, type OpenShelf, quietBy, windowOf } from './quiet.queries.ts'
import { nextSpans, spanAt } from './shelf-times.rules.ts'
import { closeLeft, coverMet, leaveAll, lockWatch } from './shelves.queries.ts'

const lookAgainMs = 60_000
const retryMs = 1_000
/** Alarms that open one after another are looked at together. */
const gatherMs = 500
/** As many as one notice names. */
const namedAtMost = 500

export interface WatchNeeds {
  db: Db
  notices: Pick<Notices, 'publish' | 'subscribe'>
  log: Log
}

export function createShelfWatch({ db, notices, log }: WatchNeeds): Worker {
  let hasShelves = true
  return createWatch({
    async look() {
      const { edgeMs, count } = await watchOnce({ db, notices })
      hasShelves = count > 0
      return Math.min(lookAgainMs, edgeMs)
    },
    subscribe: (ask) => [
      notices.subscribe(shelvesChanged, () => ask()),
      notices.subscribe(alarmsOpened, () => {
        if (hasShelves) ask(gatherMs)
      }),
    ],
    retryMs,
    log,
    complaint: {
      zh: '告警搁置暂时无法核对，将继续重试',
      en: 'shelves of alarms could not be looked at, trying again',
    },
  })
}

/** One look; returns in how many ms the next shelf begins or ends, and how many shelves there are. */
export async function watchOnce({
  db,
  notices,
}: Omit<WatchNeeds, 'log' | 'notices'> & { notices: Pick<Notices, 'publish'> }): Promise<{
  edgeMs: number
  count: number
}> {
  const { shelves, met, left } = await db.transaction().execute(async (trx) => {
    await lockWatch(trx)
    const now = sharedNow()
    const open = await listOpenShelves(trx, now)
    const quiet = await quietBy(trx, open, now)
    let found: string[] = []
    if (isNothing(quiet)) await leaveAll(trx)
    else found = await coverMet(trx, quiet)
    return { shelves: open, met: found, left: await closeLeft(trx) }
  })
  const changed = [...met, ...left]
  if (changed.length > 0) notices.publish(alarmsChanged, changed.length > namedAtMost ? null : changed)
  for (let start = 0; start < left.length; start += namedAtMost)
    notices.publish(alarmsUnshelved, left.slice(start, start + namedAtMost))
  return { edgeMs: nextEdgeMs(shelves, sharedNow()), count: shelves.length }
}

/** The next moment at which one of them begins or ends, from now. */
function nextEdgeMs(shelves: readonly OpenShelf[], now: Date): number {
  const edges = shelves.flatMap((shelf) => {
    const window = windowOf(shelf)
    const span = spanAt({ ...shelf, window }, now)
    if (span) return span.to ?? []
    return window ? nextSpans(window, now, 1).map(({ from }) => from) : shelf.startAt
  })
  const next = Math.min(...edges.map(Number))
  // Not before it: what ends at a moment has ended then.
  return Number.isFinite(next) ? Math.max(next - now.getTime() + 5, 5) : Number.POSITIVE_INFINITY
}
