import {
  type LiveEvent,
  listBatchLog,
  previewRestoration,
  restoreParameterBatch,
  retryParameterBatch,
  stopParameterBatch,
} from '@voltkeep/contract'
import { downFilterOf, topicOf } from '@voltkeep/contract/topics/index'
import type { SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  batchBecomes,
  batchOf,
  deviceOf,
  devicesBecome,
  devicesOf,
  entitysOf,
  type Fleet,
  hurry,
  insertFleet,
  lampCode,
  logOf,
  lookNow,
  overTemperature,
  soc,
  startBatch,
  type Values,
} from '../../../test/batches.ts'
import type { TestDevice } from '../../../test/factories.ts'
import { connectDevice } from '../../../test/mqtt-client.ts'

let app: TestApp
let token: string
const running: VirtualDevice[] = []

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})
afterAll(() => app.close())

interface Played {
  values?: Values
  troubles?: readonly (SettingTroubleName | undefined)[]
  lateMs?: number
}

async function switchOn(identity: TestDevice, { values, troubles, lateMs }: Played = {}) {
  const device = deviceOf(app, identity, {
    ...(values && { values }),
    ...(troubles && { troubles }),
    ...(lateMs !== undefined && { settings: { lateMs } }),
  })
  running.push(device)
  device.start()
  await device.whenOnline()
  return device
}

/** A connected device with its own operator. */
async function single(played: Played = {}): Promise<{ fleet: Fleet; code: string; device: VirtualDevice }> {
  const fleet = await insertFleet(app.db, 1)
  const [identity] = fleet.devices as [TestDevice]
  return { fleet, code: identity.code, device: await switchOn(identity, played) }
}

const states = (id: string, wanted: Record<string, string>) => devicesBecome(app, token, id, wanted)
const log = (id: string) => logOf(app, token, id)

describe('a batch', () => {
  // proves: screen 3; call POST /equip/param/batchSet/insert; call POST /equip/param/set/log/{id}
  test('succeeds when the devices report the new values', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [one, other] = fleet.devices as [TestDevice, TestDevice]
    const first = await switchOn(one)
    const id = await startBatch(app, token, fleet, { [soc]: 88, [overTemperature]: '65' })
    // The other device is offline: it gets the values when it connects, without having used an attempt.
    await states(id, { [one.code]: 'succeeded', [other.code]: 'waiting' })
    expect(first.parameters.get(soc)).toBe(88)
    expect(await batchOf(app, token, id)).toMatchObject({
      state: 'running',
      counts: { total: 2, succeeded: 1, waiting: 1, sent: 0 },
      finishTime: null,
    })
    await lookNow(app.db)
    const second = await switchOn(other)
    await batchBecomes(app, token, id, { state: 'finished', counts: { total: 2, succeeded: 2 } })
    expect(second.parameters.get(overTemperature)).toBe(65)
    const rows = await devicesOf(app, token, id)
    expect(rows[0]).toMatchObject({
      code: one.code,
      attempts: 0,
      reason: null,
      values: [
        { id: soc, name: '仓位满电SOC', value: '88', former: '95', current: '88' },
        { id: overTemperature, name: '过温点', value: '65', former: '60', current: '65' },
      ],
      verifiedTime: expect.any(String),
    })
    expect(rows[1]).toMatchObject({ code: other.code, attempts: 0 })
    const { data } = await app.call(listBatchLog, { id, code: one.code }, token)
    expect(data).toMatchObject([
      {
        code: one.code,
        attempt: 1,
        result: 'succeeded',
        reason: null,
        values: [
          { id: soc, name: '仓位满电SOC', value: '88' },
          { id: overTemperature, name: '过温点', value: '65' },
        ],
        sendTime: expect.any(String),
        answerTime: expect.any(String),
        endTime: expect.any(String),
      },
    ])
  })

  test('sends its progress to open pages', async () => {
    const { fleet } = await single()
    const gone = new AbortController()
    const response = await fetch(`${app.url}/api/stream`, {
      headers: { authorization: `Bearer ${token}` },
      signal: gone.signal,
    })
    let told = ''
    const reading = (async () => {
      for await (const chunk of response.body as ReadableStream<Uint8Array>)
        told += Buffer.from(chunk).toString()
    })().catch(() => undefined)
    await expect.poll(() => told).toContain('"ready"')
    const id = await startBatch(app, token, fleet, { [soc]: 81 })
    await batchBecomes(app, token, id, { state: 'finished' })
    const [row] = await devicesOf(app, token, id)
    const named = (noun: string) =>
      told
        .split('\n\n')
        .filter((part) => part.startsWith('data: '))
        .map((part) => JSON.parse(part.slice(6)) as LiveEvent)
        .flatMap((event) => (event.type === 'changed' && event.noun === noun ? event.changed : []))
    await expect.poll(() => named('parameterBatch')).toContain(id)
    await expect.poll(() => named('batchDevice')).toContain(row?.id)
    gone.abort()
    await reading
  })

  test('does not trust an answer without a report, and retries the device', async () => {
    const { fleet, code, device } = await single({ troubles: ['never-applies', 'applies-some', undefined] })
    const id = await startBatch(app, token, fleet, { [soc]: 80, [overTemperature]: 70 })
    await states(id, { [code]: 'confirming' })
    await hurry(app.db)
    await expect.poll(() => log(id)).toHaveLength(2)
    await states(id, { [code]: 'confirming' })
    await expect.poll(() => device.parameters.get(soc)).toBe(80)
    expect(device.parameters.get(overTemperature)).toBe(60)
    // The device tells the other value once more.
    await sql`
      INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
      SELECT id, ${overTemperature}, '60', clock_timestamp() FROM device WHERE code = ${code}
      ON CONFLICT (device_id, parameter_id) DO UPDATE SET value = '60', reported_at = clock_timestamp()`.execute(
      app.db,
    )
    await hurry(app.db)
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1 } })
    expect(await log(id)).toEqual([
      [code, 1, 'unconfirmed', '设备未上报新参数值'],
      [code, 2, 'unconfirmed', '过温点：设备报告 60℃，应为 70℃'],
      [code, 3, 'succeeded', null],
    ])
    expect((await devicesOf(app, token, id))[0]).toMatchObject({ attempts: 2 })
  })

  test('fails on a device that used all its attempts, and a retry gives it all of them again', async () => {
    const { fleet, code } = await single({ troubles: ['fails', 'never-applies', undefined] })
    const id = await startBatch(app, token, fleet, { [soc]: 80 }, { upgradeCount: 2 })
    await expect.poll(() => log(id)).toEqual([[code, 1, 'failed', '参数写入失败']])
    expect((await devicesOf(app, token, id))[0]).toMatchObject({
      state: 'waiting',
      reason: '参数写入失败',
      nextTime: expect.any(String),
    })
    await hurry(app.db)
    await states(id, { [code]: 'confirming' })
    await hurry(app.db)
    await batchBecomes(app, token, id, {
      state: 'finished',
      counts: { failed: 1 },
      reasons: [{ state: 'failed', reason: '设备未上报新参数值', count: 1 }],
    })
    expect(await app.call(retryParameterBatch, { id }, token)).toMatchObject({ data: { count: 1 } })
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1, failed: 0 } })
    expect((await log(id)).map(([, attempt, result]) => [attempt, result])).toEqual([
      [1, 'failed'],
      [2, 'unconfirmed'],
      [3, 'succeeded'],
    ])
  })

  test('does not retry a device that refuses', async () => {
    const { fleet, code } = await single({ troubles: ['refuses'] })
    const id = await startBatch(app, token, fleet, { [soc]: 80 })
    await batchBecomes(app, token, id, { state: 'finished', counts: { refused: 1 } })
    expect(await log(id)).toEqual([[code, 1, 'refused', '设备已锁定，不能修改参数']])
    expect((await devicesOf(app, token, id))[0]).toMatchObject({ reason: '设备已锁定，不能修改参数' })
  })

  test('is refused by a device that does not know the parameter', async () => {
    const { fleet } = await single()
    const id = await startBatch(app, token, fleet, { [lampCode]: '1111111' })
    await batchBecomes(app, token, id, {
      state: 'finished',
      reasons: [{ state: 'refused', reason: '不支持的参数：02121010', count: 1 }],
    })
  })

  test('times out for a silent device, and retries it', async () => {
    const { fleet, code } = await single({ troubles: ['silent', undefined] })
    const id = await startBatch(app, token, fleet, { [soc]: 80 })
    await states(id, { [code]: 'sent' })
    await expect
      .poll(async () => {
        await lookNow(app.db)
        return (await log(id)).map(([, attempt, result]) => [attempt, result])
      })
      .toEqual([
        [1, 'unanswered'],
        [2, 'succeeded'],
      ])
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1 } })
  })

  test('waits for a device that applies the values late', async () => {
    const { fleet, code } = await single({ troubles: ['applies-late'], lateMs: 300 })
    const id = await startBatch(app, token, fleet, { [soc]: 80 })
    await states(id, { [code]: 'confirming' })
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1 } })
    expect(await log(id)).toEqual([[code, 1, 'succeeded', null]])
  })

  test('finds the values even if the report was not notified', async () => {
    const { fleet, device, code } = await single({ troubles: ['never-applies'] })
    const id = await startBatch(app, token, fleet, { [soc]: 80 })
    await states(id, { [code]: 'confirming' })
    // Simulates a lost notice: the value is stored, and no report follows.
    await sql`UPDATE device_parameter SET value = '80' WHERE device_id = ${fleet.devices[0]?.id} AND parameter_id = ${soc}`.execute(
      app.db,
    )
    expect(device.isOnline).toBe(true)
    await lookNow(app.db)
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 1 } })
  })
})

describe('a device that lies', () => {
  /** A device of this fleet that sends exactly what the test says. */
  async function liar({ code, secret }: TestDevice) {
    const client = await connectDevice(app.ports.mqttPort as number, { code, secret })
    client.send({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: [{ topic: downFilterOf(code), qos: 1 }],
    })
    await client.next('suback')
    let serial = 0
    const say = (name: string, payload: object, { at = Date.now() } = {}) => {
      serial += 1
      return client.publish(topicOf(code, 'up', name), { id: `lie-${serial}`, time: at, ...payload })
    }
    return { client, say }
  }
  const parameters = (values: Values) => ({ parameters: entitysOf(values) })

  test('is judged only by its last report, and only for itself', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [honest, other] = fleet.devices as [TestDevice, TestDevice]
    const one = await liar(honest)
    const two = await liar(other)
    const id = await startBatch(app, token, fleet, { [soc]: 80 })
    const orderOf = async ({ client }: Awaited<ReturnType<typeof liar>>) =>
      JSON.parse(String((await client.next('publish'))?.payload)) as { id: string }
    const [mine, theirs] = [await orderOf(one), await orderOf(two)]

    // A reply for another device's command is refused, and that command stays open.
    await two.say('reply', { commandId: mine.id, outcome: 'refused', reason: '谎言' })
    await states(id, { [honest.code]: 'sent', [other.code]: 'sent' })

    // Repeated replies without a report; then an unrelated parameter; then the right value with a time an hour ago,
    // which is too old.
    await one.say('parameter', parameters({ [soc]: 95 }))
    for (let n = 0; n < 3; n += 1) await one.say('reply', { commandId: mine.id, outcome: 'done' })
    await one.say('parameter', parameters({ [overTemperature]: 80 }))
    await one.say('parameter', parameters({ [soc]: 80 }), { at: Date.now() - 3_600_000 })
    await states(id, { [honest.code]: 'confirming', [other.code]: 'sent' })

    // A report of a clock that is years ahead, later corrected by one of the right clock: the last report counts.
    await two.say('reply', { commandId: theirs.id, outcome: 'done' })
    await two.say('parameter', parameters({ [soc]: 95 }), { at: Date.now() + 400 * 86_400_000 })
    await states(id, { [honest.code]: 'confirming', [other.code]: 'confirming' })
    // A check fails devices that have not answered: both have.
    await lookNow(app.db)
    await states(id, { [honest.code]: 'confirming', [other.code]: 'confirming' })
    await two.say('parameter', parameters({ [soc]: 80 }))
    await one.say('parameter', parameters({ [soc]: 80 }))
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 2 } })

    // Later messages change no result.
    await one.say('reply', { commandId: mine.id, outcome: 'failed', reason: '反悔' })
    await one.say('parameter', parameters({ [soc]: 12 }))
    await lookNow(app.db)
    expect(await batchOf(app, token, id)).toMatchObject({ state: 'finished', counts: { succeeded: 2 } })
    expect([...(await log(id))].sort()).toEqual(
      [
        [honest.code, 1, 'succeeded', null],
        [other.code, 1, 'succeeded', null],
      ].sort(),
    )
    one.client.breakOff()
    two.client.breakOff()
  })
})

describe('a stop', () => {
  test('withdraws unsent commands; a device that has its command continues', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [one, away] = fleet.devices as [TestDevice, TestDevice]
    const device = await switchOn(one, { troubles: ['never-applies'] })
    const id = await startBatch(app, token, fleet, { [soc]: 80 })
    await states(id, { [one.code]: 'confirming', [away.code]: 'waiting' })
    expect(await app.call(stopParameterBatch, { id }, token)).toMatchObject({ data: { count: 1 } })
    await batchBecomes(app, token, id, { state: 'stopping', counts: { confirming: 1, stopped: 1 } })
    expect(await app.call(retryParameterBatch, { id }, token)).toMatchObject({
      status: 409,
      message: '批次正在停止，请稍后重试',
    })
    // It is not retried.
    await hurry(app.db)
    await batchBecomes(app, token, id, { state: 'stopped', counts: { failed: 1, stopped: 1 } })
    expect(device.parameters.get(soc)).toBe(95)
    const back = await switchOn(away)
    // Any withdrawn command would have come before this one.
    const next = await startBatch(app, token, fleet, { [overTemperature]: 61 })
    await batchBecomes(app, token, next, { state: 'finished', counts: { succeeded: 2 } })
    expect(back.parameters.get(soc)).toBe(95)
    expect((await log(id)).map(([code, , result]) => [code, result])).toEqual(
      expect.arrayContaining([
        [one.code, 'unconfirmed'],
        [away.code, 'stopped'],
      ]),
    )
  })
})

describe('a restoration', () => {
  test('restores each device’s former values, and can itself be undone', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [one, other] = fleet.devices as [TestDevice, TestDevice]
    const first = await switchOn(one, { values: { [soc]: 91, [lampCode]: '0000001' } })
    const second = await switchOn(other, { values: { [soc]: 97, [lampCode]: '2222222' } })
    await expect
      .poll(async () => {
        const { rows } = await sql<{ value: string }>`SELECT value FROM device_parameter
          WHERE parameter_id = ${lampCode} AND device_id = ANY(${fleet.devices.map(({ id }) => id)}::int[])`.execute(
          app.db,
        )
        return rows.map(({ value }) => value).sort()
      })
      .toEqual(['0000001', '2222222'])
    const id = await startBatch(app, token, fleet, { [soc]: 85, [lampCode]: '5555555' })
    await batchBecomes(app, token, id, { state: 'finished', counts: { succeeded: 2 } })
    expect([first.parameters.get(lampCode), second.parameters.get(lampCode)]).toEqual(['5555555', '5555555'])

    const preview = await app.call(previewRestoration, { id }, token)
    expect(preview.data).toMatchObject({ chosen: 2, devices: 2, offline: 0, skipped: [] })
    const { data: restored } = await app.call(restoreParameterBatch, { id }, token)
    await batchBecomes(app, token, restored.id, { state: 'finished', counts: { succeeded: 2 } })
    expect([first.parameters.get(soc), second.parameters.get(soc)]).toEqual([91, 97])
    expect([first.parameters.get(lampCode), second.parameters.get(lampCode)]).toEqual(['0000001', '2222222'])

    // The first batch has been undone: there is nothing left to restore.
    expect(await app.call(restoreParameterBatch, { id }, token)).toMatchObject({
      status: 409,
      refusal: 'parameterBatchNothingToRestore',
    })
    const { data: again } = await app.call(restoreParameterBatch, { id: restored.id }, token)
    await batchBecomes(app, token, again.id, { state: 'finished', counts: { succeeded: 2 } })
    expect([first.parameters.get(soc), second.parameters.get(soc)]).toEqual([85, 85])
  })
})
