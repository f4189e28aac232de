import {
  ackAlarms,
  deleteDuty,
  deleteNotifyChannel,
  deleteNotifyContact,
  deleteNotifyRule,
  type InputFor,
  insertDuty,
  insertNotifyChannel,
  insertNotifyRule,
  listAlarmNotices,
  listDuties,
  listNotifyChannels,
  listNotifyContacts,
  listNotifyDeliveries,
  listNotifyRules,
  nameNotifyChannels,
  readDutyNow,
  saveNotifyContact,
  testNotifyChannel,
  updateDuty,
  updateNotifyChannel,
  updateNotifyRule,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertRole,
} from '../../../test/factories.ts'
import { dingtalkSecret, type Imitation, imitateDingtalk, imitateWecom } from '../../../test/robots.ts'
import { imitateAliyunSms, smsSecret, smsSettings } from '../../../test/sms.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8', PUBLIC_URL: 'https://console.example' })
const admin = await app.asAdmin()
const critical = '01110002'
const major = '01110001'
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
const otherOperatorId = await insertOperator(app.db, { organizationId })

const open: Imitation[] = []
afterEach(async () => {
  for (const robot of open.splice(0)) await robot.close()
  await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
  await sql`DELETE FROM notify_item WHERE delivery_id IS NULL`.execute(app.db)
})
async function robotOf(made: Promise<Imitation>): Promise<Imitation> {
  const robot = await made
  open.push(robot)
  return robot
}

let count = 0
const fresh = (word: string) => `${word}${++count}`
const functionCodes = [
  ...['list', 'insert', 'update', 'delete'].flatMap((verb) => [
    `notifyRule:${verb}`,
    `notifyChannel:${verb}`,
  ]),
  'notifyDelivery:list',
]

async function channel(robot: Imitation, token = admin, kind: 'wecom' | 'dingtalk' = 'wecom') {
  const secret = kind === 'dingtalk' ? { secret: dingtalkSecret } : {}
  const input = { kind, name: fresh('渠道'), address: robot.url, ...secret }
  return (await app.call(insertNotifyChannel, input, token)).data.id
}
async function rule(
  channelIds: string[],
  form: Partial<InputFor<typeof insertNotifyRule>> = {},
  token = admin,
) {
  const input = {
    name: fresh('规则'),
    when: ['raised', 'recovered'],
    alarmLevels: [1, 2, 3, 4],
    channelIds,
    groupWaitS: 0,
    ...form,
  }
  return (await app.call(insertNotifyRule, input as InputFor<typeof insertNotifyRule>, token)).data.id
}

const tell = (name: 'alarmsOpened' | 'alarmsChanged', ids: string[] | null) =>
  sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name, ids })})`.execute(app.db)
async function raise(...[device, code = critical]: [Parameters<typeof insertAlarm>[1], string?]) {
  const id = await insertAlarm(app.db, device, code, 0)
  await tell('alarmsOpened', [id])
  return id
}
async function recover(...ids: string[]) {
  await sql`
    UPDATE alarm_state SET is_active = false, recovered_at = now(), recovery_method = 1
    WHERE episode_id = ANY(${ids}::int8[])`.execute(app.db)
  await tell('alarmsChanged', ids)
}
/** It does not come again for so long that its recovery is told. */
async function recoverForGood(alarm: string) {
  await recover(alarm)
  await expect
    .poll(async () => {
      const { rows } = await sql<{ id: number }>`
        UPDATE notify_item SET due_at = now() WHERE subject_id = ${alarm} AND event = 'recovered'
        RETURNING channel_id AS id`.execute(app.db)
      const ids = rows.map(({ id }) => id)
      await sql`UPDATE notify_channel SET next_at = now() WHERE id = ANY(${ids}::int[])`.execute(app.db)
      await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
      return ids.length
    })
    .toBeGreaterThan(0)
}
const shownBy = (robot: Imitation) => expect.poll(() => robot.shown.join('\n'), { interval: 50 })
const waitingOf = async (channelId: string) =>
  (await app.call(listNotifyChannels, { ids: [channelId] }, admin)).data[0]?.waitingCount
/** The state of the newest message. */
const stateOf = async (channelId: string) =>
  (await app.call(listNotifyDeliveries, { channelId }, admin)).data[0]?.state
/** Has the channel send nothing until `sendNow`. */
const holdBack = (channelId: string) =>
  sql`UPDATE notify_channel SET paused_until = now() + interval '1 hour' WHERE id = ${channelId}`.execute(
    app.db,
  )
/** Makes due what waits on the channel, and its next attempt. */
async function sendNow(channelId: string) {
  await sql`UPDATE notify_item SET due_at = now() WHERE channel_id = ${channelId} AND delivery_id IS NULL`.execute(
    app.db,
  )
  await sql`UPDATE notify_delivery SET retry_at = now() WHERE channel_id = ${channelId}`.execute(app.db)
  await sql`UPDATE notify_channel SET paused_until = NULL, next_at = now() WHERE id = ${channelId}`.execute(
    app.db,
  )
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
}
/** Leaves the channel's address so much of its rate. */
const setTokens = (channelId: string, tokens: number) =>
  sql`
    INSERT INTO notify_rate (key, tokens) SELECT rate_key, ${tokens} FROM notify_channel WHERE id = ${channelId}
    ON CONFLICT (key) DO UPDATE SET tokens = excluded.tokens, tokens_at = now()`.execute(app.db)
/** Has everything been looked at that came before? */
async function everythingIsMatched() {
  const marker = await robotOf(imitateWecom())
  await rule([await channel(marker)])
  await raise(await insertDevice(app.db))
  await shownBy(marker).toContain('烟感告警')
}

describe('a channel', () => {
  test('never gives its address and secret away, neither in answers nor in the database', async () => {
    const robot = await robotOf(imitateDingtalk())
    const id = await channel(robot, admin, 'dingtalk')
    const { data } = await app.call(listNotifyChannels, { ids: [id] }, admin)
    expect(data[0]).toMatchObject({
      kind: 'dingtalk',
      hasSecret: true,
      addressHint: expect.stringMatching(/ …82ec$/),
    })
    const { rows } =
      await sql`SELECT to_jsonb(c)::text AS text FROM notify_channel c WHERE id = ${id}`.execute(app.db)
    const { rows: logged } = await sql`
      SELECT to_jsonb(l)::text AS text FROM operation_log l WHERE call LIKE '/notify/%'`.execute(app.db)
    for (const text of [
      JSON.stringify(data),
      JSON.stringify(rows),
      JSON.stringify(logged),
      app.logged.join('\n'),
    ]) {
      expect(text).not.toContain('566cc69da782ec')
      expect(text).not.toContain(dingtalkSecret)
    }
  })

  test('is tested by a real message, whose answer is shown', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    expect((await app.call(testNotifyChannel, { id }, admin)).data).toEqual({
      isDelivered: true,
      code: '0',
      message: '已送达',
    })
    expect(robot.shown[0]).toContain('测试消息')
    expect(await app.call(testNotifyChannel, { id }, admin)).toMatchObject({
      refusal: 'notifyTestedTooOften',
    })
    const wrong = (
      await app.call(
        insertNotifyChannel,
        { kind: 'wecom', name: fresh('渠道'), address: robot.url.replace('693a', '0000') },
        admin,
      )
    ).data.id
    expect((await app.call(testNotifyChannel, { id: wrong }, admin)).data).toEqual({
      isDelivered: false,
      code: '93000',
      message: '机器人地址无效',
    })
  })

  test.each([
    [
      { kind: 'wecom', address: 'https://oapi.dingtalk.com/robot/send?access_token=1' },
      'address',
      '这是钉钉的地址',
    ],
    [{ kind: 'wecom', address: 'ftp://example.com' }, 'address', '地址应以 https:// 开头'],
    [{ kind: 'wecom', address: 'file:///etc/passwd' }, 'address', '地址应以 https:// 开头'],
    [{ kind: 'wecom', address: 'https://u:p@example.com/' }, 'address', '地址中不能有登录名和密码'],
    [
      { kind: 'wecom', address: 'https://example.com/', secret: 'x' },
      'secret',
      '企业微信机器人没有密钥，请留空',
    ],
    [{ kind: 'webhook', address: 'https://example.com/' }, 'secret', '请输入密钥'],
    [{ kind: 'webhook', address: 'https://example.com/', secret: 'short' }, 'secret', /whsec_/],
    [{ kind: 'mail', address: 'a@example.com' }, 'settings', '请填写邮件服务器'],
    [{ kind: 'mail', address: 'nobody' }, 'address', '“nobody”不是邮箱地址'],
    [{ kind: 'aliyunSms', address: '123', sms: smsSettings }, 'address', '“123”不是手机号'],
    [{ kind: 'aliyunSms', address: '13800000001', secret: 'x' }, 'sms', '请填写短信服务'],
    [{ kind: 'aliyunSms', address: '13800000001', sms: smsSettings }, 'secret', '请输入密钥'],
    [
      { kind: 'tencentSms', address: '13800000001', secret: 'x', sms: smsSettings },
      'sms.appId',
      '请输入 SDK AppID',
    ],
    [
      {
        kind: 'aliyunSms',
        address: '13800000001',
        secret: 'x',
        sms: { ...smsSettings, endpoint: 'ftp://x' },
      },
      'sms.endpoint',
      '接口地址应以 https:// 开头',
    ],
  ] as const)('refuses %o', async (form, field, message) => {
    const name = fresh('渠道')
    const refused = await app.call(insertNotifyChannel, { ...form, name } as never, admin)
    expect(refused).toMatchObject({
      status: 400,
      data: [{ field, message: typeof message === 'string' ? message : expect.stringMatching(message) }],
    })
    expect((await app.call(listNotifyChannels, { name }, admin)).total).toBe(0)
  })

  test('asks for the password again where it would go to another server', async () => {
    const settings = {
      host: 'smtp.example.com',
      port: 465,
      isTls: true,
      user: 'ops',
      from: 'ops@example.com',
    }
    const form = { name: fresh('渠道'), address: 'a@example.com', settings }
    const { id } = (await app.call(insertNotifyChannel, { ...form, kind: 'mail', secret: 'right' }, admin))
      .data
    const elsewhere = { ...form, id, settings: { ...settings, host: 'evil.example.com' } }
    const unencrypted = { ...form, id, settings: { ...settings, isTls: false } }
    for (const changed of [elsewhere, unencrypted])
      expect(await app.call(updateNotifyChannel, changed, admin)).toMatchObject({
        status: 400,
        data: [{ field: 'secret', message: '更换邮件服务器、登录名或关闭加密时，请重新输入密码' }],
      })
    const { address: _, ...withoutReceivers } = elsewhere
    expect(await app.call(updateNotifyChannel, { ...withoutReceivers, secret: 'new' }, admin)).toMatchObject({
      status: 400,
      data: [{ field: 'address' }],
    })
    expect(await app.call(updateNotifyChannel, { ...elsewhere, secret: 'new' }, admin)).toMatchObject({
      code: 200,
    })
    expect(await app.call(updateNotifyChannel, { ...form, id, name: fresh('改名') }, admin)).toMatchObject({
      status: 400,
    })
  })

  test('of short messages sends them, and asks for the key again where it would go elsewhere', async () => {
    const service = await robotOf(imitateAliyunSms())
    const sms = { ...smsSettings, endpoint: service.url }
    const form = { name: fresh('渠道'), address: '13800000001、13800000002', sms }
    const { id } = (
      await app.call(insertNotifyChannel, { ...form, kind: 'aliyunSms', secret: smsSecret }, admin)
    ).data
    expect((await app.call(listNotifyChannels, { ids: [id] }, admin)).data).toMatchObject([
      { kind: 'aliyunSms', hasSecret: true, settings: null, sms, addressHint: '13800000001,13800000002' },
    ])
    expect((await app.call(testNotifyChannel, { id }, admin)).data).toMatchObject({
      isDelivered: true,
      code: 'OK',
    })
    expect(service.shown[0]).toContain('测试消息')
    const elsewhere = { ...form, id, sms: { ...sms, endpoint: 'https://evil.example.com' } }
    expect(await app.call(updateNotifyChannel, elsewhere, admin)).toMatchObject({
      status: 400,
      data: [{ field: 'secret', message: '更换密钥 ID 或接口地址时，请重新输入密钥' }],
    })
    const { address: _, ...renamed } = { ...form, id, name: fresh('渠道') }
    expect(await app.call(updateNotifyChannel, renamed, admin)).toMatchObject({ code: 200 })
  })

  test('is of its organization, and is not deleted while a rule names it', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    const stranger = (await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes }))
      .token
    expect((await app.call(listNotifyChannels, { ids: [id] }, stranger)).total).toBe(0)
    expect((await app.call(nameNotifyChannels, {}, stranger)).data).toEqual([])
    for (const refused of [
      await app.call(updateNotifyChannel, { id, name: 'x' }, stranger),
      await app.call(deleteNotifyChannel, { id }, stranger),
      await app.call(testNotifyChannel, { id }, stranger),
    ])
      expect(refused).toMatchObject({ status: 404, refusal: 'notifyChannelNotFound' })
    const input = {
      name: fresh('规则'),
      when: ['raised' as const],
      alarmLevels: [1 as const],
      channelIds: [id],
    }
    expect(await app.call(insertNotifyRule, input, stranger)).toMatchObject({
      status: 400,
      data: [{ field: 'channelIds', message: '通知渠道不存在' }],
    })
    const ruleId = await rule([id])
    expect(await app.call(deleteNotifyChannel, { id }, admin)).toMatchObject({
      refusal: 'notifyChannelInUse',
    })
    await app.call(deleteNotifyRule, { id: ruleId }, admin)
    expect(await app.call(deleteNotifyChannel, { id }, admin)).toMatchObject({ code: 200 })
  })
})

describe('an alarm', () => {
  test('is told once, and so is its recovery', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    await rule([id], { filter: { operatorId: String(operatorId) } })
    const device = await insertDevice(app.db, { operatorId })
    const alarm = await raise(device)
    await shownBy(robot).toContain(device.code)
    // The same notice again, and a look at everything.
    await tell('alarmsOpened', [alarm])
    await tell('alarmsOpened', null)
    await recoverForGood(alarm)
    await shownBy(robot).toContain('【告警恢复】')
    await tell('alarmsChanged', null)
    await everythingIsMatched()
    expect(robot.shown).toHaveLength(2)
    expect(robot.shown[0]).toContain(`open=${alarm}`)
    const { data } = await app.call(listNotifyDeliveries, { channelId: id }, admin)
    expect(data).toMatchObject([
      { state: 'delivered', title: expect.stringContaining('【告警恢复】'), providerCode: '0', attempts: 1 },
      {
        state: 'delivered',
        title: expect.stringContaining('告警】'),
        alarmCount: 1,
        sentTime: expect.any(String),
      },
    ])
  })

  test('that is over before anybody was told is not told', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    await rule([id], { groupWaitS: 3_600 })
    const alarm = await raise(await insertDevice(app.db), major)
    await expect.poll(() => waitingOf(id)).toBe(1)
    await recover(alarm)
    await expect.poll(() => waitingOf(id)).toBe(0)
    expect(robot.received).toEqual([])
  })

  test('of before the rule, or that nobody announced, is found where it began after the rule', async () => {
    const robot = await robotOf(imitateWecom())
    const before = await insertDevice(app.db)
    await insertAlarm(app.db, before, critical, 5)
    await rule([await channel(robot)])
    const after = await insertDevice(app.db)
    const id = await insertAlarm(app.db, after, critical, 0)
    await sql`UPDATE alarm_state SET occurred_at = now() WHERE episode_id = ${id}`.execute(app.db)
    await tell('alarmsOpened', null)
    await shownBy(robot).toContain(after.code)
    expect(robot.shown.join()).not.toContain(before.code)
  })

  test('is one of a rule’s levels, codes and places, or not told', async () => {
    const robot = await robotOf(imitateWecom())
    const device = await insertDevice(app.db, { operatorId })
    await rule([await channel(robot)], {
      alarmLevels: [1],
      filter: { operatorId: String(operatorId), semaphoreCode: [critical] },
    })
    const { rows } = await sql<{ level: number }>`
      SELECT alarm_level AS level FROM dictionary_entry WHERE type = 'ALARM' AND code = ${critical}`.execute(
      app.db,
    )
    expect(rows[0]?.level).toBe(1)
    const [elsewhere, other] = [await insertDevice(app.db), await insertDevice(app.db, { operatorId })]
    await raise(elsewhere)
    await raise(other, major)
    await raise(device)
    await shownBy(robot).toContain(device.code)
    await everythingIsMatched()
    expect(robot.shown.join()).not.toContain(elsewhere.code)
    expect(robot.shown.join()).not.toContain(other.code)
  })
})

describe('nobody is told of what is not theirs:', () => {
  test('a rule is about its owner’s devices, and stops with its owner', async () => {
    const robot = await robotOf(imitateWecom())
    const user = await app.asUser({ organizationId, functionCodes, authorities: [['O', String(operatorId)]] })
    const ruleId = await rule([await channel(robot, user.token)], {}, user.token)
    const [own, other, foreign] = [
      await insertDevice(app.db, { operatorId }),
      await insertDevice(app.db, { operatorId: otherOperatorId }),
      await insertDevice(app.db),
    ]
    for (const device of [foreign, other, own]) await raise(device)
    await shownBy(robot).toContain(own.code)
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${user.id}`.execute(app.db)
    await raise(await insertDevice(app.db, { operatorId }))
    await everythingIsMatched()
    expect(robot.shown).toHaveLength(1)
    expect((await app.call(listNotifyRules, { ids: [ruleId] }, admin)).data[0]?.stopped).toMatchObject({
      role: '负责人',
      reason: 'disabled',
    })
  })

  test('who sets another address of a channel gets no more than this user sees', async () => {
    const [robot, own] = [await robotOf(imitateWecom()), await robotOf(imitateWecom())]
    const [wide, gone] = [
      await app.asUser({ organizationId, functionCodes }),
      await app.asUser({ organizationId, functionCodes }),
    ]
    const narrow = await app.asUser({
      organizationId,
      functionCodes,
      authorities: [['O', String(operatorId)]],
    })
    const id = await channel(robot, gone.token)
    await rule([id], {}, wide.token)
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${gone.id}`.execute(app.db)
    const form = { id, name: fresh('渠道'), address: own.url }
    expect(await app.call(updateNotifyChannel, form, narrow.token)).toMatchObject({ code: 200 })
    const [seen, unseen] = [
      await insertDevice(app.db, { operatorId }),
      await insertDevice(app.db, { operatorId: otherOperatorId }),
    ]
    await raise(unseen)
    await raise(seen)
    await shownBy(own).toContain(seen.code)
    await everythingIsMatched()
    expect(own.shown.join()).not.toContain(unseen.code)
    expect(robot.shown).toEqual([])
  })

  test('what waits is looked at again when it is sent', async () => {
    const robot = await robotOf(imitateWecom())
    const user = await app.asUser({ organizationId, functionCodes })
    const id = await channel(robot, user.token)
    await rule([id], { groupWaitS: 3_600 }, user.token)
    const [stays, moves] = [
      await insertDevice(app.db, { operatorId }),
      await insertDevice(app.db, { operatorId }),
    ]
    await raise(stays, major)
    await raise(moves, major)
    await expect.poll(() => waitingOf(id)).toBe(2)
    await sql`UPDATE device SET operator_id = (SELECT min(id) FROM operator) WHERE id = ${moves.id}`.execute(
      app.db,
    )
    await sql`UPDATE notify_item SET due_at = now() WHERE channel_id = ${id}`.execute(app.db)
    await sql`UPDATE notify_channel SET next_at = now() WHERE id = ${id}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
    await shownBy(robot).toContain(stays.code)
    expect(robot.shown.join()).not.toContain(moves.code)
  })

  test('another attempt is made of what its people still see, and at nobody else’s address', async () => {
    const [busy, own] = [await robotOf(imitateWecom(0)), await robotOf(imitateWecom())]
    const [wide, gone] = [
      await app.asUser({ organizationId, functionCodes }),
      await app.asUser({ organizationId, functionCodes }),
    ]
    const narrow = await app.asUser({
      organizationId,
      functionCodes,
      authorities: [['O', String(operatorId)]],
    })
    const id = await channel(busy, gone.token)
    await rule([id], {}, wide.token)
    const [seen, unseen] = [
      await insertDevice(app.db, { operatorId }),
      await insertDevice(app.db, { operatorId: otherOperatorId }),
    ]
    await holdBack(id)
    await raise(seen, major)
    await raise(unseen, major)
    await expect.poll(() => waitingOf(id)).toBe(2)
    await sendNow(id)
    await expect.poll(() => stateOf(id)).toBe('retrying')
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${gone.id}`.execute(app.db)
    const form = { id, name: fresh('渠道'), address: own.url }
    expect(await app.call(updateNotifyChannel, form, narrow.token)).toMatchObject({ code: 200 })
    await sendNow(id)
    await shownBy(own).toContain(seen.code)
    expect(own.shown.join()).not.toContain(unseen.code)
    await expect
      .poll(async () => (await app.call(listNotifyDeliveries, { channelId: id }, admin)).data)
      .toMatchObject([
        { state: 'delivered', alarmCount: 1 },
        { state: 'givenUp', providerMessage: '告警已有人处理，或相关人员的权限已变化' },
      ])
  })

  test.each([
    [
      'its rule’s owner is gone',
      (userId: number) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${userId}`.execute(app.db),
    ],
    ['its rule is deleted', (_: number, ruleId: string) => app.call(deleteNotifyRule, { id: ruleId }, admin)],
    [
      'its device went to others',
      (_: number, __: string, deviceId: number) =>
        sql`UPDATE device SET operator_id = (SELECT min(id) FROM operator) WHERE id = ${deviceId}`.execute(
          app.db,
        ),
    ],
  ])('another attempt is not made where %s', async (_, change) => {
    const busy = await robotOf(imitateWecom(0))
    const user = await app.asUser({ organizationId, functionCodes })
    const id = await channel(busy, user.token)
    const ruleId = await rule([id], {}, user.token)
    const device = await insertDevice(app.db, { operatorId })
    await raise(device, major)
    await expect.poll(() => stateOf(id)).toBe('retrying')
    await change(user.id, ruleId, device.id)
    await sendNow(id)
    await expect.poll(() => stateOf(id)).toBe('givenUp')
    expect(busy.received).toHaveLength(1)
    expect(await waitingOf(id)).toBe(0)
  })

  test('the record of messages is read by the rule’s owner and by who sees all of the organization', async () => {
    const robot = await robotOf(imitateWecom())
    const owner = await app.asUser({
      organizationId,
      functionCodes,
      authorities: [['O', String(operatorId)]],
    })
    const [colleague, narrow, stranger] = [
      await app.asUser({ organizationId, functionCodes }),
      await app.asUser({ organizationId, functionCodes, authorities: [['O', String(otherOperatorId)]] }),
      await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes }),
    ]
    const id = await channel(robot, owner.token)
    await rule([id], {}, owner.token)
    await raise(await insertDevice(app.db, { operatorId }))
    const read = async (token: string) =>
      (await app.call(listNotifyDeliveries, { channelId: id }, token)).total
    await expect.poll(() => read(owner.token)).toBe(1)
    expect(await Promise.all([colleague, narrow, stranger].map(({ token }) => read(token)))).toEqual([
      1, 0, 0,
    ])
  })
})

describe('the record of messages', () => {
  test('shows what names a device to who sees that device now', async () => {
    const owner = await app.asUser({
      organizationId,
      functionCodes,
      authorities: [['O', String(operatorId)]],
    })
    const colleague = await app.asUser({ organizationId, functionCodes })
    const id = await channel(await robotOf(imitateWecom()), owner.token)
    await rule([id], {}, owner.token)
    const device = await insertDevice(app.db, { operatorId })
    await raise(device)
    const titleFor = async (token: string) =>
      (await app.call(listNotifyDeliveries, { channelId: id }, token)).data.map(({ title }) => title)
    await expect.poll(() => titleFor(owner.token)).toEqual([expect.stringContaining('烟感告警')])
    await sql`UPDATE device SET operator_id = ${otherOperatorId} WHERE id = ${device.id}`.execute(app.db)
    expect(await titleFor(owner.token)).toEqual(['设备已不在您的数据范围内'])
    expect(await titleFor(colleague.token)).toEqual([expect.stringContaining('烟感告警')])
    await sql`UPDATE device SET operator_id = (SELECT min(id) FROM operator WHERE organization_id <> ${organizationId})
      WHERE id = ${device.id}`.execute(app.db)
    expect(await titleFor(colleague.token)).toEqual(['设备已不在您的数据范围内'])
    expect(await titleFor(admin)).toEqual([expect.stringContaining('烟感告警')])
  })

  test('has messages of nobody’s for SYSTEM users alone', async () => {
    const title = fresh('无人')
    await sql`
      INSERT INTO notify_delivery (channel_name, kind, rule_names, decided_by, decided_in, state, title, message,
        alarm_count, attempts)
      VALUES ('x', 'wecom', '{}', '{}', '{}', 'delivered', ${title}, '{}', 1, 1)`.execute(app.db)
    const users = [
      await app.asUser({ organizationId, functionCodes }),
      await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes }),
    ]
    const titles = async (token: string) =>
      (await app.call(listNotifyDeliveries, { pageSize: 100 }, token)).data.map((row) => row.title)
    for (const { token } of users) expect(await titles(token)).not.toContain(title)
    expect(await titles(admin)).toContain(title)
  })
})

describe('what is told of alarms is taken away by nobody who does not see the devices:', () => {
  async function world(more: string[] = []) {
    const robot = await robotOf(imitateWecom())
    const wide = await app.asUser({ organizationId, functionCodes: [...functionCodes, ...more] })
    const narrow = await app.asUser({
      organizationId,
      functionCodes: [...functionCodes, ...more],
      authorities: [['O', String(operatorId)]],
    })
    const channelId = await channel(robot, wide.token)
    const ruleId = await rule([channelId], {}, wide.token)
    const form = { when: ['raised'] as 'raised'[], alarmLevels: [1, 2, 3, 4] as (1 | 2 | 3 | 4)[] }
    const off = { id: ruleId, name: fresh('规则'), ...form, channelIds: [channelId], isEnabled: 0 as const }
    return { robot, wide, narrow, channelId, ruleId, off }
  }

  test('a rule of a wider colleague is neither changed nor deleted, and goes on telling', async () => {
    const { robot, narrow, ruleId, off } = await world()
    const refused = { status: 403, refusal: 'notifyRuleReachesBeyond' }
    expect(await app.call(updateNotifyRule, off, narrow.token)).toMatchObject(refused)
    expect(await app.call(updateNotifyRule, { ...off, isEnabled: 1 }, narrow.token)).toMatchObject(refused)
    expect(await app.call(deleteNotifyRule, { id: ruleId }, narrow.token)).toMatchObject(refused)
    const unseen = await insertDevice(app.db, { operatorId: otherOperatorId })
    await raise(unseen)
    await shownBy(robot).toContain(unseen.code)
  })

  test('nor is a rota by which such a rule tells: it is neither emptied nor given to others', async () => {
    const { wide, narrow, channelId } = await world([
      'duty:list',
      'duty:insert',
      'duty:update',
      'duty:delete',
    ])
    const [onDuty, other] = [
      await app.asUser({ organizationId, functionCodes }),
      await app.asUser({ organizationId, functionCodes }),
    ]
    const form = (changes: object = {}) => ({
      name: fresh('值班表'),
      timeZone: 'Asia/Shanghai',
      startsOn: '2026-01-01',
      handoverAt: '08:00',
      lengthHours: 24,
      memberIds: [String(onDuty.id)],
      ...changes,
    })
    const { id } = (await app.call(insertDuty, form(), wide.token)).data
    const change = { id, ...form(), memberIds: [String(other.id)] }
    // Nobody is told by it yet.
    expect(await app.call(updateDuty, change, narrow.token)).toMatchObject({ code: 200 })
    const ruleId = await rule([channelId], { steps: [{ afterMinutes: 10, dutyId: id }] }, wide.token)
    const refused = { status: 403, refusal: 'dutyReachesBeyond' }
    for (const changes of [
      { memberIds: [String(narrow.id)] },
      { startsOn: '2099-01-01' },
      { exceptions: [{ fromDay: '2026-01-01', toDay: '2099-12-31', userId: String(narrow.id) }] },
    ])
      expect(await app.call(updateDuty, { ...change, ...changes }, narrow.token)).toMatchObject(refused)
    expect((await app.call(listDuties, { ids: [id] }, wide.token)).data[0]?.memberIds).toEqual([
      String(other.id),
    ])
    expect(await app.call(deleteDuty, { id }, narrow.token)).toMatchObject({ refusal: 'dutyInUse' })
    const colleague = await app.asUser({ organizationId, functionCodes: ['duty:update'] })
    expect(await app.call(updateDuty, change, colleague.token)).toMatchObject({ code: 200 })
    // A rule that the narrower user has made himself is about nothing beyond.
    await app.call(deleteNotifyRule, { id: ruleId }, wide.token)
    await rule([], { dutyId: id }, narrow.token)
    expect(await app.call(updateDuty, change, narrow.token)).toMatchObject({ code: 200 })
  })

  test('nor is a rule that somebody of a higher organization, or a SYSTEM user, has made an own one', async () => {
    const { wide, channelId, ruleId, off } = await world()
    const below = await insertOrganization(app.db, { parentId: organizationId })
    const lower = await app.asUser({ organizationId: below, functionCodes })
    const lowerChannel = await channel(await robotOf(imitateWecom()), lower.token)
    const lowerRule = await rule([lowerChannel], {}, lower.token)
    const change = {
      ...off,
      id: lowerRule,
      name: fresh('规则'),
      channelIds: [lowerChannel],
      isEnabled: 1 as const,
    }
    const refused = { status: 403, refusal: 'notifyRuleReachesBeyond' }
    expect(await app.call(updateNotifyRule, change, wide.token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteNotifyRule, { id: lowerRule }, lower.token)).toMatchObject(refused)
    const taken = { ...off, name: fresh('规则'), channelIds: [channelId], isEnabled: 1 as const }
    expect(await app.call(updateNotifyRule, taken, admin)).toMatchObject({ code: 200 })
    expect(await app.call(updateNotifyRule, off, wide.token)).toMatchObject(refused)
    // One that is about the organization alone is.
    const within = { ...taken, filter: { organizationId: String(organizationId) } }
    expect(await app.call(updateNotifyRule, within, admin)).toMatchObject({ code: 200 })
    expect(await app.call(deleteNotifyRule, { id: ruleId }, wide.token)).toMatchObject({ code: 200 })
  })

  test('a channel that a SYSTEM user has set is changed where nothing beyond is told through it', async () => {
    const robot = await robotOf(imitateWecom())
    const { wide } = await world()
    const id = await channel(robot, wide.token)
    const address = { id, name: fresh('渠道'), address: robot.url, isEnabled: 1 as const }
    expect(await app.call(updateNotifyChannel, address, admin)).toMatchObject({ code: 200 })
    await rule([id], {}, wide.token)
    expect(await app.call(updateNotifyChannel, { ...address, isEnabled: 0 }, wide.token)).toMatchObject({
      code: 200,
    })
    expect(await app.call(updateNotifyChannel, address, admin)).toMatchObject({ code: 200 })
    await rule([id], {}, admin)
    expect(await app.call(updateNotifyChannel, { ...address, isEnabled: 0 }, wide.token)).toMatchObject({
      status: 403,
      refusal: 'notifyChannelReachesBeyond',
    })
  })

  test('nor is a channel through which a rule reaches people of whom some see more', async () => {
    const below = await insertOrganization(app.db, { parentId: organizationId })
    const lower = await app.asUser({ organizationId: below, functionCodes })
    const wide = await app.asUser({ organizationId, functionCodes })
    const [above, own] = [
      await app.asUser({ organizationId, functionCodes: ['alarm:page'] }),
      await app.asUser({ organizationId: below, functionCodes: ['alarm:page'] }),
    ]
    const robot = await robotOf(imitateDingtalk())
    const id = await channel(robot, lower.token, 'dingtalk')
    const form = { id, name: fresh('渠道'), isEnabled: 1 as const }
    expect(await app.call(updateNotifyChannel, { ...form, address: robot.url }, wide.token)).toMatchObject({
      code: 200,
    })
    for (const [n, { token }] of [above, own].entries())
      expect(
        await app.call(saveNotifyContact, { channelId: id, address: `1380000000${n}` }, token),
      ).toMatchObject({ code: 200 })
    await rule([], { userIds: [String(own.id)] }, wide.token)
    // Who is told there sees no more than who changes it.
    expect(await app.call(updateNotifyChannel, form, lower.token)).toMatchObject({ code: 200 })
    const roleId = await insertRole(app.db, { functionCodes: [] })
    await sql`INSERT INTO user_role (user_id, role_id) VALUES (${above.id}, ${roleId})`.execute(app.db)
    for (const targets of [{ userIds: [String(above.id)] }, { roleIds: [String(roleId)] }]) {
      const ruleId = await rule([], targets, wide.token)
      const refused = { status: 403, refusal: 'notifyChannelReachesBeyond' }
      expect(await app.call(updateNotifyChannel, { ...form, isEnabled: 0 }, lower.token)).toMatchObject(
        refused,
      )
      expect(await app.call(deleteNotifyChannel, { id }, lower.token)).toMatchObject(refused)
      await app.call(deleteNotifyRule, { id: ruleId }, wide.token)
    }
    expect(await app.call(deleteNotifyChannel, { id }, lower.token)).toMatchObject({ code: 200 })
  })

  test('nor is a rule by a region that is gone: another region may get its code', async () => {
    const { wide, narrow } = await world()
    const code = fresh('Q')
    const regionId = await insertRegion(app.db, { code })
    const ruleId = await rule(
      [await channel(await robotOf(imitateWecom()), wide.token)],
      { filter: { regionCode: code } },
      wide.token,
    )
    await sql`DELETE FROM region WHERE id = ${regionId}`.execute(app.db)
    expect(await app.call(deleteNotifyRule, { id: ruleId }, narrow.token)).toMatchObject({
      refusal: 'notifyRuleReachesBeyond',
    })
    expect(await app.call(deleteNotifyRule, { id: ruleId }, wide.token)).toMatchObject({ code: 200 })
  })

  test('nor is a channel, by another address, off or deleted', async () => {
    const { robot, narrow, channelId } = await world()
    const refused = { status: 403, refusal: 'notifyChannelReachesBeyond' }
    const form = { id: channelId, name: fresh('渠道') }
    const own = await robotOf(imitateWecom())
    for (const change of [{ address: own.url }, { isEnabled: 0 as const }])
      expect(await app.call(updateNotifyChannel, { ...form, ...change }, narrow.token)).toMatchObject(refused)
    expect(await app.call(deleteNotifyChannel, { id: channelId }, narrow.token)).toMatchObject(refused)
    const unseen = await insertDevice(app.db, { operatorId: otherOperatorId })
    await raise(unseen)
    await shownBy(robot).toContain(unseen.code)
  })

  test('a colleague as wide may, and anybody of the organization once its owner is gone', async () => {
    const { wide, narrow, channelId, ruleId, off } = await world()
    const colleague = await app.asUser({ organizationId, functionCodes })
    expect(await app.call(updateNotifyRule, off, narrow.token)).toMatchObject({ status: 403 })
    expect(await app.call(updateNotifyRule, off, colleague.token)).toMatchObject({ code: 200 })
    await sql`UPDATE app_user SET is_enabled = false WHERE id IN (${wide.id}, ${colleague.id})`.execute(
      app.db,
    )
    expect(await app.call(deleteNotifyRule, { id: ruleId }, narrow.token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteNotifyChannel, { id: channelId }, narrow.token)).toMatchObject({ code: 200 })
  })
})

describe('who was told of an alarm', () => {
  test('is known to whoever sees its device, with the answer; names stay within the organization', async () => {
    const [robot, refusing] = [await robotOf(imitateWecom()), await robotOf(imitateWecom(0))]
    const [owner, upper] = [await app.asUser({ organizationId, functionCodes }), admin]
    const id = await channel(robot, owner.token)
    const ruleId = await rule([id], {}, owner.token)
    await rule([await channel(refusing, upper)], {}, upper)
    const device = await insertDevice(app.db, { operatorId })
    const alarm = await raise(device)
    const [reader, blind] = [
      await app.asUser({ organizationId, functionCodes: ['alarm:page'] }),
      await app.asUser({
        organizationId,
        functionCodes: ['alarm:page'],
        authorities: [['O', String(otherOperatorId)]],
      }),
    ]
    const read = async (token: string) => (await app.call(listAlarmNotices, { id: alarm }, token)).data
    const statesOf = async () => (await read(admin)).map(({ state }) => state)
    await expect.poll(statesOf).toEqual(['delivered', 'retrying'])
    await recoverForGood(alarm)
    const raised = { event: 'raised', kind: 'wecom', userName: null, attempts: 1 }
    const when = expect.stringMatching(/^20/)
    await expect
      .poll(() => read(reader.token))
      .toEqual([
        expect.objectContaining({
          ...raised,
          state: 'delivered',
          channelName: expect.stringMatching(/^渠道/),
          providerCode: '0',
          sentTime: when,
        }),
        expect.objectContaining({
          ...raised,
          state: 'retrying',
          channelName: null,
          providerCode: '45009',
          nextTime: when,
        }),
        expect.objectContaining({ event: 'recovered', state: 'delivered' }),
        expect.objectContaining({ event: 'recovered', state: 'queued', channelName: null, attempts: 0 }),
      ])
    expect((await read(admin)).map(({ channelName }) => channelName)).not.toContain(null)
    expect(await app.call(listAlarmNotices, { id: alarm }, blind.token)).toMatchObject({
      refusal: 'alarmNotFound',
    })
    await app.call(deleteNotifyRule, { id: ruleId }, owner.token)
    expect(await app.call(deleteNotifyChannel, { id }, owner.token)).toMatchObject({ code: 200 })
    expect((await read(reader.token))[0]).toMatchObject({ state: 'delivered', providerCode: '0' })
  })
})

/** Has the next turn of the alarm's escalations come. */
async function turnComes(alarm: string) {
  await sql`UPDATE notify_escalation SET next_at = now() WHERE episode_id = ${alarm} AND next_at IS NOT NULL`.execute(
    app.db,
  )
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_escalation 0"]}')`.execute(app.db)
}
const runsOf = async (alarm: string) =>
  (
    await sql<{ turn: number; reason: string | null }>`
      SELECT turn, end_reason AS reason FROM notify_escalation WHERE episode_id = ${alarm}`.execute(app.db)
  ).rows

describe('an alarm that nobody acknowledges', () => {
  test('is told by the next step, until somebody does; its recovery is told to both, once', async () => {
    const [first, second] = [await robotOf(imitateWecom()), await robotOf(imitateWecom())]
    const [firstId, secondId] = [await channel(first), await channel(second)]
    const steps = [
      { afterMinutes: 5, channelIds: [secondId] },
      { afterMinutes: 10, channelIds: [firstId] },
    ]
    await rule([firstId], { steps, repeatS: 300, filter: { operatorId: String(operatorId) } })
    const device = await insertDevice(app.db, { operatorId })
    const alarm = await raise(device)
    await shownBy(first).toContain(device.code)
    expect(second.received).toEqual([])
    await turnComes(alarm)
    await shownBy(second).toContain('告警无人确认】')
    await app.call(ackAlarms, { ids: [alarm] }, admin)
    await expect.poll(() => runsOf(alarm)).toEqual([{ turn: 1, reason: 'acknowledged' }])
    await recoverForGood(alarm)
    for (const robot of [first, second]) await shownBy(robot).toContain('【告警恢复】')
    await everythingIsMatched()
    expect([first.shown.length, second.shown.length]).toEqual([2, 2])
  })

  test('is told no more by a message that waits for its next attempt', async () => {
    const [first, busy] = [await robotOf(imitateWecom()), await robotOf(imitateWecom(0))]
    const [firstId, busyId] = [await channel(first), await channel(busy)]
    await rule([firstId], { steps: [{ afterMinutes: 5, channelIds: [busyId] }] })
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await shownBy(first).toContain(device.code)
    await turnComes(alarm)
    await expect.poll(() => stateOf(busyId)).toBe('retrying')
    await app.call(ackAlarms, { ids: [alarm] }, admin)
    await sendNow(busyId)
    await expect.poll(() => stateOf(busyId)).toBe('givenUp')
    expect(busy.received).toHaveLength(1)
  })

  test('keeps its steps where the rule is edited, and is left where the rule is switched off', async () => {
    const [first, second, third] = [
      await robotOf(imitateWecom()),
      await robotOf(imitateWecom()),
      await robotOf(imitateWecom()),
    ]
    const ids = [await channel(first), await channel(second), await channel(third)] as const
    const ruleId = await rule([ids[0]], { steps: [{ afterMinutes: 5, channelIds: [ids[1]] }], repeatS: 600 })
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await shownBy(first).toContain(device.code)
    const form = {
      id: ruleId,
      name: fresh('规则'),
      when: ['raised' as const],
      alarmLevels: [1 as const],
      channelIds: [ids[0]],
      steps: [{ afterMinutes: 1, channelIds: [ids[2]] }],
    }
    expect(await app.call(updateNotifyRule, form, admin)).toMatchObject({ code: 200 })
    await turnComes(alarm)
    await shownBy(second).toContain(device.code)
    expect(await app.call(updateNotifyRule, { ...form, isEnabled: 0 }, admin)).toMatchObject({ code: 200 })
    expect(await runsOf(alarm)).toEqual([{ turn: 1, reason: 'stopped' }])
    expect(third.received).toEqual([])
  })
})

describe('a person', () => {
  const person = async (authorities: (readonly ['O', string])[] = []) =>
    await app.asUser({ organizationId, functionCodes: ['alarm:page'], authorities })

  test('is mentioned by the robot through which the person is reached, where the person sees the device', async () => {
    const robot = await robotOf(imitateDingtalk())
    const owner = await app.asUser({ organizationId, functionCodes })
    const [seeing, blind] = [await person(), await person([['O', String(otherOperatorId)]])]
    const id = await channel(robot, owner.token, 'dingtalk')
    for (const [user, address] of [
      [seeing, '13800000001'],
      [blind, '13800000002'],
    ] as const)
      expect(await app.call(saveNotifyContact, { channelId: id, address }, user.token)).toMatchObject({
        code: 200,
      })
    expect((await app.call(listNotifyContacts, {}, seeing.token)).data).toContainEqual(
      expect.objectContaining({ channelId: id, address: '13800000001' }),
    )
    await rule([], { userIds: [String(seeing.id), String(blind.id)] }, owner.token)
    const device = await insertDevice(app.db, { operatorId })
    await raise(device)
    await shownBy(robot).toContain(device.code)
    expect(robot.shown.join()).toContain('@13800000001')
    expect(robot.received[0]?.text).toContain('"atMobiles":["13800000001"]')
    await everythingIsMatched()
    expect(robot.received.map(({ text }) => text).join()).not.toContain('13800000002')
    expect((await app.call(listNotifyDeliveries, { channelId: id }, admin)).data).toMatchObject([
      { state: 'delivered', userNames: [expect.any(String)] },
    ])
  })

  test('gives an address of the channel’s kind, and through channels of the own organization alone', async () => {
    const id = await channel(await robotOf(imitateWecom()))
    const user = await person()
    expect(
      await app.call(saveNotifyContact, { channelId: id, address: '13800000001' }, user.token),
    ).toMatchObject({ refusal: 'notifyChannelNotFound' })
    expect(await app.call(saveNotifyContact, { channelId: id, address: 'nobody' }, admin)).toMatchObject({
      status: 400,
      data: [{ field: 'address', message: '请输入 11 位手机号' }],
    })
    expect(await app.call(saveNotifyContact, { channelId: id, address: '13800000001' }, admin)).toMatchObject(
      {
        code: 200,
      },
    )
    expect(await app.call(deleteNotifyContact, { channelId: id }, admin)).toMatchObject({ code: 200 })
    expect(await app.call(deleteNotifyContact, { channelId: id }, admin)).toMatchObject({
      refusal: 'notifyChannelNotFound',
    })
  })

  test('on duty is told, and gaps are shown before they come', async () => {
    const robot = await robotOf(imitateWecom())
    const codes = [...functionCodes, ...['list', 'insert', 'update', 'delete'].map((verb) => `duty:${verb}`)]
    const owner = await app.asUser({ organizationId, functionCodes: codes })
    const [onDuty, other] = [await person(), await person()]
    const channelId = await channel(robot, owner.token)
    const day = (daysAhead: number) =>
      new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)
    const form = {
      name: fresh('值班表'),
      startsOn: day(-2),
      handoverAt: '00:00',
      lengthHours: 24 * 7,
      memberIds: [String(onDuty.id), String(other.id)],
    }
    const { id } = (await app.call(insertDuty, form, owner.token)).data
    for (const user of [onDuty, other])
      await app.call(
        saveNotifyContact,
        { channelId, address: `1380000000${user === other ? 8 : 7}` },
        user.token,
      )
    expect((await app.call(listDuties, { ids: [id] }, owner.token)).data).toMatchObject([
      { nowUserName: expect.any(String), nextGap: null },
    ])
    const ruleId = await rule([], { dutyId: id }, owner.token)
    const device = await insertDevice(app.db, { operatorId })
    await raise(device)
    await shownBy(robot).toContain(device.code)
    expect(robot.received[0]?.text).toContain('"mentioned_mobile_list":["13800000007"]')
    expect(await app.call(deleteDuty, { id }, owner.token)).toMatchObject({ refusal: 'dutyInUse' })

    await app.call(deleteNotifyContact, { channelId }, other.token)
    const { turns } = (await app.call(readDutyNow, { id }, owner.token)).data
    expect(turns.map(({ userId, problem }) => [userId, problem])).toEqual([
      [String(onDuty.id), null],
      [String(other.id), 'noContact'],
      [String(onDuty.id), null],
    ])
    const exceptions = [{ fromDay: day(1), toDay: day(1), userId: String(other.id) }]
    expect(await app.call(updateDuty, { id, ...form, exceptions }, owner.token)).toMatchObject({ code: 200 })
    expect((await app.call(listDuties, { ids: [id] }, owner.token)).data[0]?.nextGap).toMatchObject({
      from: `${day(1)} 00:00`,
      to: `${day(2)} 00:00`,
      problem: 'noContact',
      isException: true,
    })
    const stranger = await app.asUser({
      organizationId: await insertOrganization(app.db),
      functionCodes: codes,
    })
    expect((await app.call(listDuties, {}, stranger.token)).total).toBe(0)
    expect(await app.call(readDutyNow, { id }, stranger.token)).toMatchObject({ refusal: 'dutyNotFound' })
    expect(await app.call(insertDuty, { ...form, name: fresh('值班表') }, stranger.token)).toMatchObject({
      status: 400,
      data: [{ field: 'memberIds', message: '值班人员不存在' }],
    })
    await app.call(deleteNotifyRule, { id: ruleId }, owner.token)
    expect(await app.call(deleteDuty, { id }, owner.token)).toMatchObject({ code: 200 })
  })
})

describe('beside a machine whose clock is five minutes off', () => {
  const machineIsOff = (minutes: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
  }

  test.each([5, -5])('the rota goes by the database’s (%d minutes)', async (minutes) => {
    const codes = ['list', 'insert'].map((verb) => `duty:${verb}`)
    const owner = await app.asUser({ organizationId, functionCodes: codes })
    const [earlier, later] = [
      await app.asUser({ organizationId, functionCodes: ['alarm:page'] }),
      await app.asUser({ organizationId, functionCodes: ['alarm:page'] }),
    ]
    // The handover is two minutes from now, or was two minutes ago: between the two clocks.
    const { rows } = await sql<{ day: string; clock: string }>`
      SELECT to_char(at - interval '1 day', 'YYYY-MM-DD') AS day, to_char(at, 'HH24:MI') AS clock
      FROM (SELECT now() + ${Math.sign(minutes) * 2} * interval '1 minute' AS at) AS handover`.execute(app.db)
    const [handover] = rows
    machineIsOff(minutes)
    const { id } = (
      await app.call(
        insertDuty,
        {
          name: fresh('值班表'),
          timeZone: process.env.TZ ?? 'Asia/Shanghai',
          startsOn: handover?.day ?? '',
          handoverAt: handover?.clock ?? '',
          lengthHours: 24,
          memberIds: [String(earlier.id), String(later.id)],
        },
        owner.token,
      )
    ).data
    const { turns } = (await app.call(readDutyNow, { id }, owner.token)).data
    expect(turns[0]?.userId).toBe(String(minutes > 0 ? earlier.id : later.id))
  })

  test.each([5, -5])('an escalation takes its turns by the database’s (%d minutes)', async (minutes) => {
    const [first, second] = [await robotOf(imitateWecom()), await robotOf(imitateWecom())]
    machineIsOff(minutes)
    await rule([await channel(first)], {
      steps: [
        { afterMinutes: 3, channelIds: [await channel(second)], unless: 'acknowledged' },
        { afterMinutes: 6, channelIds: [await channel(second)], unless: 'acknowledged' },
      ],
    })
    const device = await insertDevice(app.db, { operatorId })
    const alarm = await raise(device)
    await shownBy(first).toContain(device.code)
    // It began now and not five minutes away, and its next turn is three minutes on.
    const inSeconds = async () => {
      const { rows } = await sql<{ began: number; next: number; turn: number }>`
        SELECT round(extract(epoch FROM began_at - now()) / 60)::int AS began,
          round(extract(epoch FROM next_at - now()) / 60)::int AS next, turn
        FROM notify_escalation WHERE episode_id = ${alarm}`.execute(app.db)
      return rows
    }
    expect(await inSeconds()).toEqual([{ began: 0, next: 3, turn: 0 }])
    // The first turn has come; the second, which the machine's clock would have taken with it, has three minutes left.
    await sql`UPDATE notify_escalation SET began_at = began_at - interval '3 minutes' WHERE episode_id = ${alarm}`.execute(
      app.db,
    )
    await turnComes(alarm)
    await shownBy(second).toContain(device.code)
    await expect.poll(inSeconds).toEqual([{ began: -3, next: 3, turn: 1 }])
  })
})

describe('messages', () => {
  test('that the rate leaves no room for become one', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    await rule([id])
    await setTokens(id, 0)
    for (let n = 0; n < 5; n += 1) await raise(await insertDevice(app.db), major)
    await expect.poll(() => waitingOf(id)).toBe(5)
    await setTokens(id, 6)
    await sendNow(id)
    await shownBy(robot).toContain('【告警 5 条】')
    expect(robot.shown).toHaveLength(1)
  })

  test('of two channels with one robot share its rate, and its rest', async () => {
    const robot = await robotOf(imitateWecom())
    const [one, two] = [await channel(robot), await channel(robot)]
    const other = await channel(await robotOf(imitateWecom()))
    const keysOf = async () =>
      (
        await sql<{ id: number; key: string }>`
          SELECT id, rate_key AS key FROM notify_channel WHERE id = ANY(${[one, two, other]}::int[]) ORDER BY id`.execute(
          app.db,
        )
      ).rows.map(({ key }) => key)
    const keys = await keysOf()
    expect(keys[0]).toBe(keys[1])
    expect(keys[0]).not.toBe(keys[2])
    expect(keys.join(' ')).not.toContain('693a')

    // Room for one message beyond what is kept for level 1; the next comes back after five seconds.
    const setAtMs = Date.now()
    await setTokens(one, 4)
    await rule([one, two])
    const device = await insertDevice(app.db)
    await raise(device, major)
    await expect.poll(() => robot.shown.length, { timeout: 20_000 }).toBe(2)
    expect((robot.received[1]?.atMs ?? 0) - setAtMs).toBeGreaterThanOrEqual(4_900)
    await setTokens(two, 0)
    expect(await app.call(testNotifyChannel, { id: one }, admin)).toMatchObject({
      refusal: 'notifyTestedTooOften',
    })
    expect((await app.call(testNotifyChannel, { id: other }, admin)).data.isDelivered).toBe(true)

    // An address that is set anew has the rate of that address.
    await app.call(updateNotifyChannel, { id: other, name: fresh('渠道'), address: robot.url }, admin)
    expect(new Set(await keysOf()).size).toBe(1)
  })

  test('that a provider blocks make all channels with its address rest', async () => {
    const robot = await robotOf(imitateDingtalk(0))
    const [one, two] = [await channel(robot, admin, 'dingtalk'), await channel(robot, admin, 'dingtalk')]
    await rule([one])
    await raise(await insertDevice(app.db), major)
    await expect
      .poll(async () =>
        (await app.call(listNotifyChannels, { ids: [one, two] }, admin)).data.map(
          ({ pausedUntil }) => pausedUntil !== null,
        ),
      )
      .toEqual([true, true])
    expect(robot.received).toHaveLength(1)
  })

  test('that fail are tried again with the same content, and what comes meanwhile waits', async () => {
    const robot = await robotOf(imitateWecom(0))
    const id = await channel(robot)
    await rule([id])
    const device = await insertDevice(app.db)
    await raise(device, major)
    const row = async () => (await app.call(listNotifyDeliveries, { channelId: id }, admin)).data
    await expect
      .poll(row)
      .toMatchObject([
        { state: 'retrying', providerCode: '45009', attempts: 1, nextTime: expect.any(String) },
      ])
    expect((await app.call(listNotifyChannels, { ids: [id] }, admin)).data[0]).toMatchObject({
      lastError: '发送过于频繁，已暂停',
      pausedUntil: expect.any(String),
    })
    await raise(await insertDevice(app.db), major)
    await expect.poll(() => waitingOf(id)).toBe(1)
    const again = await robotOf(imitateWecom())
    const form = { id, name: fresh('渠道'), address: again.url }
    await app.call(updateNotifyChannel, form, admin)
    await sql`UPDATE notify_delivery SET retry_at = now() WHERE channel_id = ${id}`.execute(app.db)
    await sql`UPDATE notify_channel SET next_at = now() WHERE id = ${id}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
    await expect.poll(() => again.shown.length).toBe(2)
    expect(again.shown[0]).toContain(device.code)
    expect(await row()).toMatchObject([{ attempts: 1 }, { state: 'delivered', attempts: 2 }])
  })

  test('whose sender died are sent by another', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    await rule([id])
    const device = await insertDevice(app.db)
    await raise(device)
    await shownBy(robot).toContain(device.code)
    await expect
      .poll(async () => (await app.call(listNotifyDeliveries, { channelId: id }, admin)).data[0]?.state)
      .toBe('delivered')
    // As a kill between the message and the result leaves it.
    await sql`UPDATE notify_delivery SET state = 'sending', sent_at = NULL WHERE channel_id = ${id}`.execute(
      app.db,
    )
    await sql`UPDATE notify_channel SET busy_until = now(), next_at = now() WHERE id = ${id}`.execute(app.db)
    await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["notify_channel 0"]}')`.execute(app.db)
    await expect.poll(() => stateOf(id)).toBe('retrying')
    await sendNow(id)
    await expect.poll(() => robot.shown.length).toBe(2)
    expect(robot.shown[1]).toBe(robot.shown[0])
    await expect
      .poll(async () => (await app.call(listNotifyDeliveries, { channelId: id }, admin)).data)
      .toMatchObject([{ state: 'delivered', attempts: 2 }])
  })

  test('of a rule that is switched off are not sent', async () => {
    const robot = await robotOf(imitateWecom())
    const id = await channel(robot)
    const ruleId = await rule([id], { groupWaitS: 3_600 })
    await raise(await insertDevice(app.db), major)
    await expect.poll(() => waitingOf(id)).toBe(1)
    const form = {
      id: ruleId,
      name: fresh('规则'),
      when: ['raised' as const],
      alarmLevels: [1 as const],
      channelIds: [id],
      isEnabled: 0 as const,
    }
    expect(await app.call(updateNotifyRule, form, admin)).toMatchObject({ code: 200 })
    expect(await waitingOf(id)).toBe(0)
  })
})

describe('what a channel cannot tell', () => {
  const notices = async (alarm: string) => (await app.call(listAlarmNotices, { id: alarm }, admin)).data

  test('for good is told by the other channel of the rule, and so is the end of it', async () => {
    const [wrong, other] = [await robotOf(imitateWecom()), await robotOf(imitateWecom())]
    const address = wrong.url.replace('693a', '0000')
    const { id } = (
      await app.call(insertNotifyChannel, { kind: 'wecom', name: fresh('渠道'), address }, admin)
    ).data
    const otherId = await channel(other)
    const ruleId = await rule([id], { fallbackChannelId: otherId })
    const device = await insertDevice(app.db)
    const alarm = await raise(device)
    await shownBy(other).toContain(device.code)
    await expect
      .poll(() => notices(alarm))
      .toEqual([
        expect.objectContaining({
          state: 'givenUp',
          providerCode: '93000',
          isPassedOn: true,
          isFallback: false,
        }),
        expect.objectContaining({ state: 'delivered', isPassedOn: false, isFallback: true }),
      ])
    const { data: rows } = await app.call(listNotifyDeliveries, { channelId: id }, admin)
    const name = (await app.call(nameNotifyChannels, {}, admin)).data.find((one) => one.id === otherId)?.name
    expect(rows).toMatchObject([{ state: 'givenUp', passedTo: [name], isFallback: false }])
    await recoverForGood(alarm)
    await shownBy(other).toContain('【告警恢复】')
    expect(wrong.received).toHaveLength(1)
    expect((await app.call(listNotifyRules, { ids: [ruleId] }, admin)).data).toMatchObject([
      { fallbackChannelId: otherId, fallbackChannelName: name },
    ])
    expect(await app.call(deleteNotifyChannel, { id: otherId }, admin)).toMatchObject({
      refusal: 'notifyChannelInUse',
    })
  })

  test('for hours is told by it, a critical alarm after four attempts; where that fails too, it is given up', async () => {
    const [busy, other] = [await robotOf(imitateWecom(0)), await robotOf(imitateWecom())]
    const [busyId, otherId] = [await channel(busy), await channel(other)]
    const { id: wrongId } = (
      await app.call(
        insertNotifyChannel,
        { kind: 'wecom', name: fresh('渠道'), address: other.url.replace('693a', '0000') },
        admin,
      )
    ).data
    await rule([busyId], { fallbackChannelId: wrongId })
    const ruleId = await rule([busyId], { fallbackChannelId: otherId })
    const device = await insertDevice(app.db)
    // One message of both rules.
    await holdBack(busyId)
    const alarm = await raise(device)
    await expect.poll(() => waitingOf(busyId)).toBe(2)
    await sendNow(busyId)
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await expect.poll(() => busy.received.length).toBe(attempt)
      if (attempt < 4) {
        await expect.poll(() => stateOf(busyId)).toBe('retrying')
        await sendNow(busyId)
      }
    }
    await shownBy(other).toContain(device.code)
    // Which of the two other channels is told first is open.
    await expect
      .poll(async () => (await notices(alarm)).map(({ state }) => state).sort())
      .toEqual(['delivered', 'givenUp', 'givenUp', 'givenUp'])
    expect(other.shown).toHaveLength(1)
    await app.call(deleteNotifyRule, { id: ruleId }, admin)
  })

  test('to a person goes to the person’s next channel', async () => {
    const [wrong, other] = [await robotOf(imitateWecom()), await robotOf(imitateDingtalk())]
    const address = wrong.url.replace('693a', '0000')
    const { id } = (
      await app.call(insertNotifyChannel, { kind: 'wecom', name: fresh('渠道'), address }, admin)
    ).data
    const otherId = await channel(other, admin, 'dingtalk')
    const { userId } = (
      await sql<{ userId: string }>`SELECT id::text AS "userId" FROM app_user ORDER BY id LIMIT 1`.execute(
        app.db,
      )
    ).rows[0] as { userId: string }
    await app.call(saveNotifyContact, { channelId: id, address: '13800000001' }, admin)
    await rule([], { userIds: [userId] })
    const device = await insertDevice(app.db)
    // The second address is there when the first one fails.
    await holdBack(id)
    const alarm = await raise(device)
    await expect.poll(() => waitingOf(id)).toBe(1)
    await app.call(saveNotifyContact, { channelId: otherId, address: '13800000002' }, admin)
    await sendNow(id)
    await shownBy(other).toContain(device.code)
    expect(other.shown.join()).toContain('@13800000002')
    expect(await notices(alarm)).toMatchObject([
      { state: 'givenUp', userName: expect.any(String), isPassedOn: true },
      { userName: expect.any(String), isFallback: true },
    ])
    for (const channelId of [id, otherId]) await app.call(deleteNotifyContact, { channelId }, admin)
  })
})

test.each([
  [{ when: [] }, 'when', '请选择时机'],
  [{ when: ['recovered'] }, 'when', '恢复的通知须与告警发生或设备离线一起选择'],
  [{ when: ['levelRaised'] }, 'when', '加重的通知须与告警发生一起选择'],
  [{ alarmLevels: [] }, 'alarmLevels', '请选择告警级别'],
  [{ channelIds: [] }, 'channelIds', '请选择通知渠道或人员'],
  [{ channelIds: ['1'], fallbackChannelId: '1' }, 'fallbackChannelId', '备用渠道应是另一个渠道'],
  [{ fallbackChannelId: '999999' }, 'fallbackChannelId', '通知渠道不存在'],
  [{ quietFrom: '22:00' }, 'quietTo', '免打扰的开始和结束应同时填写，且不能相同'],
  [{ quietFrom: '24:00', quietTo: '07:00' }, 'quietFrom', '免打扰开始格式应为 HH:mm'],
  [{ filter: { nonsense: 1 } }, 'filter.nonsense', '筛选条件无效'],
  [{ steps: [{ afterMinutes: 5 }] }, 'steps.0.channelIds', '请选择通知渠道或人员'],
  [
    {
      steps: [
        { afterMinutes: 5, channelIds: ['1'] },
        { afterMinutes: 5, channelIds: ['1'] },
      ],
    },
    'steps',
    '后一步的等待时间应大于前一步',
  ],
  [{ repeatS: 60 }, 'repeatS', '重复间隔不能小于 5 分钟'],
])('a rule with %o is refused', async (form, field, message) => {
  const input = { name: fresh('规则'), when: ['raised'], alarmLevels: [1], channelIds: ['1'], ...form }
  expect(await app.call(insertNotifyRule, input as never, admin)).toMatchObject({
    status: 400,
    data: [{ field, message }],
  })
})
