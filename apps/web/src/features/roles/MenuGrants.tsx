// The menus that a role has, as a tree of checkboxes with keyboard control: arrow keys move, expand and collapse, Space
// toggles. One row is in the Tab order (roving tabindex).
import type { MenuNode } from '@voltkeep/contract/menus'
import { type KeyboardEvent, useRef, useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { type TreeRow, type TreeShape, treeRows } from '../../ui/tree/treeRows.ts'
import styles from './MenuGrants.module.css'
import { below, checkOf, press, pressAll, pressNone, withAncestors } from './roles.grants.ts'
import { roleTexts } from './roles.texts.ts'

const words = roleTexts.tree
const shape: TreeShape<MenuNode> = {
  keyOf: ({ id }) => id,
  childrenOf: ({ children }) => children,
  textOf: ({ name }) => name,
}
const ariaChecks = { all: true, part: 'mixed', none: false } as const

export interface MenuGrantsProps {
  id?: string
  /** Ids of the granted menus; ancestors may be missing. */
  value?: readonly string[]
  onChange?: (ids: string[]) => void
  tree: readonly MenuNode[]
  /** Menus that the user may not grant are shown but cannot be changed. */
  mayGrant?: (node: MenuNode) => boolean
  /** Shows the grants without changing them. */
  isReadOnly?: boolean
}

const nothing = () => false

export function MenuGrants({
  id,
  value = [],
  onChange,
  tree,
  mayGrant = nothing,
  isReadOnly = false,
}: MenuGrantsProps) {
  const held = withAncestors(tree, value)
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [current, setCurrent] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  // Initially pages are visible and their functions collapsed.
  const { rows } = treeRows(tree, shape, { toggled, openLevels: 2, keyword: '' })
  const stop = rows.some(({ node }) => node.id === current) ? current : rows[0]?.node.id

  const change = (next: Set<string>) => onChange?.([...next])
  const fold = ({ node, hasChildren }: TreeRow<MenuNode>, isOpen: boolean) => {
    if (hasChildren) setToggled(new Map(toggled).set(node.id, isOpen))
  }
  const foldAll = (isOpen: boolean) =>
    setToggled(new Map(tree.flatMap(below).map((node) => [node.id, isOpen])))
  const onKeyDown = (event: KeyboardEvent, row: TreeRow<MenuNode>, at: number) => {
    const parentAt = rows.findIndex(({ key }) => key === row.parentKey)
    const target =
      event.key === 'ArrowDown'
        ? at + 1
        : event.key === 'ArrowUp'
          ? at - 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? rows.length - 1
              : event.key === 'ArrowRight' && row.isOpen
                ? at + 1
                : event.key === 'ArrowLeft' && !row.isOpen
                  ? parentAt
                  : undefined
    if (target !== undefined)
      list.current?.querySelectorAll<HTMLElement>('[role="treeitem"]')[target]?.focus()
    else if (event.key === 'ArrowRight') fold(row, true)
    else if (event.key === 'ArrowLeft') fold(row, false)
    else if (event.key === ' ') pressRow(row.node)
    else return
    event.preventDefault()
  }
  const isLocked = (node: MenuNode) => !below(node).some(mayGrant)
  const pressRow = (node: MenuNode) => {
    if (!isLocked(node)) change(press(tree, held, node.id, mayGrant))
  }

  return (
    <div className={styles.grants}>
      <div className={styles.head}>
        <span className={styles.count}>{words.chosen(formatCount(held.size))}</span>
        {!isReadOnly && (
          <>
            <button
              type="button"
              className="link-button"
              onClick={() => change(pressAll(tree, held, mayGrant))}
            >
              {words.all}
            </button>
            <button
              type="button"
              className="link-button"
              onClick={() => change(pressNone(tree, held, mayGrant))}
            >
              {words.none}
            </button>
          </>
        )}
        <button type="button" className="link-button" onClick={() => foldAll(true)}>
          {words.unfold}
        </button>
        <button type="button" className="link-button" onClick={() => foldAll(false)}>
          {words.fold}
        </button>
      </div>
      <div ref={list} id={id} role="tree" aria-label={roleTexts.fields.menus} className={styles.tree}>
        {rows.map((row, at) => {
          const { node, level, hasChildren, isOpen } = row
          const check = checkOf(node, held)
          const locked = isLocked(node)
          const functions = node.children.filter((child) => child.type === 'F')
          return (
            <div
              key={node.id}
              role="treeitem"
              className={styles.line}
              style={{ paddingInlineStart: 8 + (level - 1) * 22 }}
              aria-level={level}
              aria-posinset={row.position}
              aria-setsize={row.siblings}
              aria-checked={ariaChecks[check]}
              aria-expanded={hasChildren ? isOpen : undefined}
              aria-disabled={locked || undefined}
              title={locked && !isReadOnly ? words.notHeld : undefined}
              tabIndex={node.id === stop ? 0 : -1}
              onFocus={() => setCurrent(node.id)}
              onKeyDown={(event) => onKeyDown(event, row, at)}
              onClick={() => pressRow(node)}
            >
              <span
                className={styles.fold}
                data-open={hasChildren ? isOpen : undefined}
                aria-hidden="true"
                onClick={(event) => {
                  event.stopPropagation()
                  fold(row, !isOpen)
                }}
              />
              <span className={styles.check} data-check={check} aria-hidden="true" />
              <span className={styles.name}>{node.shownName ?? node.name}</span>
              {functions.length > 0 && (
                <span className={styles.part}>
                  {words.part(functions.filter((each) => held.has(each.id)).length, functions.length)}
                </span>
              )}
              {node.type === 'F' && <span className={`mono ${styles.part}`}>{node.remark}</span>}
              {node.isPlatformWide && (
                <span className={styles.wide} title={words.wideHint}>
                  {words.wide}
                </span>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}
