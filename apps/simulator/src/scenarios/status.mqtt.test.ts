import type { StatusReport } from '@voltkeep/contract/topics/index'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../test/broker.ts'
import { Batteries } from '../cabinet/battery.ts'
import { Cabinet } from '../cabinet/cabinet.ts'
import type { SimulatedIdentity } from '../firmware.ts'
import { Fleet } from '../fleet.ts'
import { createRandom } from '../random.ts'
import type { Stage } from './stage.ts'
import { keepStatus, keepSwaps, swap } from './status.ts'

let broker: TestBroker
let stage: Stage
let ending: AbortController

beforeEach(async () => {
  ending = new AbortController()
  broker = await startBroker()
  const random = createRandom(2)
  const batteries = new Batteries(random)
  const identities: SimulatedIdentity[] = ['EC1', 'EC2', 'EC3'].map((code) => ({
    code,
    secret: 'right',
    classify: 'EC',
    partTypes: [],
  }))
  const fleet = new Fleet(identities, {
    broker: broker.address,
    random,
    cabinetOf: ({ code }) =>
      new Cabinet({ count: 12, batteries, random: random.fork(code), nowMs: Date.now() }),
  })
  stage = {
    fleet,
    broker: broker.address,
    random,
    // Nobody waits at an open door.
    rate: 1_000_000,
    statusSeconds: 300,
    batteries,
    signal: ending.signal,
    say: () => undefined,
  }
  await fleet.start()
  await fleet.whenOnline()
})
afterEach(async () => {
  ending.abort()
  await stage.fleet.stop()
  await broker.close()
})

it('a swap is told as it happens: doors, batteries, and the status with each open door and right after', async () => {
  const [device] = stage.fleet.devices
  if (!device?.cabinet) throw new Error('the device has a cabinet')
  const { into, from } = device.cabinet.swapAt(Date.now()) ?? {}
  const before = device.cabinet.report(Date.now()).compartments ?? []
  await swap(stage, device)
  await stage.fleet.whenDrained()
  const events = broker.of('event').map(({ code, value }) => [code, value])
  expect(events.map(([code]) => code)).toEqual([
    '03110002',
    '03110005',
    '03110007',
    '03110006',
    '03210001',
    '03110005',
    '03110008',
    '03110006',
    '03110003',
  ])
  const [opened, openedNext] = events.filter(([code]) => code === '03110005')
  expect(opened?.[1]).toBe(into)
  const reports = broker.of('status') as unknown as StatusReport[]
  const doorsOpen = reports.map(({ compartments = [] }) =>
    compartments.filter(({ isDoorOpen }) => isDoorOpen).map(({ no }) => no),
  )
  expect(doorsOpen).toEqual([[into], [openedNext?.[1]], []])
  const last = reports.at(-1)?.compartments ?? []
  expect(last[(into as number) - 1]?.batteryCode).toMatch(/^BT/)
  expect(last[(openedNext?.[1] as number) - 1]?.state).toBe('empty')
  expect(before[(from as number) - 1]?.state).toBe('full')
})

it('every device reports its status within the interval, and none where it is 0', async () => {
  stage.statusSeconds = 0
  await Promise.all([keepStatus(stage), keepSwaps(stage)])
  expect(broker.of('status')).toEqual([])
  stage.statusSeconds = 1
  stage.rate = 1
  void keepStatus(stage)
  await expect
    .poll(
      () =>
        new Set(broker.received.filter(({ topic }) => topic.endsWith('/status')).map(({ topic }) => topic))
          .size,
    )
    .toBe(3)
})
