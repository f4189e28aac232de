import type { ReactNode } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import styles from '../overview.module.css'
import { overviewTexts as words } from '../overview.texts.ts'

export interface ProgressProps {
  name: ReactNode
  beside: string
  done: number
  failed: number
  total: number
  page: string
  search: object
}

/** A task in progress: its name, a bar of done and failed, and both in numbers. */
export function Progress({ name, beside, done, failed, total, page, search }: ProgressProps) {
  return (
    <PageLink page={page} search={search} className={styles.task}>
      <span className={styles.name}>{name}</span>
      <span className={styles.quiet}>{beside}</span>
      <span className={styles.progress} aria-hidden="true">
        <span data-kind="done" style={{ flexGrow: done }} />
        <span data-kind="failed" style={{ flexGrow: failed }} />
        <span style={{ flexGrow: Math.max(0, total - done - failed) }} />
      </span>
      <span className={styles.numbers}>
        {words.done(formatCount(done), formatCount(total))}
        {failed > 0 && <em>{words.failed(formatCount(failed))}</em>}
      </span>
    </PageLink>
  )
}
