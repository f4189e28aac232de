import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const hwVersionSeeds: readonly Seed[] = [
  menuPage({
    directory: 'equipment',
    order: 3,
    name: '硬件版本',
    path: 'hwVersion',
    remark: 'hwVersion',
    icon: 'block',
    url: 'equipment/hwVersion',
    functions: {
      'hwVersion:list': '查看硬件版本',
      'hwVersion:insert': '新增硬件版本',
      'hwVersion:delete': '删除硬件版本',
    },
  }),
]
