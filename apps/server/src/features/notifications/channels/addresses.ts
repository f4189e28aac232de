// What may stand as a channel's address, by its kind, and what of it is shown.
import type { ChannelKind } from '@voltkeep/contract'
import { isLetter } from '../senders/index.ts'

/** The providers' own hosts. Another host may be a proxy of the installation. */
const hosts: Readonly<Record<string, ChannelKind>> = {
  'qyapi.weixin.qq.com': 'wecom',
  'oapi.dingtalk.com': 'dingtalk',
  'open.feishu.cn': 'feishu',
  'open.larksuite.com': 'feishu',
}
const kindNames: Readonly<Record<ChannelKind, string>> = {
  wecom: '企业微信',
  dingtalk: '钉钉',
  feishu: '飞书',
  webhook: 'Webhook',
  mail: '邮件',
  aliyunSms: '阿里云短信',
  tencentSms: '腾讯云短信',
}

const mailbox = /^[^\s@,;<>"]{1,64}@[A-Za-z0-9.-]{1,190}$/
const mobile = /^1\d{10}$/
const receiversAtMost = 20

/** The address as it is kept; or what is wrong with it. */
export function readAddress(kind: ChannelKind, text: string): { address: string } | { problem: string } {
  if (isLetter(kind))
    return readReceivers(text, kind === 'mail' ? mailbox : mobile, kind === 'mail' ? '邮箱地址' : '手机号')
  return readUrl(kind, text)
}

function readReceivers(text: string, form: RegExp, noun: string): { address: string } | { problem: string } {
  const receivers = [...new Set(text.split(/[\s,;，；、]+/).filter((part) => part !== ''))]
  const wrong = receivers.find((receiver) => !form.test(receiver))
  if (wrong !== undefined) return { problem: `“${wrong}”不是${noun}` }
  if (receivers.length > receiversAtMost) return { problem: `收件人最多 ${receiversAtMost} 个` }
  return receivers.length === 0 ? { problem: '请输入收件人' } : { address: receivers.join(',') }
}

function readUrl(kind: ChannelKind, text: string): { address: string } | { problem: string } {
  if (!URL.canParse(text)) return { problem: '地址应以 https:// 开头' }
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: '地址应以 https:// 开头' }
  if (url.username !== '' || url.password !== '') return { problem: '地址中不能有登录名和密码' }
  const owner = hosts[url.hostname]
  // A message of one robot is refused by another with HTTP 200, or taken and shown as nothing.
  if (owner !== undefined && owner !== kind) return { problem: `这是${kindNames[owner]}的地址` }
  return { address: url.href }
}

/** What tells two addresses apart without giving them away: the host and the last four characters. */
export function hintOf(kind: ChannelKind, address: string): string {
  return isLetter(kind) ? address : `${new URL(address).host} …${address.slice(-4)}`
}
