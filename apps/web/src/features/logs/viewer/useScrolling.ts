// Which rows of a log are visible, for any number of rows.
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  type Anchor,
  anchorAt,
  type Extent,
  lastAnchor,
  moved,
  rowPx,
  scrolledPx,
  scrollTopOf,
} from './scrolling.ts'

/** Rows drawn above and below the visible ones, for fast wheel scrolling. */
const spareRows = 24
/** After this pause, the scrollbar is moved to its exact position. */
const settleMs = 150

/**
 * No screen is higher. The limit matters where the layout gives the text no height of its own, which would draw all
 * rows.
 */
const tallestPx = 4_000

export interface Scrolling {
  /** The scrolling element, and the layer in it with the rows; each row has its place in `data-place`. */
  scroller: RefObject<HTMLDivElement | null>
  layer: RefObject<HTMLDivElement | null>
  /** The range of places to draw. */
  from: number
  to: number
  /** The first visible place, and how many rows fit. */
  top: number
  room: number
  heightPx: number
  onScroll: () => void
  /** Scrolls by this number of pixels. */
  by: (px: number) => void
  /** Scrolls a row into view; a visible row stays where it is. */
  show: (place: number) => void
  /** Scrolls a row to the top. */
  toTop: (place: number) => void
}

/** `isWrapped`: rows have different heights, which are measured. */
export function useScrolling(count: number, isWrapped: boolean): Scrolling {
  const scroller = useRef<HTMLDivElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const [anchor, setAnchor] = useState<Anchor>({ place: 0, above: 0 })
  const latest = useRef(anchor)
  const [view, setView] = useState({ px: 400, width: 0 })
  const heights = useRef(new Map<number, number>())
  /** The scrollbar's position when the anchor was set. */
  const scrolledTo = useRef(0)

  const extent: Extent = {
    count,
    viewPx: view.px,
    heightOf: (place) => (isWrapped ? (heights.current.get(place) ?? rowPx) : rowPx),
  }
  /** Whether a pixel of the scrollbar is a pixel of the text. */
  const isExact = !isWrapped && scrolledPx(count) === count * rowPx

  const set = (next: Anchor) => {
    latest.current = next
    setAnchor(next)
  }
  const putScrollbar = (top: number) => {
    const element = scroller.current
    if (!element) return
    element.scrollTop = top
    scrolledTo.current = element.scrollTop
    if (layer.current) layer.current.style.top = `${scrolledTo.current}px`
  }
  const goTo = (next: Anchor) => {
    set(next)
    putScrollbar(isExact ? next.place * rowPx + next.above : scrollTopOf(next, extent))
  }
  const by = (px: number) => goTo(moved(latest.current, px, extent))
  /** Moves the scrollbar to match the anchor; nothing visible moves. */
  const rest = () => {
    if (!isExact) putScrollbar(scrollTopOf(latest.current, extent))
  }
  const atRest = useRef(rest)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    atRest.current = rest
  })
  useEffect(() => () => clearTimeout(timer.current), [])

  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    const px = element.scrollTop - scrolledTo.current
    if (px === 0) return
    scrolledTo.current = element.scrollTop
    if (isExact || Math.abs(px) > Math.max(2_000, view.px * 3)) {
      set(anchorAt(element.scrollTop, extent))
      return
    }
    const next = moved(latest.current, px, extent)
    const isTop = element.scrollTop <= 0
    const isEnd = element.scrollTop >= element.scrollHeight - element.clientHeight - 1
    // Near the ends the anchor follows the scrollbar only where less than a page is left; otherwise `rest` moves the
    // scrollbar back.
    if (isTop && next.place * rowPx < view.px) set({ place: 0, above: 0 })
    else if (isEnd && (count - next.place) * rowPx < view.px * 2) set(lastAnchor(extent))
    else {
      set(next)
      if (isTop || isEnd) rest()
    }
    clearTimeout(timer.current)
    timer.current = setTimeout(() => atRest.current(), settleMs)
  }

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = () =>
      setView({ px: Math.min(element.clientHeight, tallestPx), width: element.clientWidth })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have other heights at another width
  useLayoutEffect(() => heights.current.clear(), [view.width, isWrapped])

  // Places the layer so that the anchor's row is where it belongs, by the present heights.
  useLayoutEffect(() => {
    const rows = layer.current
    if (!rows) return
    for (const row of isWrapped ? (rows.children as HTMLCollectionOf<HTMLElement>) : []) {
      heights.current.set(Number(row.dataset.place), row.offsetHeight)
    }
    const within = moved(anchor, 0, extent)
    if (within.place !== anchor.place || within.above !== anchor.above) set(within)
    const first = rows.querySelector<HTMLElement>(`[data-place="${within.place}"]`)
    rows.style.top = `${scrolledTo.current}px`
    rows.style.transform = `translateY(${-(first?.offsetTop ?? 0) - within.above}px)`
  })

  const room = Math.ceil(view.px / rowPx) + 1
  return {
    scroller,
    layer,
    from: Math.max(0, anchor.place - spareRows),
    to: Math.min(count, anchor.place + room + spareRows),
    top: anchor.place,
    room,
    heightPx: scrolledPx(count),
    onScroll,
    by,
    show(place) {
      const row = layer.current?.querySelector(`[data-place="${place}"]`)?.getBoundingClientRect()
      const sight = scroller.current?.getBoundingClientRect()
      if (row && sight && row.top >= sight.top && row.bottom <= sight.bottom) return
      goTo(moved({ place, above: 0 }, -view.px / 3, extent))
    },
    toTop: (place) => goTo(moved({ place, above: 0 }, 0, extent)),
  }
}
