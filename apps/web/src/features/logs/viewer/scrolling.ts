// Scrolling over more rows than a page can be high, of heights that are known only where they are drawn. What is in
// sight begins at an anchor; the browser's own scrollbar says roughly where that is, and how far it was moved.

/** The place of the first row in sight, and how much of it is above. */
export interface Anchor {
  place: number
  /** In pixels. */
  above: number
}

/** Browsers take elements no higher than 17 to 33 million pixels. */
export const longestPx = 8_000_000

export const rowPx = 20

export interface Extent {
  count: number
  viewPx: number
  /** Of a row that was drawn; `rowPx` of others. */
  heightOf: (place: number) => number
}

/** How high the scrolled element is. */
export function scrolledPx(count: number): number {
  return Math.min(count * rowPx, longestPx)
}

/** The anchor after scrolling by so many pixels, within what there is. */
export function moved({ place, above }: Anchor, byPx: number, extent: Extent): Anchor {
  const { count, heightOf } = extent
  let at = Math.min(place, Math.max(0, count - 1))
  let rest = above + byPx
  while (rest < 0 && at > 0) {
    at -= 1
    rest += heightOf(at)
  }
  while (at < count - 1 && rest >= heightOf(at)) {
    rest -= heightOf(at)
    at += 1
  }
  return atMost({ place: at, above: Math.max(0, rest) }, lastAnchor(extent))
}

/** The anchor that shows the end: the last row is the last in sight. */
export function lastAnchor({ count, viewPx, heightOf }: Extent): Anchor {
  let place = count
  let px = 0
  while (place > 0 && px < viewPx) {
    place -= 1
    px += heightOf(place)
  }
  return { place, above: Math.max(0, px - viewPx) }
}

function atMost(anchor: Anchor, limit: Anchor): Anchor {
  const isBeyond = anchor.place > limit.place || (anchor.place === limit.place && anchor.above > limit.above)
  return isBeyond ? limit : anchor
}

/** Where the scrollbar stands for an anchor: by its share of all rows. */
export function scrollTopOf({ place, above }: Anchor, { count, viewPx, heightOf }: Extent): number {
  const share = place + above / Math.max(1, heightOf(place))
  const mostPx = scrolledPx(count) - viewPx
  const mostRows = count - viewPx / rowPx
  return mostRows <= 0 || mostPx <= 0 ? 0 : Math.min(mostPx, (share / mostRows) * mostPx)
}

/** The anchor that a place of the scrollbar means. */
export function anchorAt(scrollTop: number, extent: Extent): Anchor {
  const { count, viewPx } = extent
  const mostPx = scrolledPx(count) - viewPx
  if (mostPx <= 0) return { place: 0, above: 0 }
  const share = (Math.min(scrollTop, mostPx) / mostPx) * (count - viewPx / rowPx)
  const place = Math.floor(share)
  // To the end means the last row, however high the last ones are.
  if (scrollTop >= mostPx - 1) return lastAnchor(extent)
  return atMost({ place, above: (share - place) * extent.heightOf(place) }, lastAnchor(extent))
}
