// The columns of the sheets of alarms.
import { alarmLevelNames, handlingNames } from '@voltkeep/contract'
import type { Sheet, SheetColumn } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { historyRowOf, rowOf } from './alarm-rows.ts'

type Row = ReturnType<typeof rowOf>
type HistoryRow = ReturnType<typeof historyRowOf>

const columns = {
  level: {
    title: '级别',
    width: 10,
    cell: (row) => (row.alarmLevel === null ? null : said(alarmLevelNames[row.alarmLevel] ?? null)),
  },
  content: { title: '告警内容', width: 28, cell: (row) => row.semaphoreName },
  meaning: { title: '告警含义', width: 32, cell: (row) => row.meaning },
  value: { title: '告警值', width: 12, cell: (row) => row.value },
  device: { title: '设备编号', width: 20, cell: (row) => row.code },
  name: { title: '设备名称', width: 24, cell: (row) => row.equipName },
  region: { title: '地区', width: 30, cell: (row) => row.regionName },
  address: { title: '地址', width: 36, cell: (row) => row.address },
  reportTime: { title: '上报时间', width: 20, cell: (row) => row.occurrenceTime },
  occurrenceTime: { title: '发生时间', width: 20, cell: (row) => row.occurrenceTime },
  recoveryTime: {
    title: '恢复时间',
    width: 20,
    cell: (row) => row.recoveryTime,
  },
  recoveryMethod: { title: '恢复方式', width: 12, cell: (row) => row.recoveryMethodName },
  operator: { title: '运营商', width: 20, cell: (row) => row.operatorName },
  model: { title: '设备型号', width: 16, cell: (row) => row.equipModelName },
  flag: { title: '标志', width: 10, cell: (row) => said(row.flag === 'fault' ? '故障' : '正常') },
  note: { title: '处理说明', width: 30, cell: (row) => row.note },
  state: { title: '状态', width: 10, cell: (row) => said(row.status === 1 ? '告警中' : '已恢复') },
  semaphoreCode: { title: '信号编码', width: 12, cell: (row) => row.semaphoreCode },
  equipType: { title: '设备类型', width: 16, cell: (row) => row.equipTypeName },
  recoveredBy: { title: '处理人', width: 14, cell: (row) => row.recoveredBy },
  handling: { title: '处理状态', width: 14, cell: (row) => said(handlingNames[row.handling]) },
  assignee: { title: '负责人', width: 14, cell: (row) => row.assigneeName },
  ackTime: { title: '确认时间', width: 20, cell: (row) => row.ackTime },
  ackUser: { title: '确认人', width: 14, cell: (row) => row.ackUserName },
  cause: { title: '原因', width: 20, cell: (row) => row.causeName },
} satisfies Record<string, SheetColumn<Row>>

/** The columns of the list by title and order, then those that the list shows only in an opened row. */
export const alarmSheet: Sheet<Row> = {
  name: '告警',
  columns: [
    columns.level,
    columns.content,
    columns.meaning,
    columns.value,
    columns.device,
    columns.name,
    columns.region,
    columns.address,
    columns.reportTime,
    columns.recoveryTime,
    columns.recoveryMethod,
    columns.operator,
    columns.model,
    columns.state,
    columns.semaphoreCode,
    columns.equipType,
    columns.recoveredBy,
    columns.note,
    columns.handling,
    columns.assignee,
    columns.ackTime,
    columns.ackUser,
    columns.cause,
  ],
}

/** The same for the list of history. A duration is a number here, so that it can be summed and sorted. */
export const historySheet: Sheet<HistoryRow> = {
  name: '历史告警',
  columns: [
    columns.level,
    columns.device,
    columns.name,
    columns.region,
    columns.address,
    columns.content,
    columns.meaning,
    columns.value,
    columns.occurrenceTime,
    columns.recoveryTime,
    {
      title: '持续时间（分钟）',
      width: 16,
      cell: ({ occurrenceTime, recoveryTime }) =>
        recoveryTime && Math.round((recoveryTime.getTime() - occurrenceTime.getTime()) / 6_000) / 10,
    },
    columns.operator,
    columns.model,
    columns.flag,
    columns.recoveryMethod,
    columns.note,
    { title: '首次值', width: 12, cell: (row) => row.firstValue },
    columns.state,
    columns.semaphoreCode,
    columns.equipType,
    columns.recoveredBy,
    columns.handling,
    columns.assignee,
    columns.ackTime,
    columns.ackUser,
    columns.cause,
  ],
}
