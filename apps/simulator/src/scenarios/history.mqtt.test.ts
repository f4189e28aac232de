import type { StatusReport } from '@voltkeep/contract/topics/index'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../test/broker.ts'
import { Batteries } from '../cabinet/battery.ts'
import { Cabinet } from '../cabinet/cabinet.ts'
import type { SimulatedIdentity } from '../firmware.ts'
import { Fleet } from '../fleet.ts'
import { createRandom } from '../random.ts'
import { backFill } from './history.ts'

const dayMs = 24 * 3_600_000

let broker: TestBroker
let fleet: Fleet<SimulatedIdentity>
const random = createRandom(4)
const batteries = new Batteries(random)

beforeEach(async () => {
  broker = await startBroker()
  fleet = new Fleet<SimulatedIdentity>(
    [
      { code: 'EC1', secret: 'right', classify: 'EC', partTypes: [], compartments: 8 },
      { code: 'EC2', secret: 'right', classify: 'EC', partTypes: [], compartments: 8 },
      { code: 'BT1', secret: 'right', classify: 'BAT', partTypes: [] },
    ],
    {
      broker: broker.address,
      random,
      cabinetOf: ({ code, classify, compartments = 0 }) =>
        classify === 'EC'
          ? new Cabinet({
              count: compartments,
              batteries,
              random: random.fork(code),
              nowMs: Date.now() - dayMs,
            })
          : undefined,
    },
  )
  await fleet.start()
  await fleet.whenOnline()
})
afterEach(async () => {
  await fleet.stop()
  await broker.close()
})

it('a day of status is reported in the order of time, with batteries that stand in one place at a time', async () => {
  const { signal } = new AbortController()
  const stage = { fleet, broker: broker.address, random, rate: 1, statusSeconds: 300, batteries, signal }
  await backFill({ ...stage, say: () => undefined }, 1)
  const reports = broker.received.flatMap(({ clientId, topic, payload }) =>
    topic.endsWith('/status') ? [{ clientId, ...(JSON.parse(payload) as StatusReport) }] : [],
  )
  expect(reports).toHaveLength(3 * 48)
  const times = reports.filter(({ clientId }) => clientId === 'EC1').map(({ time }) => time)
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  const codesAt = new Map<number, string[]>()
  for (const { time, compartments = [] } of reports) {
    const codes = compartments.flatMap(({ batteryCode }) => batteryCode ?? [])
    codesAt.set(time, [...(codesAt.get(time) ?? []), ...codes])
  }
  for (const codes of codesAt.values()) expect(new Set(codes).size).toBe(codes.length)
  const everSeen = new Set([...codesAt.values()].flat())
  expect(everSeen.size).toBeGreaterThan(16)
})
