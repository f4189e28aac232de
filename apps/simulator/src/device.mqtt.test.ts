import { parseTopic, type UpTopicName, upTopics } from '@voltkeep/contract/topics/index'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../test/broker.ts'
import { VirtualDevice } from './device.ts'
import { createRandom } from './random.ts'

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 })

describe('a virtual device', () => {
  let broker: TestBroker
  let device: VirtualDevice
  const reasons: string[] = []

  const createDevice = (secret = 'right') =>
    new VirtualDevice(
      { code: 'CAB1', secret },
      {
        broker: broker.address,
        random: createRandom(1),
        reconnectMs: [20, 50],
        onAttemptFailed: (_device, reason) => reasons.push(reason),
      },
    )
  beforeEach(async () => {
    broker = await startBroker()
    device = createDevice()
  })
  afterEach(async () => {
    await device.stop()
    await broker.close()
  })

  it('announces itself, and reports before it leaves', async () => {
    device.start()
    await device.whenOnline()
    await device.stop()
    expect(broker.of('connection').map(({ isOnline }) => isOnline)).toEqual([true, false])
    expect(device.isOnline).toBe(false)
  })

  it('sends what the contract accepts, each message with its own id', async () => {
    device.start()
    await device.raise('A0000001', 5)
    await device.recover('A0000001')
    await device.report('event', { code: 'E0000001', data: { bin: 3 } })
    await device.report('version', { versions: [{ partType: 'PART_TYPE_EC_BIN', version: '1.2' }] })
    await device.report('parameter', { parameters: [{ id: '02121005', value: 95 }] })
    await device.report('status', { status: { soc: 81.5 } })
    for (const { topic, payload } of broker.received) {
      const name = parseTopic(topic)?.name as UpTopicName
      expect(upTopics[name].payload.safeParse(JSON.parse(payload)).success, payload).toBe(true)
    }
    const ids = broker.received.map(({ payload }) => JSON.parse(payload).id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(broker.of('alarm').map(({ value }) => value)).toEqual([5, 0])
  })

  it('sends an unacknowledged report again with the same id after a reconnect', async () => {
    device.start()
    await device.whenOnline()
    broker.holdAcks(true)
    const outcome = device.raise('A0000001', 1)
    await eventually(() => broker.of('alarm').length).toBe(1)
    broker.holdAcks(false)
    device.cutLine()
    expect(await outcome).toBe('acknowledged')
    const [first, second] = broker.of('alarm')
    expect(second).toEqual(first)
    expect(device.outboxSize).toBe(0)
  })

  it('keeps reports while it is offline, and sends them in order with their original times', async () => {
    const outcomes = [
      device.raise('A0000001', 1, { at: 1_700_000_000_000 }),
      device.raise('A0000001', 3, { at: 1_700_000_060_000 }),
      device.recover('A0000001', { at: 1_700_000_120_000 }),
    ]
    device.start()
    expect(await Promise.all(outcomes)).toEqual(['acknowledged', 'acknowledged', 'acknowledged'])
    expect(broker.of('alarm').map(({ time, value }) => [time, value])).toEqual([
      [1_700_000_000_000, 1],
      [1_700_000_060_000, 3],
      [1_700_000_120_000, 0],
    ])
  })

  it('leaves a last will when its power is cut', async () => {
    device.start()
    await device.whenOnline()
    device.cutPower()
    await eventually(() => broker.of('connection').map(({ isOnline }) => isOnline)).toEqual([true, false])
    // The will was written before the announcement, hence its older id.
    const [announcement, will] = broker.of('connection')
    expect(will.time).toBeLessThanOrEqual(announcement.time)
    expect(device.isOnline).toBe(false)
  })

  it('is notified when its secret is refused, and keeps trying', async () => {
    device = createDevice('wrong')
    device.start()
    await eventually(() => reasons.length).toBeGreaterThan(1)
    expect(reasons.at(-1)).toBe('refused: bad user name or password')
  })

  it('counts an unreadable command, and continues', async () => {
    device.start()
    await device.whenOnline()
    await eventually(async () => {
      await broker.send('CAB1', 'no-such-thing', '{"a":')
      return device.unreadableCommandCount
    }).toBeGreaterThan(0)
    expect(await device.raise('A0000001', 1)).toBe('acknowledged')
  })
})
