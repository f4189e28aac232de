// Texts of the view of the event feed.
import type { FeedType } from '@voltkeep/contract/feed'

const types: Record<FeedType, string> = {
  'alarm.raised': '告警发生',
  'alarm.changed': '告警值变化',
  'alarm.recovered': '告警恢复',
  'alarm.acknowledged': '告警已确认',
  'alarm.closed': '告警已关闭',
  'device.online': '设备上线',
  'device.offline': '设备离线',
  'device.registered': '新增设备',
  'device.changed': '设备资料变更，fields 为变更的字段',
  'device.deleted': '删除设备',
  'version.changed': '部件上报新版本，fromVersion 为原版本',
  'upgrade.ended': '部件升级结束，state 为结果',
  'event.reported': '设备上报事件',
}

export const feedTexts = {
  intro: (days: number) =>
    `其他系统用密钥按顺序读取告警和设备的变化，不重不漏；保留 ${days} 天，只含密钥数据权限内的设备。`,
  connect: '接入',
  address: '地址',
  first: '首次读取',
  later: '之后读取',
  format: '格式',
  formatWords: 'CloudEvents 1.0，JSON',
  docs: '接口文档',
  steps: [
    '首次用 after=latest 只读今后的事件；不带 after 从保留的最早一条读起；after=recent 先读最近的几条。',
    '处理完 events 后，把 next 和处理结果一起保存，下次作为 after。',
    'hasMore 为 true 时立即再读；没有新事件时，waitSeconds 让请求最多等待 30 秒。',
    '返回 409 表示游标已过期或无效：先核对设备和告警，再从 after=latest 开始。',
  ],
  idle: (days: number) => `连续 ${days} 天没有系统读取时停止记录，再次读取后恢复。`,
  typesTitle: '事件类型',
  type: '类型',
  when: '何时产生',
  data: 'data 中的字段',
  access: '所需功能（任一）',
  types,
  recent: '最近事件',
  recentHint: '用您自己的数据权限读取同一接口。',
  read: '读取最近事件',
  again: '刷新',
  none: '没有最近的事件',
  noneHint: '第一次读取后才开始记录，稍后再刷新。',
  noRight: '没有查看告警、设备、升级或事件的功能，不能读取。',
  time: '时间',
  device: '设备',
  content: '内容',
  next: '下次的 after',
}
