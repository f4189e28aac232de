import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const intakeSeeds: readonly Seed[] = [
  menuPage({
    directory: 'equipment',
    order: 2,
    name: '接入拒绝记录',
    path: 'intake',
    remark: 'equipmentIntake',
    icon: 'stop',
    url: 'equipment/intake',
    functions: {
      'intake:page': '查看接入拒绝记录',
    },
    partOf: 'menus',
  }),
]
