// What sends a message to one kind of channel, and what came of it.

import type { Outgoing, OutgoingAnswer } from '../../../platform/http/outgoing/index.ts'
import { AddressNotAllowed } from '../../../platform/http/outgoing/index.ts'
import type { NoticeMessage } from './message.ts'

/** Where a channel sends to. */
export interface Target {
  address: string
  secret: string | null
}

export interface SendResult {
  /** `refused`: another attempt would end alike. */
  kind: 'delivered' | 'again' | 'refused'
  /** The provider's own, or that of the connection. */
  code: string
  /** In Chinese; never a text of the provider's. */
  message: string
  /** The provider asks for so long a pause before anything else is sent to it. */
  pauseMs?: number
}

export interface SendNeeds {
  outgoing: Pick<Outgoing, 'post'>
  nowMs: () => number
}

/** Ends in a short while once the signal says so. */
export type Send = (target: Target, message: NoticeMessage, signal: AbortSignal) => Promise<SendResult>

/** The receiver has the message, and has not said whether it takes it. */
export const unanswered: SendResult = {
  kind: 'again',
  code: 'UNANSWERED',
  message: '邮件服务器收下内容后没有及时答复，邮件可能已送达',
}
/** What an attempt came to whose process ended, or could not write down what it came to. */
export const died: SendResult = { kind: 'again', code: 'DIED', message: '发送中断，没有得到结果' }
const timedOut: SendResult = { kind: 'again', code: 'TIMEOUT', message: '对方没有及时响应' }

const connectionWords: Record<string, string> = {
  ECONNREFUSED: '对方拒绝连接',
  ECONNRESET: '连接被对方中断',
  ENOTFOUND: '域名无法解析',
  EAI_AGAIN: '域名暂时无法解析',
  EHOSTUNREACH: '网络不可达',
  ENETUNREACH: '网络不可达',
  CERT_HAS_EXPIRED: '对方证书已过期',
  DEPTH_ZERO_SELF_SIGNED_CERT: '对方证书不受信任',
  SELF_SIGNED_CERT_IN_CHAIN: '对方证书不受信任',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: '对方证书不受信任',
  ERR_TLS_CERT_ALTNAME_INVALID: '对方证书与域名不符',
}
const graceMs = 1_000
const timeoutCodes = [
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]

/** What an attempt without an answer came to. */
export function failureOf(error: unknown): SendResult {
  if (error instanceof AddressNotAllowed || (error as { cause?: unknown }).cause instanceof AddressNotAllowed)
    return { kind: 'refused', code: 'ADDRESS', message: '地址不允许访问（见 NOTIFY_NETWORKS）' }
  const { name, code } = error as { name?: string; code?: unknown }
  if (name === 'TimeoutError' || name === 'AbortError' || timeoutCodes.includes(String(code))) return timedOut
  const known = typeof code === 'string' ? code : 'NETWORK'
  return { kind: 'again', code: known, message: connectionWords[known] ?? '连接失败' }
}

/** A sender that does not end when the signal says so is left to itself. */
export function endedBy(signal: AbortSignal, sent: Promise<SendResult>): Promise<SendResult> {
  const over = new Promise<SendResult>((resolve) => {
    signal.addEventListener('abort', () => setTimeout(resolve, graceMs, timedOut).unref(), { once: true })
  })
  return Promise.race([sent, over])
}

/** What an answer means that is none of the provider's own: its status. */
export function statusOf({ status, retryAfterMs }: OutgoingAnswer): SendResult {
  const pause = retryAfterMs === null ? {} : { pauseMs: retryAfterMs }
  return { kind: 'again', code: `HTTP ${status}`, message: `对方返回 HTTP ${status}`, ...pause }
}

/** What a robot's code means; one that is not listed is tried again. */
export type RobotCodes = Readonly<Record<number, Omit<SendResult, 'code'>>>

/** Robots answer HTTP 200 to refused messages too: the code in the body decides. */
export function robotResultOf(answer: OutgoingAnswer, field: string, codes: RobotCodes): SendResult {
  if (answer.status !== 200) return statusOf(answer)
  const code = numberIn(answer.body, field)
  if (code === null) return { kind: 'refused', code: 'FORMAT', message: '对方不是这种机器人：没有返回码' }
  if (code === 0) return { kind: 'delivered', code: '0', message: '已送达' }
  return {
    ...(codes[code] ?? { kind: 'again', message: `对方返回错误码 ${code}` }),
    code: String(code),
  }
}

function numberIn(body: string, field: string): number | null {
  try {
    const value = (JSON.parse(body) as Record<string, unknown> | null)?.[field]
    return typeof value === 'number' ? value : null
  } catch {
    return null
  }
}
