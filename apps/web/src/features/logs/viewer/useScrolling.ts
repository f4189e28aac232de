// Which rows of a log are in sight, however many there are.
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

/** Rows drawn beyond what is in sight: a wheel is quicker than a page. */
const spareRows = 24
/** After so long without scrolling the scrollbar is put where it belongs. */
const restMs = 150

/** No screen is higher: where the page gives the text no height of its own, not all of it is drawn. */
const tallestPx = 4_000

export interface Scrolling {
  /** The element that scrolls, and in it the one that contains the rows; each row has its place in `data-place`. */
  scroller: RefObject<HTMLDivElement | null>
  layer: RefObject<HTMLDivElement | null>
  /** The places to draw. */
  from: number
  to: number
  /** The first row in sight, and how many there is room for. */
  top: number
  room: number
  heightPx: number
  onScroll: () => void
  /** Scrolls by so many pixels. */
  by: (px: number) => void
  /** Brings a row into sight; what is there already stays where it is. */
  show: (place: number) => void
  /** Makes a row the first in sight. */
  toTop: (place: number) => void
}

/** `isWrapped`: rows may be of any height, which is measured. */
export function useScrolling(count: number, isWrapped: boolean): Scrolling {
  const scroller = useRef<HTMLDivElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const [anchor, setAnchor] = useState<Anchor>({ place: 0, above: 0 })
  const latest = useRef(anchor)
  const [view, setView] = useState({ px: 400, width: 0 })
  const heights = useRef(new Map<number, number>())
  /** Where the scrollbar stood when the anchor was set. */
  const scrolledTo = useRef(0)

  const extent: Extent = {
    count,
    viewPx: view.px,
    heightOf: (place) => (isWrapped ? (heights.current.get(place) ?? rowPx) : rowPx),
  }
  /** The scrollbar says to the pixel where the anchor is. */
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
  /** The scrollbar follows what is in sight; nothing in sight moves. */
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
    // At an end of the scrollbar less than a page is left, or the scrollbar goes back to where there is more.
    if (isTop && next.place * rowPx < view.px) set({ place: 0, above: 0 })
    else if (isEnd && (count - next.place) * rowPx < view.px * 2) set(lastAnchor(extent))
    else {
      set(next)
      if (isTop || isEnd) rest()
    }
    clearTimeout(timer.current)
    timer.current = setTimeout(() => atRest.current(), restMs)
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: rows of another width have other heights
  useLayoutEffect(() => heights.current.clear(), [view.width, isWrapped])

  // Puts the anchor's row where it belongs, by the heights that the rows have now.
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
