import {
  deleteNotifyChannel,
  deleteReportSubscription,
  exportAlarmReport,
  type InputFor,
  insertNotifyChannel,
  insertReportSubscription,
  listNotifyDeliveries,
  listReportSubscriptions,
  nameMailChannels,
  updateReportSubscription,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { endWithFile } from '../../../../test/database.ts'
import { insertDevice, insertOperator, insertOrganization } from '../../../../test/factories.ts'
import { readMail, startMailServer } from '../../../../test/mail-server.ts'
import { rowsOfFile, rowsOfSheet } from '../../../../test/sheets.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { createLog } from '../../../platform/process/log.ts'
import { createLetters } from '../../notifications/index.ts'
import { createAvailability } from '../availability/availability.service.ts'
import { createQuality } from '../quality/quality.service.ts'
import { createMailingJob } from './mailing.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8', PUBLIC_URL: 'https://console.example' })
const admin = await app.asAdmin()
const mails = await startMailServer()
endWithFile(() => mails.close())

const now = new Date()
const yesterday = dayOf(startOfDay(now, -1))
const organizationId = await insertOrganization(app.db)
const operators = [
  await insertOperator(app.db, { organizationId, name: '东区运营' }),
  await insertOperator(app.db, { organizationId, name: '西区运营' }),
] as const
const devices = [
  await insertDevice(app.db, { operatorId: operators[0] }),
  await insertDevice(app.db, { operatorId: operators[1] }),
] as const

/** Alarms of yesterday, as ingest writes them. */
let nextId = 7_000_000
async function alarmsOf(device: { id: number }, count: number): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value,
        value, recovered_at, recovery_method)
      SELECT ${nextId} + n, ${startOfDay(now, -1)}::timestamptz + n * interval '1 minute', d.id, d.operator_id, d.model_id,
        d.region_id, '01110002', 1, 1, ${startOfDay(now, -1)}::timestamptz + (n + 1) * interval '1 minute', 1
      FROM generate_series(1, ${count}::int) n JOIN device d ON d.id = ${device.id}
      RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
    )
    INSERT INTO history_delta
    SELECT 1, day, operator_id, model_id, region_id, semaphore_code, count(*) FROM added GROUP BY 1, 2, 3, 4, 5, 6`.execute(
    app.db,
  )
  nextId += count
}
await alarmsOf(devices[0], 3)
await alarmsOf(devices[1], 4)

let count = 0
const fresh = (word: string) => `${word}${++count}`
const needed = ['report:subscribe', 'report:alarm', 'report:availability', 'report:export']
const channelCodes = ['notifyChannel:list', 'notifyChannel:insert', 'notifyChannel:update']

async function channelOf(token: string): Promise<string> {
  const settings = { host: '127.0.0.1', port: mails.port, isTls: false, from: 'ops@example.com' }
  const form = { kind: 'mail' as const, name: fresh('邮件'), address: 'boss@example.com', settings }
  return (await app.call(insertNotifyChannel, form, token)).data.id
}
type Form = InputFor<typeof insertReportSubscription>
const formOf = (channelId: string, form: Partial<Form> = {}): Form => ({
  name: fresh('订阅'),
  kind: 'alarm',
  groupBy: 'operator',
  every: 'day',
  hour: 0,
  channelId,
  ...form,
})
const subscribe = async (token: string, form: Form) =>
  (await app.call(insertReportSubscription, form, token)).data.id
const shown = async (id: string) => (await app.call(listReportSubscriptions, { ids: [id] }, admin)).data[0]

/** As the job of a process of its own runs; of its day's period everything is due. */
const job = () => {
  const { zone } = app.config
  return createMailingJob({
    db: app.db,
    zone,
    log: createLog({ level: 'silent', console: { write: () => true } }),
    letters: createLetters(),
    quality: createQuality({ db: app.db, zone }),
    availability: createAvailability({ db: app.db, zone }),
    consoleUrl: () => 'https://console.example',
  }).run(new AbortController().signal)
}
const makeDue = (id: string) =>
  sql`UPDATE report_subscription SET next_at = now() - interval '1 second' WHERE id = ${id}`.execute(app.db)
async function sendDue(id: string): Promise<void> {
  await makeDue(id)
  await job()
}
/** The mails of a subscription that have come, by its name. */
const lettersOf = (name: string) =>
  mails.letters.map(readMail).filter(({ text }) => text.includes(`报表订阅“${name}”`))
const comes = async (name: string, n = 1) => {
  await expect.poll(() => lettersOf(name).length, { interval: 50, timeout: 10_000 }).toBe(n)
  return lettersOf(name)
}
const deliveriesOf = async (name: string) =>
  (await app.call(listNotifyDeliveries, { pageSize: 100 }, admin)).data.filter(({ ruleNames }) =>
    ruleNames.includes(name),
  )

describe('a subscription', () => {
  test('mails the figures of its last day with the sheet that a user exports, once', async () => {
    const name = fresh('日报')
    const { token } = await app.asUser({ organizationId, functionCodes: [...needed, ...channelCodes] })
    const id = await subscribe(token, formOf(await channelOf(token), { name }))
    expect(await shown(id)).toMatchObject({
      name,
      lastState: null,
      stopped: null,
      nextTime: expect.stringContaining('00:00:00'),
    })
    await makeDue(id)
    await Promise.all([job(), job(), job()])
    const [letter] = await comes(name)
    expect(letter?.subject).toBe(`【告警质量】${yesterday}`)
    expect(letter?.text).toContain('告警 7 条，有告警的运营商 2 个')
    expect(letter?.text).toContain('东区运营：3 条')
    expect(letter?.text).toContain('西区运营：4 条')
    expect(letter?.text).toContain(
      `https://console.example/maintenance/report?tab=alarm&groupBy=operator&startTime=${yesterday}&endTime=${yesterday}`,
    )
    const [sheet] = letter?.files ?? []
    expect(sheet?.name).toBe(`告警质量_${yesterday.replaceAll('-', '')}.xlsx`)
    const range = { startTime: yesterday, endTime: yesterday }
    const exported = await fetch(`${app.url}/api${exportAlarmReport.path}?${new URLSearchParams(range)}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(exported.status).toBe(200)
    expect(await rowsOfFile(sheet?.content as Buffer)).toEqual(await rowsOfSheet(exported))

    await expect.poll(async () => (await shown(id))?.lastState, { interval: 50 }).toBe('delivered')
    await sendDue(id)
    expect(await deliveriesOf(name)).toHaveLength(1)
    expect(lettersOf(name)).toHaveLength(1)
    expect(await shown(id)).toMatchObject({ problem: null, lastTitle: `【告警质量】${yesterday}` })
    const files =
      await sql`SELECT FROM notify_letter WHERE series = ${`report.${id}`} AND file IS NOT NULL`.execute(
        app.db,
      )
    expect(files.rows).toEqual([])
  })

  test('says what its owner sees when it is sent, and not more than who set the receivers', async () => {
    const owner = await app.asUser({ organizationId, functionCodes: needed })
    const setter = await app.asUser({
      organizationId,
      functionCodes: channelCodes,
      authorities: [['O', String(operators[1])]],
    })
    const wide = await app.asUser({ organizationId, functionCodes: channelCodes })
    const names = [fresh('我的'), fresh('渠道的')] as const
    const own = await subscribe(owner.token, formOf(await channelOf(wide.token), { name: names[0] }))
    const through = await subscribe(owner.token, formOf(await channelOf(setter.token), { name: names[1] }))
    await sendDue(through)
    expect((await comes(names[1]))[0]?.text).toContain('告警 4 条')
    await sql`INSERT INTO user_authority (user_id, authority_type, value) VALUES (${owner.id}, 'O', ${String(operators[0])})`.execute(
      app.db,
    )
    await sendDue(own)
    const [letter] = await comes(names[0])
    expect(letter?.text).toContain('告警 3 条')
    expect(letter?.text).not.toContain('西区运营')
  })

  test('keeps to its filter, and mails how available devices were', async () => {
    const name = fresh('可用率')
    for (const { id } of devices) {
      await sql`UPDATE device SET created_at = now() - interval '70 days' WHERE id = ${id}`.execute(app.db)
      await sql`
        INSERT INTO device_connection (device_id, at, is_online) VALUES (${id}, now() - interval '69 days', true)`.execute(
        app.db,
      )
      await sql`
        UPDATE device_state SET is_online = true, online_changed_at = now() - interval '69 days'
        WHERE device_id = ${id}`.execute(app.db)
    }
    const filter = { operatorId: String(operators[0]) }
    const id = await subscribe(
      admin,
      formOf(await channelOf(admin), {
        name,
        kind: 'availability',
        groupBy: 'device',
        every: 'month',
        filter,
      }),
    )
    await sendDue(id)
    const [letter] = await comes(name)
    const lastMonth = dayOf(new Date(now.getFullYear(), now.getMonth() - 1, 1))
    expect(letter?.subject).toContain(`【可用率】${lastMonth} 至 `)
    expect(letter?.text).toContain(`groupBy=device&operatorId=${operators[0]}`)
    const rows = await rowsOfFile(letter?.files[0]?.content as Buffer)
    expect(rows.slice(1).map((row) => row.slice(0, 2))).toEqual([
      ['合计', '1'],
      [devices[0].code, '1'],
    ])
    expect(Number(rows[1]?.[2])).toBeGreaterThan(99)
  })

  test('stops and says so while its owner is disabled or without a function', async () => {
    const { token: setter } = await app.asUser({ organizationId, functionCodes: channelCodes })
    const channelId = await channelOf(setter)
    const owner = await app.asUser({ organizationId, functionCodes: needed })
    const name = fresh('停止')
    const id = await subscribe(owner.token, formOf(channelId, { name }))
    const enable = (isEnabled: boolean) =>
      app.db.updateTable('app_user').set({ is_enabled: isEnabled }).where('id', '=', owner.id).execute()
    await enable(false)
    await sendDue(id)
    expect(await shown(id)).toMatchObject({
      stopped: { role: '订阅人', name: owner.loginName, reason: 'disabled' },
      problem: `订阅人 ${owner.loginName} 已停用`,
      lastState: null,
    })
    await enable(true)
    await sql`
      DELETE FROM role_menu WHERE menu_id = (SELECT id FROM menu WHERE type = 'F' AND remark = 'report:export')
        AND role_id IN (SELECT role_id FROM user_role WHERE user_id = ${owner.id})`.execute(app.db)
    await sendDue(id)
    expect(await shown(id)).toMatchObject({ stopped: { reason: 'lostFunction' }, lastState: null })
    await sql`
      INSERT INTO role_menu (role_id, menu_id)
      SELECT r.role_id, m.id FROM user_role r, menu m
      WHERE r.user_id = ${owner.id} AND m.type = 'F' AND m.remark = 'report:export'`.execute(app.db)
    await sendDue(id)
    await comes(name)
    expect(await shown(id)).toMatchObject({ stopped: null, problem: null })
  })

  test('sends no mail of somebody who was disabled after it was made, and none that was withdrawn', async () => {
    const { token: setter } = await app.asUser({ organizationId, functionCodes: channelCodes })
    const owner = await app.asUser({ organizationId, functionCodes: needed })
    const [held, withdrawn] = [fresh('迟发'), fresh('撤回')]
    const channelId = await channelOf(setter)
    await sql`UPDATE notify_channel SET paused_until = now() + interval '1 hour' WHERE id = ${channelId}`.execute(
      app.db,
    )
    const first = await subscribe(owner.token, formOf(channelId, { name: held }))
    const second = await subscribe(owner.token, formOf(channelId, { name: withdrawn }))
    await sendDue(first)
    await sendDue(second)
    expect(await deliveriesOf(held)).toMatchObject([{ state: 'sending', attempts: 0 }])
    await app.call(deleteReportSubscription, { id: second }, admin)
    await app.db.updateTable('app_user').set({ is_enabled: false }).where('id', '=', owner.id).execute()
    await sql`UPDATE notify_channel SET paused_until = NULL, next_at = now() WHERE id = ${channelId}`.execute(
      app.db,
    )
    await sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name: 'workDue', ids: ['notify_channel 0'] })})`.execute(
      app.db,
    )
    await expect
      .poll(async () => (await deliveriesOf(held))[0], { interval: 50 })
      .toMatchObject({ state: 'givenUp', providerMessage: `订阅人 ${owner.loginName} 已停用` })
    expect((await deliveriesOf(withdrawn))[0]).toMatchObject({
      state: 'givenUp',
      providerMessage: '报表订阅已删除',
    })
    expect([...lettersOf(held), ...lettersOf(withdrawn)]).toEqual([])
  })

  test('that waits goes as it was made where its owner sees more by now, and not where less', async () => {
    const own = await insertOrganization(app.db)
    const first = await insertOperator(app.db, { organizationId: own })
    const { token: setter } = await app.asUser({ organizationId: own, functionCodes: channelCodes })
    const channelId = await channelOf(setter)
    const owner = await app.asUser({ organizationId: own, functionCodes: needed })
    const [wider, narrower] = [fresh('新运营商'), fresh('收窄')]
    const hold = (until: string) =>
      sql`UPDATE notify_channel SET paused_until = now() + ${until}::interval, next_at = now() WHERE id = ${channelId}`.execute(
        app.db,
      )
    const release = async () => {
      await hold('0')
      await sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name: 'workDue', ids: ['notify_channel 0'] })})`.execute(
        app.db,
      )
    }
    await hold('1 hour')
    await sendDue(await subscribe(owner.token, formOf(channelId, { name: wider })))
    await insertOperator(app.db, { organizationId: own })
    await release()
    await comes(wider)
    await hold('1 hour')
    await sendDue(await subscribe(owner.token, formOf(channelId, { name: narrower })))
    await sql`
      INSERT INTO user_authority (user_id, authority_type, value) VALUES (${owner.id}, 'O', ${String(first)})`.execute(
      app.db,
    )
    await release()
    await expect
      .poll(async () => (await deliveriesOf(narrower))[0], { interval: 50, timeout: 10_000 })
      .toMatchObject({ state: 'givenUp', providerMessage: '相关人员的数据权限已变化' })
  })

  test('is changed, switched off and deleted by who sees what its mails are about', async () => {
    const wide = await app.asUser({ organizationId, functionCodes: needed })
    const narrow = await app.asUser({
      organizationId,
      functionCodes: needed,
      authorities: [['O', String(operators[0])]],
    })
    const colleague = await app.asUser({ organizationId, functionCodes: needed })
    const channelId = await channelOf(
      (await app.asUser({ organizationId, functionCodes: channelCodes })).token,
    )
    const id = await subscribe(wide.token, formOf(channelId))
    const refused = {
      status: 403,
      refusal: 'reportSubscriptionReachesBeyond',
      message: '该订阅的报表包含无权查看的设备，不能修改或删除',
    }
    for (const change of [formOf(channelId), formOf(channelId, { isEnabled: 0 })])
      expect(await app.call(updateReportSubscription, { id, ...change }, narrow.token)).toMatchObject(refused)
    expect(await app.call(deleteReportSubscription, { id }, narrow.token)).toMatchObject(refused)
    expect(await shown(id)).toMatchObject({ isEnabled: 1, ownerName: wide.loginName })
    const own = await subscribe(narrow.token, formOf(channelId))
    expect(await app.call(deleteReportSubscription, { id: own }, narrow.token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteReportSubscription, { id }, colleague.token)).toMatchObject({ code: 200 })
  })

  test('is of its organization, and refuses what it could not send', async () => {
    const channelId = await channelOf(admin)
    const robot = {
      kind: 'wecom' as const,
      name: fresh('机器人'),
      address: 'https://robot.example.com/?key=1',
    }
    const robotId = (await app.call(insertNotifyChannel, robot, admin)).data.id
    const { token } = await app.asUser({
      organizationId,
      functionCodes: ['report:subscribe', 'report:alarm'],
    })
    const stranger = await app.asUser({
      organizationId: await insertOrganization(app.db),
      functionCodes: needed,
    })
    expect((await app.call(nameMailChannels, {}, stranger.token)).data).toEqual([])
    expect((await app.call(nameMailChannels, {}, admin)).data.map(({ id }) => id)).not.toContain(robotId)
    for (const [form, field, message] of [
      [formOf(robotId), 'channelId', '邮件渠道不存在'],
      [formOf(channelId, { timeZone: 'Mars/Olympus' }), 'timeZone', '时区不存在'],
      [formOf(channelId, { kind: 'availability', groupBy: 'code' }), 'groupBy', '可用率不能按告警汇总'],
      [formOf(channelId, { hour: 24 }), 'hour', '发送时间不能大于 23'],
    ] as const)
      expect(await app.call(insertReportSubscription, form, admin)).toMatchObject({
        status: 400,
        data: [{ field, message }],
      })
    expect(await app.call(insertReportSubscription, formOf(channelId), stranger.token)).toMatchObject({
      data: [{ field: 'channelId', message: '邮件渠道不存在' }],
    })
    // Without the function to export, which the sheet needs.
    expect(await app.call(insertReportSubscription, formOf(channelId), token)).toMatchObject({ status: 403 })

    const id = await subscribe(admin, formOf(channelId))
    expect((await app.call(listReportSubscriptions, { ids: [id] }, stranger.token)).total).toBe(0)
    for (const refused of [
      await app.call(updateReportSubscription, { id, ...formOf(channelId), version: 1 }, stranger.token),
      await app.call(deleteReportSubscription, { id }, stranger.token),
    ])
      expect(refused).toMatchObject({ status: 404, refusal: 'reportSubscriptionNotFound' })
    expect(await app.call(deleteNotifyChannel, { id: channelId }, admin)).toMatchObject({
      refusal: 'reportChannelInUse',
    })
    const off = { id, ...formOf(channelId), isEnabled: 0 as const, version: 1 }
    expect(await app.call(updateReportSubscription, off, admin)).toMatchObject({ code: 200 })
    expect(await shown(id)).toMatchObject({ isEnabled: 0, nextTime: null })
    expect(await app.call(updateReportSubscription, off, admin)).toMatchObject({ refusal: 'conflict' })
    expect(await app.call(deleteReportSubscription, { id }, admin)).toMatchObject({ code: 200 })
    expect(await app.call(deleteNotifyChannel, { id: channelId }, admin)).toMatchObject({ code: 200 })
  })
})
