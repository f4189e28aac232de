import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const batterySeeds: readonly Seed[] = [
  menuPage({
    directory: 'equipment',
    order: 4,
    name: '电池',
    path: 'battery',
    remark: 'battery',
    icon: 'thunderbolt',
    url: 'equipment/battery',
    functions: { 'battery:list': '查看电池', 'battery:export': '导出电池' },
  }),
  menuPage({
    directory: 'equipment',
    order: 5,
    name: '电池库存',
    path: 'stock',
    remark: 'batteryStock',
    icon: 'bar-chart',
    url: 'equipment/stock',
    functions: { 'stock:list': '查看电池库存' },
  }),
  menuFunctions({ page: 'batteryStock', name: 'files', functions: { 'stock:export': '导出电池库存' } }),
]
