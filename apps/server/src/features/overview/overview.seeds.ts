import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const overviewSeeds: readonly Seed[] = [
  menuPage({
    order: 1,
    name: '首页',
    path: '/dashboard',
    remark: 'dashboard',
    icon: 'dashboard',
    url: 'dashboard',
    partOf: 'menus',
  }),
]
