import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const deviceSeeds: readonly Seed[] = [
  menuPage({
    directory: 'equipment',
    order: 1,
    name: '设备列表',
    path: 'list',
    remark: 'equipmentList',
    icon: 'database',
    url: 'equipment/list',
    functions: {
      'equip:list': '查看设备',
      'equip:insert': '新增设备',
      'equip:update': '修改设备',
      'equip:secret': '重置设备密钥',
      'equip:delete': '删除设备',
    },
    partOf: 'menus',
  }),
  menuFunctions({
    page: 'equipmentList',
    name: 'files',
    functions: { 'equip:import': '导入设备', 'equip:export': '导出设备' },
    partOf: 'administrationMenus',
  }),
]
