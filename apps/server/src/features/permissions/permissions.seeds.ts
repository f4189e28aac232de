import { menuFunctions } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const permissionSeeds: readonly Seed[] = [
  menuFunctions({
    page: 'systemUser',
    name: 'permissions',
    functions: {
      'permission:select': '查看数据权限',
      'permission:update': '分配数据权限',
      'permission:delete': '重置数据权限',
    },
    partOf: 'administrationMenus',
  }),
]
