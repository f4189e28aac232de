import { texts } from '../../../lib/texts/index.ts'
import type { RowSelection } from '../useSelection.ts'
import styles from './Select.module.css'

const words = texts.list.selection

/** A row's checkbox; the whole cell is its target. */
export function SelectRow<Row>({ row, selection }: { row: Row; selection: RowSelection<Row> }) {
  return (
    <label className={styles.cell}>
      <input
        type="checkbox"
        aria-label={words.row(selection.nameOf(row))}
        checked={selection.has(row)}
        onChange={() => selection.toggle(row)}
      />
    </label>
  )
}

/** The checkbox of everything on the page. */
export function SelectPage<Row>({ rows, selection }: { rows: readonly Row[]; selection: RowSelection<Row> }) {
  const count = rows.filter((row) => selection.has(row)).length
  return (
    <label className={styles.cell}>
      <input
        type="checkbox"
        aria-label={words.page}
        disabled={rows.length === 0}
        checked={count > 0 && count === rows.length}
        ref={(input) => {
          if (input) input.indeterminate = count > 0 && count < rows.length
        }}
        onChange={() => selection.togglePage(rows)}
      />
    </label>
  )
}
