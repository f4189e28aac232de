import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const menuSeeds: readonly Seed[] = [
  menuPage({
    directory: 'system',
    order: 4,
    name: '菜单管理',
    path: 'menu',
    remark: 'systemMenu',
    icon: 'menu',
    url: 'system/menu',
    functions: {
      'menu:list': '查看菜单',
      'menu:insert': '新增菜单',
      'menu:update': '修改菜单',
      'menu:delete': '删除菜单',
    },
    partOf: 'administrationMenus',
  }),
]
