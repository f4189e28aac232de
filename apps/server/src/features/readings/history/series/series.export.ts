import type { Sheet, SheetColumn } from '../../../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../../../platform/process/language/speech.ts'
import type { Statistics } from '../packing/index.ts'
import type { ReadingWords } from './reading-words.ts'

/** A moment, or the beginning of an hour or a day, with what each reading says of it, by the place of its column. */
export interface SeriesRow {
  atMs: number
  cells: readonly (number | boolean | Statistics | null)[]
}

const titleOf = ({ name, unit }: ReadingWords) => (unit === null ? name : `${name} (${unit})`)
const time: SheetColumn<SeriesRow> = { title: '时间', width: 20, cell: ({ atMs }) => new Date(atMs) }

/** Every value kept, a column a reading. */
export const valuesSheet = (readings: readonly ReadingWords[]): Sheet<SeriesRow> => ({
  name: '读数',
  columns: [
    time,
    ...readings.map(
      (words, place): SheetColumn<SeriesRow> => ({
        title: titleOf(words),
        width: 16,
        cell: ({ cells }) => {
          const value = cells[place]
          if (typeof value === 'boolean') return said(value ? '是' : '否')
          return typeof value === 'number' ? value : null
        },
      }),
    ),
  ],
})

const parts = [
  { word: '最小', of: ({ min }: Statistics) => min },
  { word: '最大', of: ({ max }: Statistics) => max },
  { word: '平均', of: ({ mean }: Statistics) => mean },
]

/** The hours or days, three columns a reading. */
export const statisticsSheet = (readings: readonly ReadingWords[]): Sheet<SeriesRow> => ({
  name: '读数',
  columns: [
    time,
    ...readings.flatMap((words, place) =>
      parts.map(
        ({ word, of }): SheetColumn<SeriesRow> => ({
          title: `${titleOf(words)} ${said(word)}`,
          width: 20,
          cell: ({ cells }) => {
            const values = cells[place]
            return values && typeof values === 'object' ? of(values) : null
          },
        }),
      ),
    ),
  ],
})
