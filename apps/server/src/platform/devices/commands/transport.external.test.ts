import { afterEach, expect, test, vi } from 'vitest'
import { createExternalTransport } from './transport.external.ts'

/** A broker that accepts publishes, and acknowledges when the test says so. */
function broker() {
  const acknowledge: (() => void)[] = []
  let connected = () => {}
  return {
    isConnected: true,
    acknowledge,
    connectAgain() {
      acknowledge.length = 0
      connected()
    },
    publish(_message: object, acknowledged: () => void) {
      acknowledge.push(acknowledged)
      return true
    },
    onConnected(listener: () => void) {
      connected = listener
    },
  }
}

function setUp() {
  const given = broker()
  let changed: (deviceIds: readonly number[] | null) => void = () => {}
  const transport = createExternalTransport(given, {
    listOnline: async (deviceIds) => [...deviceIds],
    onChange(listener) {
      changed = listener
      return () => undefined
    },
  })
  const told: [number | null, boolean][] = []
  transport.onReady((deviceId, isReturn) => told.push([deviceId, isReturn]))
  const send = (deviceId: number) =>
    transport.send({ deviceId, deviceCode: `D${deviceId}`, topic: 'setParameters', payload: '{}' }, () => {})
  const roomOf = async (deviceId: number) => (await transport.reachable([deviceId]))[0]?.room
  return { given, told, send, roomOf, changed: (ids: readonly number[] | null) => changed(ids) }
}

afterEach(() => vi.useRealTimers())

test('a device that has reconnected may have lost earlier commands', () => {
  const { told, changed } = setUp()
  changed([7, 8])
  changed(null)
  expect(told).toEqual([
    [7, true],
    [8, true],
    [null, true],
  ])
})

test('a device that reconnects again and again is not sent the same each time, until it is stable for a while', () => {
  vi.useFakeTimers()
  const { told, changed } = setUp()
  for (let n = 0; n < 22; n += 1) changed([7])
  changed([8])
  expect(told.map(([deviceId, isReturn]) => [deviceId, isReturn])).toEqual([
    ...Array(20).fill([7, true]),
    ...Array(2).fill([7, false]),
    [8, true],
  ])
  vi.advanceTimersByTime(600_001)
  changed([7])
  expect(told.at(-1)).toEqual([7, true])
})

test('a broken connection to the broker may have lost commands for any device', () => {
  const { given, told } = setUp()
  given.connectAgain()
  expect(told).toEqual([[null, true]])
})

test('a broker that lags gets nothing more until it has caught up', async () => {
  const { given, told, send, roomOf } = setUp()
  for (let deviceId = 1; deviceId <= 2_000; deviceId += 1) send(deviceId)
  expect(await roomOf(3_000)).toBe(0)
  for (const one of given.acknowledge.splice(0, 1_000)) one()
  expect(told).toEqual([[null, false]])
  expect(await roomOf(3_000)).toBeGreaterThan(0)
})

test('a connection that breaks while the broker lags frees its share for the new one', async () => {
  const { given, send, roomOf } = setUp()
  for (let deviceId = 1; deviceId <= 2_000; deviceId += 1) send(deviceId)
  expect(await roomOf(3_000)).toBe(0)
  given.connectAgain()
  expect(await roomOf(3_000)).toBeGreaterThan(0)
  expect(await roomOf(1)).toBeGreaterThan(0)
})
