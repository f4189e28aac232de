// The English of alarmNotices.texts.ts.
import { counted, type English } from '../../../lib/texts/english.ts'
import type { alarmNoticeTexts as Chinese } from './alarmNotices.texts.ts'

export const alarmNoticeTexts: English<typeof Chinese> = {
  title: 'Notices',
  count: (count) => counted(count, 'notice'),
  none: 'Nobody was notified.',
  kinds: {
    wecom: 'WeCom robot',
    dingtalk: 'DingTalk robot',
    feishu: 'Feishu robot',
    webhook: 'Webhook',
    mail: 'E-mail',
    aliyunSms: 'Alibaba Cloud SMS',
    tencentSms: 'Tencent Cloud SMS',
  },
  events: {
    raised: 'Alarm raised',
    repeated: 'Raised again, not notified twice',
    levelRaised: 'Alarm aggravated',
    returned: 'Shelving expired',
    recovered: 'Alarm recovered',
    escalated: 'Escalation',
    deviceOffline: 'Device offline',
    deviceOnline: 'Back online',
    taskPaused: 'Task paused',
    taskEnded: 'Task ended',
  },
  states: {
    queued: 'Queued',
    sending: 'Sending',
    delivered: 'Delivered',
    retrying: 'Waiting to retry',
    givenUp: 'Failed',
  },
  unknownChannel: 'Deleted channel',
  otherOrganization: (kind) => `${kind} of another organization`,
  result: (code, message) => `${message} (${code})`,
  due: (time) => `due ${time}`,
  passedOn: 'Sent through the fallback channel instead',
  fallback: 'Fallback',
  attempts: (count) => `attempt ${count}`,
}
