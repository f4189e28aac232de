import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { importDevices, readServerInfo } from '@voltkeep/contract'
import type { Fleet } from '@voltkeep/simulator/fleet'
import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { databaseUrlOf } from './embedded-url.ts'
import { connectFleet } from './fleets.ts'
import { differences, Ledger } from './ledger.ts'
import { canMount, type ServerProcess, startServerProcess } from './server-process.ts'

const megabyte = 1024 ** 2
const deviceCount = 20
/** Long enough on a loaded machine for a recovery of PostgreSQL, and for a storm to fill the rest of the disk. */
const patient = { timeout: 120_000 }

if (!canMount)
  console.warn(
    '!! 无权挂载磁盘，跳过“磁盘写满”测试 (no permission to mount: tests of a full disk are SKIPPED)',
  )

/** Writes megabytes of write-ahead log until the database fails. */
async function writeLog(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    for (let n = 0; n < 100; n += 1)
      await client.query(`SELECT pg_logical_emit_message(false, 'ballast', repeat('x', 1000000))`)
  } catch {
    // The disk is full, or the database has ended.
  } finally {
    await client.end().catch(() => undefined)
  }
}

describe.skipIf(!canMount)('a disk that fills in the middle of a storm', () => {
  let server: ServerProcess | undefined
  let fleet: Fleet | undefined
  let playing: AbortController | undefined

  afterEach(async () => {
    playing?.abort()
    fleet?.cutPower()
    await server?.remove()
  })

  /** A server with an embedded database, and devices that send as fast as they are acknowledged. */
  async function startStorm(environment: NodeJS.ProcessEnv) {
    const started = await startServerProcess({
      demoDevices: deviceCount,
      diskBytes: 600 * megabyte,
      environment: { LOG_LEVEL: 'warn', ...environment },
    })
    server = started
    const ledger = new Ledger()
    const devices = await connectFleet(started.devices(), started.mqttPort, {
      onAcknowledged: ledger.record,
    })
    fleet = devices
    const storm = new AbortController()
    playing = storm
    const over = ledger.storm(devices.devices, storm.signal)
    await expect.poll(() => ledger.events.length, patient).toBeGreaterThan(100)
    return {
      server: started,
      ledger,
      /** Ends the storm, waits until all devices have sent their reports, and compares the ledger with the history. */
      async compare() {
        const acknowledged = ledger.events.length
        await expect.poll(() => ledger.events.length, patient).toBeGreaterThan(acknowledged + 100)
        storm.abort()
        await over
        await devices.whenOnline()
        await devices.whenDrained()
        const token = await started.client.signIn('admin', started.adminPassword)
        expect(await differences(ledger, started.client, token)).toEqual([])
      },
    }
  }

  /** Fills the server's disk except for `leaveBytes`; returns a function that frees it. */
  function fill({ seenDataDir }: ServerProcess, leaveBytes: number): () => void {
    const path = join(seenDataDir, 'ballast')
    const file = openSync(path, 'w')
    const piece = Buffer.alloc(megabyte)
    try {
      for (;;) {
        const { bavail, bsize } = statfsSync(seenDataDir)
        const left = bavail * bsize - leaveBytes
        if (left <= 0) break
        writeSync(file, piece, 0, Math.min(left, megabyte))
      }
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    } finally {
      closeSync(file)
    }
    return () => rmSync(path)
  }

  it('stops intake before it is full, without PUBACKs and with a log line, and resumes when there is room', async () => {
    const storm = await startStorm({ DISK_WARN_PERCENT: '80', DISK_STOP_PERCENT: '90' })
    const { client, adminPassword } = storm.server
    const token = await client.signIn('admin', adminPassword)
    const empty = fill(storm.server, 40 * megabyte)
    await expect.poll(() => storm.server.output, patient).toContain('已停止接收设备报文和上传')

    // Messages in progress are written; then nothing is acknowledged, and devices stay connected.
    const count = () => storm.ledger.events.length + storm.ledger.opened.length
    let before = -1
    const hasChanged = () => {
      const former = before
      before = count()
      return before !== former
    }
    await expect.poll(hasChanged, { interval: 1_000, ...patient }).toBe(false)
    const { data } = await client.call(readServerInfo, {}, token)
    expect(data.warnings.join()).toMatch(
      /磁盘将满（已用 9\d(\.\d)?%，剩余 \d+ MB）：已停止接收设备报文和上传/,
    )
    expect(data.broker.connectionCount).toBe(deviceCount)
    const form = new FormData()
    form.append('file', new Blob(['编号']), '设备.csv')
    const refused = await fetch(`${storm.server.url}/api${importDevices.path}`, {
      method: 'POST',
      headers: { authorization: token },
      body: form,
    })
    expect([refused.status, await refused.json()]).toEqual([
      503,
      expect.objectContaining({ refusal: 'filesFull', message: '文件存储空间不足，请联系管理员' }),
    ])
    expect(count()).toBe(before)

    empty()
    await expect.poll(() => storm.server.output, patient).toContain('继续接收设备报文和上传')
    await storm.compare()
    expect(storm.server.output).not.toContain('内置数据库意外退出')
  })

  it('that PostgreSQL meets first loses no acknowledged report, and intake resumes without a restart', async () => {
    // Simulates a disk that fills faster than it is checked: intake never stops by itself.
    const storm = await startStorm({ DISK_WARN_PERCENT: '100', DISK_STOP_PERCENT: '100' })
    const { pid } = storm.server
    const empty = fill(storm.server, 0)
    await expect
      .poll(() => storm.server.output, patient)
      .toMatch(/数据库磁盘已满：设备报文暂停接收|内置数据库意外退出|设备报文暂时无法入库/)
    empty()
    await storm.compare()
    expect(storm.server.pid).toBe(pid)
  })

  it('that ends PostgreSQL has it restarted when there is room, without losing acknowledged reports', async () => {
    const storm = await startStorm({ DISK_WARN_PERCENT: '100', DISK_STOP_PERCENT: '100' })
    const { pid } = storm.server
    const url = databaseUrlOf(storm.server.seenDataDir)
    const empty = fill(storm.server, 0)
    // Without room for its log, PostgreSQL panics and cannot recover.
    const fillLog = async () => {
      await writeLog(url)
      return storm.server.output
    }
    await expect.poll(fillLog, { interval: 200, ...patient }).toContain('内置数据库意外退出')
    await expect.poll(() => storm.server.output, patient).toContain('内置数据库未能启动，稍后重试')
    empty()
    await storm.compare()
    expect(storm.server.pid).toBe(pid)
  })
})
