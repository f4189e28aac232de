// How the live stream changes an open list. Rows on the page change in place; new rows wait above it, so that nothing
// moves under a finger. Everything kept here is bounded by the page's size and by `mostWaiting`, however long the list
// stays open.

interface Keyed {
  id: string
}

export interface Arrivals<Row> {
  /** States that rows of the page have taken since the page was read, by id. */
  states: ReadonlyMap<string, { row: Row; askedAtMs: number }>
  /** Rows that were added, pass the list's filters and are not on the page: id and time of the query. */
  waiting: ReadonlyMap<string, number>
  /** More wait than are counted. */
  isOver: boolean
  /** The page differs from the server's present answer in a way that is not shown. */
  isStale: boolean
}

export const noArrivals: Arrivals<never> = {
  states: new Map(),
  waiting: new Map(),
  isOver: false,
  isStale: false,
}

/** A bar that shows "200+" is as useful as one that counts on; beyond this no more are queried. */
export const mostWaiting = 200

/** The server's answer about ids that the stream named. */
export interface Asked<Row> {
  /** Ids that were queried with the list's filters, and those that passed. */
  added: readonly string[]
  passing: readonly string[]
  /** Rows of the page that were queried, and the states that came back. */
  changed: readonly string[]
  rows: readonly Row[]
  askedAtMs: number
}

export function withAsked<Row extends Keyed>(
  arrivals: Arrivals<Row>,
  { added, passing, changed, rows, askedAtMs }: Asked<Row>,
  page: readonly Keyed[],
): Arrivals<Row> {
  const shown = idsOf(page)
  const waiting = new Map(arrivals.waiting)
  for (const id of added) waiting.delete(id)
  for (const id of passing) if (!shown.has(id)) waiting.set(id, askedAtMs)
  const found = idsOf(rows)
  return {
    ...counted(waiting, arrivals.isOver),
    states: withStates(arrivals.states, rows, shown, askedAtMs),
    // A row that did not come back is gone, or out of the scope.
    isStale: arrivals.isStale || changed.some((id) => shown.has(id) && !found.has(id)),
  }
}

/** A page of the list, as the server answers it now. */
export interface PageNow<Row> {
  rows: readonly Row[]
  total: number
}

/** The changes that a page, read again behind the one on the screen, shows. */
export function withPage<Row extends Keyed>(
  arrivals: Arrivals<Row>,
  now: PageNow<Row>,
  page: { rows: readonly Keyed[]; total: number; isFirst: boolean },
  askedAtMs: number,
): Arrivals<Row> {
  const shown = idsOf(page.rows)
  const present = idsOf(now.rows)
  const lastKnown = now.rows.findLastIndex(({ id }) => shown.has(id))
  // New rows stand above known ones; below the last known one are rows of the former second page.
  const above = lastKnown === -1 ? now.rows : now.rows.slice(0, lastKnown)
  const added = page.isFirst ? above.filter(({ id }) => !shown.has(id)) : []
  const goneCount = page.rows.filter(({ id }) => !present.has(id)).length
  const waiting = new Map(added.map(({ id }) => [id, askedAtMs]))
  const isAllNew = page.isFirst && lastKnown === -1 && now.total > now.rows.length
  return {
    ...counted(waiting, isAllNew),
    states: withStates(arrivals.states, now.rows, shown, askedAtMs),
    isStale: page.isFirst
      ? now.total !== page.total + added.length - goneCount && !isAllNew
      : goneCount > 0 || now.total !== page.total,
  }
}

/** After the list was read anew: only states queried later than that are newer than the page. */
export function afterReading<Row>(
  arrivals: Arrivals<Row>,
  readingBeganMs: number,
  page: readonly Keyed[],
): Arrivals<Row> {
  const shown = idsOf(page)
  return {
    states: new Map(
      [...arrivals.states].filter(([id, { askedAtMs }]) => askedAtMs >= readingBeganMs && shown.has(id)),
    ),
    waiting: new Map(
      [...arrivals.waiting].filter(([id, askedAtMs]) => askedAtMs >= readingBeganMs && !shown.has(id)),
    ),
    isOver: false,
    isStale: false,
  }
}

/** The page's rows as they are now: the same rows in the same order. */
export function rowsNow<Row extends Keyed>(rows: readonly Row[], states: Arrivals<Row>['states']): Row[] {
  return rows.map((row) => states.get(row.id)?.row ?? row)
}

function withStates<Row extends Keyed>(
  states: Arrivals<Row>['states'],
  rows: readonly Row[],
  shown: ReadonlySet<string>,
  askedAtMs: number,
): Arrivals<Row>['states'] {
  const next = new Map([...states].filter(([id]) => shown.has(id)))
  for (const row of rows) if (shown.has(row.id)) next.set(row.id, { row, askedAtMs })
  return next
}

function counted(waiting: Map<string, number>, isOver: boolean) {
  const kept = waiting.size > mostWaiting ? new Map([...waiting].slice(0, mostWaiting)) : waiting
  return { waiting: kept, isOver: isOver || waiting.size > mostWaiting }
}

const idsOf = (rows: readonly Keyed[]): Set<string> => new Set(rows.map(({ id }) => id))
