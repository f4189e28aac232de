import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const eventSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 2,
    name: '事件查询',
    path: 'eventsearch',
    remark: 'eventsearch',
    icon: 'search',
    url: 'maintenance/eventsearch',
    functions: {
      'event:list': '查看事件',
      'event:export': '导出事件',
    },
    partOf: 'menus',
  }),
]
