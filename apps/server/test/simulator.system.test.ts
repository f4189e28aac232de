import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import {
  type AlarmHistoryRow,
  formatDateTime,
  insertFirmware,
  insertUpgradeTask,
  listAlarmHistory,
  listAlarms,
  listDevices,
  listEvents,
  listIntakeRefusals,
  previewUpgradeTask,
  readDevice,
  readUpgradeTask,
} from '@voltkeep/contract'
import { type ScenarioName, scenarios } from '@voltkeep/simulator/scenarios/index'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { remark, uploadPackage } from './packages.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

/** The number of devices whose past is filled, the first ones of the file. */
const filledDevices = 3
const entry = join(import.meta.dirname, '../../simulator/src/main.ts')

describe('the simulator against a real server', () => {
  let server: ServerProcess
  let token: string

  beforeAll(async () => {
    server = await startServerProcess({ demoDevices: 40, environment: { LOG_LEVEL: 'warn' } })
    token = await server.client.signIn('admin', server.adminPassword)
  })
  afterAll(() => server?.remove())

  /** Starts the simulator like the demonstration, at twenty times the pace. */
  function start(...options: string[]) {
    const child = spawn(
      process.execPath,
      [
        ...[entry, '--mqtt', `mqtt://127.0.0.1:${server.mqttPort}`],
        ...['--secrets', join(server.dataDir, 'demo-devices.json'), '--rate', '20', ...options],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const run = {
      output: '',
      ended: once(child, 'exit').then(([code]) => code as number | null),
      async stop() {
        child.kill('SIGTERM')
        return run.ended
      },
    }
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        run.output += bytes.toString()
      })
    }
    return run
  }

  const history = async (filters = {}) =>
    (await server.client.call(listAlarmHistory, { pageSize: 500, ...filters }, token))
      .data as AlarmHistoryRow[]
  const refusalReasons = async () =>
    (await server.client.call(listIntakeRefusals, { pageSize: 500 }, token)).data.map(({ reason }) => reason)
  const hoursAgo = ({ occurrenceTime }: AlarmHistoryRow) =>
    (Date.now() - new Date(`${occurrenceTime.replace(' ', 'T')}+08:00`).getTime()) / 3_600_000

  /** The visible effect of each scenario. */
  const traces: Record<ScenarioName, () => Promise<void>> = {
    async live() {
      // From the history: an alarm may have recovered by now.
      const levels = (await history()).map(({ alarmLevel }) => alarmLevel)
      expect(new Set(levels)).toEqual(new Set([1, 2, 3, 4]))
      expect((await server.client.call(listEvents, {}, token)).total).toBeGreaterThan(0)
    },
    async calm() {
      expect((await server.client.call(listAlarms, {}, token)).total).toBeGreaterThan(5)
    },
    async storm() {
      expect((await server.client.call(listAlarmHistory, {}, token)).total).toBeGreaterThan(500)
    },
    async disconnects() {},
    async duplicates() {
      expect((await server.client.call(listEvents, {}, token)).total).toBeGreaterThan(0)
    },
    async late() {
      const endTime = formatDateTime(new Date(Date.now() - 1_800_000))
      const codes = server.devices().map(({ code }) => code)
      // Without the devices whose past was filled.
      const rows = await history({ endTime, code: codes.slice(filledDevices) })
      expect(rows.length).toBeGreaterThan(0)
    },
    async malformed() {
      const reasons = await refusalReasons()
      expect(reasons).toEqual(
        expect.arrayContaining(['badPayload', 'notJson', 'foreignTopic', 'unknownTopic']),
      )
    },
    async skew() {
      const earliest = Math.min(...(await history()).map(hoursAgo))
      // The server rejects times that are more than five minutes ahead.
      expect(earliest).toBeGreaterThan(-0.1)
    },
    async intruders() {
      expect(await refusalReasons()).toContain('unknownDevice')
    },
  }

  it('fills the past once only, and ends on a signal', async () => {
    const options = ['--scenario', 'calm', '--history', '2', '--devices', String(filledDevices)]
    const first = start(...options)
    await expect.poll(() => first.output, { timeout: 60_000 }).toContain('已补报最近 2 天的历史数据')
    expect(await first.stop()).toBe(0)
    expect((await history()).some((row) => hoursAgo(row) > 24)).toBe(true)
    const second = start(...options, '--seconds', '3')
    expect(await second.ended).toBe(0)
    expect(second.output).not.toContain('补报')
  })

  it.each(Object.keys(scenarios) as ScenarioName[])('runs %s, with its visible effect', async (name) => {
    // The live fleet needs a while for alarms of all four levels.
    const run = start('--scenario', name, '--seconds', name === 'live' ? '25' : '5')
    expect(await run.ended, run.output).toBe(0)
    await expect.poll(() => traces[name](), { timeout: 60_000 }).toBeUndefined()
  })

  // Runs after `skew`: stored reports of a device may have a time in the future.
  it('upgrades its devices, and another run knows the new versions', async () => {
    const { client } = server
    const codes = server.devices().map(({ code }) => code)
    const options = ['--scenario', 'calm', '--devices', '6', '--upgrade-seconds', '1']
    const first = start(...options, '--upgrade-trouble', 'cut-download=0.5')
    const devices = (await client.call(listDevices, { code: codes.slice(0, 6), pageSize: 500 }, token)).data
    const { equipTypeId } = devices.find(({ code }) => code.startsWith('EC')) as (typeof devices)[number]
    const partType = 'PART_TYPE_EC_BIN'
    // The board that these cabinets report.
    const pcbCode = 'VK-BC10'
    const bytes = randomBytes(50_000)
    const upload = await uploadPackage(client, token, `${pcbCode}_${partType}_V7.3_R.bin`, { bytes })
    const form = { filePath: upload.filePath, pcbCode, partType, version: '7.3', remark }
    const { data: added } = await client.call(insertFirmware, form, token)
    const chosen = devices.filter((device) => device.equipTypeId === equipTypeId).map(({ code }) => code)
    const task = {
      softwareVersionId: added.id,
      upgradeTime: formatDateTime(new Date()),
      devices: { codes: chosen },
    }
    await expect
      .poll(async () => (await client.call(previewUpgradeTask, task, token)).data?.devices, {
        timeout: 60_000,
      })
      .toBe(chosen.length)
    const { data: made } = await client.call(insertUpgradeTask, task, token)
    const isOver = () => client.call(readUpgradeTask, { id: made.id }, token)
    await expect
      .poll(async () => (await isOver()).data, { timeout: 60_000 })
      .toMatchObject({ state: 'finished', counts: { succeeded: chosen.length } })
    expect(await first.stop()).toBe(0)

    const reported = async () => {
      const { data } = await client.call(
        readDevice,
        { id: devices.find(({ code }) => code === chosen[0])?.id ?? '' },
        token,
      )
      return data.equipSoftwareVersions.filter((part) => part.partType === partType)
    }
    const before = (await reported()).map(({ reportTime }) => reportTime)
    // Times are in whole seconds: waits so that later reports have a later time.
    await expect
      .poll(() => before.every((time) => time < formatDateTime(new Date())), { timeout: 10_000 })
      .toBe(true)
    const second = start(...options)
    await expect
      .poll(
        async () => (await reported()).every(({ reportTime }, index) => reportTime > (before[index] ?? '')),
        {
          timeout: 60_000,
        },
      )
      .toBe(true)
    expect(new Set((await reported()).map(({ version }) => version))).toEqual(new Set(['7.3']))
    expect(await second.stop()).toBe(0)
  })

  it('reports invalid options', async () => {
    const run = start('--scenario', 'sunny')
    expect(await run.ended).toBe(2)
    expect(run.output).toContain('sunny')
  })
})
