import { ArrowDownOutlined, ArrowUpOutlined } from '@ant-design/icons'
import type { ReactNode } from 'react'
import { texts } from '../../../lib/texts/index.ts'
import type { List } from '../useList.ts'
import styles from './Sort.module.css'

export type Order = 'asc' | 'desc'

/** The requested order of the rows; without `by` it is the list's own. */
export interface Sorting {
  by: string | undefined
  order: Order
  /** Undefined goes back to the list's own order. */
  sort(by: string | undefined, order: Order): void
}

/** A list whose call takes `sortBy` and `sortOrder` sorts by its columns' titles. */
export function sortingOf(list: Pick<List, 'filters' | 'apply'>): Sorting {
  const { sortBy, sortOrder } = list.filters as { sortBy?: string; sortOrder?: Order }
  return {
    by: sortBy,
    order: sortOrder ?? 'desc',
    sort: (by, order) =>
      list.apply({
        ...list.filters,
        sortBy: by,
        sortOrder: by === undefined || order === 'desc' ? undefined : order,
      }),
  }
}

export function ariaSort(by: string, { by: current, order }: Sorting) {
  if (by !== current) return 'none'
  return order === 'asc' ? 'ascending' : 'descending'
}

/** A column's title: the first press sorts one way, the second the other, the third as the list stands by itself. */
export function SortButton({
  by,
  first = 'desc',
  sorting,
  children,
}: {
  by: string
  first?: Order | undefined
  sorting: Sorting
  children: ReactNode
}) {
  const isCurrent = sorting.by === by
  const next = () => {
    if (!isCurrent) sorting.sort(by, first)
    else if (sorting.order === first) sorting.sort(by, first === 'desc' ? 'asc' : 'desc')
    else sorting.sort(undefined, 'desc')
  }
  return (
    <button
      type="button"
      className={styles.sort}
      data-current={isCurrent || undefined}
      title={isCurrent ? texts.list.sorted(sorting.order, sorting.order === first) : texts.list.sortable}
      onClick={next}
    >
      {children}
      {(isCurrent ? sorting.order : first) === 'asc' ? <ArrowUpOutlined /> : <ArrowDownOutlined />}
    </button>
  )
}
