import { type RefObject, useEffect, useRef } from 'react'
import styles from './ListPage.module.css'
import type { LiveList } from './useLiveList.ts'

export interface LiveBarProps {
  /** How many new rows wait; at 0 there is no bar. */
  count: number
  /** E.g. `12 条新告警`. */
  text: (count: number) => string
  /** Shows them: usually the first page, read anew. */
  onShow: () => void
}

/** The bar of a live list: how many rows wait, or that the page is no longer as the server has it. */
export const liveBar = (
  { waitingCount, isStale, show }: Pick<LiveList<unknown>, 'waitingCount' | 'isStale' | 'show'>,
  words: { news: (count: number) => string; stale: string },
): LiveBarProps => ({
  count: waitingCount || (isStale ? 1 : 0),
  text: (count) => (waitingCount > 0 ? words.news(count) : words.stale),
  onShow: show,
})

/**
 * New rows are gathered here, so that a live list never jumps; a press, or scrolling up, shows them. The bar is in the
 * title's line, or over the page where that has no room: its appearance moves nothing.
 */
export function LiveBar({
  count,
  text,
  onShow,
  rows: rowsRef,
}: LiveBarProps & { rows: RefObject<HTMLElement | null> }) {
  const latest = useRef(onShow)
  useEffect(() => {
    latest.current = onShow
  })
  const isShown = count > 0
  useEffect(() => {
    const rows = rowsRef.current
    if (!isShown || !rows) return
    // Only a list that was further down can be scrolled up. Rows scroll in their box, cards with the page.
    const down = () => Math.max(rows.scrollTop, window.scrollY)
    let wasDown = down() > 0
    const onScroll = () => {
      if (down() > 40) wasDown = true
      else if (wasDown && down() === 0) latest.current()
    }
    const scrolled = [rows, window]
    for (const each of scrolled) each.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      for (const each of scrolled) each.removeEventListener('scroll', onScroll)
    }
  }, [isShown, rowsRef])
  if (!isShown) return null
  return (
    <button type="button" className={styles.live} onClick={onShow} aria-live="polite">
      <span aria-hidden="true">↑</span> {text(count)}
    </button>
  )
}
