import type { AlarmRow } from '@voltkeep/contract/alarms'

// What the live stream does to the current list on the screen. Rows that are shown change in place;
// what would be new to the list waits above it, so that nothing moves under a finger.

export interface Arrivals {
  /** The newest state of alarms that were pushed since the list was read, by id. */
  newest: ReadonlyMap<string, { row: AlarmRow; atMs: number }>
  /** Active alarms that the list would show now and does not yet, by id. */
  waiting: ReadonlyMap<string, AlarmRow>
  /** More changed than was pushed: the list may be stale in ways nobody knows. */
  isStale: boolean
}

export const noArrivals: Arrivals = { newest: new Map(), waiting: new Map(), isStale: false }

/** What is known of the list when rows arrive. */
export interface ShownList {
  /** The highest episode id that the list's first page had when it was read; ids only grow. */
  highestId: bigint
  /** Whether the list, by its filters, would show the row now. */
  accepts: (row: AlarmRow) => boolean
}

/** Takes in rows that were pushed. */
export function withPushed(
  arrivals: Arrivals,
  rows: readonly AlarmRow[],
  list: ShownList,
  atMs: number,
): Arrivals {
  const newest = new Map(arrivals.newest)
  const waiting = new Map(arrivals.waiting)
  for (const row of rows) {
    newest.set(row.id, { row, atMs })
    // An older id is a change of an alarm that stands on this page or another one, not a new alarm.
    const isNew = BigInt(row.id) > list.highestId && row.status === 1 && list.accepts(row)
    if (isNew) waiting.set(row.id, row)
    else waiting.delete(row.id)
  }
  return { ...arrivals, newest, waiting }
}

/** After the list was read again: only what was pushed while the reading was under way is newer than it. */
export function afterReading(arrivals: Arrivals, readingBeganMs: number, highestId: bigint): Arrivals {
  return {
    newest: new Map([...arrivals.newest].filter(([, { atMs }]) => atMs >= readingBeganMs)),
    waiting: new Map([...arrivals.waiting].filter(([id]) => BigInt(id) > highestId)),
    isStale: false,
  }
}

/** The page's rows as they are now: same rows, same order, newest states. */
export function withNewest(rows: readonly AlarmRow[], newest: Arrivals['newest']): AlarmRow[] {
  return rows.map((row) => newest.get(row.id)?.row ?? row)
}

export function highestIdOf(rows: readonly Pick<AlarmRow, 'id'>[]): bigint {
  return rows.reduce((highest, { id }) => (BigInt(id) > highest ? BigInt(id) : highest), 0n)
}

/** The filters of the current list, as the contract's schema has parsed them. */
export interface AppliedFilters {
  organizationId?: string | undefined
  operatorId?: string | undefined
  equipTypeId?: string | undefined
  equipModelId?: string | undefined
  equipId?: string | undefined
  code?: readonly string[] | undefined
  semaphoreName?: string | undefined
  semaphoreCode?: readonly string[] | undefined
  alarmLevel?: readonly number[] | undefined
  startTime?: string | undefined
  endTime?: string | undefined
  status?: '1' | '0' | 'all' | undefined
}

/**
 * Whether a pushed row passes the filters, as the server would judge it. `organizationIds` are the chosen
 * manufacturer's and those under it. The region is not in a row: where one is chosen, ask the server.
 */
export function passes(
  filters: AppliedFilters,
  row: AlarmRow,
  organizationIds: ReadonlySet<string> | undefined,
): boolean {
  const { code, semaphoreName, semaphoreCode, alarmLevel, startTime, endTime, status = '1' } = filters
  const end = endTime && endTime.length === 10 ? `${endTime} 23:59:59` : endTime
  const wanted = semaphoreName?.toLowerCase()
  return (
    (organizationIds === undefined || organizationIds.has(row.organizationId)) &&
    (filters.operatorId === undefined || filters.operatorId === row.operatorId) &&
    (filters.equipTypeId === undefined || filters.equipTypeId === row.equipTypeId) &&
    (filters.equipModelId === undefined || filters.equipModelId === row.equipModelId) &&
    (filters.equipId === undefined || filters.equipId === row.equipId) &&
    (code === undefined || code.includes(row.code)) &&
    (wanted === undefined ||
      row.semaphoreName.toLowerCase().includes(wanted) ||
      row.semaphoreCode.toLowerCase().includes(wanted)) &&
    (semaphoreCode === undefined || semaphoreCode.includes(row.semaphoreCode)) &&
    (alarmLevel === undefined || (row.alarmLevel !== null && alarmLevel.includes(row.alarmLevel))) &&
    // In this format text compares as time does.
    (startTime === undefined || row.occurrenceTime >= startTime.replace('T', ' ')) &&
    (end === undefined || row.occurrenceTime <= end.replace('T', ' ')) &&
    (status === 'all' || String(row.status) === status)
  )
}
