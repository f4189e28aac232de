/**
 * Short messages by Aliyun (dysmsapi, SendSms of 2017-05-25, signed by ACS3-HMAC-SHA256) and Tencent Cloud (sms, SendSms of
 * 2021-01-11, signed by TC3-HMAC-SHA256). The text is a template that the provider has approved, with the parameters
 * `type`, `name`, `device` and `count`, for Tencent in this order.
 *
 * Sources: help.aliyun.com/zh/sdk/product-overview/v3-request-structure-and-signature,
 * cloud.tencent.com/document/api/382/52072.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import type { SmsSettings } from '@voltkeep/contract'
import type { OutgoingAnswer } from '../../../platform/http/outgoing/index.ts'
import { type NoticeMessage, shortOf } from './message.ts'
import { failureOf, type Send, type SendNeeds, type SendResult, statusOf } from './sender.ts'

export type SmsKind = 'aliyunSms' | 'tencentSms'

const endpoints: Record<SmsKind, string> = {
  aliyunSms: 'https://dysmsapi.aliyuncs.com/',
  tencentSms: 'https://sms.tencentcloudapi.com/',
}
const minute = 60_000
const jsonType = 'application/json; charset=utf-8'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

/** As RFC 3986 has it: beyond what `encodeURIComponent` leaves. */
const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

export interface AliyunCall {
  host: string
  action: string
  version: string
  query: Readonly<Record<string, string>>
  accessKeyId: string
  accessKeySecret: string
  nowMs: number
  nonce: string
}

/** The query and headers of a POST without a body. */
export function aliyunRequest(call: AliyunCall): { query: string; headers: Record<string, string> } {
  const query = Object.entries(call.query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join('&')
  const bodyHash = sha256('')
  const signed: Record<string, string> = {
    host: call.host,
    'x-acs-action': call.action,
    'x-acs-content-sha256': bodyHash,
    'x-acs-date': new Date(call.nowMs).toISOString().replace(/\.\d{3}Z$/, 'Z'),
    'x-acs-signature-nonce': call.nonce,
    'x-acs-version': call.version,
  }
  const names = Object.keys(signed).toSorted()
  const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
  const request = ['POST', '/', query, lines, names.join(';'), bodyHash].join('\n')
  const signature = hmac(call.accessKeySecret, `ACS3-HMAC-SHA256\n${sha256(request)}`).digest('hex')
  const { host: _, ...headers } = signed
  return {
    query,
    headers: {
      ...headers,
      authorization: `ACS3-HMAC-SHA256 Credential=${call.accessKeyId},SignedHeaders=${names.join(';')},Signature=${signature}`,
    },
  }
}

export interface TencentCall {
  method: 'GET' | 'POST'
  service: string
  host: string
  query: string
  contentType: string
  body: string
  secretId: string
  secretKey: string
  seconds: number
}

/** The header `authorization`. */
export function tencentAuthorization(call: TencentCall): string {
  const day = new Date(call.seconds * 1_000).toISOString().slice(0, 10)
  const scope = `${day}/${call.service}/tc3_request`
  const names = 'content-type;host'
  const lines = `content-type:${call.contentType}\nhost:${call.host}\n`
  const request = [call.method, '/', call.query, lines, names, sha256(call.body)].join('\n')
  const dayKey = hmac(`TC3${call.secretKey}`, day).digest()
  const key = hmac(hmac(dayKey, call.service).digest(), 'tc3_request').digest()
  const signature = hmac(key, `TC3-HMAC-SHA256\n${call.seconds}\n${scope}\n${sha256(request)}`).digest('hex')
  return `TC3-HMAC-SHA256 Credential=${call.secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
}

type Meaning = Omit<SendResult, 'code'>
const wrong = (message: string): Meaning => ({ kind: 'refused', message })
const limited: Meaning = { kind: 'again', message: '发送过于频繁，已暂停', pauseMs: minute }

/** By the beginning of the provider's code; one that is not listed is tried again. */
const meanings: Record<SmsKind, readonly (readonly [string, Meaning])[]> = {
  aliyunSms: [
    ['SignatureDoesNotMatch', wrong('AccessKey Secret 不正确')],
    ['IncompleteSignature', wrong('AccessKey Secret 不正确')],
    ['InvalidAccessKeyId', wrong('AccessKey ID 不存在或已停用')],
    ['InvalidTimeStamp', wrong('服务器时间不准确')],
    ['isp.RAM_PERMISSION_DENY', wrong('AccessKey 没有发送短信的权限')],
    ['Forbidden', wrong('AccessKey 没有发送短信的权限')],
    ['isv.OUT_OF_SERVICE', wrong('短信服务已停机')],
    ['isv.PRODUCT_UN_SUBSCRIPT', wrong('没有开通短信服务')],
    ['isv.AMOUNT_NOT_ENOUGH', wrong('短信账户余额不足')],
    ['isv.DAY_LIMIT_CONTROL', wrong('短信账户已达每日上限')],
    ['isv.MONTH_LIMIT_CONTROL', wrong('短信账户已达每月上限')],
    ['isv.BUSINESS_LIMIT_CONTROL', { kind: 'again', message: '号码的发送次数已达上限' }],
    ['isv.SMS_SIGNATURE_ILLEGAL', wrong('短信签名不可用')],
    ['isv.SMS_SIGN_ILLEGAL', wrong('短信签名不可用')],
    ['isv.SMS_TEMPLATE_ILLEGAL', wrong('短信模板不可用')],
    ['isv.TEMPLATE_', wrong('短信模板的参数不符')],
    ['isv.PARAM_', wrong('短信模板的参数不符')],
    ['isv.INVALID_', wrong('短信模板的参数不符')],
    ['isv.MOBILE_NUMBER_ILLEGAL', wrong('手机号无效')],
    ['isv.MOBILE_COUNT_OVER_LIMIT', wrong('手机号过多')],
    ['isv.BLACK_KEY_CONTROL_LIMIT', wrong('内容含有不允许的词')],
    ['Throttling', limited],
  ],
  tencentSms: [
    ['AuthFailure.SignatureExpire', wrong('服务器时间不准确')],
    ['AuthFailure.SecretIdNotFound', wrong('SecretId 不存在或已停用')],
    ['AuthFailure.UnauthorizedOperation', wrong('密钥没有发送短信的权限')],
    ['AuthFailure', wrong('SecretKey 不正确')],
    ['UnauthorizedOperation', wrong('密钥没有发送短信的权限')],
    ['FailedOperation.SignatureIncorrectOrUnapproved', wrong('短信签名不可用')],
    ['FailedOperation.TemplateIncorrectOrUnapproved', wrong('短信模板不可用')],
    ['FailedOperation.TemplateParamSetNotMatchApprovedTemplate', wrong('短信模板的参数不符')],
    ['FailedOperation.InsufficientBalanceInSmsPackage', wrong('短信套餐余量不足')],
    ['FailedOperation.ContainSensitiveWord', wrong('内容含有不允许的词')],
    ['FailedOperation.PhoneNumberInBlacklist', wrong('手机号在黑名单中')],
    ['InvalidParameterValue.IncorrectPhoneNumber', wrong('手机号无效')],
    ['InvalidParameterValue.SdkAppIdNotExist', wrong('SDK AppID 不存在')],
    ['InvalidParameterValue', wrong('短信模板的参数不符')],
    ['LimitExceeded.PhoneNumber', { kind: 'again', message: '号码的发送次数已达上限' }],
    ['LimitExceeded', limited],
    ['RequestLimitExceeded', limited],
  ],
}

function resultOf(kind: SmsKind, code: string): SendResult {
  const [, meaning] = meanings[kind].find(([beginning]) => code.startsWith(beginning)) ?? []
  return { ...(meaning ?? { kind: 'again', message: `短信服务返回错误码 ${code}` }), code }
}

const noService: SendResult = { kind: 'refused', code: 'FORMAT', message: '对方不是这种短信服务：没有返回码' }

function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function aliyunResult(answer: OutgoingAnswer): SendResult {
  const code = parsed(answer.body)?.Code
  if (typeof code !== 'string') return answer.status === 200 ? noService : statusOf(answer)
  return code === 'OK' ? { kind: 'delivered', code, message: '短信服务已接收' } : resultOf('aliyunSms', code)
}

interface TencentAnswer {
  Error?: { Code?: string }
  SendStatusSet?: { Code?: string }[]
}

/** Of each number there is an answer: HTTP 200 and no error say nothing of them. */
function tencentResult(answer: OutgoingAnswer): SendResult {
  const response = parsed(answer.body)?.Response as TencentAnswer | undefined
  const refused = response?.Error?.Code
  if (refused !== undefined) return resultOf('tencentSms', refused)
  const codes = response?.SendStatusSet?.map(({ Code = '' }) => Code) ?? []
  if (codes.length === 0) return answer.status === 200 ? noService : statusOf(answer)
  const failed = codes.filter((code) => code !== 'Ok')
  const [first] = failed
  if (first === undefined) return { kind: 'delivered', code: 'Ok', message: '短信服务已接收' }
  const result = resultOf('tencentSms', first)
  if (failed.length === codes.length) return result
  // Another attempt would reach those again that have it.
  const message = `${codes.length - failed.length} 个号码已接收，${failed.length} 个失败：${result.message}`
  return { kind: 'delivered', code: first, message }
}

/** `target.address` is the numbers, comma-joined; the secret signs. */
export const smsSender =
  (kind: SmsKind, settings: SmsSettings, { outgoing, nowMs }: SendNeeds): Send =>
  async ({ address, secret }, message) => {
    const numbers = message.people ? [...message.people] : address.split(',')
    const url = new URL(settings.endpoint ?? endpoints[kind])
    const call = { settings, secret: secret ?? '', numbers, host: url.host, nowMs: nowMs() }
    const request = kind === 'aliyunSms' ? aliyunSms(call, message) : tencentSms(call, message)
    url.search = request.query
    try {
      const answer = await outgoing.post(url.href, { headers: request.headers, body: request.body })
      return kind === 'aliyunSms' ? aliyunResult(answer) : tencentResult(answer)
    } catch (error) {
      return failureOf(error)
    }
  }

interface SmsCall {
  settings: SmsSettings
  secret: string
  numbers: readonly string[]
  host: string
  nowMs: number
}
interface SmsRequest {
  query: string
  headers: Record<string, string>
  body: string
}

function aliyunSms({ settings, secret, numbers, host, nowMs }: SmsCall, message: NoticeMessage): SmsRequest {
  const { query, headers } = aliyunRequest({
    host,
    action: 'SendSms',
    version: '2017-05-25',
    query: {
      PhoneNumbers: numbers.join(','),
      SignName: settings.sign,
      TemplateCode: settings.template,
      TemplateParam: JSON.stringify(shortOf(message)),
    },
    accessKeyId: settings.account,
    accessKeySecret: secret,
    nowMs,
    nonce: randomUUID(),
  })
  return { query, headers, body: '' }
}

function tencentSms({ settings, secret, numbers, host, nowMs }: SmsCall, message: NoticeMessage): SmsRequest {
  const { type, name, device, count } = shortOf(message)
  const body = JSON.stringify({
    PhoneNumberSet: numbers.map((number) => `+86${number}`),
    SmsSdkAppId: settings.appId ?? '',
    SignName: settings.sign,
    TemplateId: settings.template,
    TemplateParamSet: [type, name, device, count],
  })
  const seconds = Math.floor(nowMs / 1_000)
  const authorization = tencentAuthorization({
    method: 'POST',
    service: 'sms',
    host,
    query: '',
    contentType: jsonType,
    body,
    secretId: settings.account,
    secretKey: secret,
    seconds,
  })
  const headers = {
    authorization,
    'content-type': jsonType,
    'x-tc-action': 'SendSms',
    'x-tc-version': '2021-01-11',
    'x-tc-timestamp': String(seconds),
    'x-tc-region': 'ap-guangzhou',
  }
  return { query: '', headers, body }
}
