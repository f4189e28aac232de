import { pageSizes } from '@voltkeep/contract/preferences'

export type PageSize = (typeof pageSizes)[number]

/** What a page has beside its rows: top bar, title, filters, head of the table, pager. */
const besidePx = 250
const besideCardsPx = 110
const cardPx = 64

/** The smallest size whose rows fill a window of this height; the largest there is where none does. */
export function fittingSize(
  windowPx: number,
  { rowPx, hasCards }: { rowPx: number; hasCards: boolean },
): PageSize {
  const rows = hasCards ? (windowPx - besideCardsPx) / cardPx : (windowPx - besidePx) / rowPx
  return pageSizes.find((size) => size >= Math.floor(rows)) ?? 100
}
