import { randomBytes } from 'node:crypto'
import { inTurn, type TroubleName } from '@voltkeep/simulator/commands/trouble'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type FileServer, startFileServer } from '../../simulator/test/file-server.ts'
import { createCommands } from '../src/platform/devices/commands/commands.ts'
import { createLog } from '../src/platform/process/log.ts'
import { createTestApp, type TestApp } from './app.ts'
import { insertDevice, type TestDevice } from './factories.ts'

/**
 * The two implementations of the protocol against each other: the server's commands, and the simulated device with
 * each of its troubles. Whatever the device does, a command ends with one result.
 */
describe('a command to a simulated device', () => {
  let app: TestApp
  let files: FileServer
  let device: VirtualDevice
  const commands = createCommands({ log: createLog({ level: 'silent' }), metrics: new Registry() })

  beforeAll(async () => {
    app = await createTestApp()
    files = await startFileServer(randomBytes(100_000))
  })
  afterEach(() => device.stop())
  afterAll(async () => {
    await files.close()
    await app.close()
  })

  async function start(...troubles: TroubleName[]): Promise<TestDevice> {
    const row = await insertDevice(app.db)
    device = new VirtualDevice(row, {
      broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
      random: createRandom(1),
      reconnectMs: [20, 100],
      commands: {
        hasScreen: true,
        trouble: inTurn(...troubles),
        downloadRetryMs: [5, 20],
        rebootMs: 50,
      },
    })
    device.start()
    await device.whenOnline()
    return row
  }

  async function advertise(to: TestDevice, { inMs = 600_000 } = {}): Promise<string> {
    const now = Date.now()
    const [id] = await app.db.transaction().execute((trx) =>
      commands.send(trx, [
        {
          deviceId: to.id,
          deviceCode: to.code,
          topic: 'advertise',
          body: {
            advertisementId: '7',
            name: '春节优惠',
            url: files.url,
            sizeBytes: files.sizeBytes,
            sha256: files.sha256,
            contentType: 'image/png',
            startTime: now - 3_600_000,
            endTime: now + 3_600_000,
          },
          deadline: new Date(now + inMs),
          rule: { maxAttempts: 10, intervalMs: 300 },
        },
      ]),
    )
    return id as string
  }

  const rowOf = (id: string) =>
    app.db.selectFrom('device_command').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 30_000, interval: 20 })
  const ends = (id: string, wanted: object) =>
    eventually(() => rowOf(id)).toMatchObject({ state: 'finished', ...wanted })
  const refusalsOf = async ({ code }: TestDevice) =>
    (
      await app.db.selectFrom('intake_refusal').select('reason').where('device_code', '=', code).execute()
    ).map(({ reason }) => reason)

  test('is executed, and waits for an offline device', async () => {
    const to = await start()
    await ends(await advertise(to), { result: 'answered', outcome: 'done', attempts: 1 })
    expect(device.advertisements).toEqual([{ advertisementId: '7', state: 'shown' }])
    await device.stop()
    const id = await advertise(to)
    device.start()
    await ends(id, { result: 'answered', outcome: 'done', attempts: 1 })
  })

  test.each([
    ['refuses', { result: 'refused', outcome: 'refused', reason: '设备拒绝执行' }],
    ['disk-full', { result: 'answered', outcome: 'failed', reason: '存储空间不足' }],
    ['wrong-hash', { result: 'answered', outcome: 'failed', reason: '文件校验失败（SHA-256不符）' }],
    ['cut-download', { result: 'answered', outcome: 'done' }],
    ['answers-twice', { result: 'answered', outcome: 'done' }],
    ['lies', { result: 'answered', outcome: 'done' }],
  ] as const)('ends once where the device %s', async (trouble, result) => {
    const to = await start(trouble)
    await ends(await advertise(to), result)
  })

  test('expires without an answer, after it was sent again', async () => {
    const to = await start('never-answers')
    const id = await advertise(to, { inMs: 3_000 })
    await ends(id, { result: 'expired', outcome: null })
    expect((await rowOf(id)).attempts).toBeGreaterThan(1)
  })

  test('expires before a late answer, which is kept', async () => {
    const to = await start('answers-late')
    const id = await advertise(to, { inMs: 3_000 })
    await ends(id, { result: 'expired', outcome: null, late_outcome: 'done' })
  })

  test('is sent again to a device that lost its power during the download', async () => {
    const to = await start('power-cut')
    const before = files.ranges.length
    await ends(await advertise(to), { result: 'answered', outcome: 'done' })
    expect(files.ranges.slice(before)).toEqual(['', ''])
  })

  test('is ended by its own answer; an answer to an unknown command is refused', async () => {
    const to = await start('foreign-reply')
    await ends(await advertise(to), { result: 'answered', outcome: 'done' })
    await eventually(() => refusalsOf(to)).toContain('unknownCommand')
  })
})
