import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const sessionSeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 2,
    name: '在线用户',
    path: 'session',
    remark: 'systemSession',
    icon: 'desktop',
    url: 'system/session',
    functions: {
      'session:page': '查看在线用户',
      'session:end': '强制下线',
    },
    partOf: 'administrationMenus',
  }),
]
