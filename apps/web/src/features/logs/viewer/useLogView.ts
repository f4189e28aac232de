import { useEffect, useRef, useState } from 'react'
import { useStore } from '../../../lib/store.ts'
import type { Encoding } from './text/encoding.ts'
import type { WorkerState } from './text/logService.ts'
import type { LogReader } from './text/reader.ts'
import { createRowCache, type RowCache } from './text/rowCache.ts'
import type { Hit, SearchQuery } from './text/search.ts'
import type { Scrolling } from './useScrolling.ts'

export interface PresentHit extends Hit {
  /** The hit's number, from 0. */
  number: number
}

export interface LogView {
  cache: RowCache
  /** The shown levels, by index; all where undefined. */
  shown: readonly number[] | undefined
  show(levels: readonly number[] | undefined): Promise<void>
  query: SearchQuery | undefined
  search(query: SearchQuery | undefined): void
  hit: PresentHit | undefined
  /** Goes to the next or previous hit, wrapping around. */
  step(by: 1 | -1): Promise<void>
  decodeAs(encoding: Encoding | undefined): Promise<void>
}

/** The view of an open log: shown levels, search, present hit. */
export function useLogView(reader: LogReader, state: WorkerState | undefined, scrolling: Scrolling): LogView {
  const [cache] = useState(() => createRowCache(reader.rows))
  useStore(cache.version)
  const [shown, setShown] = useState<readonly number[]>()
  const [query, setQuery] = useState<SearchQuery>()
  const [hit, setHit] = useState<PresentHit>()
  const hits = state?.search.hits ?? 0
  /** The hit requested last. Steps count from it, so that two quick presses move two hits. */
  const asked = useRef<{ number: number }>(undefined)

  const goTo = async (number: number) => {
    const own = { number }
    asked.current = own
    const found = await reader.hit(number)
    if (!found || asked.current !== own) return
    setHit({ ...found, number })
    scrolling.show(found.place)
  }
  const leaveHit = () => {
    asked.current = undefined
    setHit(undefined)
  }

  // Requests the first hit from the visible rows on; the search may find it only later.
  const isWanted = query !== undefined && hit === undefined && hits > 0
  const isAsking = useRef(false)
  useEffect(() => {
    if (!isWanted || isAsking.current) return
    isAsking.current = true
    void reader.hitFrom(scrolling.top).then((number) => {
      isAsking.current = false
      if (number !== undefined) return goTo(number)
    })
  })

  return {
    cache,
    shown,
    async show(levels) {
      const place = await reader.filter(levels, scrolling.top)
      setShown(levels)
      leaveHit()
      cache.clear()
      scrolling.toTop(place)
    },
    query,
    search(next) {
      setQuery(next)
      leaveHit()
      void reader.search(next)
    },
    hit,
    async step(by) {
      if (hits === 0) return
      const from = asked.current?.number
      await goTo(
        from === undefined ? ((await reader.hitFrom(scrolling.top)) ?? 0) : (from + by + hits) % hits,
      )
    },
    async decodeAs(encoding) {
      setShown(undefined)
      leaveHit()
      await reader.decodeAs(encoding)
      cache.clear()
      await reader.search(query)
    },
  }
}
