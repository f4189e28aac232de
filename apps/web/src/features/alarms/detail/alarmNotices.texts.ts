// The words of who was told of an alarm: loaded with the panel, not with the list.
import type { AlarmNotice } from '@voltkeep/contract/notifications'

const kinds: Record<NonNullable<AlarmNotice['kind']>, string> = {
  wecom: '企业微信机器人',
  dingtalk: '钉钉机器人',
  feishu: '飞书机器人',
  webhook: 'Webhook',
  mail: '邮件',
  aliyunSms: '阿里云短信',
  tencentSms: '腾讯云短信',
}
const events: Record<AlarmNotice['event'], string> = {
  raised: '告警发生',
  repeated: '再次发生，不重复通知',
  levelRaised: '告警加重',
  returned: '搁置到期',
  recovered: '告警恢复',
  escalated: '升级通知',
  deviceOffline: '设备离线',
  deviceOnline: '恢复在线',
  taskPaused: '任务暂停',
  taskEnded: '任务结束',
}
const states: Record<AlarmNotice['state'], string> = {
  queued: '等待发送',
  sending: '发送中',
  delivered: '已送达',
  retrying: '等待重试',
  givenUp: '发送失败',
}

export const alarmNoticeTexts = {
  title: '通知记录',
  count: (count: number) => `${count} 次`,
  none: '没有通知任何人。',
  kinds,
  events,
  states,
  unknownChannel: '已删除的渠道',
  otherOrganization: (kind: string) => `其他组织的${kind}`,
  result: (code: string, message: string) => `${message}（${code}）`,
  due: (time: string) => `${time} 发送`,
  passedOn: '已改由备用渠道发送',
  fallback: '替代发送',
  attempts: (count: number) => `第 ${count} 次发送`,
}
