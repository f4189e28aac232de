import { setTimeout as delay } from 'node:timers/promises'
import {
  continueParameterBatch,
  insertParameterBatch,
  listBatchDevices,
  readParameterBatch,
} from '@voltkeep/contract'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wake } from '../src/platform/database/work/lease-queue.ts'
import { soc } from './batches.ts'
import { withDatabase } from './command-ledger.ts'
import { cabinetsAmong, connectFleet } from './fleets.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const deviceCount = 30
const trialCount = 8
const random = createRandom(17)

describe('a batch whose trial the server does not survive', () => {
  let server: ServerProcess
  let fleet: Fleet
  let token: string
  let batchId: string
  /** How often each device has carried out a setting, by its code. */
  let carriedOut: Map<string, number>

  beforeAll(async () => {
    carriedOut = new Map()
    server = await startServerProcess({ demoDevices: 60, environment: { LOG_LEVEL: 'warn' } })
    token = await server.client.signIn('admin', server.adminPassword)
    fleet = await connectFleet(cabinetsAmong(server.devices(), deviceCount), server.mqttPort, {
      parametersOf: () => [{ id: soc, value: 80 }],
      commandsOf: ({ code }) => ({
        settings: {
          // A device asks its plan once for each command that it carries out.
          trouble: () => () => {
            carriedOut.set(code, (carriedOut.get(code) ?? 0) + 1)
            return undefined
          },
        },
      }),
    })
    await fleet.whenDrained()
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
  })

  const batch = async () => (await server.client.call(readParameterBatch, { id: batchId }, token)).data
  const codesOf = async (isTrial: 0 | 1) =>
    (await server.client.call(listBatchDevices, { id: batchId, isTrial, pageSize: 500 }, token)).data.map(
      ({ code }) => code,
    )
  const withValue = () =>
    fleet.devices
      .filter(({ parameters }) => parameters.get(soc) === 66)
      .map(({ code }) => code)
      .sort()
  const kill = async () => {
    await delay(100 + 500 * random.next())
    await server.kill()
    await server.start()
    await fleet.whenOnline()
  }
  /** The interval of a command that was lost with a connection is over. */
  const passIntervals = () =>
    withDatabase(server, async (pool) => {
      await pool.query(`UPDATE device_command SET next_at = now() WHERE next_at IS NOT NULL`)
      await pool.query(`UPDATE parameter_batch SET next_at = now(), checked_at = now() - interval '1 hour'
        WHERE next_at IS NOT NULL`)
      await pool.query(wake('device_command', 0))
      await pool.query(wake('parameter_batch', 0))
    })
  async function becomes(state: string): Promise<void> {
    for (let turn = 1; (await batch()).state !== state; turn += 1) {
      if (turn % 10 === 0) await passIntervals()
      await delay(300)
    }
  }

  it('waits after it, with the values on the devices of the trial alone', async () => {
    const answer = await server.client.call(
      insertParameterBatch,
      {
        paramSetRule: { upgradeCount: 5, interval: 3 },
        entitys: [{ id: soc, value: 66 }],
        queryParam: { codes: fleet.devices.map(({ code }) => code) },
        trial: { count: trialCount },
      },
      token,
    )
    expect(answer).toMatchObject({ code: 200, data: { deviceCount } })
    batchId = answer.data.id
    for (let n = 0; n < 2; n += 1) await kill()
    await becomes('paused')
    // The wait survives as well.
    await kill()
    expect(await batch()).toMatchObject({
      state: 'paused',
      counts: { held: deviceCount - trialCount },
      trial: { state: 'waiting', devices: trialCount, counts: { succeeded: trialCount } },
    })
    expect(withValue()).toEqual((await codesOf(1)).sort())
  })

  it('sets each of the others once it is continued, although the server is killed while it lets them begin', async () => {
    expect(await server.client.call(continueParameterBatch, { id: batchId }, token)).toMatchObject({
      data: { count: deviceCount - trialCount },
    })
    await server.kill()
    await server.start()
    await fleet.whenOnline()
    await kill()
    await becomes('finished')
    expect(await batch()).toMatchObject({
      counts: { total: deviceCount, succeeded: deviceCount },
      trial: { state: 'continued', continueBy: 'admin' },
    })
    expect(await codesOf(0)).toHaveLength(deviceCount - trialCount)
    expect(withValue()).toHaveLength(deviceCount)
  })

  it('has had each device carry it out once, by one command, and no row is left open', async () => {
    await fleet.whenDrained()
    expect([...carriedOut.values()]).toEqual(Array(deviceCount).fill(1))
    const { rows } = await withDatabase(server, (pool) =>
      pool.query<Record<string, number>>(`
        SELECT
          (SELECT count(*)::int FROM parameter_batch WHERE next_at IS NOT NULL) AS due,
          (SELECT count(*)::int FROM parameter_target WHERE next_at IS NOT NULL OR state <> 'succeeded') AS open,
          (SELECT count(*)::int FROM device_command WHERE next_at IS NOT NULL) AS waiting,
          (SELECT count(*)::int FROM device_command WHERE topic = 'setParameters') AS commands,
          (SELECT count(*)::int FROM parameter_attempt) AS attempts`),
    )
    expect(rows).toEqual([{ due: 0, open: 0, waiting: 0, commands: deviceCount, attempts: deviceCount }])
  })
})
