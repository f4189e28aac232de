import { shownChange, timelineKindNames, timelineWords } from '@voltkeep/contract'
import type { Sheet } from '../../platform/files/sheets/spreadsheet.ts'
import { languageNow, said } from '../../platform/process/language/speech.ts'
import type { TimelineRow } from './timeline.queries.ts'

/** What the server says of an entry, in the language of the reader, and after it what people have written. */
export const detailOf = ({ saying, note }: Pick<TimelineRow, 'saying' | 'note'>): string | null =>
  [said(saying), note].filter(Boolean).join(languageNow() === 'en' ? '; ' : '；') || null

export const timelineSheet: Sheet<TimelineRow> = {
  name: '设备动态',
  columns: [
    { title: '时间', width: 20, cell: ({ time }) => time },
    { title: '类型', width: 12, cell: ({ kind }) => said(timelineKindNames[kind]) },
    { title: '内容', width: 32, cell: (row) => said(timelineWords(row).title) },
    { title: '状态', width: 12, cell: (row) => said(timelineWords(row).state) },
    { title: '告警级别', width: 10, cell: ({ level }) => level },
    { title: '值', width: 14, cell: ({ value }) => value },
    { title: '说明', width: 40, cell: detailOf },
    { title: '变更', width: 60, cell: ({ changes }) => changes && changesText(changes) },
    { title: '操作人', width: 16, cell: ({ by }) => said(by) },
    { title: '恢复时间', width: 20, cell: ({ endTime }) => endTime },
  ],
}

/** One line a field: `名称：甲 → 乙`. */
const changesText = ({ before, after }: NonNullable<TimelineRow['changes']>) =>
  shownChange(before, after, said)
    .map(({ label, before: was, after: is }) => `${label}：${was ?? '—'} → ${is ?? '—'}`)
    .join('\n')
