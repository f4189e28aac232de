import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const handoverSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 11,
    name: '交接班',
    path: 'handover',
    remark: 'maintenanceHandover',
    icon: 'schedule',
    url: 'maintenance/handover',
    functions: {
      'handover:list': '查看交接班',
      'handover:draft': '生成交接单',
      'handover:sign': '签收交接单',
    },
  }),
]
