// The report on alarms as a sheet: all of its tables below each other.
import {
  type AlarmGroup,
  type AlarmReport,
  alarmGroupNames,
  alarmLevelNames,
  type InputOf,
} from '@voltkeep/contract'
import type { Sheet } from '../../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../../platform/process/language/speech.ts'

interface Line {
  table: string
  name: string
  count: number
  share?: number | undefined
  perDay?: number | undefined
  perTenMinutes?: number | undefined
  peak?: number | undefined
  floodCount?: number | undefined
  floodShare?: number | undefined
  standingCount?: number | undefined
  chatteringCount?: number | undefined
  advice?: string | undefined
}

const rounded = (value: number | undefined) => (value === undefined ? null : Math.round(value * 100) / 100)
const percent = (value: number | undefined) => (value === undefined ? null : Math.round(value * 10_000) / 100)

export const qualitySheet: Sheet<Line> = {
  name: '告警质量',
  columns: [
    { title: '统计表', width: 16, cell: (line) => said(line.table) },
    { title: '名称', width: 32, cell: (line) => line.name },
    { title: '告警数', width: 12, cell: (line) => line.count },
    { title: '占比（%）', width: 10, cell: (line) => percent(line.share) },
    { title: '每天', width: 10, cell: (line) => rounded(line.perDay) },
    { title: '每 10 分钟', width: 10, cell: (line) => rounded(line.perTenMinutes) },
    { title: '10 分钟峰值', width: 12, cell: (line) => line.peak ?? null },
    { title: '洪泛次数', width: 10, cell: (line) => line.floodCount ?? null },
    { title: '洪泛时间占比（%）', width: 18, cell: (line) => percent(line.floodShare) },
    { title: '持续超过一天', width: 14, cell: (line) => line.standingCount ?? null },
    { title: '抖动', width: 10, cell: (line) => line.chatteringCount ?? null },
    { title: '处理建议', width: 48, cell: (line) => said(line.advice ?? null) },
  ],
}

export function qualityLines(report: InputOf<typeof AlarmReport>, groupBy: AlarmGroup): Line[] {
  return [
    { table: '合计', name: said(`${report.startDay} 至 ${report.endDay}`), ...report.total },
    ...report.levels.map(({ level, count, share }) => ({
      table: '级别',
      name: said(alarmLevelNames[level] ?? '未定义'),
      count,
      share,
    })),
    ...report.rows.map((row) => ({ table: alarmGroupNames[groupBy], ...row })),
    ...report.top.map((one) => ({ table: '最频繁的告警', name: one.semaphoreName, ...one })),
    ...report.chattering.map(({ deviceCode, semaphoreName, count, chatteringCount }) => ({
      table: '抖动的告警',
      name: `${deviceCode} ${semaphoreName}`,
      count,
      chatteringCount,
    })),
  ]
}
