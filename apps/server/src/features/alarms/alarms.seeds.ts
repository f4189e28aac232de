import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const alarmSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 1,
    name: '告警管理',
    path: 'exitWarning',
    remark: 'exitWarning',
    icon: 'alert',
    url: 'maintenance/exitWarning',
    functions: {
      'alarm:page': '查看当前告警',
      'alarm:detail': '查看告警内容',
      'alarm:recover': '手动恢复告警',
      'alarm:history': '查看历史告警',
      'alarm:export': '导出告警',
    },
    partOf: 'menus',
  }),
  menuFunctions({
    page: 'exitWarning',
    name: 'handling',
    functions: {
      'alarm:ack': '确认和认领告警',
      'alarm:assign': '指派告警',
      'alarm:close': '关闭告警',
    },
  }),
  menuFunctions({
    page: 'exitWarning',
    name: 'shelving',
    functions: {
      'alarm:shelve': '搁置告警',
      'alarm:shelve:long': '长时间搁置、维护窗口和停用',
      'alarm:shelve:critical': '搁置火情告警',
    },
  }),
]
