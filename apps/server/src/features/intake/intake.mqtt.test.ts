import { readAlarm, renewDeviceSecret } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { appOfTests, createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, type TestDevice } from '../../../test/factories.ts'
import { connectDevice, connectRaw, type RawClient } from '../../../test/mqtt-client.ts'

let serial = 0

const app = await appOfTests()
const port = app.ports.mqttPort as number

const alarm = (code: string, value: number, time = Date.now()) => {
  serial += 1
  return { id: `m${serial}`, time, code, value }
}
const up = (device: TestDevice, name: string) => topicOf(device.code, 'up', name)
const refusals = (deviceCode: string) =>
  app.db
    .selectFrom('intake_refusal')
    .selectAll()
    .where('device_code', '=', deviceCode)
    .orderBy('id')
    .execute()
const episodes = (device: TestDevice) =>
  app.db
    .selectFrom('alarm_history')
    .selectAll()
    .where('device_id', '=', device.id)
    .orderBy('occurred_at')
    .orderBy('id')
    .execute()
const stateOf = (device: TestDevice) =>
  app.db.selectFrom('device_state').selectAll().where('device_id', '=', device.id).executeTakeFirstOrThrow()

async function arrivedRefusals(deviceCode: string, count: number) {
  return vi.waitFor(
    async () => {
      const rows = await refusals(deviceCode)
      expect(rows).toHaveLength(count)
      return rows
    },
    { timeout: 10_000, interval: 50 },
  )
}

describe('who may connect', () => {
  test('a registered device with its own secret', async () => {
    const device = await insertDevice(app.db)
    const { client, returnCode } = await connectRaw(port, device)
    expect(returnCode).toBe(0)
    await client.disconnect()
  })

  test('an unknown code is refused and recorded without a device', async () => {
    const { returnCode } = await connectRaw(port, { code: 'NOBODY1', secret: 'x' })
    expect(returnCode).toBe(4)
    const [row] = await arrivedRefusals('NOBODY1', 1)
    expect(row).toMatchObject({ reason: 'unknownDevice', device_id: null, address: '127.0.0.1' })
  })

  test('a wrong secret is refused, and attempts close together are one row with a count', async () => {
    const device = await insertDevice(app.db)
    for (let tries = 0; tries < 3; tries += 1) {
      const { returnCode } = await connectRaw(port, { ...device, secret: 'wrong' })
      expect(returnCode).toBe(4)
    }
    await vi.waitFor(
      async () => {
        const [row, ...others] = await refusals(device.code)
        expect(row).toMatchObject({ reason: 'wrongSecret', device_id: device.id, count: '3' })
        expect(others).toEqual([])
      },
      { timeout: 10_000, interval: 50 },
    )
  })

  test('a client id other than the code is refused with a hint', async () => {
    const device = await insertDevice(app.db)
    const { returnCode } = await connectRaw(port, device, { clientId: 'mosq-1' })
    expect(returnCode).toBe(2)
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row?.reason).toBe('wrongClientId')
    expect(row?.detail).toContain('客户端标识应为设备编号')
  })

  test('MQTT 5 is refused with the code of its version', async () => {
    const device = await insertDevice(app.db)
    const { returnCode } = await connectRaw(port, device, { protocolVersion: 5 })
    expect(returnCode).not.toBe(0)
  })

  test('a connection ends when its device gets a new secret', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const answer = await app.call(renewDeviceSecret, { id: String(device.id) }, await app.asAdmin())
    await client.closed()
    expect((await connectRaw(port, device)).returnCode).toBe(4)
    const secret = (answer.data as { secret: string }).secret
    expect((await connectRaw(port, { code: device.code, secret })).returnCode).toBe(0)
  })
})

describe('what a device may publish and subscribe to', () => {
  test('a topic of another device closes the connection', async () => {
    const device = await insertDevice(app.db)
    const other = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    expect(await client.publish(up(other, 'alarm'), alarm('A1', 1))).toBe(false)
    expect(await episodes(other)).toEqual([])
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row).toMatchObject({ reason: 'foreignTopic', topic: up(other, 'alarm') })
  })

  test('an unknown topic is acknowledged and recorded', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    expect(await client.publish(up(device, 'weather'), '{}')).toBe(true)
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row).toMatchObject({
      reason: 'unknownTopic',
      detail: `voltkeep/${device.code}/up/ 之后只能是 alarm、event、version、parameter、status、connection、reply、advertisement、upgrade 之一`,
    })
    await client.disconnect()
  })

  test('a topic below one of its own is unknown too, and does not end the connection', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    expect(await client.publish(up(device, 'alarm/x'), alarm('A1', 1))).toBe(true)
    expect(await client.publish(up(device, 'alarm'), alarm('A1', 1))).toBe(true)
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row).toMatchObject({ reason: 'unknownTopic', topic: up(device, 'alarm/x') })
    await client.disconnect()
  })

  test('a device receives only messages to itself', async () => {
    const device = await insertDevice(app.db)
    const other = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const filters = [
      `voltkeep/${device.code}/down/#`,
      `voltkeep/${device.code}/down/upgrade`,
      `voltkeep/${other.code}/down/#`,
      'voltkeep/+/down/#',
      `voltkeep/${device.code}/up/#`,
      '#',
      '$SYS/#',
    ]
    client.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: filters.map((topic) => ({ topic, qos: 1 })),
    })
    const suback = await client.next('suback')
    expect(suback?.granted).toEqual([1, 1, 128, 128, 128, 128, 128])
    const rows = await arrivedRefusals(device.code, 5)
    expect(rows.map(({ topic }) => topic)).toEqual(filters.slice(2))
    expect(rows[0]).toMatchObject({
      reason: 'badSubscription',
      device_id: device.id,
      address: '127.0.0.1',
      detail: `只能订阅 voltkeep/${device.code}/down/#`,
    })
    await client.disconnect()
  })

  test('a SUBACK tells which subscriptions were refused', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const subscriptions = Array.from({ length: 33 }, (_, n) => ({
      topic: `voltkeep/${device.code}/down/${n}`,
      qos: 1 as const,
    }))
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions })
    expect((await client.next('suback'))?.granted.slice(-2)).toEqual([1, 128])
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row).toMatchObject({ reason: 'badSubscription', detail: '最多同时订阅 32 个主题' })
    await client.disconnect()
  })
})

describe('unreadable messages', () => {
  test('are acknowledged and recorded with every problem, and do not block the next', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    expect(await client.publish(up(device, 'alarm'), '{"id":5,"code":"A1","value":-1}')).toBe(true)
    expect(await client.publish(up(device, 'alarm'), 'not json')).toBe(true)
    expect(await client.publish(up(device, 'alarm'), Buffer.alloc(65_537, 0x20))).toBe(true)
    expect(await client.publish(up(device, 'event'), { ...alarm('E1', 1), data: { a: [1] } })).toBe(true)
    expect(await client.publish(up(device, 'alarm'), alarm('A1', 4))).toBe(true)
    const rows = await arrivedRefusals(device.code, 4)
    expect(rows.map(({ reason }) => reason)).toEqual(['badPayload', 'notJson', 'tooLarge', 'badPayload'])
    expect(rows[0]?.detail).toBe('id应为文本；缺少time；value应为非负整数')
    expect(rows[1]?.detail).toBe('JSON 语法错误：第 2 个字符处')
    expect(rows[0]?.payload).toBe('{"id":5,"code":"A1","value":-1}')
    expect(await episodes(device)).toMatchObject([{ semaphore_code: 'A1', value: '4' }])
    await client.disconnect()
  })

  test('a packet beyond all limits ends the connection before it is buffered', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    // PUBLISH, QoS 1, announcing 70,000 bytes.
    client.sendBytes(Buffer.from([0x32, 0xf0, 0xa2, 0x04, 0x00]))
    await client.closed()
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row?.reason).toBe('tooLarge')
  })

  test('text that no database can store refuses only its own message, in an id or deep in the data', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const answers = await Promise.all([
      client.publish(up(device, 'event'), alarm('E1', 1)),
      client.publish(up(device, 'event'), { ...alarm('E2', 1), id: 'with\u0000zero' }),
      client.publish(up(device, 'event'), { ...alarm('E2', 1), data: { half: '\ud800' } }),
      client.publish(up(device, 'event'), alarm('E3', 1)),
    ])
    expect(answers).toEqual([true, true, true, true])
    const events = await app.db
      .selectFrom('event_history')
      .select('semaphore_code')
      .where('device_id', '=', device.id)
      .orderBy('semaphore_code')
      .execute()
    expect(events.map(({ semaphore_code }) => semaphore_code)).toEqual(['E1', 'E3'])
    const [row] = await arrivedRefusals(device.code, 1)
    expect(row).toMatchObject({ reason: 'badPayload', detail: expect.stringContaining('无效字符') })
    await client.disconnect()
  })
})

describe('an acknowledged message', () => {
  test('is stored once, however often its id is repeated and with any content', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const first = alarm('A1', 3)
    await client.publish(up(device, 'alarm'), first)
    await client.publish(up(device, 'alarm'), { ...first, value: 9, time: first.time + 1_000 })
    await Promise.all([
      client.publish(up(device, 'alarm'), { ...first, value: 0, time: first.time + 2_000 }),
      client.publish(up(device, 'alarm'), alarm('B1', 1)),
      client.publish(up(device, 'alarm'), { ...first, value: 0, time: first.time + 3_000 }),
    ])
    expect(await episodes(device)).toMatchObject([
      { semaphore_code: 'A1', value: '3', recovered_at: null },
      { semaphore_code: 'B1', value: '1' },
    ])
    await client.disconnect()
  })

  test('is acknowledged only after its commit', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const holder = await app.database.pool.connect()
    await holder.query('BEGIN; LOCK TABLE alarm_history IN ACCESS EXCLUSIVE MODE')
    const answer = client.publish(up(device, 'alarm'), alarm('A1', 1))
    await vi.waitFor(
      async () => {
        const { rows } = await app.database.pool.query(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%alarm_history%'`,
        )
        expect(rows[0].waiting).toBe(1)
      },
      { timeout: 10_000, interval: 20 },
    )
    expect(client.received).toEqual([])
    await holder.query('COMMIT')
    holder.release()
    expect(await answer).toBe(true)
    expect(await episodes(device)).toHaveLength(1)
    await client.disconnect()
  })

  test('is accepted at QoS 0 and 2 as well', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const packet = { cmd: 'publish', topic: up(device, 'alarm'), dup: false, retain: false } as const
    client.send({ ...packet, payload: JSON.stringify(alarm('Q0', 1)), qos: 0 })
    client.send({ ...packet, payload: JSON.stringify(alarm('Q2', 1)), qos: 2, messageId: 7 })
    expect((await client.next('pubrec'))?.messageId).toBe(7)
    client.send({ cmd: 'pubrel', messageId: 7 })
    expect((await client.next('pubcomp'))?.messageId).toBe(7)
    await vi.waitFor(async () => expect(await episodes(device)).toHaveLength(2), { timeout: 10_000 })
    await client.disconnect()
  })
})

describe('alarms', () => {
  async function report(client: RawClient, device: TestDevice, code: string, value: number, time: number) {
    expect(await client.publish(up(device, 'alarm'), alarm(code, value, time))).toBe(true)
  }

  test('one episode is one row: raised, changed, recovered by the device', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const start = Date.now() - 60_000
    await report(client, device, 'A1', 2, start)
    await report(client, device, 'A1', 6, start + 1_000)
    await report(client, device, 'A1', 0, start + 2_000)
    expect(await episodes(device)).toMatchObject([
      {
        first_value: '2',
        value: '6',
        occurred_at: new Date(start),
        recovered_at: new Date(start + 2_000),
        recovery_method: 1,
      },
    ])
    await client.disconnect()
  })

  test('an alarm reported after its recovery is stored as it would have been in order', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const start = Date.now() - 60_000
    await report(client, device, 'A1', 0, start + 10_000)
    await report(client, device, 'A1', 4, start)
    await report(client, device, 'A1', 6, start + 1_000)
    await report(client, device, 'A1', 0, start + 2_000)
    expect(await episodes(device)).toMatchObject([
      {
        first_value: '4',
        value: '6',
        occurred_at: new Date(start),
        recovered_at: new Date(start + 2_000),
        recovery_method: 1,
      },
    ])
    await client.disconnect()
  })

  test('a late report does not rewind the state and is readable in the history', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const start = Date.now() - 60_000
    await report(client, device, 'A1', 2, start)
    await report(client, device, 'A1', 5, start + 10_000)
    await report(client, device, 'A1', 0, start + 5_000)
    const [episode] = await episodes(device)
    expect(episode).toMatchObject({ value: '5', recovered_at: null, late_reports: [[start + 5_000, 0]] })
    const { data } = await app.call(readAlarm, { id: String(episode?.id) }, await app.asAdmin())
    expect(data).toMatchObject({ status: 1, lateReports: [{ value: 0 }] })
    await client.disconnect()
  })

  test('an alarm that had ended before its report is a row of its own, and not active', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const start = Date.now() - 60_000
    await report(client, device, 'A1', 0, start + 10_000)
    await report(client, device, 'A1', 3, start)
    expect(await episodes(device)).toMatchObject([
      { occurred_at: new Date(start), recovered_at: new Date(start + 10_000), recovery_method: null },
    ])
    await report(client, device, 'A1', 0, start + 4_000)
    expect(await episodes(device)).toMatchObject([
      { recovered_at: new Date(start + 4_000), recovery_method: 1 },
    ])
    await client.disconnect()
  })

  test('an impossible time is replaced by the time of receipt, and the clock’s offset is shown', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    // By the database's clock, which a process knows to a part of a second.
    const before = Date.now() - 1_000
    await report(client, device, 'A1', 3, before + 3_601_000)
    const [episode] = await episodes(device)
    expect(episode?.occurred_at.getTime()).toBeGreaterThanOrEqual(before)
    expect(episode?.occurred_at.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
    const offset = Number((await stateOf(device)).clock_offset_ms)
    expect(Math.abs(offset - 3_600_000)).toBeLessThan(60_000)
    await report(client, device, 'OLD', 3, Date.UTC(2010, 1, 1))
    expect((await episodes(device))[1]?.occurred_at.getTime()).toBeGreaterThanOrEqual(before)
    await client.disconnect()
  })
})

describe('other reports of a device', () => {
  test('a backlog does not make its clock look slow', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const hourMs = 3_600_000
    await client.publish(up(device, 'event'), alarm('E1', 1, Date.now() - 3 * hourMs))
    await client.publish(up(device, 'event'), alarm('E1', 1, Date.now() - 2 * hourMs))
    await client.publish(up(device, 'event'), alarm('E1', 1))
    expect(await stateOf(device)).toMatchObject({ last_report_at: expect.any(Date), clock_offset_ms: null })
    await client.disconnect()
  })

  test('versions, parameters and status follow the newest report', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const now = Date.now()
    const head = (time: number) => ({ id: `s${++serial}`, time })
    await client.publish(up(device, 'version'), {
      ...head(now),
      versions: [
        { partType: 'BMS', version: '2.0', hwVersion: '2', pcbCode: 'SLB-BMS-01' },
        { partType: 'MPPT', version: '1.1' },
      ],
    })
    await client.publish(up(device, 'version'), {
      ...head(now - 5_000),
      versions: [{ partType: 'BMS', version: '1.0', pcbCode: 'SLB-BMS-02' }],
    })
    await client.publish(up(device, 'parameter'), {
      ...head(now),
      parameters: [{ id: '02121005', value: 95 }],
    })
    await client.publish(up(device, 'status'), { ...head(now), status: { soc: 80, door: 'closed' } })
    const versions = await app.db.selectFrom('device_version').selectAll().execute()
    expect(versions.filter(({ device_id }) => device_id === device.id)).toMatchObject([
      { part_type: 'BMS', addr_id: '0', version: '2.0', hw_version: '2', pcb_code: 'SLB-BMS-01' },
      { part_type: 'MPPT', addr_id: '0', version: '1.1', hw_version: null, pcb_code: null },
    ])
    const parameters = await app.db.selectFrom('device_parameter').selectAll().execute()
    expect(parameters.filter(({ device_id }) => device_id === device.id)).toMatchObject([
      { parameter_id: '02121005', value: '95' },
    ])
    expect((await stateOf(device)).status).toEqual({ soc: 80, door: 'closed' })
    await client.disconnect()
  })

  test('reports of a clock that was set back count, and a late message rewinds nothing', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const say = async (time: number, text: string) => {
      const head = () => ({ id: `s${++serial}`, time })
      await client.publish(up(device, 'version'), {
        ...head(),
        versions: [{ partType: 'BMS', version: text }],
      })
      await client.publish(up(device, 'parameter'), {
        ...head(),
        parameters: [{ id: '02121005', value: text }],
      })
      await client.publish(up(device, 'status'), { ...head(), status: { text } })
    }
    const stands = async () => {
      const { rows } = await sql`
        SELECT v.version, p.value, s.status ->> 'text' AS status FROM device_version v
        JOIN device_parameter p USING (device_id) JOIN device_state s USING (device_id)
        WHERE device_id = ${device.id}`.execute(app.db)
      return rows
    }
    const all = (text: string) => [{ version: text, value: text, status: text }]
    const minuteMs = 60_000
    await say(Date.now() + 4 * minuteMs, 'ahead')
    await say(Date.now() + 2 * minuteMs, 'late')
    expect(await stands()).toEqual(all('ahead'))
    await say(Date.now(), 'right')
    await say(Date.now() - 5_000, 'late')
    expect(await stands()).toEqual(all('right'))
    // A restart that sets the clock back by an hour. A device that is connected reports that first, and not by an old
    // message.
    await client.publish(up(device, 'connection'), {
      id: `s${++serial}`,
      time: Date.now() - 60 * minuteMs,
      isOnline: true,
    })
    await say(Date.now() - 90 * minuteMs, 'late')
    expect(await stands()).toEqual(all('right'))
    await say(Date.now() - 60 * minuteMs, 'slow')
    expect(await stands()).toEqual(all('slow'))
    await client.disconnect()
  })

  test('a report that another process took a moment before is not of a clock that was set back', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    const say = (time: number, text: string) =>
      client.publish(up(device, 'status'), { id: `s${++serial}`, time, status: { text } })
    const now = Date.now()
    await say(now - 5_000, 'first')
    const takenElsewhere = sql`UPDATE device_state SET status = '{"text":"newest"}', status_at = ${new Date(now)}
      WHERE device_id = ${device.id}`
    await takenElsewhere.execute(app.db)
    // As this process knows the device, with each message five seconds late, the newest is of the future.
    await say(now - 4_900, 'late')
    expect((await stateOf(device)).status).toEqual({ text: 'newest' })
    await client.disconnect()
  })

  test('a device is online from its connection to its DISCONNECT', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    await vi.waitFor(async () => expect((await stateOf(device)).is_online).toBe(true), { timeout: 10_000 })
    await client.disconnect()
    await vi.waitFor(async () => expect((await stateOf(device)).is_online).toBe(false), { timeout: 10_000 })
  })

  test('a takeover or a quick reconnect is no absence', async () => {
    const device = await insertDevice(app.db)
    const first = await connectDevice(port, device)
    await vi.waitFor(async () => expect((await stateOf(device)).is_online).toBe(true), { timeout: 10_000 })
    const { online_changed_at } = await stateOf(device)
    const second = await connectDevice(port, device)
    await first.closed()
    second.breakOff()
    const third = await connectDevice(port, device)
    // The same lane writes this after the reports of the connections.
    expect(await third.publish(up(device, 'alarm'), alarm('A1', 1))).toBe(true)
    expect(await stateOf(device)).toMatchObject({ is_online: true, online_changed_at })
    await third.disconnect()
  })

  test('a lost connection is an absence after a while', async () => {
    const device = await insertDevice(app.db)
    const client = await connectDevice(port, device)
    await vi.waitFor(async () => expect((await stateOf(device)).is_online).toBe(true), { timeout: 10_000 })
    client.breakOff()
    await vi.waitFor(async () => expect((await stateOf(device)).is_online).toBe(false), { timeout: 20_000 })
  })
})

describe('after a lost notice', () => {
  let other: TestApp
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    other = await createTestApp()
  })
  afterAll(async () => {
    await other.close()
    vi.useRealTimers()
  })

  test('connections of a deleted device or with an old secret still end within a minute', async () => {
    const { db, ports } = other
    const [stays, gone, renewed] = await Promise.all([insertDevice(db), insertDevice(db), insertDevice(db)])
    const clients = await Promise.all(
      [stays, gone, renewed].map((device) =>
        connectDevice(ports.mqttPort as number, device, { keepalive: 120 }),
      ),
    )
    // Waits until the presence is written: otherwise the deletion below and the write would block each other.
    const ids = [stays, gone, renewed].map(({ id }) => id)
    const online = () =>
      db
        .selectFrom('device_state')
        .select('device_id')
        .where('device_id', 'in', ids)
        .where('is_online', '=', true)
        .execute()
    await vi.waitFor(async () => expect(await online()).toHaveLength(3), { timeout: 20_000 })
    // Directly in the database, without notices.
    await db.deleteFrom('device').where('id', '=', gone.id).execute()
    await db
      .updateTable('device')
      .set({ secret_hash: Buffer.alloc(32) })
      .where('id', '=', renewed.id)
      .execute()
    vi.advanceTimersByTime(60_000)
    await Promise.all(clients.slice(1).map((client) => client.closed()))
    expect(await clients[0]?.publish(up(stays, 'alarm'), alarm('A1', 1))).toBe(true)
    await clients[0]?.disconnect()
  })
})
