import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const actionSeeds: readonly Seed[] = [
  menuFunctions({
    page: 'equipmentList',
    name: 'actions',
    functions: {
      'equip:open': '远程打开仓门',
      'equip:compartment': '停用和启用仓位',
      'equip:charging': '停止充电',
      'equip:restart': '重启设备',
      'equip:refresh': '刷新设备状态',
    },
  }),
  menuPage({
    directory: 'maintenance',
    order: 5,
    name: '远程操作',
    path: 'action',
    remark: 'action',
    icon: 'control',
    url: 'maintenance/action',
    functions: { 'action:list': '查看远程操作记录' },
  }),
]
