import { formatDateTime } from '@voltkeep/contract'
import type { Sheet } from '../../platform/spreadsheet.ts'
import type { historyRowOf, rowOf } from './alarms.rows.ts'

const levelNames: Record<number, string> = { 1: '紧急', 2: '重要', 3: '次要', 4: '提示' }

const sheet: Sheet<ReturnType<typeof rowOf>> = {
  name: '告警',
  columns: [
    { title: '设备编号', width: 20, cell: (row) => row.code },
    { title: '告警内容', width: 28, cell: (row) => row.semaphoreName },
    { title: '信号编码', width: 12, cell: (row) => row.semaphoreCode },
    {
      title: '告警级别',
      width: 10,
      cell: (row) => (row.alarmLevel === null ? null : (levelNames[row.alarmLevel] ?? null)),
    },
    { title: '告警值', width: 12, cell: (row) => row.value },
    { title: '状态', width: 10, cell: (row) => (row.status === 1 ? '告警中' : '已恢复') },
    { title: '运营商', width: 20, cell: (row) => row.operatorName },
    { title: '设备类型', width: 16, cell: (row) => row.equipTypeName },
    { title: '设备型号', width: 16, cell: (row) => row.equipModelName },
    { title: '发生时间', width: 20, cell: (row) => formatDateTime(row.occurrenceTime) },
    { title: '恢复时间', width: 20, cell: (row) => row.recoveryTime && formatDateTime(row.recoveryTime) },
    { title: '恢复方式', width: 12, cell: (row) => row.recoveryMethodName },
    { title: '处理人', width: 14, cell: (row) => row.recoveredBy },
    { title: '处理说明', width: 30, cell: (row) => row.note },
  ],
}

export const alarmSheet = sheet

export const historySheet: Sheet<ReturnType<typeof historyRowOf>> = {
  name: '历史告警',
  columns: [
    ...sheet.columns.slice(0, 5),
    { title: '首次告警值', width: 12, cell: (row) => row.firstValue },
    ...sheet.columns.slice(5),
  ],
}
