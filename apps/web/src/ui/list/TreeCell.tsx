import type { ReactNode } from 'react'
import { texts } from '../../lib/texts/index.ts'
import styles from './TreeCell.module.css'
import type { TreeRow } from './tree.ts'

export interface TreeCellProps<Node> {
  row: TreeRow<Node>
  /** The node's name for who cannot see it. */
  name: string
  onFold: (row: TreeRow<Node>, isOpen: boolean) => void
  children: ReactNode
}

/** The first cell of a tree's row: set in by its depth, with what folds it. */
export function TreeCell<Node>({ row, name, onFold, children }: TreeCellProps<Node>) {
  const { depth, hasChildren, isOpen } = row
  return (
    <span className={styles.cell} style={{ paddingInlineStart: depth * 20 }}>
      {hasChildren ? (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-label={isOpen ? texts.list.foldOf(name) : texts.list.unfoldOf(name)}
          // The row itself folds by the arrow keys; a stop at each would be a long way by Tab.
          tabIndex={-1}
          onClick={() => onFold(row, !isOpen)}
        />
      ) : (
        <span className={styles.leaf} />
      )}
      {children}
    </span>
  )
}
