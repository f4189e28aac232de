import { importColumns } from '@voltkeep/contract'
import type { Sheet } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { UnmatchedRow } from './unmatched.queries.ts'

const connection = ({ isOnline, onlineChangedTime }: UnmatchedRow) =>
  said(onlineChangedTime === null ? '未接入' : isOnline ? '在线' : '离线')

export const unmatchedSheet: Sheet<UnmatchedRow> = {
  name: '版本不符的设备',
  columns: [
    { title: importColumns.code, width: 20, cell: (row) => row.code },
    { title: importColumns.name, width: 24, cell: (row) => row.name },
    { title: '在线状态', width: 10, cell: connection },
    { title: '部件', width: 16, cell: (row) => row.partTypeName },
    { title: '部件编号', width: 20, cell: (row) => row.addrIds.join('、') },
    { title: '部件数', width: 10, cell: (row) => row.addrIds.length },
    { title: '软件版本', width: 12, cell: (row) => row.version },
    { title: '最新版本', width: 12, cell: (row) => row.newest },
    { title: importColumns.operator, width: 20, cell: (row) => row.operatorName },
    { title: importColumns.equipType, width: 16, cell: (row) => row.equipTypeName },
    { title: importColumns.equipModel, width: 18, cell: (row) => row.equipModelName },
    { title: importColumns.region, width: 36, cell: (row) => row.regionName },
    { title: importColumns.address, width: 36, cell: (row) => row.address },
    { title: '最近上报', width: 20, cell: (row) => row.updateTime },
  ],
}
