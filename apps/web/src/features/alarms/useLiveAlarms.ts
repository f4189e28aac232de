import { useQuery } from '@tanstack/react-query'
import { type AlarmRow, listAlarms } from '@voltkeep/contract/alarms'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useLive } from '../../lib/live/live.ts'
import { call } from '../../lib/wire/call.ts'
import { reading } from '../../lib/wire/reading.ts'
import { subtreeIds, useOrganizations } from '../../ui/choices/choices.ts'
import type { List } from '../../ui/list/useList.ts'
import {
  type AppliedFilters,
  type Arrivals,
  afterReading,
  highestIdOf,
  noArrivals,
  passes,
  withNewest,
  withPushed,
} from './alarms.arrivals.ts'

/** As long as the highlight in the table runs. */
const flashMs = 1_600

export interface LiveAlarms {
  /** The page's rows in the state they have now. */
  rows: AlarmRow[]
  /** Rows to flash. */
  changedKeys: ReadonlySet<string>
  waitingCount: number
  /** More changed than was pushed. */
  isStale: boolean
  /** Shows what waits: the first page, read anew. */
  show(): void
  /** Takes a state that the page itself has learned, as if it had been pushed. */
  take(row: AlarmRow): void
}

/** The current list as the live stream changes it. */
export function useLiveAlarms(list: List<typeof listAlarms.input, AlarmRow>): LiveAlarms {
  const [arrivals, setArrivals] = useState<Arrivals>(noArrivals)
  const [online, setOnline] = useState<ReadonlyMap<string, 0 | 1>>(new Map())
  const [changedKeys, flash] = useFlash()
  const filters: AppliedFilters & { regionCode?: string | undefined } = list.filters
  const accepts = useAccepts(filters)
  const highestId = useHighestId(list)
  const shown = useMemo(() => new Map(list.rows.map((row) => [row.id, row])), [list.rows])

  // Filters, page or a new reading: what was pushed before is in it.
  const readingBeganMs = useRef(0)
  useEffect(() => {
    if (list.isFetching) readingBeganMs.current = Date.now()
  }, [list.isFetching])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new reading, also one of equal rows
  useEffect(() => {
    setArrivals((current) => afterReading(current, readingBeganMs.current, highestId ?? 0n))
    setOnline(new Map())
  }, [list.readAtMs, highestId])

  const push = async (rows: readonly AlarmRow[]) => {
    const passing = rows.filter(accepts)
    // The region is not in a row: the server knows which of these would be in the list.
    const accepted = new Set(
      filters.regionCode && passing.length > 0
        ? await idsInList(filters, passing)
        : passing.map(({ id }) => id),
    )
    flash(rows.filter((row) => isChanged(arrivals.newest.get(row.id)?.row ?? shown.get(row.id), row)))
    if (highestId === undefined) return
    const known = { highestId, accepts: ({ id }: AlarmRow) => accepted.has(id) }
    setArrivals((current) => withPushed(current, rows, known, Date.now()))
  }

  /** After a gap: reads the page again without showing it, and treats what differs as if it had been pushed. */
  const catchUp = async () => {
    let isStale = true
    try {
      const answer = await call(listAlarms, list.filters)
      await push(answer.rows)
      const isKept = list.rows.every(({ id }) => answer.rows.some((row) => row.id === id))
      isStale = !isKept || answer.total !== list.total
    } catch {
      // Then the person is told that the list may be stale.
    }
    setArrivals((current) => ({ ...current, isStale }))
  }

  useLive((event) => {
    if (event.type === 'alarms') void push(event.rows)
    else if (event.type === 'missed') void catchUp()
    else if (event.type === 'devices') {
      setOnline(
        (current) => new Map([...current, ...event.rows.map((row) => [row.id, row.isOnline] as const)]),
      )
    }
  })

  const rows = useMemo(
    () =>
      withNewest(list.rows, arrivals.newest).map((row) => {
        const isOnline = online.get(row.equipId)
        return isOnline === undefined || isOnline === row.isOnline ? row : { ...row, isOnline }
      }),
    [list.rows, arrivals.newest, online],
  )
  return {
    rows,
    changedKeys,
    waitingCount: arrivals.waiting.size,
    isStale: arrivals.isStale,
    show() {
      setArrivals(noArrivals)
      if (list.pageNum === 1) list.retry()
      else list.turn(1, list.pageSize)
    },
    take: (row) => void push([row]),
  }
}

function isChanged(before: AlarmRow | undefined, after: AlarmRow): boolean {
  return (
    before !== undefined &&
    (before.value !== after.value || before.status !== after.status || before.note !== after.note)
  )
}

/** Keys that flash, each for as long as the highlight runs. */
function useFlash(): [ReadonlySet<string>, (rows: readonly { id: string }[]) => void] {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  return [
    keys,
    (rows) => {
      if (rows.length === 0) return
      const ids = new Set(rows.map(({ id }) => id))
      setKeys((current) => new Set([...current, ...ids]))
      setTimeout(() => setKeys((current) => new Set([...current].filter((key) => !ids.has(key)))), flashMs)
    },
  ]
}

function useAccepts(filters: AppliedFilters): (row: AlarmRow) => boolean {
  const organizations = useOrganizations()
  const { organizationId } = filters
  const ids = useMemo(
    () => (organizationId === undefined ? undefined : subtreeIds(organizations.data ?? [], organizationId)),
    [organizations.data, organizationId],
  )
  return (row) => passes(filters, row, ids)
}

/** The highest id of the list's first page; undefined until it is known. On a later page it is asked for. */
function useHighestId(list: List<typeof listAlarms.input, AlarmRow>): bigint | undefined {
  const isFirstPage = list.pageNum === 1
  const first = useQuery({
    ...reading(listAlarms, { ...list.filters, pageNum: 1, pageSize: 10 }),
    enabled: !isFirstPage,
  })
  if (!isFirstPage) return first.data ? highestIdOf(first.data.rows) : undefined
  return list.readAtMs > 0 && !list.isStale ? highestIdOf(list.rows) : undefined
}

async function idsInList(filters: AppliedFilters, rows: readonly AlarmRow[]): Promise<string[]> {
  const code = [...new Set(rows.map((row) => row.code))].slice(0, 500)
  try {
    const found = await call(listAlarms, { ...filters, code, pageNum: 1, pageSize: 500 })
    return found.rows.map(({ id }) => id)
  } catch {
    // It is only a hint; the next reading tells.
    return []
  }
}
