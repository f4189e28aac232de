import { afterEach, describe, expect, test } from 'vitest'
import type { Imitation } from '../../../../test/robots.ts'
import { imitateAliyunSms, imitateTencentSms, smsSecret, smsSettings } from '../../../../test/sms.ts'
import { allowingPublicAnd, createOutgoing } from '../../../platform/http/outgoing/index.ts'
import { createSenders } from './index.ts'
import type { NoticeEntry, NoticeMessage } from './message.ts'
import { aliyunRequest, tencentAuthorization } from './sms.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})
async function opened(made: Promise<Imitation>): Promise<Imitation> {
  const one = await made
  open.push(one)
  return one
}

const entry: NoticeEntry = {
  event: 'raised',
  kind: 'alarm',
  repeats: 1,
  level: 1,
  what: '仓位过温 · 4号仓、5号仓、6号仓、7号仓、8号仓',
  deviceCode: 'EC0001',
  deviceName: null,
  place: '深圳',
  at: new Date('2026-11-24T12:00:00+08:00'),
  link: 'https://console/alarm/1',
}
const one: NoticeMessage = {
  id: 'n-1',
  entries: [entry],
  raisedByLevel: new Map([[1, 1]]),
  recovered: 0,
  escalated: 0,
  offline: 0,
  online: 0,
  tasks: 0,
  link: 'https://console/alarms',
}
const many = { ...one, raisedByLevel: new Map([[1, 70]]) }
const numbers = '13800000001,13800000002'

function sendBy(
  kind: 'aliyunSms' | 'tencentSms',
  service: Imitation,
  over: { secret?: string; nowMs?: number } = {},
) {
  const isAllowed = allowingPublicAnd(['127.0.0.0/8'])
  const outgoing = createOutgoing(isAllowed)
  open.push(outgoing)
  const senders = createSenders({
    outgoing,
    isAllowed,
    isInside: isAllowed,
    nowMs: () => over.nowMs ?? Date.now(),
  })
  const settings = { ...smsSettings, appId: '1400000000', endpoint: service.url }
  return (message: NoticeMessage, sign = smsSettings.sign) =>
    senders.send(
      { kind, settings: { ...settings, sign } },
      { address: numbers, secret: over.secret ?? smsSecret },
      message,
    )
}

test('Aliyun’s own example is signed alike', () => {
  const { query, headers } = aliyunRequest({
    host: 'ecs.cn-shanghai.aliyuncs.com',
    action: 'RunInstances',
    version: '2014-05-26',
    query: {
      RegionId: 'cn-shanghai',
      ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd',
    },
    accessKeyId: 'YourAccessKeyId',
    accessKeySecret: 'YourAccessKeySecret',
    nowMs: Date.parse('2023-10-26T10:22:32Z'),
    nonce: '3156853299f313e23d1673dc12e1703d',
  })
  expect(query).toBe('ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai')
  expect(headers.authorization).toBe(
    'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
  )
})

test('Tencent’s own example is signed alike', () => {
  expect(
    tencentAuthorization({
      method: 'GET',
      service: 'cvm',
      host: 'cvm.tencentcloudapi.com',
      query: 'Limit=10&Offset=0',
      contentType: 'application/x-www-form-urlencoded',
      body: '',
      secretId: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE',
      secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE',
      seconds: 1_539_084_154,
    }),
  ).toBe(
    'TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2018-10-09/cvm/tc3_request, SignedHeaders=content-type;host, Signature=5da7a33f6993f0614b047e5df4582db9e9bf4672ba50567dba16c6ccf174c474',
  )
})

describe('Aliyun', () => {
  test('takes one alarm and many, in words that a template may have', async () => {
    const service = await opened(imitateAliyunSms())
    const send = sendBy('aliyunSms', service)
    expect(await send(one)).toMatchObject({ kind: 'delivered', code: 'OK' })
    expect(await send(many)).toMatchObject({ kind: 'delivered' })
    expect(service.shown[0]).toBe(`${numbers} 紧急告警 仓位过温 · 4号仓、5号仓、6号仓、7 EC0001 1`)
    const link = { ...one, entries: [{ ...entry, what: '见 http://evil.example.com' }] }
    expect(await send(link)).toMatchObject({ kind: 'delivered' })
    expect(service.shown[1]).toMatch(/ 70$/)
  })

  test('is judged by its own code', async () => {
    const service = await opened(imitateAliyunSms(1))
    const send = sendBy('aliyunSms', service)
    expect(await sendBy('aliyunSms', service, { secret: 'other' })(one)).toMatchObject({
      kind: 'refused',
      code: 'SignatureDoesNotMatch',
      message: 'AccessKey Secret 不正确',
    })
    expect(await sendBy('aliyunSms', service, { nowMs: Date.now() - 3_600_000 })(one)).toMatchObject({
      kind: 'refused',
      code: 'InvalidTimeStamp.Expired',
    })
    expect(await send(one, '别人的签名')).toMatchObject({ kind: 'refused', message: '短信签名不可用' })
    await send(one)
    expect(await send(one)).toMatchObject({ kind: 'again', code: 'isv.BUSINESS_LIMIT_CONTROL' })
  })
})

describe('Tencent', () => {
  test('takes an alarm', async () => {
    const service = await opened(imitateTencentSms())
    expect(await sendBy('tencentSms', service)(one)).toMatchObject({ kind: 'delivered', code: 'Ok' })
    expect(service.shown[0]).toMatch(/^\+8613800000001,\+8613800000002 紧急告警 /)
  })

  test('is judged by its own code, and by that of each number', async () => {
    const some = await opened(imitateTencentSms(['13800000002']))
    expect(await sendBy('tencentSms', some)(one)).toEqual({
      kind: 'delivered',
      code: 'LimitExceeded.PhoneNumberDailyLimit',
      message: '1 个号码已接收，1 个失败：号码的发送次数已达上限',
    })
    const none = await opened(imitateTencentSms(numbers.split(',')))
    expect(await sendBy('tencentSms', none)(one)).toMatchObject({ kind: 'again' })
    const service = await opened(imitateTencentSms())
    expect(await sendBy('tencentSms', service, { secret: 'other' })(one)).toMatchObject({
      kind: 'refused',
      code: 'AuthFailure.SignatureFailure',
    })
    expect(await sendBy('tencentSms', service, { nowMs: Date.now() - 600_000 })(one)).toMatchObject({
      kind: 'refused',
      message: '服务器时间不准确',
    })
  })
})
