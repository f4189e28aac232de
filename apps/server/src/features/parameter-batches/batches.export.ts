import {
  batchDeviceFieldNames,
  batchDeviceStateNames,
  describeParameterValue,
  namedReason,
  parameterName,
} from '@voltkeep/contract'
import type { Sheet } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { TargetRecord } from './targets/index.ts'

const {
  device,
  operator,
  region,
  deviceState,
  isTrial,
  reason,
  attempts,
  value,
  former,
  current,
  changeTime,
} = batchDeviceFieldNames

export const failedDevicesSheet: Sheet<TargetRecord> = {
  name: '设置失败的设备',
  columns: [
    { title: device, width: 22, cell: (row) => row.code },
    { title: '设备名称', width: 24, cell: (row) => row.name },
    { title: operator, width: 20, cell: (row) => row.operatorName },
    { title: region, width: 30, cell: (row) => row.regionName },
    { title: '地址', width: 36, cell: (row) => row.address },
    { title: deviceState, width: 14, cell: (row) => said(batchDeviceStateNames[row.state]) },
    { title: reason, width: 36, cell: (row) => row.reason && said(namedReason(row.reason)) },
    { title: attempts, width: 10, cell: (row) => row.attempts },
    { title: value, width: 40, cell: (row) => valuesText(row, 'value') },
    { title: former, width: 40, cell: (row) => valuesText(row, 'former') },
    { title: current, width: 40, cell: (row) => valuesText(row, 'current') },
    { title: changeTime, width: 20, cell: (row) => row.changeTime },
    { title: isTrial, width: 8, cell: (row) => said(row.isTrial ? '是' : null) },
  ],
}

/** One line a parameter. */
const valuesText = ({ values }: TargetRecord, which: 'value' | 'former' | 'current') =>
  values
    .map((entry) => {
      const value = entry[which]
      return `${said(parameterName(entry.id))}：${said(value === null ? '未上报' : describeParameterValue(entry.id, value))}`
    })
    .join('\n')
