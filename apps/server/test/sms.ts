/**
 * Imitations of the services of short messages of Aliyun and Tencent Cloud: they take what is signed with the right key
 * within the time that the provider allows, of an approved signature and template, and answer by number.
 */
import { createHash, createHmac } from 'node:crypto'
import { type Imitation, imitate } from './robots.ts'

export const smsAccount = 'ak-1'
export const smsSecret = 'sk-1'
export const smsSettings = { account: smsAccount, sign: '伏守', template: 'SMS_1' }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const json = (body: object, status = 200) => ({ status, body: JSON.stringify(body) })

/** The canonical request of both: what the header says is signed. */
function canonical(headers: Record<string, unknown>, names: string, query: string, hash: string): string {
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`)
  return ['POST', '/', query, lines.join(''), names, hash].join('\n')
}

export function imitateAliyunSms(perNumber = 50): Promise<Imitation> {
  const counts = new Map<string, number>()
  return imitate('/', ({ path, headers, text, atMs }, shown) => {
    const [, query = ''] = path.split('?')
    const [, id, names = '', signature] =
      /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=(\w+)$/.exec(
        String(headers.authorization),
      ) ?? []
    if (id !== smsAccount)
      return json({ Code: 'InvalidAccessKeyId.NotFound', Message: 'Specified access key is not found.' }, 404)
    const request = canonical(headers, names, query, sha256(text))
    const expected = hmac(smsSecret, `ACS3-HMAC-SHA256\n${sha256(request)}`).toString('hex')
    if (signature !== expected || headers['x-acs-content-sha256'] !== sha256(text))
      return json({ Code: 'SignatureDoesNotMatch', Message: 'Specified signature is not matched.' }, 400)
    if (Math.abs(Date.parse(String(headers['x-acs-date'])) - atMs) > 900_000)
      return json({ Code: 'InvalidTimeStamp.Expired', Message: 'Specified time stamp is expired.' }, 400)
    const given = new URLSearchParams(query)
    if (given.get('SignName') !== smsSettings.sign)
      return json({ Code: 'isv.SMS_SIGNATURE_ILLEGAL', Message: 'illegal' })
    const parameters = JSON.parse(given.get('TemplateParam') ?? '{}') as Record<string, string>
    const values = ['type', 'name', 'device', 'count'].map((name) => parameters[name] ?? '')
    if (values.includes('')) return json({ Code: 'isv.TEMPLATE_MISSING_PARAMETERS', Message: 'missing' })
    if (values.some((value) => value.length > 20))
      return json({ Code: 'isv.PARAM_LENGTH_LIMIT', Message: 'long' })
    if (values.some((value) => /https?:|\w\.\w/.test(value)))
      return json({ Code: 'isv.PARAM_NOT_SUPPORT_URL', Message: 'url' })
    for (const number of given.get('PhoneNumbers')?.split(',') ?? []) {
      counts.set(number, (counts.get(number) ?? 0) + 1)
      if ((counts.get(number) ?? 0) > perNumber)
        return json({ Code: 'isv.BUSINESS_LIMIT_CONTROL', Message: '触发天级流控Permits:50' })
    }
    shown.push(`${given.get('PhoneNumbers')} ${values.join(' ')}`)
    return json({ Code: 'OK', Message: 'OK', BizId: '1', RequestId: 'r' })
  })
}

/** `refusedNumbers` get nothing, although the call succeeds. */
export function imitateTencentSms(refusedNumbers: readonly string[] = []): Promise<Imitation> {
  const failed = (Code: string) => json({ Response: { Error: { Code, Message: 'x' }, RequestId: 'r' } })
  return imitate('/', ({ headers, text, atMs }, shown) => {
    const [, id, day = '', names = '', signature] =
      /^TC3-HMAC-SHA256 Credential=([^/]+)\/([\d-]+)\/sms\/tc3_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
        String(headers.authorization),
      ) ?? []
    if (id !== smsAccount) return failed('AuthFailure.SecretIdNotFound')
    const seconds = Number(headers['x-tc-timestamp'])
    if (Math.abs(seconds * 1_000 - atMs) > 300_000) return failed('AuthFailure.SignatureExpire')
    const request = canonical(headers, names, '', sha256(text))
    const key = hmac(hmac(hmac(`TC3${smsSecret}`, day), 'sms'), 'tc3_request')
    const signed = `TC3-HMAC-SHA256\n${seconds}\n${day}/sms/tc3_request\n${sha256(request)}`
    if (signature !== hmac(key, signed).toString('hex')) return failed('AuthFailure.SignatureFailure')
    if (headers['x-tc-action'] !== 'SendSms' || headers['x-tc-version'] !== '2021-01-11')
      return failed('InvalidAction')
    const body = JSON.parse(text) as Record<string, string> & {
      PhoneNumberSet: string[]
      TemplateParamSet: string[]
    }
    if (body.SignName !== smsSettings.sign) return failed('FailedOperation.SignatureIncorrectOrUnapproved')
    if (body.TemplateParamSet.length !== 4)
      return failed('FailedOperation.TemplateParamSetNotMatchApprovedTemplate')
    const isRefused = (number: string) => refusedNumbers.some((one) => number === `+86${one}`)
    const taken = body.PhoneNumberSet.filter((number) => !isRefused(number))
    if (taken.length > 0) shown.push(`${taken.join(',')} ${body.TemplateParamSet.join(' ')}`)
    return json({
      Response: {
        SendStatusSet: body.PhoneNumberSet.map((PhoneNumber) => ({
          PhoneNumber,
          Code: isRefused(PhoneNumber) ? 'LimitExceeded.PhoneNumberDailyLimit' : 'Ok',
        })),
        RequestId: 'r',
      },
    })
  })
}
