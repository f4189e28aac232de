import type { ImportProblem } from '@voltkeep/contract/deviceImport'

/** Rows of a sheet with the same problem in the same column. */
export interface ProblemGroup {
  column: string
  message: string
  /** The contents of the cells without repetition, in the order of the rows. */
  values: readonly string[]
  rowCount: number
  /** `2–251、260` */
  rows: string
}

/** Groups equal problems with their rows, the most frequent first. */
export function groupProblems(problems: readonly ImportProblem[]): ProblemGroup[] {
  const groups = Map.groupBy(problems, ({ column, message }) => `${column}\n${message}`)
  return [...groups.values()]
    .map((group) => {
      const [{ column, message }] = group as [ImportProblem, ...ImportProblem[]]
      const rows = [...new Set(group.map(({ row }) => row))].sort((one, other) => one - other)
      const values = [...new Set(group.flatMap(({ value }) => value ?? []))]
      return { column, message, values, rowCount: rows.length, rows: rangesOf(rows) }
    })
    .sort((one, other) => other.rowCount - one.rowCount)
}

function rangesOf(rows: readonly number[]): string {
  const ranges: [from: number, until: number][] = []
  for (const row of rows) {
    const last = ranges.at(-1)
    if (last && last[1] === row - 1) last[1] = row
    else ranges.push([row, row])
  }
  return ranges.map(([from, until]) => (from === until ? `${from}` : `${from}–${until}`)).join('、')
}
