// A list that follows the live stream without moving under its reader.
import { liveDictionary } from '@voltkeep/contract/dictionary'
import type { Endpoint, InputFor, Schema } from '@voltkeep/contract/endpoint'
import { idsAtOnce } from '@voltkeep/contract/fields'
import type { LiveNoun } from '@voltkeep/contract/live'
import { useEffect, useMemo, useRef, useState } from 'react'
import { untouchedMs } from '../../lib/browser/idle.ts'
import { waitAfter } from '../../lib/live/burst.ts'
import { concerns, useBurst, useLive } from '../../lib/live/live.ts'
import { call } from '../../lib/wire/call.ts'
import { type Arrivals, afterReading, noArrivals, rowsNow, withAsked, withPage } from './table/liveRows.ts'
import type { List } from './useList.ts'

/** As long as the highlight in the table runs. */
const flashMs = 1_600
/** A list that nobody has touched for so long reloads when there are new rows … */
const unattendedMs = 5 * 60_000
/** … at most this often. */
const rereadMs = 60_000

export interface LiveListOptions<Row> {
  /** Input that lifts the filters that a row of the page may no longer pass: such a row stays until the next query. */
  anyState?: Record<string, unknown>
  /** Other nouns whose changes show in the rows: by noun, the id in the row. */
  shows?: Record<string, (row: Row) => string>
  /** Whether the row is highlighted for the change. */
  isChanged: (before: Row, after: Row) => boolean
  /** The rows are of another kind for now, e.g. sums: nothing is followed. */
  isOff?: boolean
}

export interface LiveList<Row> {
  /** The page's rows in the state that they have now. */
  rows: Row[]
  /** Rows to highlight. */
  changedKeys: ReadonlySet<string>
  waitingCount: number
  /** The waiting rows, as they were when they came. */
  waiting: readonly Row[]
  /** More rows wait than `waiting` holds. */
  isOver: boolean
  /** The page differs from what the server would answer, in a way that is not shown. */
  isStale: boolean
  /** Shows the waiting rows: the first page, read anew. */
  show(): void
  /** Sets a row's state that the page itself has learned. */
  take(row: Row): void
}

/** Ids that the stream named and the server was not asked about yet. Bounded: more becomes `isMissed`. */
interface Pending {
  added: Set<string>
  changed: Set<string>
  /** The whole page is to be read again behind the one on the screen. */
  isMissed: boolean
}

const nothingPending = (): Pending => ({ added: new Set(), changed: new Set(), isMissed: false })

/**
 * A list as the live stream changes it. The stream names ids; their rows are queried by the list's own call, with the
 * list's filters: the server alone judges filters and scope. One request for a burst, none while the page is hidden.
 */
export function useLiveList<I extends Schema, Row extends { id: string }>(
  list: List<I, Row>,
  live: LiveNoun & { list: Endpoint },
  options: LiveListOptions<Row>,
): LiveList<Row> {
  const [arrivals, setArrivals] = useState<Arrivals<Row>>(noArrivals)
  const [changedKeys, flash] = useFlash()
  const latest = useLatest({ list, arrivals, options })
  const pending = useRef(nothingPending())
  const [seen, setSeen] = useState<ReadonlyMap<string, Row>>(new Map())
  /** Keeps rows that may wait; of the former ones, those that still do. */
  const keep = (rows: readonly Row[]) =>
    setSeen((before) => {
      const { waiting } = latest.current.arrivals
      const still = [...before].filter(([id]) => waiting.has(id))
      return new Map([...still, ...rows.map((row) => [row.id, row] as const)])
    })

  // Events before a reading began are included in the reading.
  const readingBeganMs = useRef(0)
  useEffect(() => {
    if (!list.isFetching) return
    readingBeganMs.current = Date.now()
    pending.current = nothingPending()
  }, [list.isFetching])
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new reading, also one of equal rows
  useEffect(() => {
    setArrivals((current) => afterReading(current, readingBeganMs.current, list.rows))
  }, [list.readAtMs, list.rows])

  const read = async (input: Record<string, unknown>) => {
    const answer: unknown = await call(live.list, input as InputFor<Endpoint>)
    return answer as { rows: Row[]; total: number }
  }
  const readByIds = async (ids: readonly string[], input: Record<string, unknown>) =>
    ids.length === 0 ? [] : (await read({ ...input, ids, pageNum: 1, pageSize: idsAtOnce })).rows

  const flashChanged = (rows: readonly Row[]) => {
    const { list: shown, arrivals: known, options: given } = latest.current
    const before = new Map(rowsNow(shown.rows, known.states).map((row) => [row.id, row]))
    flash(
      rows.filter((row) => {
        const was = before.get(row.id)
        return was !== undefined && given.isChanged(was, row)
      }),
    )
  }

  const ask = useBurst(async (again) => {
    const { list: shown, arrivals: known, options: given } = latest.current
    // A reading under way does not include everything that is pending, which is queried afterwards.
    if (shown.isFetching) return again()
    if (shown.error) return
    const { added, changed, isMissed } = pending.current
    pending.current = nothingPending()
    const { filters } = shown
    const askedAtMs = Date.now()
    const isOutdated = () => latest.current.list.filters !== filters || askedAtMs < readingBeganMs.current
    try {
      if (isMissed) {
        const now = await read(filters)
        const present = new Set(now.rows.map(({ id }) => id))
        const left = shown.rows.map(({ id }) => id).filter((id) => !present.has(id))
        const rows = [...now.rows, ...(await readByIds(left.slice(0, idsAtOnce), given.anyState ?? {}))]
        if (isOutdated()) return
        flashChanged(rows)
        keep(now.rows)
        const page = { rows: shown.rows, total: shown.total, isFirst: shown.pageNum === 1 }
        setArrivals((current) =>
          withAsked(
            withPage(current, now, page, askedAtMs),
            { added: [], passing: [], changed: left, rows, askedAtMs },
            shown.rows,
          ),
        )
        return
      }
      const onPage = new Set(shown.rows.map(({ id }) => id))
      const asked = {
        added: [...added, ...[...changed].filter((id) => known.waiting.has(id))].filter((id) =>
          isWanted(id, filters),
        ),
        changed: [...changed].filter((id) => onPage.has(id)),
      }
      const [passing, rows] = await Promise.all([
        readByIds(asked.added, filters),
        readByIds(asked.changed, given.anyState ?? {}),
      ])
      if (isOutdated()) return
      flashChanged(rows)
      keep(passing)
      setArrivals((current) =>
        withAsked(current, { ...asked, passing: passing.map(({ id }) => id), rows, askedAtMs }, shown.rows),
      )
    } catch {
      // The next event or reading corrects it; until then the user is told.
      if (!isOutdated()) setArrivals((current) => ({ ...current, isStale: true }))
    }
  })

  useLive((event) => {
    const { list: shown, arrivals: known, options: given } = latest.current
    if (given.isOff) return
    const waits = pending.current
    if (concerns(event, live.noun) && event.type === 'changed') {
      // At its limit the bar counts no further.
      if (!known.isOver) for (const id of event.added) waits.added.add(id)
      const isKnown = (id: string) => known.waiting.has(id) || shown.rows.some((row) => row.id === id)
      for (const id of event.changed) if (shown.isFetching || isKnown(id)) waits.changed.add(id)
    } else if (concerns(event, live.noun) || concerns(event, liveDictionary.noun)) {
      waits.isMissed = true
    }
    for (const [noun, idOf] of Object.entries(given.shows ?? {})) {
      if (event.type === 'ready') continue
      for (const row of shown.rows) if (concerns(event, noun, idOf(row))) waits.changed.add(row.id)
    }
    if (waits.added.size > idsAtOnce || waits.changed.size > idsAtOnce) {
      pending.current = { ...nothingPending(), isMissed: true }
    }
    if (pending.current.isMissed || waits.added.size + waits.changed.size > 0) {
      ask(waitAfter(event))
    }
  })

  const show = () => {
    setArrivals(noArrivals)
    if (list.pageNum === 1) list.retry()
    else list.turn(1, list.pageSize)
  }
  // An empty list has nothing that could move: it shows new rows at once.
  const isEmpty = list.rows.length === 0 && list.readAtMs > 0 && list.pageNum === 1
  const isDue = isEmpty && !list.isFetching && arrivals.waiting.size > 0
  const showLatest = useLatest(show)
  useEffect(() => {
    if (isDue) showLatest.current()
  }, [isDue, showLatest])
  const hasNews = arrivals.waiting.size > 0 || arrivals.isOver || arrivals.isStale
  useUnattended(hasNews && list.pageNum === 1, show)

  const rows = useMemo(() => rowsNow(list.rows, arrivals.states), [list.rows, arrivals.states])
  return {
    rows,
    changedKeys,
    waitingCount: arrivals.waiting.size,
    waiting: [...arrivals.waiting.keys()].flatMap((id) => seen.get(id) ?? []),
    isOver: arrivals.isOver,
    isStale: arrivals.isStale,
    show,
    take(row) {
      flashChanged([row])
      const asked = { added: [row.id], passing: [], changed: [], rows: [row], askedAtMs: Date.now() }
      setArrivals((current) => withAsked(current, asked, list.rows))
    },
  }
}

/** A list that a link narrows to ids does not want others. */
function isWanted(id: string, filters: Record<string, unknown>): boolean {
  return !Array.isArray(filters.ids) || filters.ids.includes(id)
}

function useLatest<Value>(value: Value) {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
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

/** Acts when nobody has touched the page for a while and nothing is open over it. */
function useUnattended(isWanted: boolean, act: () => void): void {
  const latest = useLatest(act)
  useEffect(() => {
    if (!isWanted) return
    let timer: ReturnType<typeof setTimeout>
    const look = () => {
      const leftMs = unattendedMs - untouchedMs()
      const isBusy = document.hidden || document.querySelector('dialog[open], .ant-modal-wrap') !== null
      if (leftMs <= 0 && !isBusy) latest.current()
      else timer = setTimeout(look, Math.max(leftMs, rereadMs))
    }
    timer = setTimeout(look, Math.max(unattendedMs - untouchedMs(), rereadMs))
    return () => clearTimeout(timer)
  }, [isWanted, latest])
}
