// A device of another maker, which knows nothing of our protocol: from its connection to what is shown of it, and to the
// commands that it gets.
import {
  activateMapping,
  actOnDevice,
  insertMapping,
  listMappedMessages,
  listRemoteActions,
  updateMapping,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { describe, expect, test, vi } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertDevice, insertModel, type TestDevice } from '../../../test/factories.ts'
import { foreignAnswer, foreignCommands } from '../../../test/foreign-words.ts'
import { connectDevice, connectRaw, type RawClient } from '../../../test/mqtt-client.ts'
import { createCommands } from '../../platform/devices/commands/commands.ts'
import { createLog } from '../../platform/process/log.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const port = app.ports.mqttPort as number
const commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })

const acme = {
  topic: 'acme/{code}/up',
  format: 'json' as const,
  time: { path: '/ts', timeUnit: 's' as const },
  rules: [
    {
      when: 'msg.cmd == "alarm"',
      target: 'alarm' as const,
      each: '/list',
      fields: {
        code: { item: '/no', table: { 17: '01110002' } },
        value: { item: '/on', table: { true: 5, false: 0 } },
      },
    },
    {
      when: 'msg.cmd == "state"',
      target: 'reading' as const,
      fields: { 柜内温度: { path: '/temp', scale: 0.1 } },
    },
    {
      when: 'msg.cmd == "state"',
      target: 'compartment' as const,
      each: '/slots',
      fields: { no: { index: true as const, offset: 1 }, isDoorOpen: { item: '/open' } },
    },
    {
      when: 'msg.cmd == "hello"',
      target: 'version' as const,
      fields: { partType: { const: 'PART_TYPE_EC_MASTER' }, version: { path: '/fw' } },
    },
    foreignAnswer,
  ],
  commands: foreignCommands,
}

let count = 0
async function foreignDevice(document: object = acme, { isActive = true } = {}) {
  const modelId = await insertModel(app.db)
  count += 1
  const form = { ...acme, ...document, name: `外厂${count}`, modelIds: [String(modelId)] }
  const { data } = await app.call(insertMapping, form, admin)
  if (isActive) await app.call(activateMapping, { id: data.id }, admin)
  const device = await insertDevice(app.db, { modelId })
  const protocolIdentity = `SN-${count}-0001`
  await app.db
    .updateTable('device')
    .set({ protocol_identity: protocolIdentity })
    .where('id', '=', device.id)
    .execute()
  return { ...device, protocolIdentity, mappingId: data.id, form }
}
/** By the serial number as client id, and a user name that all devices of the maker have. */
const join = ({ secret, protocolIdentity }: { secret: string; protocolIdentity: string }) =>
  connectDevice(port, { code: protocolIdentity, secret }, { username: 'acme' })
const send = (client: RawClient, sn: string, message: object, leaf = 'up') =>
  client.publish(`acme/${sn}/${leaf}`, { ts: Math.floor(Date.now() / 1_000), ...message })
const refusalsOf = (device: TestDevice) =>
  app.db
    .selectFrom('intake_refusal')
    .selectAll()
    .where('device_code', '=', device.code)
    .orderBy('id')
    .execute()
const stateOf = (device: TestDevice) =>
  app.db.selectFrom('device_state').selectAll().where('device_id', '=', device.id).executeTakeFirstOrThrow()

async function subscribed(client: RawClient, topic: string): Promise<number> {
  client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] })
  const suback = await client.next('suback')
  return suback?.granted[0] as number
}

describe('a device of another maker', () => {
  test('joins by its own names, and its alarms, readings, compartments and version are those of any device', async () => {
    const device = await foreignDevice()
    const client = await join(device)
    await expect.poll(async () => (await stateOf(device)).is_online).toBe(true)
    const sn = device.protocolIdentity
    expect(await send(client, sn, { cmd: 'hello', fw: '3.2' })).toBe(true)
    expect(
      await send(client, sn, { cmd: 'state', temp: 235, slots: [{ open: false }, { open: true }] }),
    ).toBe(true)
    expect(await send(client, sn, { cmd: 'alarm', list: [{ no: 17, on: true }] })).toBe(true)
    // By its PUBACK it is in the database.
    const alarms = () =>
      app.db.selectFrom('alarm_history').selectAll().where('device_id', '=', device.id).execute()
    expect(await alarms()).toMatchObject([{ semaphore_code: '01110002', recovered_at: null }])
    expect(await stateOf(device)).toMatchObject({
      status: { 柜内温度: 23.5 },
      compartments: [
        { no: 1, isDoorOpen: false },
        { no: 2, isDoorOpen: true },
      ],
    })
    expect(
      await app.db.selectFrom('device_version').selectAll().where('device_id', '=', device.id).execute(),
    ).toMatchObject([{ part_type: 'PART_TYPE_EC_MASTER', version: '3.2' }])
    expect(await send(client, sn, { cmd: 'alarm', list: [{ no: 17, on: false }] })).toBe(true)
    expect(await alarms()).toMatchObject([{ recovered_at: expect.any(Date) }])
    await client.disconnect()
    await expect.poll(async () => (await stateOf(device)).is_online).toBe(false)
  })

  test('obeys a command in its own words, and is seen to have obeyed', async () => {
    const device = await foreignDevice()
    const client = await join(device)
    const sn = device.protocolIdentity
    expect(await subscribed(client, `acme/${sn}/down`)).toBe(1)
    await send(client, sn, { cmd: 'state', temp: 200, slots: [{ open: false }, { open: false }] })
    await expect.poll(async () => (await stateOf(device)).is_online).toBe(true)
    const { data } = await app.call(
      actOnDevice,
      { id: String(device.id), action: 'openDoor', compartment: 2, reason: '取出电池' },
      admin,
    )
    const told = await client.next('publish')
    expect(told).toMatchObject({ topic: `acme/${sn}/down`, qos: 1 })
    const command = JSON.parse(String(told?.payload))
    expect(command).toEqual({ cmd: 'open', slot: 1, seq: expect.any(Number) })
    client.send({ cmd: 'puback', messageId: told?.messageId as number })
    expect(await send(client, sn, { seq: command.seq, rc: 0 }, 'ack')).toBe(true)
    const row = async () =>
      (await app.call(listRemoteActions, { commandId: data.commandId as string }, admin)).data[0]
    expect(await row()).toMatchObject({ state: 'acknowledged' })
    await vi.waitFor(
      async () => {
        await send(client, sn, {
          cmd: 'state',
          temp: 200,
          slots: [{ open: false }, { open: true }],
          ts: Math.ceil(Date.now() / 1_000),
        })
        expect(await row()).toMatchObject({ state: 'confirmed' })
      },
      { timeout: 10_000, interval: 300 },
    )
    await client.disconnect()
  })

  test('that answers nothing has done what it has received', async () => {
    const device = await foreignDevice()
    const client = await join(device)
    await subscribed(client, `acme/${device.protocolIdentity}/down`)
    await expect.poll(async () => (await stateOf(device)).is_online).toBe(true)
    const { data } = await app.call(
      actOnDevice,
      { id: String(device.id), action: 'restart', reason: '升级' },
      admin,
    )
    const told = await client.next('publish')
    client.send({ cmd: 'puback', messageId: told?.messageId as number })
    await expect
      .poll(
        async () =>
          (await app.call(listRemoteActions, { commandId: data.commandId as string }, admin)).data[0]?.state,
      )
      .toBe('acknowledged')
    await client.disconnect()
  })

  test('is not asked for what its protocol lacks, and a command of a batch is refused at once with the reason', async () => {
    const device = await foreignDevice()
    const client = await join(device)
    await subscribed(client, `acme/${device.protocolIdentity}/down`)
    await expect.poll(async () => (await stateOf(device)).is_online).toBe(true)
    expect(
      await app.call(actOnDevice, { id: String(device.id), action: 'stopCharging', reason: '过热' }, admin),
    ).toMatchObject({ code: 409, refusal: 'protocolLacks', message: '该设备的协议不支持停止充电' })
    const [commandId] = await app.db.transaction().execute((trx) =>
      commands.send(trx, [
        {
          deviceId: device.id,
          deviceCode: device.code,
          topic: 'withdraw',
          body: { advertisementId: '1' },
          deadline: new Date(Date.now() + 60_000),
        },
      ]),
    )
    await expect
      .poll(() =>
        app.db
          .selectFrom('device_command')
          .selectAll()
          .where('id', '=', commandId as string)
          .executeTakeFirst(),
      )
      .toMatchObject({ state: 'finished', result: 'refused', reason: '该设备的协议不支持此操作' })
    await client.disconnect()
  })
})

describe('what a mapping does not have', () => {
  test('is acknowledged, counted with its reason and kept for a trial; what it has next counts', async () => {
    const device = await foreignDevice()
    const client = await join(device)
    const sn = device.protocolIdentity
    expect(await send(client, sn, { cmd: 'mystery' })).toBe(true)
    expect(await send(client, sn, { x: 1 }, 'elsewhere')).toBe(true)
    expect(
      await send(client, sn, {
        cmd: 'alarm',
        list: [
          { no: 17, on: true },
          { no: 99, on: true },
        ],
      }),
    ).toBe(true)
    await expect
      .poll(() => refusalsOf(device), { timeout: 10_000 })
      .toMatchObject([
        { reason: 'unmapped', detail: '没有规则适用' },
        { reason: 'unmapped', detail: '没有规则用于该主题' },
        { reason: 'unmapped', detail: '第 1 条规则：code 对照表中没有“99”' },
      ])
    expect(
      await app.db
        .selectFrom('alarm_state')
        .select('semaphore_code')
        .where('device_id', '=', device.id)
        .execute(),
    ).toEqual([{ semaphore_code: '01110002' }])
    await expect
      .poll(async () => (await app.call(listMappedMessages, { mappingId: device.mappingId }, admin)).data)
      .toMatchObject([
        { outcome: 'unmapped', topic: `acme/${sn}/elsewhere`, detail: '没有规则用于该主题' },
        { outcome: 'unmapped', payload: expect.stringContaining('mystery') },
      ])
    await client.disconnect()
  })

  test('is all of it while no version is on; from the next message on it counts', async () => {
    const device = await foreignDevice(acme, { isActive: false })
    const client = await join(device)
    const sn = device.protocolIdentity
    expect(await send(client, sn, { cmd: 'hello', fw: '1' })).toBe(true)
    await expect
      .poll(() => refusalsOf(device), { timeout: 10_000 })
      .toMatchObject([{ reason: 'unmapped', detail: '型号的报文映射没有启用的版本' }])
    await app.call(activateMapping, { id: device.mappingId }, admin)
    const versions = () =>
      app.db.selectFrom('device_version').select('version').where('device_id', '=', device.id).execute()
    await vi.waitFor(
      async () => {
        expect(await send(client, sn, { cmd: 'hello', fw: '2' })).toBe(true)
        expect(await versions()).toEqual([{ version: '2' }])
      },
      { timeout: 10_000 },
    )
    const { form, mappingId } = device
    await app.call(updateMapping, { ...form, id: mappingId, isEnabled: false }, admin)
    await vi.waitFor(
      async () => {
        await send(client, sn, { cmd: 'off' })
        expect(
          (await refusalsOf(device)).some(
            ({ count: times, detail }) => Number(times) > 1 && detail?.includes('没有启用'),
          ),
        ).toBe(true)
      },
      { timeout: 10_000, interval: 300 },
    )
    await client.disconnect()
  })
})

describe('who a device is', () => {
  test('it may speak under its own identity alone: else its connection ends', async () => {
    const [device, other] = [await foreignDevice(), await foreignDevice()]
    const client = await join(device)
    expect(await send(client, other.protocolIdentity, { cmd: 'hello', fw: '1' })).toBe(false)
    await client.closed()
    await expect
      .poll(() => refusalsOf(device), { timeout: 10_000 })
      .toMatchObject([{ reason: 'foreignTopic', detail: '主题中的标识不是该设备' }])
    const again = await join(device)
    expect(
      await again.publish(`voltkeep/${other.code}/up/event`, { id: '1', time: Date.now(), code: 'E' }),
    ).toBe(false)
    await again.closed()
  })

  test('it may subscribe to its own topics alone', async () => {
    const [device, other] = [await foreignDevice(), await foreignDevice()]
    const client = await join(device)
    for (const topic of [
      `acme/${other.protocolIdentity}/down`,
      '#',
      'acme/+/down',
      `voltkeep/${other.code}/down/#`,
    ]) {
      expect(await subscribed(client, topic)).toBe(128)
    }
    expect(await subscribed(client, `acme/${device.protocolIdentity}/#`)).toBe(1)
    await client.disconnect()
  })

  test('a wrong secret is refused, and a client id ends nobody else’s connection', async () => {
    const device = await foreignDevice()
    const { returnCode } = await connectRaw(
      port,
      { code: device.protocolIdentity, secret: 'wrong' },
      { username: 'acme' },
    )
    expect(returnCode).toBe(4)
    const ours = await insertDevice(app.db)
    const honest = await connectDevice(port, ours)
    const sly = await connectDevice(
      port,
      { code: device.code, secret: device.secret },
      { clientId: ours.code },
    )
    expect(
      await honest.publish(`voltkeep/${ours.code}/up/event`, { id: '1', time: Date.now(), code: '02110001' }),
    ).toBe(true)
    await sly.disconnect()
    await honest.disconnect()
  })

  test('the user name that a maker’s devices have in common may be a device’s, and keeps none of them out', async () => {
    const [device, sly] = [await foreignDevice(), await insertDevice(app.db)]
    const shared = `maker${count}`
    const asMakers = (secret: string) =>
      connectRaw(port, { code: device.protocolIdentity, secret }, { username: shared })
    await sql`UPDATE device SET protocol_identity = ${shared} WHERE id = ${sly.id}`.execute(app.db)
    const { returnCode, client } = await asMakers(device.secret)
    expect(returnCode).toBe(0)
    await expect.poll(async () => (await stateOf(device)).is_online, { timeout: 10_000 }).toBe(true)
    await client.disconnect()
    // Nor is a secret guessed more often by it.
    for (let n = 0; n < 10; n += 1) expect((await asMakers(`guess${n}`)).returnCode).toBe(4)
    expect((await asMakers(device.secret)).returnCode).toBe(3)
    expect(
      (await connectRaw(port, { ...device, code: device.code }, { username: device.code })).returnCode,
    ).toBe(3)
    expect(await refusalsOf(sly)).toEqual([])
  })

  test('a device of ours still needs its code as client id', async () => {
    const device = await insertDevice(app.db)
    expect((await connectRaw(port, device, { clientId: 'other' })).returnCode).toBe(2)
  })
})
