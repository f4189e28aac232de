import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listDevices } from '@voltkeep/contract'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectFleet } from './fleets.ts'
import { differences, Ledger } from './ledger.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'

const entry = join(import.meta.dirname, '../src/main.ts')

/** The command line in a process of its own. */
async function run(dataDir: string, ...options: string[]) {
  const env = { ...process.env, DATA_DIR: dataDir, LC_ALL: 'C.UTF-8', DATABASE_URL: '' }
  return await promisify(execFile)(process.execPath, [entry, ...options], { env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code: code as number, output: `${stdout}${stderr}` }),
  )
}

describe('a backup of a server under load', () => {
  let server: ServerProcess
  let restored: ServerProcess | undefined
  let fleet: Fleet
  const ledger = new Ledger()
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-restored-'))
  const file = join(directory, 'backup.tar.zst')
  const dataDir = join(directory, 'data')

  beforeAll(async () => {
    server = await startServerProcess({
      demoDevices: 40,
      environment: { LOG_LEVEL: 'warn', DEVICE_MESSAGES_PER_SECOND: '0', DEVICE_BYTES_PER_SECOND: '0' },
    })
    fleet = await connectFleet(server.devices(), server.mqttPort, { onAcknowledged: ledger.record })
  })
  afterAll(async () => {
    fleet?.cutPower()
    await server?.remove()
    await restored?.remove()
    rmSync(directory, { recursive: true, force: true })
  })

  test('has every message that was acknowledged before it, and serves where it is restored', async () => {
    const playing = new AbortController()
    const storm = ledger.storm(fleet.devices, playing.signal)
    await expect.poll(() => ledger.opened.length).toBeGreaterThan(500)
    const before = new Ledger()
    before.opened.push(...ledger.opened)
    before.recovered.push(...ledger.recovered)
    before.events.push(...ledger.events)
    const taken = await run(server.dataDir, '--backup', file)
    expect(taken).toMatchObject({ code: 0, output: expect.stringContaining('已备份到') })
    // The server has gone on meanwhile.
    expect(ledger.opened.length).toBeGreaterThan(before.opened.length)
    playing.abort()
    await storm

    expect(await run(dataDir, '--verify-backup', file)).toMatchObject({
      code: 0,
      output: expect.stringContaining('备份完整'),
    })
    const restoring = await run(dataDir, '--restore', file)
    expect(restoring).toMatchObject({ code: 0, output: expect.stringMatching(/设备 {2}40 → 40/) })
    expect(await run(dataDir, '--restore', file)).toMatchObject({
      code: 1,
      output: expect.stringContaining('恢复只能写入空的系统'),
    })

    restored = await startServerProcess({ keptDataDir: dataDir, environment: { LOG_LEVEL: 'warn' } })
    const token = await restored.client.signIn('admin', server.adminPassword)
    const { total } = await restored.client.call(listDevices, { pageSize: 1 }, token)
    expect(total).toBe(40)
    // Later messages may be there, too: the backup's moment is after the ledger was copied.
    const lost = (await differences(before, restored.client, token)).filter(
      (line) => !line.includes(': unknown '),
    )
    expect(lost).toEqual([])
    // What devices go on to report finds its place.
    const moved = await connectFleet(server.devices(), restored.mqttPort)
    await moved.whenOnline()
    void moved.devices[0]?.raise('T1', 1_000_000)
    await moved.whenDrained()
    moved.cutPower()
  })

  test('refuses what would be no backup, with a line that says why', async () => {
    const empty = join(directory, 'empty')
    expect(await run(empty, '--backup', join(directory, 'other.tar.zst'))).toMatchObject({
      code: 1,
      output: expect.stringContaining('没有可备份的数据'),
    })
    expect(await run(server.dataDir, '--backup', file)).toMatchObject({
      code: 1,
      output: expect.stringContaining('已存在'),
    })
    expect(await run(server.dataDir, '--restore', file)).toMatchObject({ code: 1 })
    expect(await run(dataDir, '--verify-backup', join(directory, 'none'))).toMatchObject({
      code: 1,
      output: expect.stringContaining('文件或目录不存在'),
    })
  })
})
