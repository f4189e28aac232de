import { describeParameterValue, parameterName } from '@voltkeep/contract'
import type { Sheet } from '../../platform/sheets/spreadsheet.ts'
import type { TargetRecord } from './targets.lists.queries.ts'

const stateNames: Partial<Record<TargetRecord['state'], string>> = {
  failed: '失败',
  refused: '设备拒绝',
  expired: '超过结束时间',
}

export const failedDevicesSheet: Sheet<TargetRecord> = {
  name: '设置失败的设备',
  columns: [
    { title: '设备编号', width: 22, cell: (row) => row.code },
    { title: '设备名称', width: 24, cell: (row) => row.name },
    { title: '运营商', width: 20, cell: (row) => row.operatorName },
    { title: '地区', width: 30, cell: (row) => row.regionName },
    { title: '地址', width: 36, cell: (row) => row.address },
    { title: '结果', width: 14, cell: (row) => stateNames[row.state] ?? row.state },
    { title: '原因', width: 36, cell: (row) => row.reason },
    { title: '失败次数', width: 10, cell: (row) => row.attempts },
    { title: '设置值', width: 40, cell: (row) => valuesText(row, 'value') },
    { title: '原值', width: 40, cell: (row) => valuesText(row, 'former') },
    { title: '当前值', width: 40, cell: (row) => valuesText(row, 'current') },
    { title: '时间', width: 20, cell: (row) => row.changeTime },
  ],
}

/** One line a parameter. */
const valuesText = ({ values }: TargetRecord, which: 'value' | 'former' | 'current') =>
  values
    .map((entry) => {
      const value = entry[which]
      return `${parameterName(entry.id)}：${value === null ? '未上报' : describeParameterValue(entry.id, value)}`
    })
    .join('\n')
