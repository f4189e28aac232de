// The senders of all kinds of channel.
import type { ChannelKind, MailSettings, SmsSettings } from '@voltkeep/contract'
import type { IsAllowed } from '../../../platform/http/outgoing/index.ts'
import { mailLimitMs, mailSender } from './mail.ts'
import type { NoticeMessage } from './message.ts'
import { robotSender } from './robots.ts'
import { endedBy, type Send, type SendNeeds, type SendResult, type Target } from './sender.ts'
import { type SmsKind, smsSender } from './sms.ts'
import { webhookSender } from './webhook.ts'

/** Whether the kind writes to each person apart; others speak to a group. */
export const isLetter = (kind: ChannelKind): boolean => kind === 'mail' || isSms(kind)
export const isSms = (kind: ChannelKind): kind is SmsKind => kind === 'aliyunSms' || kind === 'tencentSms'

/** Beside its address; null where the kind has none. */
export type ChannelSettings = MailSettings | SmsSettings

/** An attempt ends by then, however slowly the other side takes it. */
export const sendLimitMs = (kind: ChannelKind): number => (kind === 'mail' ? mailLimitMs : 30_000)

export interface Senders {
  /** `target` null: the secrets were sealed with another key. `signal`: ends the attempt, by default at its limit. */
  send(
    channel: { kind: ChannelKind; settings: ChannelSettings | null },
    target: Target | null,
    message: NoticeMessage,
    signal?: AbortSignal,
  ): Promise<SendResult>
}

export function createSenders(needs: SendNeeds & { isAllowed: IsAllowed; isInside: IsAllowed }): Senders {
  const plain: Record<Exclude<ChannelKind, 'mail' | SmsKind>, Send> = {
    wecom: robotSender('wecom', needs),
    dingtalk: robotSender('dingtalk', needs),
    feishu: robotSender('feishu', needs),
    webhook: webhookSender(needs),
  }
  return {
    async send({ kind, settings }, target, message, signal = AbortSignal.timeout(sendLimitMs(kind))) {
      const by = (send: Send, to: Target) => endedBy(signal, send(to, message, signal))
      if (!target)
        return {
          kind: 'refused',
          code: 'SEAL',
          message: '无法读取密钥：密钥文件已更换（见 SEAL_KEY），请重新填写',
        }
      if (kind !== 'mail' && !isSms(kind)) return await by(plain[kind], target)
      if (isSms(kind)) {
        if (settings && 'sign' in settings) return await by(smsSender(kind, settings, needs), target)
        return { kind: 'refused', code: 'SETTINGS', message: '没有填写短信服务' }
      }
      if (!settings || !('host' in settings))
        return { kind: 'refused', code: 'SETTINGS', message: '没有填写邮件服务器' }
      const server = { ...settings, user: settings.user ?? null }
      return await by(mailSender(server, needs), target)
    },
  }
}
