import { readLogLine } from './logLine.ts'
import styles from './serverStatus.module.css'

/** One log line: time, level and message; its other fields are expandable. */
export function LogLine({ line }: { line: string }) {
  const read = readLogLine(line)
  if (!read) return <li className={styles.line}>{line}</li>
  const { time, level, message, rest } = read
  return (
    <li className={styles.line} data-level={level}>
      <time>{time}</time> <span className={styles.level}>{level.toUpperCase().padEnd(5)}</span>{' '}
      <span>{message}</span>
      {rest && <span className={styles.rest}> {rest}</span>}
    </li>
  )
}
