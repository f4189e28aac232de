// A list within the page of something else: filters in one row, the rows, the pager.
import type { ReactNode } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { formatCount } from '../../lib/format.ts'
import { texts } from '../../lib/texts/index.ts'
import { EmptyState } from '../EmptyState.tsx'
import { SearchSelect, type SearchSelectProps } from '../typed/SearchSelect.tsx'
import { DataTable, type DataTableProps } from './DataTable.tsx'
import styles from './InlineList.module.css'
import { TableBox } from './TableBox.tsx'
import { Pager } from './table/Pager.tsx'
import type { InlineSource } from './useInlineList.ts'
import type { List } from './useList.ts'

export interface InlineListProps<Row>
  extends Pick<
    DataTableProps<Row>,
    'label' | 'columns' | 'rows' | 'card' | 'onOpen' | 'openKey' | 'changedKeys'
  > {
  source: Omit<InlineSource<unknown>, 'filters' | 'narrow'>
  /** Rows that the list has but does not show; a press shows them. */
  news?: { text: string; onShow: () => void } | undefined
  empty: string
  /** The measure word of a row: 台, 条. */
  measure: string
  /** In a panel: cards, and no pager where it has one page. */
  isCompact?: boolean
  /** The number of rows without a filter, where it is known before them: what is below keeps its place. */
  expected?: number
  /** Its filters. */
  children: ReactNode
}

export function InlineList<Row extends { id: string }>({
  source: { isFiltered, paging },
  news,
  empty,
  measure,
  isCompact = false,
  expected = Infinity,
  children,
  ...table
}: InlineListProps<Row>) {
  const isNarrow = useMedia(narrowQuery) || isCompact
  const skeletonRows = isFiltered ? paging.pageSize : Math.min(paging.pageSize, expected)
  return (
    <>
      <div className={styles.filters}>
        {children}
        {isFiltered && (
          <button type="button" className="link-button" onClick={paging.reset}>
            {texts.list.clearFilters}
          </button>
        )}
        {!paging.isFirst && !paging.error && (
          <span className={styles.total}>{texts.list.total(formatCount(paging.total), measure)}</span>
        )}
        {news && (
          <button type="button" className="link-button" onClick={news.onShow}>
            {news.text}
          </button>
        )}
      </div>
      {paging.error ? (
        <EmptyState
          title={texts.list.failed}
          hint={paging.error.message}
          action={
            <button type="button" className="button" onClick={paging.retry}>
              {texts.list.retry}
            </button>
          }
        />
      ) : (
        <TableBox>
          <DataTable
            {...table}
            keyOf={({ id }) => id}
            isNarrow={isNarrow}
            isDimmed={paging.isStale}
            skeletonRows={paging.isFirst ? skeletonRows : 0}
            empty={<EmptyState title={empty} />}
          />
        </TableBox>
      )}
      {(!isCompact || paging.total > paging.pageSize) && (
        // The pager comes after the rows: its place is kept.
        <div className={styles.foot} data-kept={(!isNarrow && skeletonRows > 0) || undefined}>
          <Pager list={paging as List} measure={measure} isNarrow={isNarrow} />
        </div>
      )}
    </>
  )
}

/** A choice above an inline list: one value, or several with `mode="multiple"`. */
export const InlineSelect = <Value,>({ label, ...props }: SearchSelectProps<Value> & { label: string }) => (
  <SearchSelect<Value>
    aria-label={label}
    className={styles.filter ?? ''}
    maxTagCount="responsive"
    allowClear
    {...props}
  />
)

/** A filter that another part of the page has set; a press removes it. */
export function InlineChip({ children, onDrop }: { children: ReactNode; onDrop: () => void }) {
  return (
    <button type="button" className={styles.chip} onClick={onDrop}>
      {children} <span aria-hidden="true">×</span>
    </button>
  )
}
