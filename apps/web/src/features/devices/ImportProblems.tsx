import type { ImportProblem } from '@voltkeep/contract/deviceImport'
import { Button } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { narrowQuery, useMedia } from '../../lib/media.ts'
import { saveFile } from '../../lib/wire/download.ts'
import { type Column, DataTable } from '../../ui/list/DataTable.tsx'
import { Nothing } from '../../ui/Nothing.tsx'
import { csvOf } from './devices.csv.ts'
import styles from './devices.module.css'
import { deviceTexts } from './devices.texts.ts'

const words = deviceTexts.importing
/** A table of ten thousand rows is read by nobody; the list is there as a file. */
const shownProblems = 200

interface Numbered extends ImportProblem {
  key: string
}

const columns: Column<Numbered>[] = [
  { key: 'row', title: words.row, width: 64, align: 'right', render: ({ row }) => row },
  { key: 'column', title: words.column, width: 96, render: ({ column }) => column },
  {
    key: 'value',
    title: words.value,
    maxWidth: 180,
    render: ({ value }) => (value === null ? <Nothing /> : <span title={value}>{value}</span>),
  },
  { key: 'problem', title: words.problem, maxWidth: 400, render: ({ message }) => message },
]

/** What is wrong with a sheet, by row and column, on the screen and as a file. */
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
  const beyond = problems.length - shownProblems
  return (
    <>
      <div className={styles.problemsHead}>
        <p role="alert">{summary}</p>
        <Button size="small" onClick={save}>
          {words.save}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reached by keyboard */}
      <section className={styles.table} aria-label={words.problem} tabIndex={0}>
        <DataTable
          label={words.problem}
          columns={columns}
          rows={problems.slice(0, shownProblems).map((problem, at) => ({ ...problem, key: String(at) }))}
          keyOf={({ key }) => key}
          isNarrow={isNarrow}
          card={({ row, column, value, message }) => ({
            lead: words.place(row, column),
            aside: value,
            second: message,
          })}
        />
      </section>
      {beyond > 0 && <p className={styles.quiet}>{words.more(formatCount(beyond))}</p>}
    </>
  )
}
