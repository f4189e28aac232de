import { memo, type ReactNode } from 'react'
import { logTexts } from '../logs.texts.ts'
import { levels } from './text/levels.ts'
import type { Row } from './text/logText.ts'
import styles from './viewer.module.css'

const words = logTexts.viewer

export interface LineProps {
  place: number
  /** Undefined until loaded. */
  row: Row | undefined
  /** The search pattern to highlight. */
  pattern: RegExp | undefined
  /** The column of the present hit, if it is in this row. */
  hitColumn: number | undefined
  isSelected: boolean
}

/** One row of a log. Warnings and errors also show their level as a word. */
export const Line = memo(function Line({ place, row, pattern, hitColumn, isSelected }: LineProps) {
  const level = levels[row?.level ?? 0] ?? 'none'
  return (
    <div
      className={styles.row}
      data-place={place}
      data-level={level === 'none' ? undefined : level}
      data-selected={isSelected || undefined}
    >
      <span className={styles.number} data-number="">
        {row && (row.line ?? '↳')}
      </span>
      <span className={styles.level}>
        {(level === 'error' || level === 'warn') && row?.line !== undefined && words.levels[level]}
      </span>
      <span className={styles.text}>{row && marked(row.text, pattern, hitColumn)}</span>
    </div>
  )
})

function marked(text: string, pattern: RegExp | undefined, hitColumn: number | undefined): ReactNode {
  if (!pattern) return text
  const parts: ReactNode[] = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(from, match.index))
    from = match.index + match[0].length
    parts.push(
      <mark key={match.index} data-present={match.index === hitColumn || undefined}>
        {match[0]}
      </mark>,
    )
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)]
}
