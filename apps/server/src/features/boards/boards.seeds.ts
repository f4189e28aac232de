import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const boardSeeds: readonly Seed[] = [
  menuPage({
    directory: 'upgrade',
    order: 1,
    name: '板卡管理',
    path: 'board',
    remark: 'board',
    icon: 'gateway',
    url: 'upgrade/board',
    functions: {
      'pcb:list': '查看板卡',
      'pcb:save': '新增、修改板卡',
      'pcb:delete': '删除板卡',
    },
  }),
]
