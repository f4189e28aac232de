import { setTimeout as delay } from 'node:timers/promises'
import {
  insertFirmware,
  insertUpgradeTask,
  listUpgradeTargets,
  readUpgradeTask,
  retryUpgradeTask,
  saveBoard,
  type UpgradeTargetRow,
  type UploadedPackage,
  uploadFirmware,
} from '@voltkeep/contract'
import { byChance } from '@voltkeep/simulator/commands/trouble'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { createRandom } from '@voltkeep/simulator/random'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wake } from '../src/platform/database/work/lease-queue.ts'
import { withDatabase } from './command-ledger.ts'
import { cabinetsAmong, connectFleet } from './fleets.ts'
import { times } from './long.ts'
import { remark } from './packages.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { now } from './upgrades.ts'

const partType = 'PART_TYPE_EC_MASTER'
const pcbCode = 'SYS1'
const deviceCount = times(24, 60)
const kills = times(2, 4)
const random = createRandom(7)

describe(`an upgrade of ${deviceCount} devices with troubles`, () => {
  let server: ServerProcess
  let fleet: Fleet
  let token: string

  beforeAll(async () => {
    server = await startServerProcess({
      demoDevices: deviceCount > 36 ? 120 : 60,
      environment: { LOG_LEVEL: 'warn' },
    })
    token = await server.client.signIn('admin', server.adminPassword)
    const cabinets = cabinetsAmong(server.devices(), deviceCount)
    fleet = await connectFleet(cabinets, server.mqttPort, {
      partsOf: () => [{ partType, addrId: '0', version: '1.0', pcbCode }],
      commandsOf: () => ({
        rebootMs: 200,
        downloadRetryMs: [50, 200],
        upgrade: {
          trouble: byChance({
            'cut-download': 0.1,
            'power-cut': 0.1,
            'install-power-cut': 0.1,
            'wrong-hash': 0.05,
            'install-fails': 0.05,
            'claims-success': 0.05,
            'goes-silent': 0.05,
          }),
          downloadMs: 300,
          installMs: 300,
          progressMs: 100,
        },
      }),
    })
    await fleet.whenDrained()
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
  })

  async function uploadPackage(): Promise<string> {
    const { rows } = await withDatabase(server, (pool) =>
      pool.query<{ id: number }>(
        `SELECT m.equip_type_id AS id FROM device d JOIN equip_model m ON m.id = d.model_id WHERE d.code = $1`,
        [fleet.devices[0]?.code],
      ),
    )
    const board = { pcbCode, pcbName: pcbCode, partType, equipTypeId: String(rows[0]?.id) }
    expect(await server.client.call(saveBoard, board, token)).toMatchObject({ code: 200 })
    const form = new FormData()
    const bytes = new Uint8Array(256 * 1024).map((_, n) => n % 251)
    form.append('file', new Blob([bytes]), `${pcbCode}_EC_MASTER_V1.5_R.bin`)
    const upload = await server.client.request(`/api${uploadFirmware.path}`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    })
    const { filePath, version } = upload.data as UploadedPackage
    const answer = await server.client.call(
      insertFirmware,
      { filePath, pcbCode, partType, version, remark },
      token,
    )
    expect(answer).toMatchObject({ code: 200 })
    return (answer.data as { id: string }).id
  }

  async function start(softwareVersionId: string): Promise<string> {
    const stages = [
      { count: 5, soakMinutes: 0 },
      { percent: 30, soakMinutes: 0 },
      { percent: 100, soakMinutes: 0 },
    ]
    const upgradeRule = { stages, attempts: 10, minSample: 1_000, skipGate: true, intervalMinutes: 1 }
    const devices = { codes: fleet.devices.map(({ code }) => code) }
    const form = { softwareVersionId, upgradeTime: now(), upgradeRule, devices }
    const answer = await server.client.call(insertUpgradeTask, form, token)
    expect(answer).toMatchObject({ code: 200 })
    return answer.data.id
  }

  const targetsOf = async (taskId: string): Promise<UpgradeTargetRow[]> =>
    (await server.client.call(listUpgradeTargets, { taskId, pageSize: 500 }, token)).data

  /** Simulates the end of the time after which a silent device fails, or the next attempt begins. */
  const passIntervals = () =>
    withDatabase(server, async (pool) => {
      await pool.query(
        `UPDATE upgrade_target SET next_at = now() WHERE next_at > now() + interval '10 seconds'`,
      )
      // A device that has accepted its command has no time of its own: its check counts from the answer.
      await pool.query(`
        WITH taken AS (
          UPDATE device_command c SET finished_at = c.finished_at - interval '1 day' FROM upgrade_target t
          WHERE t.command_id = c.id AND t.state = 'sent' AND t.next_at IS NULL AND c.outcome = 'done'
            AND c.finished_at < now() - interval '10 seconds'
          RETURNING t.id
        )
        UPDATE upgrade_target t SET changed_at = t.changed_at - interval '1 day' FROM taken WHERE t.id = taken.id`)
      await pool.query(`UPDATE upgrade_task SET next_at = now(), checked_at = NULL WHERE next_at IS NOT NULL`)
      await pool.query(wake('upgrade_target', 0))
      await pool.query(wake('upgrade_task', 0))
    })

  async function finished(taskId: string): Promise<UpgradeTargetRow[]> {
    for (let quiet = 0, last = ''; ; ) {
      const targets = await targetsOf(taskId)
      const task = await server.client.call(readUpgradeTask, { id: taskId }, token)
      if (task.data.state === 'finished') return targets
      const present = JSON.stringify(targets.map(({ result, percent }) => [result, percent]))
      quiet = present === last ? quiet + 1 : 0
      last = present
      if (quiet >= 4) await passIntervals()
      await delay(500)
    }
  }

  it('ends with the new version on each, although the server is killed repeatedly', async () => {
    const taskId = await start(await uploadPackage())
    for (let kill = 1; kill <= kills; kill += 1) {
      await delay(500 + 2_000 * random.next())
      await server.kill()
      await server.start()
      await fleet.whenOnline()
    }
    let targets = await finished(taskId)
    // A device that used all its attempts has reported why, and succeeds after a retry.
    const failed = targets.filter(({ result }) => result !== 'succeeded')
    expect(failed.filter(({ reason }) => reason === null)).toEqual([])
    while (targets.some(({ result }) => result !== 'succeeded')) {
      await server.client.call(retryUpgradeTask, { id: taskId }, token)
      targets = await finished(taskId)
    }
    expect(targets).toHaveLength(deviceCount)
    expect(fleet.devices.map(({ parts }) => parts.list[0]?.version)).toEqual(Array(deviceCount).fill('1.5'))
  })

  it('has installed it once on each, and no row is left open', async () => {
    await fleet.whenDrained()
    const installed = fleet.devices.map(({ installCounts }) => [...installCounts.values()])
    expect(installed).toEqual(Array(deviceCount).fill([1]))
    const { rows } = await withDatabase(server, (pool) =>
      pool.query<{ open: number; due: number; commands: number; tally: number }>(`
        SELECT
          (SELECT count(*)::int FROM upgrade_task WHERE next_at IS NOT NULL) AS due,
          (SELECT count(*)::int FROM upgrade_target WHERE next_at IS NOT NULL OR state <> 'succeeded') AS open,
          (SELECT count(*)::int FROM device_command WHERE next_at IS NOT NULL) AS commands,
          (SELECT sum(count)::int FROM upgrade_tally WHERE state = 'succeeded') AS tally`),
    )
    expect(rows).toEqual([{ open: 0, due: 0, commands: 0, tally: deviceCount }])
  })
})
