import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const serverStatusSeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 7,
    name: '服务器',
    path: 'server',
    remark: 'systemServer',
    icon: 'hdd',
    url: 'system/server',
    partOf: 'administrationMenus',
  }),
  // The first releases had the page without a function, so that only SYSTEM users could read anything on it.
  menuFunctions({ page: 'systemServer', name: 'state', functions: { 'server:info': '查看服务器状态' } }),
]
