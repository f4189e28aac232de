import { businessStatusNames, importColumns, protocolNames } from '@voltkeep/contract'
import type { Sheet } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { DeviceRow } from './devices.queries.ts'

const connection = ({ isOnline, onlineChangedTime }: DeviceRow) =>
  said(onlineChangedTime === null ? '未接入' : isOnline === 1 ? '在线' : '离线')

export const deviceSheet: Sheet<DeviceRow> = {
  name: '设备',
  columns: [
    { title: importColumns.code, width: 20, cell: (row) => row.code },
    { title: importColumns.name, width: 24, cell: (row) => row.name },
    { title: '在线状态', width: 10, cell: connection },
    { title: '当前告警数', width: 12, cell: (row) => row.alarmCount },
    { title: '搁置告警数', width: 12, cell: (row) => row.shelvedCount },
    { title: '厂商', width: 20, cell: (row) => row.organizationName },
    { title: importColumns.operator, width: 20, cell: (row) => row.operatorName },
    { title: importColumns.equipType, width: 16, cell: (row) => row.equipTypeName },
    { title: importColumns.equipModel, width: 18, cell: (row) => row.equipModelName },
    { title: importColumns.region, width: 36, cell: (row) => row.regionName },
    { title: importColumns.address, width: 36, cell: (row) => row.address },
    {
      title: importColumns.businessStatus,
      width: 10,
      cell: (row) => said(businessStatusNames[row.businessStatus]),
    },
    { title: importColumns.protocol, width: 14, cell: (row) => protocolNames[row.protocol] },
    { title: '最近上报', width: 20, cell: (row) => row.updateTime },
    { title: '登记时间', width: 20, cell: (row) => row.createTime },
  ],
}
