// The senders of all kinds of channel.
import type { ChannelKind, MailSettings, SmsSettings } from '@voltkeep/contract'
import type { IsAllowed } from '../../../platform/http/outgoing/index.ts'
import { mailSender } from './mail.ts'
import type { NoticeMessage } from './message.ts'
import { robotSender } from './robots.ts'
import type { Send, SendNeeds, SendResult, Target } from './sender.ts'
import { type SmsKind, smsSender } from './sms.ts'
import { webhookSender } from './webhook.ts'

/** Whether the kind writes to each person apart; others speak to a group. */
export const isLetter = (kind: ChannelKind): boolean => kind === 'mail' || isSms(kind)
export const isSms = (kind: ChannelKind): kind is SmsKind => kind === 'aliyunSms' || kind === 'tencentSms'

/** Beside its address; null where the kind has none. */
export type ChannelSettings = MailSettings | SmsSettings

export interface Senders {
  /** `target` null: the secrets were sealed with another key. */
  send(
    channel: { kind: ChannelKind; settings: ChannelSettings | null },
    target: Target | null,
    message: NoticeMessage,
  ): Promise<SendResult>
}

export function createSenders(needs: SendNeeds & { isAllowed: IsAllowed }): Senders {
  const plain: Record<Exclude<ChannelKind, 'mail' | SmsKind>, Send> = {
    wecom: robotSender('wecom', needs),
    dingtalk: robotSender('dingtalk', needs),
    feishu: robotSender('feishu', needs),
    webhook: webhookSender(needs),
  }
  return {
    async send({ kind, settings }, target, message) {
      if (!target)
        return {
          kind: 'refused',
          code: 'SEAL',
          message: '无法读取密钥：密钥文件已更换（见 SEAL_KEY），请重新填写',
        }
      if (kind !== 'mail' && !isSms(kind)) return await plain[kind](target, message)
      if (isSms(kind)) {
        if (settings && 'sign' in settings) return await smsSender(kind, settings, needs)(target, message)
        return { kind: 'refused', code: 'SETTINGS', message: '没有填写短信服务' }
      }
      if (!settings || !('host' in settings))
        return { kind: 'refused', code: 'SETTINGS', message: '没有填写邮件服务器' }
      const server = { ...settings, user: settings.user ?? null }
      return await mailSender(server, needs.isAllowed)(target, message)
    },
  }
}
