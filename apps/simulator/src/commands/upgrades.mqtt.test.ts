import { randomBytes } from 'node:crypto'
import { downTopics, type UpTopicName, upTopics } from '@voltkeep/contract/topics/index'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../test/broker.ts'
import { type FileServer, hashOf, startFileServer } from '../../test/file-server.ts'
import { type DeviceOptions, VirtualDevice } from '../device.ts'
import type { Part } from '../parts.ts'
import { createRandom } from '../random.ts'
import { inTurn, type UpgradeTroubleName } from './trouble.ts'
import type { UpgradeOptions } from './upgrades.ts'

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 })
const bin = (addrId: string, more: Partial<Part> = {}): Part => ({
  partType: 'PART_TYPE_EC_BIN',
  addrId,
  version: '1.2',
  hwVersion: '2',
  ...more,
})
const master: Part = { partType: 'PART_TYPE_EC_MASTER', addrId: '0', version: '1.2' }

describe('a device that receives upgrade commands', () => {
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
    for (const { payload } of broker.received.filter(({ topic }) => topic.endsWith('/up/upgrade'))) {
      expect(upTopics.upgrade.payload.safeParse(JSON.parse(payload)).success, payload).toBe(true)
    }
    await broker.close()
    await files.close()
  })

  async function start(upgrade: UpgradeOptions = {}, more: Partial<DeviceOptions> = {}) {
    device = new VirtualDevice(
      { code: 'CAB1', secret: 'right' },
      {
        broker: broker.address,
        random: createRandom(1),
        reconnectMs: [20, 50],
        parts: [master, bin('1'), bin('2')],
        commands: { downloadRetryMs: [5, 20], rebootMs: 50, upgrade: { progressMs: 0, ...upgrade } },
        ...more,
      },
    )
    await broker.reconnected(() => device.start())
  }
  const startWith = (...troubles: UpgradeTroubleName[]) =>
    start({ trouble: inTurn(...troubles), troubleAtPercent: 50 })

  const upgrade = (more: object = {}) => {
    const now = Date.now()
    commandCount += 1
    const command = {
      id: `c-${commandCount}`,
      time: now,
      deadline: now + 3_600_000,
      taskId: '31',
      targetId: '7',
      partType: 'PART_TYPE_EC_BIN',
      addrIds: ['1', '2'],
      pcbCode: 'SLB-BIN-02',
      version: '1.3',
      hwVersion: '2',
      fileName: 'SLB-BIN-02_PART_TYPE_EC_BIN_V1.3_HW2_R.bin',
      url: files.url,
      sizeBytes: files.sizeBytes,
      md5: '0'.repeat(32),
      sha256: files.sha256,
      ...more,
    }
    expect(downTopics.upgrade.payload.safeParse(command).success).toBe(true)
    return command
  }
  const send = (command: object) => broker.send('CAB1', 'upgrade', command)
  /** Removes duplicates: a message whose PUBACK was lost is sent twice with one id. */
  const once = (name: UpTopicName) => [
    ...new Map(broker.of(name).map((message) => [message.id, message])).values(),
  ]
  const replies = () => once('reply').map(({ commandId, outcome, reason }) => [commandId, outcome, reason])
  const progress = () =>
    once('upgrade').map(({ targetId, state, reason }) => [targetId, state, reason].filter(Boolean).join(' '))
  /** The states without repetitions. */
  const states = () => progress().filter((state, index, list) => state !== list[index - 1])
  /** The version reports, as the versions of the compartments. */
  const told = () =>
    once('version').map(({ versions }) =>
      (versions as Part[]).map(({ addrId, version }) => `${addrId} ${version}`).join(', '),
    )
  const installCountOf = (targetId: string) => device.installCounts.get(targetId) ?? 0
  const before = '0 1.2, 1 1.2, 2 1.2'
  const after = '0 1.2, 1 1.3, 2 1.3'
  const percents = (state: string) =>
    once('upgrade')
      .filter((report) => report.state === state)
      .map(({ percent }) => percent as number)

  it('answers at once, downloads, installs, restarts, and then reports the new version', async () => {
    await start()
    expect(told()).toEqual([before])
    const command = upgrade()
    await send(command)
    await eventually(told).toEqual([before, after])
    expect(replies()).toEqual([[command.id, 'done', undefined]])
    expect(states()).toEqual(['7 downloading', '7 installing', '7 installed'])
    const order = broker.received.map(({ topic, payload }) => `${topic.split('/').at(-1)} ${payload}`)
    const place = (text: string) => order.findIndex((line) => line.includes(text))
    expect(place('"done"')).toBeLessThan(place('"downloading"'))
    expect(place('"installed"')).toBeLessThan(place('"isOnline":false'))
    for (const state of ['downloading', 'installing']) {
      const list = percents(state)
      expect(list.length).toBeGreaterThan(3)
      expect(list).toEqual(list.toSorted((one, other) => one - other))
    }
    expect(installCountOf('7')).toBe(1)
    expect(once('connection').map(({ isOnline }) => isOnline)).toEqual([true, false, true])
  })

  it('limits the rate of its progress reports', async () => {
    await start({ progressMs: 3_600_000 })
    await send(upgrade())
    await eventually(told).toEqual([before, after])
    expect(progress()).toEqual(['7 downloading', '7 installing', '7 installed'])
  })

  it('never installs one target twice, and reports again that it is installed', async () => {
    await start()
    await send(upgrade())
    await eventually(told).toEqual([before, after])
    await broker.reconnected(() => {
      device.cutPower()
      device.start()
    })
    const again = upgrade()
    await send(again)
    await eventually(told).toEqual([before, after, after, after])
    expect(replies().at(-1)).toEqual([again.id, 'done', undefined])
    expect(progress().at(-1)).toBe('7 installed')
    expect(installCountOf('7')).toBe(1)
    expect(files.ranges).toHaveLength(1)
  })

  it('answers a repetition of the command, and continues', async () => {
    await start()
    files.stallOnce(1_000)
    const command = upgrade()
    await send(command)
    await send(command)
    await eventually(replies).toEqual(Array(2).fill([command.id, 'done', undefined]))
    await eventually(() => files.ranges).toHaveLength(1)
  })

  it('continues at the new address if a second command contains one', async () => {
    await start()
    const second = Promise.withResolvers<void>()
    files.cutOnce(100_000)
    // The old address answers after the second command has been: a download that ends earlier takes the device away
    // for its restart, in which the command is lost.
    files.refuseOnce(503, second.promise)
    const gone = upgrade({ url: files.url.replace('signature=x', 'signature=old') })
    await send(gone)
    await send(upgrade())
    await eventually(() => replies().map(([, outcome]) => outcome)).toEqual(['done', 'done'])
    second.resolve()
    await eventually(told).toEqual([before, after])
    expect(files.ranges.at(-1)).toBe('bytes=100000-')
    expect(installCountOf('7')).toBe(1)
  })

  it('executes one upgrade after another, each part with its own target', async () => {
    await start()
    await send(upgrade())
    await send(upgrade({ targetId: '8', partType: master.partType, addrIds: ['0'], hwVersion: undefined }))
    await eventually(() => told().at(-1)).toBe('0 1.3, 1 1.3, 2 1.3')
    expect([installCountOf('7'), installCountOf('8')]).toEqual([1, 1])
  })

  it('ends an older target of the same part for a newer one', async () => {
    await start()
    files.stallOnce(1_000)
    await send(upgrade())
    await eventually(() => files.ranges.length).toBe(1)
    await send(upgrade({ targetId: '8', version: '1.4' }))
    await eventually(() => told().at(-1)).toBe('0 1.2, 1 1.4, 2 1.4')
    expect(states()).toContain('7 failed 已被更新的命令取代')
    expect(installCountOf('7')).toBe(0)
    const late = upgrade({ time: Date.now() - 60_000 })
    await send(late)
    await eventually(() => replies().at(-1)).toEqual([late.id, 'refused', '已被更新的命令取代'])
  })

  it.each([
    [{ addrIds: ['1', '3'] }, '设备没有此部件'],
    [{ partType: 'PART_TYPE_EC_FIRE' }, '设备没有此部件'],
    [{ hwVersion: '3' }, '硬件版本不符'],
    [{ pcbCode: 'SLB-BIN-01' }, '板卡不符'],
    [{ sizeBytes: 2 ** 31 }, '存储空间不足'],
  ])('refuses %j, and downloads nothing', async (more, reason) => {
    await start({}, { parts: [bin('1', { pcbCode: 'SLB-BIN-02' }), bin('2')] })
    const command = upgrade(more)
    await send(command)
    await eventually(replies).toEqual([[command.id, 'refused', reason]])
    expect(files.ranges).toEqual([])
  })

  it('fails on an expired address, and accepts a new one', async () => {
    await start()
    files.refuseOnce(403)
    await send(upgrade())
    await eventually(states).toEqual(['7 downloading', '7 failed 下载地址已失效（HTTP 403）'])
    await send(upgrade())
    await eventually(told).toEqual([before, after])
  })

  it('fails on a file other than the declared one', async () => {
    await start()
    await send(upgrade({ sha256: hashOf(randomBytes(10)) }))
    await eventually(states).toEqual(['7 downloading', '7 failed 文件校验失败（SHA-256不符）'])
    expect(installCountOf('7')).toBe(0)
  })

  it('continues the work of an earlier process, and knows what it has installed', async () => {
    await start()
    await send(upgrade())
    await eventually(told).toEqual([before, after])
    files.stallOnce(1_000)
    await send(upgrade({ targetId: '8', partType: master.partType, addrIds: ['0'], hwVersion: undefined }))
    await eventually(() => files.ranges.length).toBe(2)
    const saved = JSON.parse(JSON.stringify(device.saved))
    device.cutPower()
    await start({}, { saved })
    await eventually(() => told().at(-1)).toBe('0 1.3, 1 1.3, 2 1.3')
    const versions = told().length
    await send(upgrade())
    await eventually(() => told().length).toBe(versions + 1)
    expect(installCountOf('7')).toBe(0)
  })

  describe('and has troubles', () => {
    it('resumes by Range where the connection broke', async () => {
      await startWith('cut-download')
      await send(upgrade())
      await eventually(told).toEqual([before, after])
      expect(files.ranges).toEqual(['', expect.stringMatching(/^bytes=1\d{5}-$/)])
    })

    it('loses its power during the download, and resumes by itself', async () => {
      await startWith('power-cut')
      await send(upgrade())
      await eventually(told).toEqual([before, before, after])
      expect(files.ranges).toEqual(['', expect.stringMatching(/^bytes=1\d{5}-$/)])
      expect(replies()).toHaveLength(1)
      expect(states()).toEqual(['7 downloading', '7 installing', '7 installed'])
      expect(installCountOf('7')).toBe(1)
    })

    it('starts again after a power cut if the file has changed meanwhile', async () => {
      files.replace(randomBytes(bytes.length))
      await start(
        { trouble: inTurn('power-cut'), troubleAtPercent: 50 },
        { onOffline: () => files.replace(bytes) },
      )
      await send(upgrade({ sha256: hashOf(bytes) }))
      await eventually(told).toEqual([before, before, after])
      expect(files.ranges).toEqual(['', expect.stringMatching(/^bytes=1\d{5}-$/)])
    })

    it('loses its power during the installation, and installs again from the stored file', async () => {
      await startWith('install-power-cut')
      await send(upgrade())
      await eventually(told).toEqual([before, before, after])
      expect(files.ranges).toHaveLength(1)
      expect(installCountOf('7')).toBe(1)
    })

    it.each([
      ['wrong-hash', '文件校验失败（SHA-256不符）', 2],
      ['install-fails', '安装失败，已恢复原版本', 1],
    ] as const)('fails by %s, and succeeds at the next try', async (trouble, reason, downloads) => {
      await startWith(trouble)
      await send(upgrade())
      await eventually(() => states().at(-1)).toBe(`7 failed ${reason}`)
      expect(told()).toEqual([before])
      await send(upgrade())
      await eventually(told).toEqual([before, after])
      expect(files.ranges).toHaveLength(downloads)
      expect(installCountOf('7')).toBe(1)
    })

    it('claims success and returns with the old version', async () => {
      await startWith('claims-success')
      await send(upgrade())
      await eventually(told).toEqual([before, before])
      expect(states().at(-1)).toBe('7 installed')
      expect(installCountOf('7')).toBe(0)
      await send(upgrade())
      await eventually(told).toEqual([before, before, after])
    })

    it('refuses, or accepts the order and goes silent, or never answers', async () => {
      await startWith('refuses', 'goes-silent', 'never-answers')
      const commands = [upgrade(), upgrade(), upgrade(), upgrade()]
      for (const command of commands) await send(command)
      await eventually(told).toEqual([before, after])
      expect(replies()).toEqual([
        [commands[0]?.id, 'refused', '板卡不符'],
        [commands[1]?.id, 'done', undefined],
        [commands[3]?.id, 'done', undefined],
      ])
    })

    it('installs an image that raises an alarm, and recovers it with another image', async () => {
      await start({ alarmingMinor: 66, alarm: { code: '01120005', value: 3 } })
      await send(upgrade({ version: '1.66' }))
      await eventually(() => once('alarm').map(({ code, value }) => [code, value])).toEqual([['01120005', 3]])
      const names = broker.received.map(({ topic }) => topic.split('/').at(-1))
      expect(names.lastIndexOf('version')).toBeLessThan(names.indexOf('alarm'))
      await send(upgrade({ targetId: '8' }))
      await eventually(() => once('alarm').map(({ value }) => value)).toEqual([3, 0])
    })

    it('raises an alarm with an image that works on other devices', async () => {
      await startWith('alarms')
      await send(upgrade())
      await eventually(() => once('alarm').map(({ value }) => value)).toEqual([1])
      expect(told()).toEqual([before, after])
    })
  })
})
