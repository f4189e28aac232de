import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const batchSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 5,
    name: '批量设置',
    path: 'batchsetting',
    remark: 'batchsetting',
    icon: 'control',
    url: 'maintenance/batchsetting',
    functions: {
      'batchSet:list': '查看批量设置',
      'batchSet:insert': '新增批量设置',
      'batchSet:retry': '重试批量设置',
      'batchSet:stop': '停止批量设置',
      'batchSet:restore': '恢复原值',
      'batchSet:export': '导出失败设备',
    },
  }),
]
