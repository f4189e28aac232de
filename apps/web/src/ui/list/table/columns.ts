import type { PreferenceValue } from '@voltkeep/contract/preferences'
import type { Column } from '../DataTable.tsx'

export type ColumnChoice = PreferenceValue<'columns:/'>

export interface Arranged<Row> {
  /** Fixed and never hidden: columns that identify the row at the left, actions at the right. */
  first: readonly Column<Row>[]
  /** Between these, in the reader's order, including the hidden ones. */
  middle: readonly Column<Row>[]
  last: readonly Column<Row>[]
  hidden: ReadonlySet<string>
}

const none: ColumnChoice = { order: [], hidden: [] }

/**
 * Columns as their reader has chosen them. A newer column, which the choice does not have, follows the column that it
 * follows on the page.
 */
export function arrange<Row>(columns: readonly Column<Row>[], choice: ColumnChoice = none): Arranged<Row> {
  const isLast = ({ fixed, key }: Column<Row>) => fixed === 'right' || key === 'operation'
  const firstCount = Math.max(
    1,
    columns.findIndex(({ fixed }) => fixed !== 'left'),
  )
  const first = columns.slice(0, firstCount)
  const others = columns.slice(firstCount)
  const inOwnOrder = others.filter((column) => !isLast(column))
  const byKey = new Map(inOwnOrder.map((column) => [column.key, column]))
  const middle = [...new Set(choice.order)].flatMap((key) => byKey.get(key) ?? [])
  for (const [at, column] of inOwnOrder.entries()) {
    if (middle.includes(column)) continue
    const before = inOwnOrder[at - 1]
    middle.splice(before ? middle.indexOf(before) + 1 : 0, 0, column)
  }
  return { first, middle, last: others.filter(isLast), hidden: new Set(choice.hidden) }
}

export function shownOf<Row>({ first, middle, last, hidden }: Arranged<Row>): Column<Row>[] {
  return [...first, ...middle.filter(({ key }) => !hidden.has(key)), ...last]
}

/** The choice after a column has moved by this number of places among the middle ones. */
export function moved<Row>({ middle, hidden }: Arranged<Row>, key: string, by: number): ColumnChoice {
  const order = middle.map((column) => column.key)
  const from = order.indexOf(key)
  const to = Math.max(0, Math.min(order.length - 1, from + by))
  order.splice(from, 1)
  order.splice(to, 0, key)
  return { order, hidden: [...hidden] }
}

export function toggled<Row>({ middle, hidden }: Arranged<Row>, key: string): ColumnChoice {
  const others = [...hidden].filter((one) => one !== key)
  return { order: middle.map((column) => column.key), hidden: hidden.has(key) ? others : [...others, key] }
}
