// A device of another maker at an external broker: what it sends becomes reports by its mapping, and it gets commands in
// its own words.

import { setTimeout as delay } from 'node:timers/promises'
import {
  activateMapping,
  actOnDevice,
  deleteMapping,
  insertMapping,
  listRemoteActions,
  updateMapping,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertDevice, insertModel, type TestDevice } from '../../../test/factories.ts'
import { foreignAnswer, foreignCommands } from '../../../test/foreign-words.ts'
import { type Mosquitto, skipsMosquitto, startMosquitto } from '../../../test/mosquitto.ts'
import { connectDevice, type RawClient } from '../../../test/mqtt-client.ts'
import { createCommands } from '../../platform/devices/commands/commands.ts'
import { createLog } from '../../platform/process/log.ts'
import { createSilence, silentMs } from './silence.ts'

const commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })

const acl = [
  'user voltkeep',
  'topic read acme/+/up',
  'topic read acme/+/ack',
  'topic read other/+/up',
  'topic write acme/+/down',
  'topic write acme/all',
  '',
  'pattern write acme/%u/up',
  'pattern write acme/%u/ack',
  'pattern write other/%u/up',
  'pattern read acme/%u/down',
  'pattern read acme/all',
].join('\n')

const acme = {
  topic: 'acme/{code}/up',
  format: 'json' as const,
  time: { path: '/ts', timeUnit: 's' as const },
  rules: [
    {
      when: 'msg.cmd == "alarm"',
      target: 'alarm' as const,
      fields: { code: { const: '01110002' }, value: { path: '/on', table: { true: 5, false: 0 } } },
    },
    {
      when: 'msg.cmd == "state"',
      target: 'reading' as const,
      fields: { 柜内温度: { path: '/temp', scale: 0.1 } },
    },
    foreignAnswer,
  ],
  commands: foreignCommands,
}

describe.skipIf(skipsMosquitto)('a device of another maker at an external broker', () => {
  let mosquitto: Mosquitto
  let app: TestApp
  let admin: string
  const users: { code: string; secret: string }[] = []

  beforeAll(async () => {
    mosquitto = await startMosquitto({ moreAcl: acl })
    app = await createTestApp({ MQTT_URL: mosquitto.url })
    admin = await app.asAdmin()
    await vi.waitFor(async () => expect((await app.request('/api/ready')).status).toBe(200), {
      timeout: 20_000,
    })
  })
  afterAll(async () => {
    await app?.close()
    mosquitto?.stop()
  })

  let count = 0
  async function foreignDevice(more: { commands?: typeof acme.commands } = {}) {
    const modelId = await insertModel(app.db)
    count += 1
    const form = { ...acme, ...more, name: `外厂${count}`, modelIds: [String(modelId)] }
    const { data } = await app.call(insertMapping, form, admin)
    await app.call(activateMapping, { id: data.id }, admin)
    const device = await insertDevice(app.db, { modelId })
    const sn = `SN-${count}-0001`
    await sql`UPDATE device SET protocol_identity = ${sn} WHERE id = ${device.id}`.execute(app.db)
    users.push({ code: sn, secret: device.secret })
    mosquitto.setUsers(users)
    const client = await vi.waitFor(
      () => connectDevice(mosquitto.port, { code: sn, secret: device.secret }),
      {
        timeout: 20_000,
        interval: 200,
      },
    )
    onTestFinished(() => client.disconnect())
    return { ...device, sn, client, mappingId: data.id, form }
  }
  const send = (client: RawClient, topic: string, message: object) =>
    client.publish(topic, { ts: Math.floor(Date.now() / 1_000), ...message })
  const stateOf = ({ id }: TestDevice) =>
    app.db.selectFrom('device_state').selectAll().where('device_id', '=', id).executeTakeFirstOrThrow()
  const openAlarms = ({ id }: TestDevice) =>
    app.db
      .selectFrom('alarm_state')
      .select('semaphore_code')
      .where('device_id', '=', id)
      .where('is_active', '=', true)
      .execute()
  /** Sends until it is there: the subscription to the maker's topics follows the mapping. */
  const isHeard = ({ client, sn, ...device }: Awaited<ReturnType<typeof foreignDevice>>) =>
    vi.waitFor(
      async () => {
        await send(client, `acme/${sn}/up`, { cmd: 'state', temp: 235 })
        expect(await stateOf(device)).toMatchObject({ is_online: true, status: { 柜内温度: 23.5 } })
      },
      { timeout: 20_000, interval: 300 },
    )
  async function subscribed(client: RawClient, topic: string): Promise<void> {
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] })
    expect((await client.next('suback'))?.granted[0]).toBe(1)
  }

  test('is online from its first message, and its readings and alarms are those of any device', async () => {
    const device = await foreignDevice()
    await isHeard(device)
    await send(device.client, `acme/${device.sn}/up`, { cmd: 'alarm', on: true })
    await expect.poll(() => openAlarms(device)).toEqual([{ semaphore_code: '01110002' }])
    await send(device.client, `acme/${device.sn}/up`, { cmd: 'alarm', on: false })
    await expect.poll(() => openAlarms(device)).toEqual([])
    // What has no rule is acknowledged, and counted with its reason.
    await send(device.client, `acme/${device.sn}/up`, { cmd: 'nonsense' })
    const refusals = () =>
      app.db.selectFrom('intake_refusal').select('reason').where('device_code', '=', device.code).execute()
    await expect.poll(refusals).toEqual([{ reason: 'unmapped' }])
  })

  test('gets a command in its own words, and its answer finds it', async () => {
    const device = await foreignDevice()
    const { client, sn } = device
    await subscribed(client, `acme/${sn}/down`)
    await isHeard(device)
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
    await send(client, `acme/${sn}/ack`, { seq: command.seq, rc: 0 })
    const stateOfAction = async (commandId: unknown) =>
      (await app.call(listRemoteActions, { commandId: commandId as string }, admin)).data[0]?.state
    await expect.poll(() => stateOfAction(data.commandId)).toBe('acknowledged')

    const restart = await app.call(
      actOnDevice,
      { id: String(device.id), action: 'restart', reason: '升级' },
      admin,
    )
    const reboot = await client.next('publish')
    expect(JSON.parse(String(reboot?.payload))).toEqual({ cmd: 'reboot' })
    // It answers nothing: that the broker has it counts.
    await expect.poll(() => stateOfAction(restart.data.commandId)).toBe('acknowledged')
    expect(
      await app.call(actOnDevice, { id: String(device.id), action: 'stopCharging', reason: '过热' }, admin),
    ).toMatchObject({ status: 409, refusal: 'protocolLacks' })
  })

  test('is told nothing on a topic that names no device, which others read too', async () => {
    const told = await foreignDevice({
      commands: acme.commands.map((one) => ({ ...one, topic: 'acme/all' })),
    })
    const other = await foreignDevice()
    await subscribed(other.client, 'acme/all')
    await subscribed(other.client, `acme/${other.sn}/down`)
    await isHeard(told)
    await isHeard(other)
    const restart = ({ id }: TestDevice) =>
      app.call(actOnDevice, { id: String(id), action: 'restart', reason: '升级' }, admin)
    expect(await restart(told)).toMatchObject({ status: 409, refusal: 'protocolLacks' })
    // Nor what is not asked about before, as a command of a batch.
    const [commandId] = await app.db.transaction().execute((trx) =>
      commands.send(trx, [
        {
          deviceId: told.id,
          deviceCode: told.code,
          topic: 'action',
          body: { action: 'restart', reason: '升级' },
          deadline: new Date(Date.now() + 60_000),
        },
      ]),
    )
    const command = () =>
      app.db
        .selectFrom('device_command')
        .selectAll()
        .where('id', '=', commandId as string)
        .executeTakeFirst()
    await expect
      .poll(command, { timeout: 20_000 })
      .toMatchObject({ result: 'refused', reason: expect.stringContaining('没有 {code}') })
    expect((await restart(other)).code).toBe(200)
    expect(await other.client.next('publish')).toMatchObject({ topic: `acme/${other.sn}/down` })
  })

  test('is heard on the topics of a newer version of its mapping, without a new connection', async () => {
    const device = await foreignDevice()
    await isHeard(device)
    const { data: mapping } = await app.call(
      updateMapping,
      { ...device.form, topic: 'other/{code}/up', id: device.mappingId, version: 2 } as never,
      admin,
    )
    expect(mapping).not.toBeUndefined()
    await app.call(activateMapping, { id: device.mappingId }, admin)
    await vi.waitFor(
      async () => {
        await send(device.client, `other/${device.sn}/up`, { cmd: 'state', temp: 301 })
        expect(await stateOf(device)).toMatchObject({ status: { 柜内温度: 30.1 } })
      },
      { timeout: 20_000, interval: 300 },
    )
  })

  test('is not spoken for by one that calls itself as a level of its topics', async () => {
    const device = await foreignDevice()
    await isHeard(device)
    const modelId = await insertModel(app.db)
    const form = { ...acme, topic: '{code}/{channel}/up', name: '别家', modelIds: [String(modelId)] }
    const { data } = await app.call(insertMapping, { ...form, rules: acme.rules.slice(0, 2) }, admin)
    const refused = { status: 409, refusal: 'mappingTopicsUnclear' }
    const answer = await app.call(activateMapping, { id: data.id }, admin)
    expect(answer).toMatchObject(refused)
    expect(answer.message).toMatch(
      /主题 \{code\}\/\{channel\}\/up 与已启用的报文映射 外厂\d+ 的主题 acme\/\{code\}\/up 重叠/,
    )
    const off = { ...form, rules: acme.rules.slice(0, 2), id: data.id, isEnabled: false }
    expect((await app.call(updateMapping, off as never, admin)).code).toBe(200)
    expect((await app.call(activateMapping, { id: data.id }, admin)).code).toBe(200)
    expect(await app.call(updateMapping, { ...off, isEnabled: true } as never, admin)).toMatchObject(refused)

    // Of an installation where both were on before.
    await sql`UPDATE mapping SET is_enabled = true WHERE id = ${Number(data.id)}`.execute(app.db)
    const impostor = await insertDevice(app.db, { modelId })
    await sql`UPDATE device SET protocol_identity = 'acme' WHERE id = ${impostor.id}`.execute(app.db)
    // That the mappings are read anew.
    await app.call(updateMapping, { ...device.form, id: device.mappingId } as never, admin)
    const refusals = () =>
      app.db
        .selectFrom('intake_refusal')
        .select(['reason', 'device_id', 'detail', 'count'])
        .where('topic', '=', `acme/${device.sn}/up`)
        .executeTakeFirst()
    const detail = '主题按启用的报文映射可属于两台设备'
    await vi.waitFor(
      async () => {
        await send(device.client, `acme/${device.sn}/up`, { cmd: 'state', temp: 100 })
        expect(await refusals()).toMatchObject({ reason: 'unmapped', device_id: null, detail })
      },
      { timeout: 20_000, interval: 300 },
    )
    await send(device.client, `acme/${device.sn}/up`, { cmd: 'alarm', on: true })
    await delay(1_000)
    expect([await openAlarms(device), await openAlarms(impostor)]).toEqual([[], []])
    expect(await stateOf(impostor)).toMatchObject({ is_online: false })
    await app.call(deleteMapping, { id: data.id }, admin)
    await isHeard(device)
  })

  test('is offline when it has been silent for long, and not because nobody could hear it', async () => {
    const device = await foreignDevice()
    await isHeard(device)
    const ended: number[] = []
    let nowMs = Date.now()
    const silence = createSilence({
      db: app.db,
      log: createLog({ level: 'silent' }),
      presence: { connected() {}, disconnected: (id) => void ended.push(id) },
      now: () => nowMs,
      gone() {},
    })
    onTestFinished(() => silence.close())
    await sql`
      UPDATE device_state SET last_report_at = now() - interval '20 minutes', online_changed_at = now() - interval '1 hour'
      WHERE device_id = ${device.id}`.execute(app.db)
    await silence.look()
    silence.begin()
    await silence.look()
    expect(ended).toEqual([])
    nowMs += silentMs
    await sql`UPDATE device_state SET last_report_at = now() - interval '20 minutes' WHERE device_id = ${device.id}`.execute(
      app.db,
    )
    await silence.look()
    expect(ended).toContain(device.id)
  })
})
