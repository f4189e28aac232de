import { setTimeout as delay } from 'node:timers/promises'
import {
  type BatchDeviceRow,
  insertParameterBatch,
  listBatchDevices,
  readParameterBatch,
  restoreParameterBatch,
  retryParameterBatch,
} from '@voltkeep/contract'
import { byChance } from '@voltkeep/simulator/commands/trouble'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wake } from '../src/platform/database/work/lease-queue.ts'
import { lampCode, soc } from './batches.ts'
import { withDatabase } from './command-ledger.ts'
import { cabinetsAmong, connectFleet } from './fleets.ts'
import { times } from './long.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const deviceCount = times(24, 60)
const kills = times(2, 4)
const random = createRandom(11)

describe(`a batch over ${deviceCount} devices with troubles`, () => {
  let server: ServerProcess
  let fleet: Fleet
  let token: string
  let batchId: string

  beforeAll(async () => {
    server = await startServerProcess({
      demoDevices: deviceCount > 36 ? 120 : 60,
      environment: { LOG_LEVEL: 'warn' },
    })
    token = await server.client.signIn('admin', server.adminPassword)
    const cabinets = cabinetsAmong(server.devices(), deviceCount)
    fleet = await connectFleet(cabinets, server.mqttPort, {
      parametersOf: ({ code }) => [
        { id: soc, value: 80 + (code.charCodeAt(code.length - 1) % 10) },
        { id: lampCode, value: '0000001' },
      ],
      commandsOf: () => ({
        settings: {
          trouble: byChance({
            fails: 0.1,
            silent: 0.1,
            'never-applies': 0.1,
            'applies-some': 0.1,
            'applies-late': 0.1,
          }),
          lateMs: 1_000,
        },
      }),
    })
    await fleet.whenDrained()
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
  })

  const devicesOf = async (id: string): Promise<BatchDeviceRow[]> =>
    (await server.client.call(listBatchDevices, { id, pageSize: 500 }, token)).data

  /** Simulates the end of the interval of all attempts. */
  const passIntervals = () =>
    withDatabase(server, async (pool) => {
      await pool.query(`UPDATE parameter_target SET next_at = now() WHERE next_at IS NOT NULL`)
      await pool.query(
        `UPDATE device_command SET sent_at = sent_at - interval '1 hour' WHERE next_at IS NOT NULL`,
      )
      await pool.query(`UPDATE parameter_batch SET next_at = now(), checked_at = now() - interval '1 hour'
        WHERE next_at IS NOT NULL`)
      await pool.query(wake('parameter_target', 0))
      await pool.query(wake('parameter_batch', 0))
    })

  async function finished(id: string): Promise<BatchDeviceRow[]> {
    for (let quiet = 0, last = ''; ; ) {
      const devices = await devicesOf(id)
      if ((await server.client.call(readParameterBatch, { id }, token)).data.state === 'finished')
        return devices
      const present = JSON.stringify(devices.map(({ state, attempts }) => [state, attempts]))
      quiet = present === last ? quiet + 1 : 0
      last = present
      if (quiet >= 4) await passIntervals()
      await delay(300)
    }
  }

  /** Retries failed devices until all have the values. */
  async function succeeded(id: string): Promise<BatchDeviceRow[]> {
    let devices = await finished(id)
    while (devices.some(({ state }) => state === 'failed')) {
      expect(devices.filter(({ state, reason }) => state === 'failed' && reason === null)).toEqual([])
      await server.client.call(retryParameterBatch, { id }, token)
      devices = await finished(id)
    }
    return devices
  }

  it('ends with the new values on each, although the server is killed repeatedly', async () => {
    const answer = await server.client.call(
      insertParameterBatch,
      {
        paramSetRule: { upgradeCount: 5, interval: 3 },
        entitys: [
          { id: soc, value: 66 },
          { id: lampCode, value: '5555555' },
        ],
        queryParam: { codes: fleet.devices.map(({ code }) => code) },
      },
      token,
    )
    expect(answer).toMatchObject({ code: 200, data: { deviceCount } })
    batchId = answer.data.id
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(300 + 1_000 * random.next())
      await server.kill()
      await server.start()
      await fleet.whenOnline()
    }
    const devices = await succeeded(batchId)
    expect(devices.map(({ state }) => state)).toEqual(Array(deviceCount).fill('succeeded'))
    expect(fleet.devices.map(({ parameters }) => parameters.get(soc))).toEqual(Array(deviceCount).fill(66))
    expect(fleet.devices.map(({ parameters }) => parameters.get(lampCode))).toEqual(
      Array(deviceCount).fill('5555555'),
    )
  })

  it('is undone by one call, also across a kill: each device has its former values', async () => {
    const { data } = await server.client.call(restoreParameterBatch, { id: batchId }, token)
    expect(data.deviceCount).toBe(deviceCount)
    await server.kill()
    await server.start()
    await fleet.whenOnline()
    await succeeded(data.id)
    expect(fleet.devices.map(({ parameters }) => parameters.get(soc))).toEqual(
      fleet.devices.map(({ code }) => 80 + (code.charCodeAt(code.length - 1) % 10)),
    )
    const { rows } = await withDatabase(server, (pool) =>
      pool.query<{ open: number; due: number; commands: number; attempts: number }>(`
        SELECT
          (SELECT count(*)::int FROM parameter_batch WHERE next_at IS NOT NULL) AS due,
          (SELECT count(*)::int FROM parameter_target WHERE next_at IS NOT NULL OR state <> 'succeeded') AS open,
          (SELECT count(*)::int FROM device_command WHERE next_at IS NOT NULL) AS commands,
          (SELECT count(*)::int FROM parameter_attempt WHERE result = 'underWay') AS attempts`),
    )
    expect(rows).toEqual([{ open: 0, due: 0, commands: 0, attempts: 0 }])
  })
})
