import { listDevices, renewDeviceSecret } from '@voltkeep/contract'
import { topicOf } from '@voltkeep/contract/topics/index'
import { generate, type Packet } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { eventually } from '../../../test/eventually.ts'
import { insertDevice, type TestDevice } from '../../../test/factories.ts'
import { keptBytes } from '../../../test/memory.ts'
import { connectDevice, connectRaw, connectSilently, type RawClient } from '../../../test/mqtt-client.ts'

let serial = 0

const app = await appOfTests({
  DEVICE_MAX_OPEN_ALARMS: '5',
  DEVICE_MAX_UNKNOWN_CODES: '8',
  DEVICE_MESSAGE_BURST: '700',
  // A machine that reads a flood more slowly than this never reaches the limit.
  DEVICE_MESSAGES_PER_SECOND: '20',
})
const port = app.ports.mqttPort as number

const up = (device: TestDevice, name: string) => topicOf(device.code, 'up', name)
const message = (code: string, value: number) => {
  serial += 1
  return { id: `m${serial}`, time: Date.now(), code, value }
}
const flood = (client: RawClient, device: TestDevice, count: number, payload: () => string) => {
  const topic = up(device, 'event')
  const packets = Array.from({ length: count }, () =>
    generate({ cmd: 'publish', topic, payload: payload(), qos: 0, dup: false, retain: false }),
  )
  client.sendBytes(Buffer.concat(packets))
}
const reasonsOf = async (device: TestDevice) =>
  (
    await app.db
      .selectFrom('intake_refusal')
      .select('reason')
      .where('device_code', '=', device.code)
      .orderBy('id')
      .execute()
  ).map(({ reason }) => reason)
async function shownOf(device: TestDevice) {
  const { data } = await app.call(listDevices, { code: [device.code] }, await app.asAdmin())
  // The list is searched by a part of the code, and EC1 is a part of EC10.
  return data?.find(({ code }) => code === device.code)
}
const openCodes = async (device: TestDevice) =>
  (
    await app.db
      .selectFrom('alarm_state')
      .select('semaphore_code')
      .where('device_id', '=', device.id)
      .where('is_active', '=', true)
      .orderBy('semaphore_code')
      .execute()
  ).map((row) => row.semaphore_code)

test('a device that floods with unreadable messages is disconnected, blocked for a while and shown as throttled', async () => {
  const rogue = await insertDevice(app.db)
  const other = await insertDevice(app.db)
  const honest = await connectDevice(port, other)
  const client = await connectDevice(port, rogue)
  flood(client, rogue, 600, () => 'not json')
  await client.closed()
  expect((await connectRaw(port, rogue)).returnCode).toBe(3)
  await eventually(async () => expect(await reasonsOf(rogue)).toEqual(['notJson', 'throttled']))
  await eventually(async () =>
    expect(await shownOf(rogue)).toMatchObject({
      throttleReason: 'refusals',
      throttledSince: expect.any(String),
    }),
  )
  expect(await honest.publish(up(other, 'event'), message('E1', 1))).toBe(true)
  expect(await shownOf(other)).toMatchObject({ throttleReason: null, throttledSince: null })
  await honest.disconnect()
})

test('a device that sends too fast is read at its rate limit, without losses', async () => {
  const rogue = await insertDevice(app.db)
  const client = await connectDevice(port, rogue)
  flood(client, rogue, 800, () => JSON.stringify(message('E1', 1)))
  await eventually(async () => expect(await shownOf(rogue)).toMatchObject({ throttleReason: 'messages' }))
  expect(await client.publish(up(rogue, 'event'), message('E2', 1))).toBe(true)
  const { count } = await app.db
    .selectFrom('event_history')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('device_id', '=', rogue.id)
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(801)
  await client.disconnect()
})

test('active alarms beyond the limit of a device are refused; the existing ones continue and recover', async () => {
  const device = await insertDevice(app.db)
  const client = await connectDevice(port, device)
  const report = (code: string, value: number) => client.publish(up(device, 'alarm'), message(code, value))
  for (const code of ['A1', 'A2', 'A3', 'A4', 'A5', 'A6']) expect(await report(code, 1)).toBe(true)
  expect(await openCodes(device)).toEqual(['A1', 'A2', 'A3', 'A4', 'A5'])
  await eventually(async () => expect(await reasonsOf(device)).toEqual(['tooManyAlarms']))
  await eventually(async () => expect(await shownOf(device)).toMatchObject({ throttleReason: 'alarms' }))
  expect(await report('A1', 3)).toBe(true)
  expect(await report('A1', 0)).toBe(true)
  expect(await report('A6', 1)).toBe(true)
  expect(await openCodes(device)).toEqual(['A2', 'A3', 'A4', 'A5', 'A6'])
  await client.disconnect()
})

test('undefined codes are refused beyond the limit of a device, defined ones are not', async () => {
  const device = await insertDevice(app.db)
  const client = await connectDevice(port, device)
  for (let n = 1; n <= 9; n += 1) {
    expect(await client.publish(up(device, 'event'), message(`X${n}`, 1))).toBe(true)
  }
  const { code } = await app.db
    .selectFrom('dictionary_entry')
    .select('code')
    .where('type', '=', 'EVENT')
    .executeTakeFirstOrThrow()
  expect(await client.publish(up(device, 'event'), message(code, 1))).toBe(true)
  const events = await app.db
    .selectFrom('event_history')
    .select('semaphore_code')
    .where('device_id', '=', device.id)
    .execute()
  expect(events.map((row) => row.semaphore_code).toSorted()).toEqual(
    ['X1', 'X2', 'X3', 'X4', 'X5', 'X6', 'X7', 'X8', code].toSorted(),
  )
  await eventually(async () => expect(await reasonsOf(device)).toEqual(['tooManyCodes']))
  await client.disconnect()
})

test('a renewed secret takes effect as soon as the call is answered', async () => {
  const device = await insertDevice(app.db)
  await (await connectDevice(port, device)).disconnect()
  const answer = await app.call(renewDeviceSecret, { id: String(device.id) }, await app.asAdmin())
  const { secret } = answer.data as { secret: string }
  const [old, renewed] = await Promise.all([
    connectRaw(port, device),
    connectRaw(port, { code: device.code, secret }),
  ])
  expect([old.returnCode, renewed.returnCode]).toEqual([4, 0])
})

test('a client that guesses a secret is refused unchecked, and the device connects from its own address', async () => {
  const device = await insertDevice(app.db)
  for (let n = 0; n < 10; n += 1) {
    expect((await connectRaw(port, { ...device, secret: `guess${n}` })).returnCode).toBe(4)
  }
  expect((await connectRaw(port, { ...device, secret: 'guess' })).returnCode).toBe(3)
  expect((await connectRaw(port, device, {}, '127.0.0.2')).returnCode).toBe(0)
  await eventually(async () => expect(await reasonsOf(device)).toEqual(['wrongSecret', 'tooManySignIns']))
})

test('who guesses is answered alike whether there is a device by that name or not', async () => {
  const answersFor = async (code: string) => {
    const guess = (n: number) => connectRaw(port, { code, secret: `guess${n}` }, {}, '127.0.0.3')
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => guess(n)))
    return [...answers, await guess(10)].map(({ returnCode }) => returnCode)
  }
  const alike = [...Array(10).fill(4), 3]
  expect(await answersFor((await insertDevice(app.db)).code)).toEqual(alike)
  expect(await answersFor('NOBODY9')).toEqual(alike)
})

test('of guesses sent at the same moment ten are checked, whatever else is looked up meanwhile', async () => {
  const { code } = await insertDevice(app.db)
  const guess = (n: number) =>
    connectRaw(port, { code, secret: `guess${n}` }, { clientId: `CLIENT${n}` }, '127.0.0.4')
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => guess(n)))
  expect(answers.map(({ returnCode }) => returnCode).sort()).toEqual([
    ...Array(20).fill(3),
    ...Array(10).fill(4),
  ])
})

test('bytes that are not quite MQTT do no harm', async () => {
  const devices = await Promise.all(Array.from({ length: 5 }, () => insertDevice(app.db)))
  const random = seeded(20_261_122)
  const honest = await connectDevice(port, devices[0] as TestDevice)
  const before = keptBytes()
  for (let round = 0; round < 300; round += 1) {
    const device = devices[1 + (round % 4)] as TestDevice
    const client = await connectSilently(port)
    const bytes = Buffer.concat(packetsOf(device).map((packet) => generate(packet)))
    const changes = 1 + Math.floor(random() * 4)
    for (let n = 0; n < changes; n += 1)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    client.sendBytes(random() < 0.3 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes)
    if (random() < 0.5) client.breakOff()
    else setImmediate(() => client.breakOff())
  }
  expect(await honest.publish(up(devices[0] as TestDevice, 'event'), message('E1', 1))).toBe(true)
  await eventually(() => expect(keptBytes() - before).toBeLessThan(16_000_000))
  expect(app.logged.filter((line) => line.includes('"level":"error"') || line.includes('ERROR'))).toEqual([])
  await honest.disconnect()
})

function packetsOf({ code, secret }: TestDevice): Packet[] {
  const topic = topicOf(code, 'up', 'event')
  return [
    {
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: false,
      keepalive: 30,
      clientId: code,
      username: code,
      password: Buffer.from(secret),
      will: {
        topic: topicOf(code, 'up', 'connection'),
        payload: Buffer.from('{"isOnline":false}'),
        qos: 1,
        retain: false,
      },
    },
    { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: `voltkeep/${code}/down/#`, qos: 1 }] },
    {
      cmd: 'publish',
      topic,
      payload: JSON.stringify(message('E1', 1)),
      qos: 1,
      messageId: 2,
      dup: false,
      retain: false,
    },
    { cmd: 'publish', topic, payload: '{', qos: 2, messageId: 3, dup: false, retain: true },
    { cmd: 'pubrel', messageId: 3 },
    { cmd: 'pingreq' },
  ]
}

/** A seeded generator of numbers from 0 to 1, the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
