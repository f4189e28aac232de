import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const operationSeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 6,
    name: '操作日志',
    path: 'operation',
    remark: 'systemOperation',
    icon: 'audit',
    url: 'system/operation',
    functions: {
      'operation:page': '查看操作日志',
      'operation:export': '导出操作日志',
    },
    partOf: 'administrationMenus',
  }),
]
