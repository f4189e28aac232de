import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const upgradeSeeds: readonly Seed[] = [
  menuPage({
    directory: 'upgrade',
    order: 4,
    name: '升级任务',
    path: 'upgradeTask',
    remark: 'upgradeTask',
    icon: 'schedule',
    url: 'upgrade/upgradeTask',
    functions: {
      'upgrade:list': '查看升级任务',
      'upgrade:insert': '新增升级任务',
      'upgrade:update': '修改升级任务',
      'upgrade:delete': '删除升级任务',
      'upgrade:control': '控制升级任务',
      'upgrade:device': '升级设备',
    },
  }),
  menuPage({
    directory: 'upgrade',
    order: 5,
    name: '升级日志',
    path: 'upgradeLog',
    remark: 'upgradeLog',
    icon: 'file-text',
    url: 'upgrade/upgradeLog',
    functions: { 'upgradeLog:page': '查看升级日志' },
  }),
]
