import { useEffect, useRef } from 'react'
import styles from './ListPage.module.css'

export interface LiveBarProps {
  /** How many new rows wait; at 0 there is no bar. */
  count: number
  /** E.g. `12 条新告警`. */
  text: (count: number) => string
  /** Shows them: usually the first page, read anew. */
  onShow: () => void
}

/** New rows gather here, so that a live list never jumps. Pressed, or reached by scrolling up. */
export function LiveBar({ count, text, onShow }: LiveBarProps) {
  const bar = useRef<HTMLButtonElement>(null)
  const latest = useRef(onShow)
  useEffect(() => {
    latest.current = onShow
  })
  const isShown = count > 0
  useEffect(() => {
    const rows = bar.current?.nextElementSibling
    if (!isShown || !rows) return
    // Only a person who was further down has scrolled up.
    let wasDown = rows.scrollTop > 0
    const onScroll = () => {
      if (rows.scrollTop > 40) wasDown = true
      else if (wasDown && rows.scrollTop === 0) latest.current()
    }
    rows.addEventListener('scroll', onScroll, { passive: true })
    return () => rows.removeEventListener('scroll', onScroll)
  }, [isShown])
  if (!isShown) return null
  return (
    <button ref={bar} type="button" className={styles.live} onClick={onShow} aria-live="polite">
      <span aria-hidden="true">↑</span> {text(count)}
    </button>
  )
}
