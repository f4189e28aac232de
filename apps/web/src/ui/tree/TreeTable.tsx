// A tree as a table: arrow keys walk it, right opens, left closes or goes to the parent. Only visible rows are drawn.
import { DownOutlined, RightOutlined } from '@ant-design/icons'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import tableStyles from '../list/DataTable.module.css'
import { type Column, tellWhole, useUseful } from '../list/DataTable.tsx'
import { focusedRow, isRowPress, rowStep } from '../list/table/rows.ts'
import { useRowPx } from '../list/table/useRowPx.ts'
import styles from './TreePage.module.css'
import type { TreeRow } from './treeRows.ts'
import { useWindow } from './useWindow.ts'

const headPx = 36
const cardPx = 58

export interface TreeTableProps<Node> {
  /** Names the table for screen readers. */
  label: string
  rows: readonly TreeRow<Node>[]
  /** Of the column that is the tree. */
  title: ReactNode
  nameOf: (node: Node) => string
  /** Shown instead of the bare name, e.g. with a tag beside it. */
  render?: ((node: Node) => ReactNode) | undefined
  columns: readonly Column<Node>[]
  /** On a phone: the second line, in place of the columns. */
  second?: ((node: Node) => ReactNode) | undefined
  isNarrow: boolean
  onToggle: (row: TreeRow<Node>) => void
  onOpen?: ((node: Node) => void) | undefined
  openKey?: string | undefined
  /** The element that scrolls. */
  scroller: RefObject<HTMLElement | null>
}

export function TreeTable<Node>({
  label,
  rows,
  title,
  nameOf,
  render,
  columns: given,
  second,
  isNarrow,
  onToggle,
  onOpen,
  openKey,
  scroller,
}: TreeTableProps<Node>) {
  const columns = useUseful(given)
  const tableRowPx = useRowPx()
  const rowPx = isNarrow ? cardPx : tableRowPx
  const head = isNarrow ? 0 : headPx
  const { first, end } = useWindow(scroller, rows.length, rowPx, head)
  const body = useRef<HTMLTableSectionElement>(null)
  /** In the Tab order; the first row where nothing was focused yet. */
  const [activeKey, setActiveKey] = useState<string>()
  /** Focuses a row as soon as it is drawn: a distant one is scrolled into view first. */
  const focusWanted = useRef<string>(undefined)
  const activeAt = Math.max(
    0,
    rows.findIndex(({ key }) => key === activeKey),
  )

  /** Invisible rows are not drawn, but Tab must find one. */
  const tabAt = activeAt >= first && activeAt < end ? activeAt : first

  useEffect(() => {
    if (focusWanted.current === undefined) return
    const row = body.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(focusWanted.current)}"]`)
    if (!row) return
    focusWanted.current = undefined
    row.focus({ preventScroll: true })
  })

  const go = (at: number) => {
    const row = rows[at]
    const element = scroller.current
    if (!row || !element) return
    const top = head + at * rowPx
    if (top - head < element.scrollTop) element.scrollTo({ top: top - head })
    else if (top + rowPx > element.scrollTop + element.clientHeight)
      element.scrollTo({ top: top + rowPx - element.clientHeight })
    focusWanted.current = row.key
    setActiveKey(row.key)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const row = rows[activeAt]
    if (!focusedRow(event) || !row) return
    const step = rowStep(event.key, activeAt, rows.length)
    if (step !== undefined) go(step)
    switch (event.key) {
      case 'ArrowRight':
        if (row.hasChildren && !row.isOpen) onToggle(row)
        else if (row.isOpen) go(activeAt + 1)
        break
      case 'ArrowLeft':
        if (row.isOpen) onToggle(row)
        else if (row.parentKey !== undefined) go(rows.findIndex(({ key }) => key === row.parentKey))
        break
      case 'Enter':
        onOpen?.(row.node)
        break
      default:
        if (step === undefined) return
    }
    event.preventDefault()
  }

  return (
    // Padding stands for the rows that are not drawn.
    <div style={{ paddingTop: first * rowPx, paddingBottom: (rows.length - end) * rowPx }}>
      <table
        className={`${tableStyles.table} ${styles.table}`}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA has no element for a tree of rows
        role="treegrid"
        aria-label={label}
        data-narrow={isNarrow || undefined}
        onPointerOver={tellWhole}
        onKeyDown={onKeyDown}
      >
        {!isNarrow && (
          <>
            <colgroup>
              <col />
              {columns.map((column) => (
                <col key={column.key} style={{ width: column.width }} />
              ))}
            </colgroup>
            <thead>
              <tr>
                <th scope="col" data-fixed="left" data-edge style={{ left: 0 }}>
                  {title}
                </th>
                {columns.map((column) => (
                  <th key={column.key} scope="col" {...placeOf(column)}>
                    {column.title}
                  </th>
                ))}
              </tr>
            </thead>
          </>
        )}
        <tbody ref={body}>
          {rows.slice(first, end).map((row, offset) => {
            const { node, key } = row
            return (
              <tr
                key={key}
                data-key={key}
                data-opens={onOpen ? true : undefined}
                data-open={key === openKey || undefined}
                data-quiet={row.isQuiet || undefined}
                style={{ height: rowPx }}
                tabIndex={first + offset === tabAt ? 0 : -1}
                aria-level={row.level}
                aria-posinset={row.position}
                aria-setsize={row.siblings}
                aria-expanded={row.hasChildren ? row.isOpen : undefined}
                onFocus={() => setActiveKey(key)}
                onClick={onOpen && ((event) => isRowPress(event) && onOpen(node))}
              >
                <td data-fixed={isNarrow ? undefined : 'left'} data-edge style={{ left: 0 }}>
                  <span
                    className={styles.name}
                    style={{ paddingLeft: (row.level - 1) * (isNarrow ? 16 : 20) }}
                  >
                    {row.hasChildren ? (
                      <button
                        type="button"
                        className={styles.toggle}
                        // The row itself opens and closes by its keys.
                        tabIndex={-1}
                        aria-label={
                          row.isOpen ? texts.tree.close(nameOf(node)) : texts.tree.open(nameOf(node))
                        }
                        onClick={() => onToggle(row)}
                      >
                        {row.isOpen ? <DownOutlined /> : <RightOutlined />}
                      </button>
                    ) : (
                      <span className={styles.leaf} />
                    )}
                    <span className={styles.text}>
                      <span className={styles.lead} title={nameOf(node)}>
                        {render ? render(node) : nameOf(node)}
                      </span>
                      {isNarrow && second && <span className={styles.second}>{second(node)}</span>}
                    </span>
                  </span>
                </td>
                {!isNarrow &&
                  columns.map((column) => (
                    <td key={column.key} {...placeOf(column)}>
                      {column.render(node, first + offset)}
                    </td>
                  ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function placeOf<Node>({ align, fixed, maxWidth }: Column<Node>) {
  return {
    'data-align': align,
    'data-fixed': fixed,
    'data-edge': fixed ? true : undefined,
    style: { ...(fixed === 'right' ? { right: 0 } : {}), ...(maxWidth ? { maxWidth } : {}) },
  }
}
