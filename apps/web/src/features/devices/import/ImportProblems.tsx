import type { ImportProblem } from '@voltkeep/contract/deviceImport'
import { Button } from 'antd'
import { narrowQuery, useMedia } from '../../../lib/browser/media.ts'
import { formatCount } from '../../../lib/format.ts'
import { saveFile } from '../../../lib/wire/download.ts'
import { type Column, DataTable } from '../../../ui/list/DataTable.tsx'
import { textColumn } from '../../../ui/list/plainColumns.tsx'
import { TableBox } from '../../../ui/list/TableBox.tsx'
import { Nothing } from '../../../ui/marks/Nothing.tsx'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { csvOf } from './devices.csv.ts'
import { groupProblems, type ProblemGroup } from './devices.problems.ts'

const words = deviceTexts.importing
/** Groups shown; the rest is in the download. */
const shownGroups = 100
const shownValues = 5

const columns: Column<ProblemGroup>[] = [
  textColumn('column', words.column, { width: 96 }),
  {
    key: 'problem',
    title: words.problem,
    width: 260,
    render: ({ message }) => <span className={styles.whole}>{message}</span>,
  },
  {
    key: 'value',
    title: words.value,
    width: 160,
    render: ({ values }) =>
      values.length === 0 ? <Nothing /> : <span className={styles.whole}>{valuesOf(values)}</span>,
  },
  {
    key: 'count',
    title: words.rowCount,
    width: 72,
    align: 'right',
    render: ({ rowCount }) => words.rows(formatCount(rowCount)),
  },
  { key: 'rows', title: words.row, render: ({ rows }) => <span className={styles.whole}>{rows}</span> },
]

const valuesOf = (values: readonly string[]) =>
  values.slice(0, shownValues).join('、') + (values.length > shownValues ? words.andMore(values.length) : '')

/** The problems of a sheet: grouped on the screen, one per row and column in the download. */
export function ImportProblems({
  summary,
  problems,
}: {
  summary: string
  problems: readonly ImportProblem[]
}) {
  const save = () => {
    const rows = problems.map(({ row, column, value, message }) => [row, column, value ?? '', message])
    const text = csvOf([[words.row, words.column, words.value, words.problem], ...rows])
    saveFile({ blob: new Blob([text], { type: 'text/csv;charset=utf-8' }), name: words.listName })
  }
  const isNarrow = useMedia(narrowQuery)
  const groups = groupProblems(problems)
  const beyond = groups.length - shownGroups
  return (
    <>
      <div className={styles.problemsHead}>
        <p role="alert">{summary}</p>
        <Button size="small" onClick={save}>
          {words.save}
        </Button>
      </div>
      <TableBox scrollsAs={words.problem}>
        <DataTable
          label={words.problem}
          columns={columns}
          rows={groups.slice(0, shownGroups)}
          keyOf={({ column, message }) => `${column} ${message}`}
          isNarrow={isNarrow}
          card={({ column, message, rowCount, rows }) => ({
            lead: <span className={styles.whole}>{message}</span>,
            aside: words.rows(formatCount(rowCount)),
            second: <span className={styles.whole}>{words.place(rows, column)}</span>,
          })}
        />
      </TableBox>
      {beyond > 0 && <p className={styles.quiet}>{words.more(formatCount(beyond))}</p>}
    </>
  )
}
