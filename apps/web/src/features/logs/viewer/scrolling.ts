// Scrolling over more rows than an element can be high, with row heights that are known only for drawn rows. The
// visible part begins at an anchor. The browser's scrollbar shows its approximate position, and its movements move
// the anchor.

/** The first visible row, and how much of it is above the top edge. */
export interface Anchor {
  place: number
  /** In pixels. */
  above: number
}

/** Browsers limit the height of an element to 17 to 33 million pixels. */
export const longestPx = 8_000_000

export const rowPx = 20

export interface Extent {
  count: number
  viewPx: number
  /** The height of a drawn row; `rowPx` for any other. */
  heightOf: (place: number) => number
}

/** The height of the scrolled element. */
export function scrolledPx(count: number): number {
  return Math.min(count * rowPx, longestPx)
}

/** The anchor after scrolling by a number of pixels, clamped to the text. */
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

/** The anchor at the end: the last row is at the bottom. */
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

/** The scrollbar's position for an anchor, in proportion to all rows. */
export function scrollTopOf({ place, above }: Anchor, { count, viewPx, heightOf }: Extent): number {
  const share = place + above / Math.max(1, heightOf(place))
  const mostPx = scrolledPx(count) - viewPx
  const mostRows = count - viewPx / rowPx
  return mostRows <= 0 || mostPx <= 0 ? 0 : Math.min(mostPx, (share / mostRows) * mostPx)
}

/** The anchor for a position of the scrollbar. */
export function anchorAt(scrollTop: number, extent: Extent): Anchor {
  const { count, viewPx } = extent
  const mostPx = scrolledPx(count) - viewPx
  if (mostPx <= 0) return { place: 0, above: 0 }
  const share = (Math.min(scrollTop, mostPx) / mostPx) * (count - viewPx / rowPx)
  const place = Math.floor(share)
  // The end means the last row, however high the last rows are.
  if (scrollTop >= mostPx - 1) return lastAnchor(extent)
  return atMost({ place, above: (share - place) * extent.heightOf(place) }, lastAnchor(extent))
}
