import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const mappingSeeds: readonly Seed[] = [
  menuPage({
    directory: 'equipment',
    order: 3,
    name: '报文映射',
    path: 'mapping',
    remark: 'equipmentMapping',
    icon: 'api',
    url: 'equipment/mapping',
    functions: {
      'mapping:list': '查看和试运行报文映射',
      'mapping:insert': '新增报文映射',
      'mapping:update': '修改和启用报文映射',
      'mapping:delete': '删除报文映射',
    },
  }),
]
