import { downFilterOf, topicOf } from '@voltkeep/contract/topics/index'
import { sql } from 'kysely'
import type { IPublishPacket } from 'mqtt-packet'
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import { insertDevice, type TestDevice } from '../../../../test/factories.ts'
import { connectDevice, type RawClient } from '../../../../test/mqtt-client.ts'
import { statementsOf } from '../../database/statements.ts'
import { wake } from '../../database/work/lease-queue.ts'
import { createLog } from '../../process/log.ts'
import { commandTable } from './commands.queries.ts'
import { type Commands, createCommands } from './commands.ts'

/** The commands of another process with only the role api. */
const commands: Commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })

const app = await appOfTests()
const port = app.ports.mqttPort as number

const farMs = 600_000
let serial = 0

async function withdraw(
  device: TestDevice,
  { inMs = farMs, maxAttempts = 3, intervalMs = 60_000 } = {},
): Promise<string> {
  serial += 1
  const [id] = await app.db.transaction().execute((trx) =>
    commands.send(trx, [
      {
        deviceId: device.id,
        deviceCode: device.code,
        topic: 'withdraw',
        body: { advertisementId: `ad-${serial}` },
        deadline: new Date(Date.now() + inMs),
        rule: { maxAttempts, intervalMs },
      },
    ]),
  )
  return id as string
}

async function listen(device: TestDevice, more?: Parameters<typeof connectDevice>[2], qos: 0 | 1 = 1) {
  const client = await connectDevice(port, device, more)
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [{ topic: downFilterOf(device.code), qos }],
  })
  await client.next('suback')
  return client
}

const acknowledge = (client: RawClient, { messageId }: IPublishPacket) =>
  client.send({ cmd: 'puback', messageId })
const payloadOf = (packet: IPublishPacket | null) => JSON.parse(String(packet?.payload)) as { id: string }

const reply = (client: RawClient, device: TestDevice, commandId: string, more: object = {}) => {
  serial += 1
  const payload = { id: `r-${serial}`, time: Date.now(), commandId, outcome: 'done', ...more }
  return client.publish(topicOf(device.code, 'up', 'reply'), payload)
}

const rowOf = (id: string) =>
  app.db.selectFrom('device_command').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const becomes = (id: string, wanted: object) =>
  expect.poll(() => rowOf(id), { timeout: 30_000, interval: 20 }).toMatchObject(wanted)
const reachDeadline = (id: string) =>
  app.db.transaction().execute(async (trx) => {
    const now = sql<Date>`now()`
    await trx
      .updateTable('device_command')
      .set({ deadline: now, next_at: now })
      .where('id', '=', id)
      .execute()
    await statementsOf(trx).query(wake(commandTable, 0))
  })
const refusalsOf = async ({ code }: TestDevice) => {
  const rows = await app.db
    .selectFrom('intake_refusal')
    .select(['reason', 'count'])
    .where('device_code', '=', code)
    .execute()
  return rows.map(({ reason, count }) => [reason, Number(count)])
}

describe('a command to a connected device', () => {
  test('is sent with its header, acknowledged and answered', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const id = await withdraw(device)
    const packet = await client.next('publish')
    expect(packet).toMatchObject({ topic: topicOf(device.code, 'down', 'withdraw'), qos: 1, retain: false })
    const { deadline, created_at } = await rowOf(id)
    expect(payloadOf(packet)).toEqual({
      id,
      time: created_at.getTime(),
      deadline: deadline.getTime(),
      advertisementId: `ad-${serial}`,
    })
    acknowledge(client, packet as IPublishPacket)
    await becomes(id, { state: 'delivered', attempts: 1 })
    expect(await reply(client, device, id)).toBe(true)
    const row = await rowOf(id)
    expect(row).toMatchObject({ state: 'finished', result: 'answered', outcome: 'done', next_at: null })
    expect(row.finished_at).not.toBeNull()
    await client.disconnect()
  })

  test('that the device refuses or fails ends with its reason', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const refused = await withdraw(device)
    const failed = await withdraw(device)
    await reply(client, device, refused, { outcome: 'refused', reason: '不支持' })
    await reply(client, device, failed, { outcome: 'failed', reason: '存储空间不足' })
    expect(await rowOf(refused)).toMatchObject({ result: 'refused', reason: '不支持' })
    expect(await rowOf(failed)).toMatchObject({
      result: 'answered',
      outcome: 'failed',
      reason: '存储空间不足',
    })
    await client.disconnect()
  })

  test('several arrive in the order of creation', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const ids: string[] = []
    await app.db.transaction().execute(async (trx) => {
      for (let n = 0; n < 40; n += 1) {
        ids.push(
          ...(await commands.send(trx, [
            {
              deviceId: device.id,
              deviceCode: device.code,
              topic: 'withdraw',
              body: { advertisementId: String(n) },
              deadline: new Date(Date.now() + farMs),
            },
          ])),
        )
      }
    })
    const got: string[] = []
    while (got.length < ids.length) {
      const packet = (await client.next('publish')) as IPublishPacket
      got.push(payloadOf(packet).id)
      acknowledge(client, packet)
    }
    expect(got).toEqual(ids)
    await client.disconnect()
  })

  test('is sent again at its interval with the same id, up to the number of attempts, and then expires', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const id = await withdraw(device, { maxAttempts: 3, intervalMs: 300 })
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const packet = (await client.next('publish')) as IPublishPacket
      expect(payloadOf(packet).id).toBe(id)
      acknowledge(client, packet)
    }
    // From now on only the deadline can end it, on a machine of any speed.
    const { deadline } = await rowOf(id)
    await becomes(id, { attempts: 3, next_at: deadline })
    await reachDeadline(id)
    await becomes(id, { state: 'finished', result: 'expired', attempts: 3 })
    expect(client.received.filter(({ cmd }) => cmd === 'publish')).toEqual([])
    await client.disconnect()
  })

  test('waits while the device has not subscribed to its topic, even if it has to another', async () => {
    const device = await insertDevice(app.db)
    const id = await withdraw(device)
    const client = await connectDevice(port, device)
    const subscribe = async (name: string, messageId: number) => {
      client.send({
        cmd: 'subscribe',
        messageId,
        subscriptions: [{ topic: topicOf(device.code, 'down', name), qos: 1 }],
      })
      await client.next('suback')
    }
    await subscribe('advertise', 1)
    // The connection handles packets in order, so this is answered after the subscription took effect.
    await client.publish(topicOf(device.code, 'up', 'status'), { id: 's', time: Date.now(), status: {} })
    expect(await rowOf(id)).toMatchObject({ state: 'waiting', attempts: 0 })
    await subscribe('withdraw', 2)
    expect(payloadOf(await client.next('publish')).id).toBe(id)
    await client.disconnect()
  })

  test('is sent with QoS 0 to a device that subscribed so, and the reply ends it', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device, {}, 0)
    const id = await withdraw(device)
    expect(await client.next('publish')).toMatchObject({ qos: 0 })
    await reply(client, device, id)
    expect(await rowOf(id)).toMatchObject({ result: 'answered' })
    await client.disconnect()
  })

  test('reaches a resumed session without a new SUBSCRIBE', async () => {
    const device = await insertDevice(app.db)
    const first = await listen(device, { clean: false })
    await first.disconnect()
    const id = await withdraw(device)
    const second = await connectDevice(port, device, { clean: false })
    expect(payloadOf(await second.next('publish')).id).toBe(id)
    await second.disconnect()
  })
})

describe('an offline device', () => {
  test('gets the command when it returns, without having used an attempt', async () => {
    const device = await insertDevice(app.db)
    const id = await withdraw(device)
    expect(await rowOf(id)).toMatchObject({ state: 'waiting', attempts: 0 })
    const client = await listen(device)
    const packet = (await client.next('publish')) as IPublishPacket
    expect(payloadOf(packet).id).toBe(id)
    await reply(client, device, id)
    expect(await rowOf(id)).toMatchObject({ result: 'answered', attempts: 1 })
    await client.disconnect()
  })

  test('gets a command that was lost with its connection over the next one, without having used an attempt', async () => {
    const device = await insertDevice(app.db)
    const first = await listen(device)
    const id = await withdraw(device)
    await first.next('publish')
    first.breakOff()
    const second = await listen(device)
    expect(payloadOf(await second.next('publish')).id).toBe(id)
    expect(await rowOf(id)).toMatchObject({ state: 'sent', attempts: 1 })
    await second.disconnect()
  })

  test('gets nothing after the deadline', async () => {
    const device = await insertDevice(app.db)
    const id = await withdraw(device, { inMs: 200 })
    await becomes(id, { state: 'finished', result: 'expired', attempts: 0 })
    const client = await listen(device)
    await client.publish(topicOf(device.code, 'up', 'status'), { id: 's', time: Date.now(), status: {} })
    expect(client.received.filter(({ cmd }) => cmd === 'publish')).toEqual([])
    await client.disconnect()
  })
})

describe('answers', () => {
  test('that are repeated, or contradict the first, change nothing', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const id = await withdraw(device)
    await reply(client, device, id)
    const first = await rowOf(id)
    await reply(client, device, id)
    await reply(client, device, id, { outcome: 'failed', reason: '又失败了' })
    expect(await rowOf(id)).toEqual(first)
    await client.disconnect()
  })

  test('that are late are stored beside the result', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const id = await withdraw(device, { inMs: 200 })
    await becomes(id, { result: 'expired' })
    await reply(client, device, id, { outcome: 'failed', reason: '太慢' })
    expect(await rowOf(id)).toMatchObject({
      result: 'expired',
      outcome: null,
      late_outcome: 'failed',
      late_reason: '太慢',
    })
    expect(app.logged.join('')).toContain(id)
    await client.disconnect()
  })

  test("to another device's command, or to an unknown one, are refused, counted and acknowledged", async () => {
    const [device, liar] = [await insertDevice(app.db), await insertDevice(app.db)]
    const client = await listen(liar)
    const id = await withdraw(device)
    expect(await reply(client, liar, id)).toBe(true)
    expect(await reply(client, liar, '01900000-0000-7000-8000-000000000000')).toBe(true)
    expect(await reply(client, liar, 'not an id of ours')).toBe(true)
    expect(await rowOf(id)).toMatchObject({ state: 'waiting', result: null })
    await expect.poll(() => refusalsOf(liar), { timeout: 20_000 }).toEqual([['unknownCommand', 3]])
    await client.disconnect()
  })

  test('in one message with others count once each, however often the message is repeated', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const ids = [await withdraw(device), await withdraw(device)]
    const payloads = ids.map((commandId, n) => ({
      id: `same-${n}`,
      time: Date.now(),
      commandId,
      outcome: 'done',
    }))
    const topic = topicOf(device.code, 'up', 'reply')
    await Promise.all([...payloads, ...payloads].map((payload) => client.publish(topic, payload)))
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ result: 'answered' })
    expect(await refusalsOf(device)).toEqual([])
    await client.disconnect()
  })
})

describe('commands that end without an answer', () => {
  test('are cancelled by their feature, and a later answer is late', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const [answered, open] = [await withdraw(device), await withdraw(device)]
    await reply(client, device, answered)
    const cancelled = await app.db.transaction().execute((trx) => commands.cancel(trx, [answered, open]))
    expect(cancelled).toEqual([open])
    expect(await rowOf(answered)).toMatchObject({ result: 'answered' })
    expect(await rowOf(open)).toMatchObject({ result: 'cancelled', next_at: null })
    await reply(client, device, open)
    expect(await rowOf(open)).toMatchObject({ result: 'cancelled', late_outcome: 'done' })
    await client.disconnect()
  })

  test('are deleted with their device', async () => {
    const device = await insertDevice(app.db)
    const id = await withdraw(device)
    await app.db.deleteFrom('device').where('id', '=', device.id).execute()
    expect(await app.db.selectFrom('device_command').select('id').where('id', '=', id).execute()).toEqual([])
  })

  test('are never sent if their transaction was rolled back', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    const failed = app.db.transaction().execute(async (trx) => {
      await commands.send(trx, [
        {
          deviceId: device.id,
          deviceCode: device.code,
          topic: 'withdraw',
          body: { advertisementId: 'rolled-back' },
          deadline: new Date(Date.now() + farMs),
        },
      ])
      throw new Error('the feature changed its mind')
    })
    await expect(failed).rejects.toThrow('changed its mind')
    const id = await withdraw(device)
    expect(payloadOf(await client.next('publish')).id).toBe(id)
    await client.disconnect()
  })

  test('are refused as a whole if one body does not match its topic', async () => {
    const device = await insertDevice(app.db)
    const sent = app.db.transaction().execute((trx) =>
      commands.send(trx, [
        {
          deviceId: device.id,
          deviceCode: device.code,
          topic: 'withdraw',
          body: { advertisementId: '' },
          deadline: new Date(Date.now() + farMs),
        },
      ]),
    )
    await expect(sent).rejects.toThrow(TypeError)
  })
})

describe('a device that never acknowledges', () => {
  test('is sent only a few at a time, and the rest once it acknowledges', async () => {
    const device = await insertDevice(app.db)
    const client = await listen(device)
    for (let n = 0; n < 40; n += 1) await withdraw(device)
    const publishes = () => client.received.filter(({ cmd }) => cmd === 'publish') as IPublishPacket[]
    await expect.poll(() => publishes().length, { timeout: 20_000 }).toBe(16)
    // A further command is considered and not sent.
    const last = await withdraw(device)
    await client.publish(topicOf(device.code, 'up', 'status'), { id: 's', time: Date.now(), status: {} })
    expect(publishes()).toHaveLength(16)
    expect(await rowOf(last)).toMatchObject({ state: 'waiting', attempts: 0 })
    let acknowledgedCount = 0
    while (acknowledgedCount < 41) {
      acknowledge(client, (await client.next('publish')) as IPublishPacket)
      acknowledgedCount += 1
    }
    await becomes(last, { state: 'delivered' })
    await client.disconnect()
  })
})
