import { shownChange } from '@voltkeep/contract'
import type { Sheet } from '../../platform/files/sheets/spreadsheet.ts'
import { said } from '../../platform/process/language/speech.ts'
import type { OperationRecord } from './operations.queries.ts'

export const operationSheet: Sheet<OperationRecord> = {
  name: '操作日志',
  columns: [
    { title: '时间', width: 20, cell: (row) => row.time },
    { title: '登录名', width: 16, cell: (row) => row.loginName },
    { title: '用户', width: 16, cell: (row) => row.userName },
    { title: '来源地址', width: 18, cell: (row) => row.address },
    { title: '操作', width: 20, cell: (row) => said(row.summary) },
    { title: '接口', width: 26, cell: (row) => row.call },
    { title: '对象', width: 32, cell: (row) => said(row.target) },
    { title: '结果', width: 8, cell: (row) => said(row.code === 200 ? '成功' : '拒绝') },
    { title: '结果码', width: 8, cell: (row) => row.code },
    { title: '说明', width: 30, cell: (row) => said(row.message) },
    { title: '变更', width: 60, cell: ({ changes }) => changes && changesText(changes) },
    { title: '请求号', width: 38, cell: (row) => row.requestId },
  ],
}

/** One line a field: `名称：甲 → 乙`. */
function changesText({ before, after }: NonNullable<OperationRecord['changes']>): string {
  return shownChange(before ?? null, after ?? null, said)
    .map(({ label, before: was, after: is }) => {
      if (was === null) return `${label}：${is}`
      return `${label}：${was}${is === null ? said('（已删除）') : ` → ${is}`}`
    })
    .join('\n')
}
