import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const userSeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 1,
    name: '用户管理',
    path: 'user',
    remark: 'systemUser',
    icon: 'user',
    url: 'system/user',
    functions: {
      'user:list': '查看用户',
      'user:insert': '新增用户',
      'user:update': '修改用户',
      'user:delete': '删除用户',
      'user:password': '重置用户密码',
    },
    partOf: 'administrationMenus',
  }),
]
