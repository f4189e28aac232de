import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const deviceVersionSeeds: readonly Seed[] = [
  menuPage({
    directory: 'upgrade',
    order: 6,
    name: '版本查询',
    path: 'version',
    remark: 'equipVersion',
    icon: 'search',
    url: 'upgrade/version',
    functions: { 'equipVersion:list': '查看设备版本' },
  }),
  menuFunctions({
    page: 'equipVersion',
    name: 'export',
    functions: { 'equipVersion:export': '导出版本不符的设备' },
  }),
]
