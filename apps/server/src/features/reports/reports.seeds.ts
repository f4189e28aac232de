import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const reportSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 10,
    name: '统计报表',
    path: 'report',
    remark: 'maintenanceReport',
    icon: 'bar-chart',
    url: 'maintenance/report',
    functions: {
      'report:alarm': '查看告警质量',
      'report:availability': '查看可用率',
      'report:export': '导出统计报表',
    },
  }),
  menuFunctions({
    page: 'maintenanceReport',
    name: 'mail',
    functions: { 'report:subscribe': '订阅统计报表' },
  }),
]
