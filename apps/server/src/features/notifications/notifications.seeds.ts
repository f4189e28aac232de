import { menuFunctions, menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

export const notificationSeeds: readonly Seed[] = [
  menuPage({
    directory: 'maintenance',
    order: 8,
    name: '告警通知',
    path: 'notify',
    remark: 'maintenanceNotify',
    icon: 'bell',
    url: 'maintenance/notify',
    functions: {
      'notifyRule:list': '查看通知规则',
      'notifyRule:insert': '新增通知规则',
      'notifyRule:update': '修改通知规则',
      'notifyRule:delete': '删除通知规则',
      'notifyChannel:list': '查看通知渠道',
      'notifyChannel:insert': '新增通知渠道',
      'notifyChannel:update': '修改和测试通知渠道',
      'notifyChannel:delete': '删除通知渠道',
      'notifyDelivery:list': '查看通知记录',
    },
  }),
  menuFunctions({
    page: 'maintenanceNotify',
    name: 'duty',
    functions: {
      'duty:list': '查看值班表',
      'duty:insert': '新增值班表',
      'duty:update': '修改值班表',
      'duty:delete': '删除值班表',
    },
  }),
]
