import { randomBytes } from 'node:crypto'
import { downTopics } from '@voltkeep/contract/topics/index'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../test/broker.ts'
import { type FileServer, hashOf, startFileServer } from '../../test/file-server.ts'
import { VirtualDevice } from '../device.ts'
import { createRandom } from '../random.ts'
import type { CommandOptions } from './host.ts'
import { always, inTurn } from './trouble.ts'

const hourMs = 3_600_000
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 })

describe('a device that gets commands', () => {
  const bytes = randomBytes(200_000)
  let broker: TestBroker
  let files: FileServer
  let device: VirtualDevice
  let commandCount = 0

  beforeEach(async () => {
    broker = await startBroker()
    files = await startFileServer(bytes)
  })
  afterEach(async () => {
    device.cutPower()
    await broker.close()
    await files.close()
  })

  async function start(options: CommandOptions = {}, { clockOffsetMs = 0 } = {}) {
    device = new VirtualDevice(
      { code: 'CAB1', secret: 'right' },
      {
        broker: broker.address,
        random: createRandom(1),
        reconnectMs: [20, 50],
        clockOffsetMs,
        commands: { hasScreen: true, downloadRetryMs: [5, 20], rebootMs: 100, ...options },
      },
    )
    await broker.reconnected(() => device.start())
  }

  const advertise = (more: object = {}) => {
    const now = Date.now()
    commandCount += 1
    const command = {
      id: `c-${commandCount}`,
      time: now,
      deadline: now + hourMs,
      advertisementId: '7',
      name: '春节优惠',
      url: files.url,
      sizeBytes: files.sizeBytes,
      sha256: files.sha256,
      contentType: 'image/png',
      startTime: now - hourMs,
      endTime: now + hourMs,
      ...more,
    }
    expect(downTopics.advertise.payload.safeParse(command).success).toBe(true)
    return command
  }
  const withdraw = (more: object = {}) => {
    commandCount += 1
    const now = Date.now()
    return { id: `c-${commandCount}`, time: now, deadline: now + hourMs, advertisementId: '7', ...more }
  }
  const replies = () =>
    broker.of('reply').map(({ commandId, outcome, reason }) => [commandId, outcome, reason])
  const lists = () =>
    broker
      .of('advertisement')
      .map(({ advertisements }) =>
        advertisements.map(
          ({ advertisementId, state }: { advertisementId: string; state: string }) =>
            `${advertisementId} ${state}`,
        ),
      )
  /** The hash of the file that the device keeps. */
  const keptHash = () => hashOf(device.advertisement('7')?.bytes ?? Buffer.alloc(0))
  const send = (name: 'advertise' | 'withdraw', command: object) => broker.send('CAB1', name, command)

  it('downloads, verifies, shows and replies; and after connecting it reports an empty list', async () => {
    await start({ keepsFiles: true })
    const command = advertise()
    await send('advertise', command)
    await eventually(replies).toEqual([[command.id, 'done', undefined]])
    expect(lists()).toEqual([[], ['7 shown']])
    expect(device.advertisement('7')?.sha256).toBe(command.sha256)
    expect(keptHash()).toBe(command.sha256)
  })

  it('answers a repetition with the same reply and does not execute it again, after a reconnect too', async () => {
    await start()
    const command = advertise()
    await send('advertise', command)
    await eventually(replies).toHaveLength(1)
    await send('advertise', command)
    await eventually(replies).toHaveLength(2)
    // Without a PUBACK the second reply would be sent again, with its id.
    await eventually(() => device.outboxSize).toBe(0)
    await broker.reconnected(() => device.cutLine())
    await send('advertise', command)
    await eventually(replies).toEqual(Array(3).fill([command.id, 'done', undefined]))
    expect(files.ranges).toHaveLength(1)
    expect(new Set(broker.of('reply').map(({ id }) => id)).size).toBe(3)
  })

  it('keeps its replies and files after a power cut', async () => {
    await start()
    const command = advertise()
    await send('advertise', command)
    await eventually(replies).toHaveLength(1)
    await broker.reconnected(() => {
      device.cutPower()
      device.start()
    })
    await send('advertise', command)
    await eventually(replies).toHaveLength(2)
    expect(files.ranges).toHaveLength(1)
    expect(lists().at(-1)).toEqual(['7 shown'])
  })

  it('reports after a replacement of its board that nothing is left, and executes the command again', async () => {
    await start()
    const command = advertise()
    await send('advertise', command)
    await eventually(lists).toEqual([[], ['7 shown']])
    device.wipe()
    await eventually(lists).toEqual([[], ['7 shown'], []])
    await send('advertise', command)
    await eventually(() => files.ranges.length).toBe(2)
  })

  it('shows an advertisement between its two times, also when its power was off at the change', async () => {
    await start()
    const reboot = (clockOffsetMs: number) =>
      broker.reconnected(() => {
        device.cutPower()
        device.clockOffsetMs = clockOffsetMs
        device.start()
      })
    const now = Date.now()
    await send('advertise', advertise({ startTime: now + hourMs, endTime: now + 2 * hourMs }))
    await eventually(lists).toEqual([[], ['7 stored']])
    await reboot(1.5 * hourMs)
    await eventually(() => lists().at(-1)).toEqual(['7 shown'])
    await reboot(2.5 * hourMs)
    await eventually(() => lists().at(-1)).toEqual([])
    expect(device.advertisement('7')).toBeUndefined()
  })

  it('removes a withdrawn advertisement, and replies done where there is nothing to remove', async () => {
    await start()
    await send('advertise', advertise())
    await eventually(replies).toHaveLength(1)
    await send('withdraw', withdraw())
    await eventually(lists).toEqual([[], ['7 shown'], []])
    await send('withdraw', withdraw({ advertisementId: 'never-seen' }))
    await eventually(() => replies().map(([, outcome]) => outcome)).toEqual(['done', 'done', 'done'])
  })

  it('ends a download when its advertisement is withdrawn', async () => {
    await start()
    files.stallOnce(1_000)
    const shown = advertise()
    await send('advertise', shown)
    await eventually(() => files.ranges.length).toBe(1)
    const withdrawn = withdraw()
    await send('withdraw', withdrawn)
    await eventually(replies).toHaveLength(2)
    expect(replies()).toContainEqual([shown.id, 'failed', '已被更新的命令取代'])
    expect(replies()).toContainEqual([withdrawn.id, 'done', undefined])
    expect(device.advertisements).toEqual([])
  })

  it('refuses an older command for an advertisement after a newer one', async () => {
    await start()
    const older = advertise({ time: Date.now() - 1_000 })
    await send('withdraw', withdraw())
    await send('advertise', older)
    await eventually(replies).toHaveLength(2)
    expect(replies()).toContainEqual([older.id, 'refused', '已被更新的命令取代'])
    expect(files.ranges).toEqual([])
  })

  it('keeps the old file until the new one is complete', async () => {
    await start({ keepsFiles: true })
    await send('advertise', advertise())
    await eventually(replies).toHaveLength(1)
    const other = randomBytes(100_000)
    const wrong = advertise({ sha256: hashOf(other), sizeBytes: other.length })
    await send('advertise', wrong)
    await eventually(() => replies().at(-1)).toEqual([wrong.id, 'failed', '文件大小与命令不符'])
    expect(keptHash()).toBe(hashOf(bytes))
    files.replace(other)
    await send('advertise', advertise())
    await eventually(keptHash).toBe(hashOf(other))
  })

  it('applies a new period to an existing file without downloading it again', async () => {
    await start()
    await send('advertise', advertise())
    await eventually(replies).toHaveLength(1)
    await send('advertise', advertise({ startTime: Date.now() + hourMs / 2 }))
    await eventually(() => lists().at(-1)).toEqual(['7 stored'])
    expect(files.ranges).toHaveLength(1)
  })

  it('fails on a full disk, on an expired address, and on a deadline that passes meanwhile', async () => {
    await start({ diskBytes: 1_000 })
    await send('advertise', advertise())
    await eventually(() => replies().at(-1)).toEqual([expect.any(String), 'failed', '存储空间不足'])
    device.cutPower()
    await start()
    files.refuseOnce(403)
    await send('advertise', advertise())
    await eventually(() => replies().at(-1)).toEqual([
      expect.any(String),
      'failed',
      '下载地址已失效（HTTP 403）',
    ])
    files.stallOnce(1_000)
    await send('advertise', advertise({ deadline: Date.now() + 3_000 }))
    await eventually(() => replies().at(-1)).toEqual([expect.any(String), 'failed', '截止时间前未能完成下载'])
  })

  it('does not execute a command that has expired by its own clock, but does when the clock is right again', async () => {
    await start({}, { clockOffsetMs: 2 * hourMs })
    const command = withdraw()
    await send('withdraw', command)
    await eventually(replies).toEqual([[command.id, 'failed', '命令已过期']])
    device.clockOffsetMs = 0
    await send('withdraw', command)
    await eventually(() => replies().at(-1)).toEqual([command.id, 'done', undefined])
  })

  it('refuses an unknown or malformed command, and one that needs a screen it does not have', async () => {
    await start()
    await broker.send('CAB1', 'selfDestruct', { id: 'x-1', time: 1, deadline: 2 })
    await broker.send('CAB1', 'advertise', { ...advertise(), id: 'x-2', sha256: 'short' })
    await eventually(replies).toEqual([
      ['x-1', 'refused', '不支持的命令'],
      ['x-2', 'refused', '命令内容有误'],
    ])
    device.cutPower()
    await start({ hasScreen: false })
    const command = withdraw()
    await send('withdraw', command)
    await eventually(() => replies().at(-1)).toEqual([command.id, 'refused', '不支持的命令'])
  })

  describe('and misbehaves on request', () => {
    it('never answers, although it has executed', async () => {
      await start({ trouble: always('never-answers') })
      const command = advertise()
      await send('advertise', command)
      await eventually(() => lists().at(-1)).toEqual(['7 shown'])
      await send('advertise', command)
      await device.raise('A0000001', 1)
      expect(replies()).toEqual([])
      expect(files.ranges).toHaveLength(1)
    })

    it('answers twice', async () => {
      await start({ trouble: always('answers-twice') })
      const command = withdraw()
      await send('withdraw', command)
      await eventually(replies).toEqual(Array(2).fill([command.id, 'done', undefined]))
    })

    it('answers after the deadline, and a repetition no earlier', async () => {
      await start({ trouble: always('answers-late') })
      const command = withdraw({ deadline: Date.now() + 3_000 })
      await send('withdraw', command)
      await send('withdraw', command)
      await eventually(replies).toHaveLength(1)
      expect(broker.of('reply')[0].time).toBeGreaterThan(command.deadline)
    })

    it.each([
      ['refuses', 'refused', '设备拒绝执行'],
      ['wrong-hash', 'failed', '文件校验失败（SHA-256不符）'],
      ['disk-full', 'failed', '存储空间不足'],
    ] as const)('%s', async (trouble, outcome, reason) => {
      await start({ trouble: inTurn(trouble) })
      const wrong = advertise()
      await send('advertise', wrong)
      await eventually(replies).toEqual([[wrong.id, outcome, reason]])
      expect(device.advertisements).toEqual([])
      // A new command for the same advertisement is another try.
      const right = advertise()
      await send('advertise', right)
      await eventually(() => replies().at(-1)).toEqual([right.id, 'done', undefined])
    })

    it('loses the connection during the download, and resumes', async () => {
      await start({ trouble: always('cut-download'), keepsFiles: true })
      await send('advertise', advertise())
      await eventually(() => replies().at(-1)?.[1]).toBe('done')
      expect(files.ranges).toEqual(['', expect.stringMatching(/^bytes=[1-9]\d*-$/)])
      expect(keptHash()).toBe(hashOf(bytes))
    })

    it('loses its power during the download: returns, and downloads at the repetition', async () => {
      await start({ trouble: always('power-cut') })
      const command = advertise()
      await broker.reconnected(() => send('advertise', command))
      expect(replies()).toEqual([])
      await send('advertise', command)
      await eventually(replies).toEqual([[command.id, 'done', undefined]])
      expect(files.ranges).toHaveLength(2)
    })

    it('forgets what it has executed', async () => {
      await start({ trouble: always('forgets') })
      const command = withdraw()
      await send('withdraw', command)
      const shown = advertise()
      await send('advertise', shown)
      await eventually(replies).toHaveLength(2)
      device.wipe()
      await send('advertise', shown)
      await eventually(replies).toHaveLength(3)
      expect(files.ranges).toHaveLength(2)
    })

    it('replies done without having the file', async () => {
      await start({ trouble: always('lies') })
      await send('advertise', advertise())
      await eventually(() => replies().at(-1)?.[1]).toBe('done')
      await device.raise('A0000001', 1)
      expect(lists()).toEqual([[]])
      expect(files.ranges).toEqual([])
    })

    it('also answers a command of another device', async () => {
      await start({ trouble: always('foreign-reply') })
      const command = withdraw()
      await send('withdraw', command)
      await eventually(() => replies().map(([id]) => id)).toEqual([command.id, `foreign-${command.id}`])
    })
  })
})
