import { useEffect } from 'react'
import { serverNow } from '../../lib/clock.ts'
import { formatAgo, readWireTime } from '../../lib/format.ts'
import { createStore, useStore } from '../../lib/store.ts'
import styles from './RelativeTime.module.css'

// One clock for all of them: a table of a hundred rows keeps one timer.
const now = createStore(serverNow())
/** Short enough for times below a minute, which are counted in seconds. */
const tickMs = 10_000
let watchers = 0
let timer: ReturnType<typeof setInterval> | undefined

/** The server's present moment, moved on every ten seconds. */
export function useNow(): Date {
  useEffect(() => {
    watchers += 1
    const present = serverNow()
    // A component mounted between two ticks shows the present, too; a table of them sets it once.
    if (Math.abs(present.getTime() - now.get().getTime()) >= 1_000) now.set(present)
    if (watchers === 1) timer = setInterval(() => now.set(serverNow()), tickMs)
    return () => {
      watchers -= 1
      if (watchers === 0) clearInterval(timer)
    }
  }, [])
  return useStore(now)
}

export interface RelativeTimeProps {
  /** As on the wire. */
  time: string | null
  /** Only the relative words, with the time itself on hover. */
  isShort?: boolean
}

/** `2026-11-20 09:30:05  3 分钟前`. */
export function RelativeTime({ time, isShort = false }: RelativeTimeProps) {
  const at = useNow()
  const then = time === null ? undefined : readWireTime(time)
  if (!time || !then) return <span className={styles.none}>—</span>
  const ago = formatAgo(then, at)
  if (isShort) {
    return (
      <time dateTime={time.replace(' ', 'T')} title={time} className={styles.time}>
        {ago || time}
      </time>
    )
  }
  return (
    <time dateTime={time.replace(' ', 'T')} className={styles.time}>
      {time}
      {ago && <span className={styles.ago}>{ago}</span>}
    </time>
  )
}
