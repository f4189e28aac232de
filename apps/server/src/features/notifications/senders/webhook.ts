/**
 * Any receiver by Standard Webhooks (github.com/standard-webhooks/standard-webhooks): signed by HMAC over id, time and
 * body; only 2xx succeeds, 410 ends it.
 */
import { createHmac } from 'node:crypto'
import { formatDateTime } from '@voltkeep/contract'
import { gravestOf, type NoticeMessage, titleOf } from './message.ts'
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
  type: 'alarm.notice',
  timestamp: new Date(nowMs).toISOString(),
  data: {
    title: titleOf(message),
    alarmLevel: gravestOf(message),
    raised: [...message.raisedByLevel].map(([alarmLevel, count]) => ({ alarmLevel, count })),
    recovered: message.recovered,
    link: message.link,
    alarms: message.entries.map((entry) => ({
      event: entry.event,
      alarmLevel: entry.level,
      name: entry.what,
      equipCode: entry.deviceCode,
      equipName: entry.deviceName,
      place: entry.place,
      time: formatDateTime(entry.at),
      link: entry.link,
    })),
  },
})

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
