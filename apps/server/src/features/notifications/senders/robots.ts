/**
 * The robots of WeCom, DingTalk and Feishu: their bodies, limits of size, signatures and codes.
 *
 * Sources: developer.work.weixin.qq.com/document/path/99110, open.dingtalk.com (custom robots), open.feishu.cn
 * (custom bots).
 */
import { createHmac } from 'node:crypto'
import { bodyOf, gravestOf, markdown, type NoticeMessage, plainText, titleOf } from './message.ts'
import {
  failureOf,
  type RobotCodes,
  robotResultOf,
  type Send,
  type SendNeeds,
  type Target,
} from './sender.ts'

interface Robot {
  /** The field of the answer that has the code. */
  field: string
  codes: RobotCodes
  request(target: Target, message: NoticeMessage, nowMs: number): { url: string; body: object }
}

const minute = 60_000
const pausing = (ms: number) => ({ kind: 'again', message: '发送过于频繁，已暂停', pauseMs: ms }) as const
const wrong = (message: string) => ({ kind: 'refused', message }) as const

/** The content of a markdown message: at most 4,096 bytes. */
const wecomLimitBytes = 4_096
const wecomTextLimitBytes = 2_048
/** The whole body: at most 20,000 bytes. The rest is for the frame and for what JSON escapes. */
const bodyLimitBytes = 16_000

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64')

/** Only a text mentions people by their mobile numbers, and it is half as long: at most 2,048 bytes. */
function mentioningText(message: NoticeMessage, mobiles: readonly string[]) {
  const head = `${titleOf(message)}\n`
  const limitBytes = wecomTextLimitBytes - Buffer.byteLength(head)
  const content = head + bodyOf(message, plainText, { limitBytes, separator: '\n' })
  return { msgtype: 'text', text: { content, mentioned_mobile_list: [...mobiles] } }
}

/** It has no signature: the key in the address is the secret. */
const wecom: Robot = {
  field: 'errcode',
  codes: {
    45009: pausing(minute),
    40058: wrong('消息过长'),
    93000: wrong('机器人地址无效'),
    93004: wrong('机器人已被停用'),
    93008: wrong('机器人已被移出群聊'),
  },
  request({ address }, message) {
    if (message.people) return { url: address, body: mentioningText(message, message.people) }
    const head = `${markdown.strong(markdown.plain(titleOf(message)))}\n`
    const limitBytes = wecomLimitBytes - Buffer.byteLength(head)
    const content = head + bodyOf(message, markdown, { limitBytes, separator: '\n' })
    return { url: address, body: { msgtype: 'markdown', markdown: { content } } }
  },
}

/** The signature is part of the address: HMAC over the time in ms and the secret. */
const dingtalk: Robot = {
  field: 'errcode',
  codes: {
    // Whoever goes on is blocked for ten minutes.
    130101: pausing(10 * minute),
    410100: pausing(10 * minute),
    310000: wrong('安全设置不符：请核对加签密钥、关键词或 IP 白名单'),
    300001: wrong('机器人地址无效'),
    400101: wrong('机器人地址无效'),
    400102: wrong('机器人已被停用'),
    460101: wrong('消息过长'),
  },
  request({ address, secret }, message, nowMs) {
    const url = new URL(address)
    if (secret !== null) {
      url.searchParams.set('timestamp', String(nowMs))
      url.searchParams.set('sign', hmac(secret, `${nowMs}\n${secret}`))
    }
    const title = titleOf(message)
    const body = bodyOf(message, markdown, { limitBytes: bodyLimitBytes, separator: '\n\n' })
    // Mentioned is whoever is named in both places.
    const mentions = (message.people ?? []).map((mobile) => `@${mobile}`).join(' ')
    const text = `${markdown.strong(markdown.plain(title))}\n\n${body}${mentions && `\n\n${mentions}`}`
    const at = message.people && { at: { atMobiles: [...message.people], isAtAll: false } }
    return { url: url.href, body: { msgtype: 'markdown', markdown: { title, text }, ...at } }
  },
}

const feishuColours = ['grey', 'red', 'orange', 'yellow', 'blue'] as const

/** The signature is in the body: HMAC of nothing, the time in seconds and the secret being its key. */
const feishu: Robot = {
  field: 'code',
  codes: {
    9499: pausing(minute),
    11232: pausing(minute),
    99991400: pausing(minute),
    19001: wrong('机器人地址无效'),
    19021: wrong('签名不符：请核对签名密钥和服务器时间'),
    19022: wrong('本机 IP 不在机器人的白名单中'),
    19024: wrong('消息不含机器人要求的关键词'),
    19036: wrong('消息过长'),
  },
  request({ address, secret }, message, nowMs) {
    const seconds = String(Math.floor(nowMs / 1_000))
    const sign = secret === null ? {} : { timestamp: seconds, sign: hmac(`${seconds}\n${secret}`, '') }
    // By Open ID or User ID; a mailbox, which cards of applications know, is nobody to this robot.
    const ids = (message.people ?? []).filter((id) => !id.includes('@'))
    const mentions = ids.map((id) => `<at id=${id}></at>`).join(' ')
    const body = bodyOf(message, markdown, { limitBytes: bodyLimitBytes, separator: '\n' })
    const content = mentions === '' ? body : `${body}\n${mentions}`
    const gravest = gravestOf(message)
    const card = {
      config: { wide_screen_mode: true },
      header: {
        template: gravest === null ? 'green' : feishuColours[gravest],
        title: { tag: 'plain_text', content: titleOf(message) },
      },
      elements: [{ tag: 'div', text: { tag: 'lark_md', content } }],
    }
    return { url: address, body: { ...sign, msg_type: 'interactive', card } }
  },
}

export const robots = { wecom, dingtalk, feishu }
export type RobotKind = keyof typeof robots

/** Sends by a robot. */
export const robotSender =
  (kind: RobotKind, { outgoing, nowMs }: SendNeeds): Send =>
  async (target, message) => {
    const { field, codes, request } = robots[kind]
    const { url, body } = request(target, message, nowMs())
    try {
      return robotResultOf(await outgoing.post(url, { body: JSON.stringify(body) }), field, codes)
    } catch (error) {
      return failureOf(error)
    }
  }
