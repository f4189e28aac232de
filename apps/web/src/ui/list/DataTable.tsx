// A page of rows as a table, and on a phone as cards. Head and outer columns stay in sight by CSS alone.
import { type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { usePage } from '../../lib/pages.ts'
import { texts } from '../../lib/texts/index.ts'
import styles from './DataTable.module.css'
import { focusedRow, isRowPress, rowStep } from './table/rows.ts'
import { SelectPage, SelectRow } from './table/Select.tsx'
import { ariaSort as ariaOf, type Order, SortButton, type Sorting } from './table/Sort.tsx'
import type { RowSelection } from './useSelection.ts'

export interface Column<Row> {
  key: string
  title: ReactNode
  /** In pixels; a table wider than its place scrolls. The last column without one takes the rest. */
  width?: number
  /** A longer text is cut with an ellipsis: in pixels, 360 by default, or a length of CSS. */
  maxWidth?: number | string
  align?: 'right' | 'center'
  /**
   * Stays visible at its side while the rest scrolls. The first column does so by itself; a later one stops at those
   * before it, whose width must be given.
   */
  fixed?: 'left' | 'right'
  /** The column's name in `sortBy` of the list's call; without it the column does not sort. */
  sortBy?: string
  /** Which way the first press sorts: names upwards; what is counted or timed downwards, as by default. */
  sortFirst?: Order
  /** Function codes: a user who has none of them on this page has no use for the column and does not get it. */
  codes?: readonly string[]
  render: (row: Row, index: number) => ReactNode
}

export interface Card {
  /** First line: the subject, and at its right e.g. the level or the time. */
  lead: ReactNode
  aside?: ReactNode
  /** Second line, and at its right the most important action. */
  second: ReactNode
  action?: ReactNode
}

export interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The two-line card that a row becomes on a phone. */
  card?: ((row: Row) => Card) | undefined
  isNarrow: boolean
  /** Pressing the row, or Enter on it. */
  onOpen?: ((row: Row) => void) | undefined
  /** The row shown beside the list. */
  openKey?: string | undefined
  /** Rows to flash: something in them just changed. */
  changedKeys?: ReadonlySet<string> | undefined
  /** Rows can be chosen for an action: a checkbox each, Space on a row. */
  selection?: RowSelection<Row> | undefined
  isDimmed?: boolean
  /** Instead of rows: a skeleton of as many. */
  skeletonRows?: number
  /** Below the head where there are no rows. */
  empty?: ReactNode
  /** The order of the rows, and what a press on a column's title does. */
  sorting?: Sorting | undefined
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  return props.isNarrow && props.card ? <Cards {...props} card={props.card} /> : <Grid {...props} />
}

function Grid<Row>({
  label,
  columns: given,
  rows,
  keyOf,
  onOpen,
  openKey,
  changedKeys,
  selection,
  isDimmed = false,
  skeletonRows = 0,
  empty,
  sorting,
}: DataTableProps<Row>) {
  const useful = useUseful(given)
  const columns = selection ? withSelection(useful, rows, selection) : useful
  const offsets = fixedOffsets(columns)
  const walk = useRowWalk()
  const propsOf = rowProps({ keyOf, onOpen, openKey, changedKeys, selection })
  const cell = (column: Column<Row>, at: number) => ({
    'data-align': column.align,
    'data-fixed': offsets[at]?.side,
    'data-edge': offsets[at]?.isEdge || undefined,
    'data-inner': offsets[at]?.isInner || undefined,
    style: {
      ...(offsets[at] ? { [offsets[at].side]: offsets[at].px } : {}),
      ...(column.maxWidth ? { maxWidth: column.maxWidth } : {}),
    },
  })
  return (
    <>
      <table
        className={styles.table}
        aria-label={label}
        aria-busy={isDimmed || skeletonRows > 0}
        onPointerOver={tellWhole}
        {...walk}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.key} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={column.key} scope="col" aria-sort={ariaSortOf(column, sorting)} {...cell(column, at)}>
                {sorting && column.sortBy !== undefined ? (
                  <SortButton by={column.sortBy} first={column.sortFirst} sorting={sorting}>
                    {column.title}
                  </SortButton>
                ) : (
                  column.title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody data-dimmed={isDimmed || undefined}>
          {skeletonRows > 0
            ? Array.from({ length: skeletonRows }, (_, at) => (
                <tr key={skeletonKey(at)} className={styles.skeleton}>
                  {columns.map((column, columnAt) => (
                    <td key={column.key} {...cell(column, columnAt)}>
                      <span style={{ width: `${40 + ((at * 7 + columnAt * 13) % 45)}%` }} />
                    </td>
                  ))}
                </tr>
              ))
            : rows.map((row, index) => (
                <tr key={keyOf(row)} {...propsOf(row, index)}>
                  {columns.map((column, at) => (
                    <td key={column.key} {...cell(column, at)}>
                      {column.render(row, index)}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
      {skeletonRows === 0 && rows.length === 0 && empty && <div className={styles.empty}>{empty}</div>}
    </>
  )
}

function Cards<Row>({
  label,
  rows,
  keyOf,
  card,
  onOpen,
  openKey,
  changedKeys,
  selection,
  isDimmed = false,
  skeletonRows = 0,
  empty,
}: DataTableProps<Row> & { card: (row: Row) => Card }) {
  const walk = useRowWalk()
  const propsOf = rowProps({ keyOf, onOpen, openKey, changedKeys, selection, choosesByPress: true })
  return (
    <>
      <ul
        className={styles.cards}
        aria-label={label}
        data-dimmed={isDimmed || undefined}
        onPointerOver={tellWhole}
        {...walk}
      >
        {skeletonRows > 0
          ? Array.from({ length: Math.min(skeletonRows, 8) }, (_, at) => (
              <li key={skeletonKey(at)} className={`${styles.card} ${styles.skeleton}`}>
                <span style={{ width: `${50 + ((at * 17) % 30)}%` }} />
                <span style={{ width: `${30 + ((at * 11) % 40)}%` }} />
              </li>
            ))
          : rows.map((row, index) => {
              const shown = card(row)
              return (
                <li
                  key={keyOf(row)}
                  className={styles.card}
                  data-selects={selection ? true : undefined}
                  {...propsOf(row, index)}
                >
                  {selection && <SelectRow row={row} selection={selection} />}
                  <div className={styles.line}>
                    <span className={styles.lead} data-cell>
                      {shown.lead}
                    </span>
                    {shown.aside && <span className={styles.aside}>{shown.aside}</span>}
                  </div>
                  <div className={styles.line}>
                    <span className={styles.second} data-cell>
                      {shown.second}
                    </span>
                    {shown.action && <span className={styles.aside}>{shown.action}</span>}
                  </div>
                </li>
              )
            })}
      </ul>
      {skeletonRows === 0 && rows.length === 0 && empty && <div className={styles.empty}>{empty}</div>}
    </>
  )
}

/** The behaviour of a row under pointer and keys: Enter or a press opens it, Space chooses it. */
function rowProps<Row>({
  keyOf,
  onOpen,
  openKey,
  changedKeys,
  selection,
  choosesByPress = false,
}: Pick<DataTableProps<Row>, 'keyOf' | 'onOpen' | 'openKey' | 'changedKeys' | 'selection'> & {
  /** A press chooses the row instead of opening it. */
  choosesByPress?: boolean
}) {
  const press = choosesByPress && selection ? selection.toggle : onOpen
  return (row: Row, index: number) => {
    const key = keyOf(row)
    return {
      'data-key': key,
      'data-opens': press ? true : undefined,
      'data-open': key === openKey || undefined,
      'data-changed': changedKeys?.has(key) || undefined,
      'data-selected': selection?.has(row) || undefined,
      tabIndex: index === 0 || key === openKey ? 0 : -1,
      onClick: press && ((event: MouseEvent<HTMLElement>) => isRowPress(event) && press(row)),
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        if (event.target !== event.currentTarget) return
        if (event.key === 'Enter') onOpen?.(row)
        if (event.key === ' ' && selection) {
          event.preventDefault()
          selection.toggle(row)
        }
      },
    }
  }
}

/** The columns, without those that this reader does not get. */
export function useUseful<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const { allRole } = usePage()
  return columns.filter(({ codes }) => !codes || codes.some((code) => allRole.includes(code)))
}

/** A truncated cell shows its whole text as a tooltip, unless it has another one. */
export function tellWhole({ target }: PointerEvent<HTMLElement>): void {
  const cell = (target as Element).closest<HTMLElement>('td, [data-cell]')
  if (!cell || cell.title || cell.querySelector('[title]')) return
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>('span, a')].some(
    (each) => each.scrollWidth > each.clientWidth && each.clientWidth > 0,
  )
  if (isCut) cell.title = cell.innerText
}

/**
 * A key that no row has: a row that took over the element of a skeleton in another place would look like a movement.
 */
const skeletonKey = (at: number) => `skeleton-${at}`

const ariaSortOf = <Row,>({ sortBy }: Column<Row>, sorting: Sorting | undefined) =>
  sorting && sortBy !== undefined ? ariaOf(sortBy, sorting) : undefined

/** A column of checkboxes is put before the others; fixed columns at the left stay fixed. */
function withSelection<Row>(
  [first, ...others]: readonly Column<Row>[],
  rows: readonly Row[],
  selection: RowSelection<Row>,
): Column<Row>[] {
  return [
    {
      key: 'select',
      title: <SelectPage rows={rows} selection={selection} />,
      width: selectWidthPx,
      render: (row) => <SelectRow row={row} selection={selection} />,
    },
    ...(first ? [{ ...first, fixed: 'left' as const }] : []),
    ...others,
  ]
}

const selectWidthPx = 40

/** Arrow keys, Home and End move between rows; one row at a time is in the Tab order. */
function useRowWalk() {
  const last = useRef<HTMLElement | null>(null)
  return {
    onFocus(event: { target: EventTarget }) {
      const row = event.target as HTMLElement
      if (!('key' in row.dataset)) return
      if (last.current && last.current !== row) last.current.tabIndex = -1
      row.tabIndex = 0
      last.current = row
    },
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      const row = focusedRow(event)
      if (!row) return
      const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-key]')]
      const step = rowStep(event.key, rows.indexOf(row), rows.length)
      if (step === undefined) return
      event.preventDefault()
      rows[step]?.focus()
    },
  }
}

interface FixedOffset {
  side: 'left' | 'right'
  px: number
  /** Draws the line between it and the content that scrolls below. */
  isEdge: boolean
  /** It has columns before it that scroll: it stops only when it reaches the side. */
  isInner?: boolean
}

function fixedOffsets<Row>(columns: readonly Column<Row>[]): (FixedOffset | undefined)[] {
  const found: (FixedOffset | undefined)[] = columns.map(() => undefined)
  let px = 0
  let isInner = false
  for (const [at, column] of columns.entries()) {
    if (at > 0 && column.fixed !== 'left') {
      isInner = true
      continue
    }
    const isEdge = columns[at + 1]?.fixed !== 'left'
    found[at] = { side: 'left', px, isEdge, isInner }
    px += column.width ?? 0
  }
  px = 0
  for (let at = columns.length - 1; at > 0; at -= 1) {
    const column = columns[at]
    if (column?.fixed !== 'right') break
    found[at] = { side: 'right', px, isEdge: columns[at - 1]?.fixed !== 'right' }
    px += column.width ?? 0
  }
  return found
}

/** The 序号 column, counted over all pages. */
export function indexColumn<Row>(list: { pageNum: number; pageSize: number }): Column<Row> {
  return {
    key: 'index',
    title: texts.list.index,
    width: 56,
    align: 'right',
    fixed: 'left',
    render: (_, index) => (
      <span className={styles.index}>{(list.pageNum - 1) * list.pageSize + index + 1}</span>
    ),
  }
}
