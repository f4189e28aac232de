/**
 * Any receiver by Standard Webhooks (github.com/standard-webhooks/standard-webhooks): signed by HMAC over id, time and
 * body; only 2xx succeeds, 410 ends it.
 */
import { createHmac } from 'node:crypto'
import { formatDateTime } from '@voltkeep/contract'
import { seededName } from '../../../platform/process/language/seeded-names.ts'
import { gravestOf, type NoticeEntry, type NoticeMessage, titleOf, whatOf } from './message.ts'
import { failureOf, type Send, type SendNeeds, statusOf } from './sender.ts'

const prefix = 'whsec_'

/** Whether a text is a secret of this form: 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false
  const { length } = Buffer.from(text.slice(prefix.length), 'base64')
  return length >= 24 && length <= 64
}

export function signatureOf(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}

const bodyOfWebhook = (message: NoticeMessage, nowMs: number) => ({
  type: `${typeOf(message)}.notice`,
  timestamp: new Date(nowMs).toISOString(),
  data: {
    title: titleOf(message),
    alarmLevel: gravestOf(message),
    raised: [...message.raisedByLevel].map(([alarmLevel, count]) => ({ alarmLevel, count })),
    recovered: message.recovered,
    link: message.link,
    offline: message.offline,
    online: message.online,
    tasks: message.tasks,
    alarms: message.entries
      .filter(({ kind }) => kind === 'alarm')
      .map((entry) => ({ ...shownOf(entry), alarmLevel: entry.level, count: entry.repeats })),
    others: message.entries
      .filter(({ kind }) => kind !== 'alarm')
      .map((entry) => ({ ...shownOf(entry), kind: entry.kind })),
  },
})

const shownOf = (entry: NoticeEntry) => ({
  event: entry.event,
  name: whatOf(entry),
  equipCode: entry.deviceCode === '' ? null : entry.deviceCode,
  equipName: entry.deviceName,
  place: seededName(entry.place),
  time: formatDateTime(entry.at),
  link: entry.link,
})

/** By the first entry, which of several kinds is an alarm. */
function typeOf({ entries: [first] }: NoticeMessage): 'alarm' | 'device' | 'task' {
  if (!first || first.kind === 'alarm') return 'alarm'
  return first.kind === 'device' ? 'device' : 'task'
}

export const webhookSender =
  ({ outgoing, nowMs }: SendNeeds): Send =>
  async ({ address, secret }, message) => {
    const body = JSON.stringify(bodyOfWebhook(message, nowMs()))
    const seconds = Math.floor(nowMs() / 1_000)
    const headers = {
      'webhook-id': message.id,
      'webhook-timestamp': String(seconds),
      ...(secret !== null && { 'webhook-signature': signatureOf(secret, message.id, seconds, body) }),
    }
    try {
      const answer = await outgoing.post(address, { headers, body })
      const { status } = answer
      if (status >= 200 && status < 300) return { kind: 'delivered', code: String(status), message: '已送达' }
      if (status === 410) return { kind: 'refused', code: '410', message: '接收方已停用这个地址' }
      return statusOf(answer)
    } catch (error) {
      return failureOf(error)
    }
  }
