import { batteryStateNames } from '@voltkeep/contract'
import type { Sheet } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { BatteryRecord } from './batteries.queries.ts'

export const batterySheet: Sheet<BatteryRecord> = {
  name: '电池',
  columns: [
    { title: '电池编号', width: 20, cell: (row) => row.code },
    { title: '状态', width: 10, cell: (row) => said(batteryStateNames[row.state]) },
    { title: 'SOC（%）', width: 10, cell: (row) => row.soc },
    { title: 'SOH（%）', width: 10, cell: (row) => row.soh },
    { title: '温度（℃）', width: 10, cell: (row) => row.temperature },
    { title: '设备编号', width: 20, cell: (row) => row.deviceCode },
    { title: '设备名称', width: 24, cell: (row) => row.deviceName },
    { title: '仓位', width: 8, cell: (row) => row.compartment },
    { title: '运营商', width: 20, cell: (row) => row.operatorName },
    { title: '地区', width: 36, cell: (row) => row.regionName },
    { title: '放入时间', width: 20, cell: (row) => row.startTime },
    { title: '离开时间', width: 20, cell: (row) => row.endTime },
    { title: '最后见于', width: 20, cell: (row) => row.seenTime },
    { title: '位置冲突', width: 10, cell: (row) => said(row.isConflict ? '是' : '') },
  ],
}
