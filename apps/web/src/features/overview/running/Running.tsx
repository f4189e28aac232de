import type { ReactNode } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import { PageLink } from '../../../ui/PageLink.tsx'
import styles from '../overview.module.css'
import { overviewTexts as words } from '../overview.texts.ts'
import { Section } from '../Section.tsx'
import { Unread } from '../Unread.tsx'

/** Rows, and whether they have been read. */
export interface ReadRows<Row> {
  rows: readonly Row[]
  total: number
  isPending: boolean
  error: Error | null
  retry: () => void
}

/** The newest tasks of one kind in progress, with a link to all of them. */
export function Running<Row extends { id: string }>({
  title,
  none,
  list: { rows, total, isPending, error, retry },
  page,
  search,
  children,
}: {
  title: string
  none: string
  list: ReadRows<Row>
  /** The list of all tasks, and the search to open it with. */
  page: string
  search: Record<string, unknown>
  children: (row: Row) => ReactNode
}) {
  return (
    <Section
      title={title}
      aside={
        total > 0 && (
          <PageLink page={page} search={search}>
            {words.all} {total}
          </PageLink>
        )
      }
    >
      {error && rows.length === 0 && <Unread onRetry={retry} />}
      {!error && rows.length === 0 && <p className={styles.none}>{isPending ? texts.list.loading : none}</p>}
      <ul className={styles.rows}>
        {rows.map((row) => (
          <li key={row.id}>{children(row)}</li>
        ))}
      </ul>
    </Section>
  )
}
