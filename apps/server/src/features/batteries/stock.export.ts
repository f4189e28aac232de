import { type StockGroup, stockGroupNames } from '@voltkeep/contract'
import type { Sheet, SheetColumn } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { StockRecord } from './stock.queries.ts'

type Columns = SheetColumn<StockRecord>[]

const ofDevice: Columns = [
  { title: '设备编号', width: 20, cell: (row) => row.code },
  { title: '设备名称', width: 24, cell: (row) => row.name },
  { title: '在线', width: 8, cell: (row) => said(row.isOnline === 1 ? '是' : '否') },
  { title: '运营商', width: 20, cell: (row) => row.operatorName },
  { title: '地区', width: 36, cell: (row) => row.regionName },
]

const ofGroup = (title: string, width: number): Columns => [
  { title, width, cell: (row) => row.name },
  { title: '设备数', width: 10, cell: (row) => row.deviceCount },
  { title: '满电不足设备数', width: 16, cell: (row) => row.lowCount },
]

const heads: Record<StockGroup, Columns> = {
  device: ofDevice,
  operator: ofGroup('运营商', 24),
  region: ofGroup('地区', 36),
}

/** The columns of the list in the same grouping. */
export const stockSheet = (groupBy: StockGroup): Sheet<StockRecord> => ({
  name: `电池库存（${stockGroupNames[groupBy]}）`,
  columns: [
    ...heads[groupBy],
    { title: '满电', width: 10, cell: (row) => row.full },
    { title: '充电中', width: 10, cell: (row) => row.charging },
    { title: '待机', width: 10, cell: (row) => row.idle },
    { title: '空仓', width: 10, cell: (row) => row.empty },
    { title: '故障', width: 10, cell: (row) => row.faulty },
    { title: '停用', width: 10, cell: (row) => row.disabled },
    { title: '可用仓', width: 10, cell: (row) => row.usable },
    ...(groupBy === 'device'
      ? [{ title: '变化时间', width: 20, cell: (row) => row.changeTime } satisfies Columns[number]]
      : []),
  ],
})
