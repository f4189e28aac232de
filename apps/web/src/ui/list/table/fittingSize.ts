import { pageSizes } from '@voltkeep/contract/preferences'

export type PageSize = (typeof pageSizes)[number]

/**
 * The smallest size whose rows fill a window of this height; the largest one where none does. Its text also goes into
 * index.html: except for the default of `sizes` it uses nothing from outside.
 */
export function fittingSize(
  windowPx: number,
  { rowPx, hasCards, sizes = pageSizes }: { rowPx: number; hasCards: boolean; sizes?: readonly PageSize[] },
): PageSize {
  /** The height of everything beside the rows: top bar, title, filters, head of the table, pager. */
  const besidePx = 250
  const besideCardsPx = 110
  const cardPx = 64
  const rows = hasCards ? (windowPx - besideCardsPx) / cardPx : (windowPx - besidePx) / rowPx
  return sizes.find((size) => size >= Math.floor(rows)) ?? 100
}
