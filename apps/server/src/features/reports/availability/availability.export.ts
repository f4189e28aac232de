import {
  type AvailabilityGroup,
  type AvailabilityReport,
  type AvailabilityRow,
  availabilityGroupNames,
  type InputOf,
} from '@voltkeep/contract'
import type { Sheet } from '../../../platform/files/sheets/spreadsheet.ts'

const hours = (seconds: number) => Math.round(seconds / 36) / 100
const minutes = (seconds: number | null) => (seconds === null ? null : Math.round(seconds / 6) / 10)

const heads: Record<AvailabilityGroup, string> = {
  operator: '运营商',
  region: '地区',
  model: '设备型号',
  device: '设备编号',
}

/** Durations are numbers, so that they can be summed and sorted. */
export const availabilitySheet = (groupBy: AvailabilityGroup): Sheet<InputOf<typeof AvailabilityRow>> => ({
  name: `可用率（${availabilityGroupNames[groupBy]}）`,
  columns: [
    { title: heads[groupBy], width: 28, cell: (row) => row.name },
    { title: '设备数', width: 10, cell: (row) => row.deviceCount },
    {
      title: '可用率（%）',
      width: 12,
      cell: (row) => (row.availability === null ? null : Math.round(row.availability * 100_000) / 1000),
    },
    { title: '可用（小时）', width: 14, cell: (row) => hours(row.upSeconds) },
    { title: '不可用（小时）', width: 14, cell: (row) => hours(row.downSeconds) },
    { title: '计划内（小时）', width: 14, cell: (row) => hours(row.plannedSeconds) },
    { title: '未知（小时）', width: 14, cell: (row) => hours(row.unknownSeconds) },
    { title: '故障次数', width: 10, cell: (row) => row.failureCount },
    {
      title: '平均故障间隔（天）',
      width: 18,
      cell: (row) => (row.daysBetween === null ? null : Math.round(row.daysBetween * 100) / 100),
    },
    { title: '恢复用时中位数（分钟）', width: 20, cell: (row) => minutes(row.recoverMedian) },
    { title: '恢复用时 P90（分钟）', width: 20, cell: (row) => minutes(row.recoverP90) },
    { title: '确认用时中位数（分钟）', width: 20, cell: (row) => minutes(row.ackMedian) },
    { title: '确认用时 P90（分钟）', width: 20, cell: (row) => minutes(row.ackP90) },
  ],
})

export const availabilityLines = ({
  rows,
  total,
}: Pick<InputOf<typeof AvailabilityReport>, 'rows' | 'total'>): InputOf<typeof AvailabilityRow>[] => [
  { id: '', name: '合计', ...total },
  ...rows,
]
