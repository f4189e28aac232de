import { useEffect, useMemo, useState } from 'react'
import { notify } from '../../lib/notices.ts'
import { texts } from '../../lib/texts/index.ts'
import type { List } from './useList.ts'

/** Rows that are chosen for an action, by id: they stay chosen over pages, and are dropped with other filters. */
export interface Selection<Row> {
  rows: readonly Row[]
  has(row: Row): boolean
  toggle(row: Row): void
  /** Everything on the page, or nothing of it where all of it is chosen. */
  togglePage(page: readonly Row[]): void
  clear(): void
}

/** As a list shows it. */
export interface RowSelection<Row> extends Selection<Row> {
  /** Names a row's checkbox, e.g. the device's code. */
  nameOf: (row: Row) => string
}

/** The most ids that a call takes. */
export const mostSelected = 200

export function useSelection<Row extends { id: string }>(list: Pick<List, 'filters'>): Selection<Row> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const { pageNum: _page, pageSize: _size, ...narrowing } = list.filters
  const filters = JSON.stringify(narrowing)
  // Rows of the former filters are out of sight: no action should reach them.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters, whatever they are
  useEffect(() => setChosen(new Map()), [filters])

  return useMemo(
    () => ({
      rows: [...chosen.values()],
      has: ({ id }) => chosen.has(id),
      toggle: (row) => setChosen(limited(withRows(chosen, [row], !chosen.has(row.id)))),
      togglePage(page) {
        const isWhole = page.every(({ id }) => chosen.has(id))
        setChosen(limited(withRows(chosen, page, !isWhole)))
      },
      clear: () => setChosen(new Map()),
    }),
    [chosen],
  )
}

export function withRows<Row extends { id: string }>(
  chosen: ReadonlyMap<string, Row>,
  rows: readonly Row[],
  isChosen: boolean,
): ReadonlyMap<string, Row> {
  const next = new Map(chosen)
  for (const row of rows) {
    if (isChosen) next.set(row.id, row)
    else next.delete(row.id)
  }
  return next
}

function limited<Row>(rows: ReadonlyMap<string, Row>): ReadonlyMap<string, Row> {
  if (rows.size <= mostSelected) return rows
  notify.error(texts.list.selection.limit(mostSelected))
  return new Map([...rows].slice(0, mostSelected))
}
