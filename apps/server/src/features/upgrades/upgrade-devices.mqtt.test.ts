import { randomBytes } from 'node:crypto'
import { insertFirmware } from '@voltkeep/contract'
import {
  byChance,
  inTurn,
  type TroublePlan,
  type UpgradeTroubleName,
} from '@voltkeep/simulator/commands/trouble'
import type { UpgradeOptions } from '@voltkeep/simulator/commands/upgrades'
import { VirtualDevice } from '@voltkeep/simulator/device'
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import type { TestDevice } from '../../../test/factories.ts'
import { insertBoard, remark, type TestPackage, uploadPackage } from '../../../test/packages.ts'
import {
  bin,
  type Fleet,
  hurry,
  insertFleet,
  lookNow,
  master,
  startTask,
  targetsOf,
  taskBecomes,
  taskOf,
} from '../../../test/upgrades.ts'

/**
 * Both sides of an upgrade against each other: real tasks, and simulated devices with all their troubles. Files are
 * uploaded and downloaded; whatever a device does, it never installs one target twice.
 */
let app: TestApp
let token: string
const devices: VirtualDevice[] = []
const image = randomBytes(150_000)

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterEach(async () => {
  const installs = devices.flatMap(({ installCounts }) => [...installCounts.values()])
  await Promise.all(devices.splice(0).map((device) => device.stop()))
  expect(installs.filter((count) => count !== 1)).toEqual([])
})
afterAll(() => app?.close())

/** A package with a stored file. */
async function packageFor(
  { equipTypeId }: Fleet,
  { partType = master, version = '1.4' } = {},
): Promise<TestPackage> {
  const board = await insertBoard(app.db, { equipTypeId, partType })
  const upload = await uploadPackage(app, token, `${board.code}_${partType}_V${version}_R.bin`, {
    bytes: image,
  })
  const { filePath, pcbCode } = upload
  const added = await app.call(insertFirmware, { filePath, pcbCode, partType, version, remark }, token)
  expect(added).toMatchObject({ code: 200 })
  const { file_id } = await app.db
    .selectFrom('software_package')
    .select('file_id')
    .where('id', '=', Number(added.data.id))
    .executeTakeFirstOrThrow()
  return { id: Number(added.data.id), fileId: file_id, board, version }
}

const versions = { [`${master} 0`]: '1.3', [`${bin} 1`]: '1.3', [`${bin} 2`]: '1.3' }
const parts = Object.entries(versions).map(([part, version]) => {
  const [partType = '', addrId = ''] = part.split(' ')
  return { partType, addrId, version }
})

function simulated(
  identity: TestDevice,
  trouble?: TroublePlan<UpgradeTroubleName>,
  upgrade: UpgradeOptions = {},
): VirtualDevice {
  const device = new VirtualDevice(identity, {
    broker: { host: '127.0.0.1', port: app.ports.mqttPort as number, isTls: false },
    random: createRandom(identity.id),
    reconnectMs: [20, 100],
    parts,
    commands: {
      downloadRetryMs: [5, 20],
      rebootMs: 30,
      upgrade: { progressMs: 0, ...upgrade, ...(trouble && { trouble }) },
    },
  })
  devices.push(device)
  return device
}

async function switchOn(...given: Parameters<typeof simulated>): Promise<VirtualDevice> {
  const device = simulated(...given)
  device.start()
  await device.whenOnline()
  return device
}

/** A connected device, and a task for its master board. */
async function oneDevice(trouble: UpgradeTroubleName | undefined, rule: object = {}) {
  const fleet = await insertFleet(app.db, 1, { versions })
  const [identity] = fleet.devices as [TestDevice]
  const device = await switchOn(identity, inTurn(trouble), { troubleAtPercent: 50 })
  const taskId = await startTask(app, token, fleet, [await packageFor(fleet)], rule)
  return { device, taskId }
}

const targetOf = async (taskId: string) => (await targetsOf(app, token, taskId))[0]
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 30_000, interval: 50 })
const ends = (taskId: string, counts: object) =>
  taskBecomes(app, token, taskId, { state: 'finished', counts })
const versionOf = (device: VirtualDevice, partType = master, addrId = '0') =>
  device.parts.find(partType, addrId)?.version

describe('a task for simulated devices', () => {
  test('upgrades all of their parts, one after the other', async () => {
    const fleet = await insertFleet(app.db, 3, { versions })
    const all = await Promise.all(fleet.devices.map((identity) => switchOn(identity)))
    const packages = [await packageFor(fleet), await packageFor(fleet, { partType: bin, version: '2.0' })]
    const taskId = await startTask(app, token, fleet, packages)
    await ends(taskId, { total: 6, succeeded: 6 })
    for (const device of all) {
      expect(device.parts.list.map(({ version }) => version)).toEqual(['1.4', '2.0', '2.0'])
      expect(device.installCounts.size).toBe(2)
    }
  })

  test('reaches a device that was offline when it began', async () => {
    const fleet = await insertFleet(app.db, 1, { versions })
    const taskId = await startTask(app, token, fleet, [await packageFor(fleet)])
    await eventually(() => targetOf(taskId)).toMatchObject({ result: 'sent' })
    const [identity] = fleet.devices as [TestDevice]
    const device = await switchOn(identity)
    await ends(taskId, { succeeded: 1 })
    expect(versionOf(device)).toBe('1.4')
  })

  test.each([['cut-download'], ['power-cut'], ['install-power-cut'], ['alarms']] as const)(
    'succeeds at the first attempt in spite of %s',
    async (trouble) => {
      const { device, taskId } = await oneDevice(trouble)
      await ends(taskId, { succeeded: 1 })
      expect(await targetOf(taskId)).toMatchObject({ result: 'succeeded', attempts: 0 })
      expect(versionOf(device)).toBe('1.4')
    },
  )

  test.each([
    ['wrong-hash', '文件校验失败（SHA-256不符）'],
    ['install-fails', '安装失败，已恢复原版本'],
  ] as const)('succeeds at the second attempt after %s', async (trouble, reason) => {
    const { device, taskId } = await oneDevice(trouble)
    await eventually(() => targetOf(taskId)).toMatchObject({ result: 'waiting', attempts: 1, reason })
    await hurry(app.db)
    await ends(taskId, { succeeded: 1 })
    expect(versionOf(device)).toBe('1.4')
  })

  test('does not trust a claim: the device is asked again', async () => {
    const { device, taskId } = await oneDevice('claims-success')
    await eventually(() => targetOf(taskId)).toMatchObject({ result: 'installing', isClaimed: true })
    await eventually(async () => {
      const { rows } = await sql`
        SELECT FROM upgrade_target t JOIN device_version v ON v.device_id = t.device_id AND v.part_type = t.part_type
        WHERE t.task_id = ${Number(taskId)} AND v.reported_at >= t.claimed_at`.execute(app.db)
      return rows.length > 0
    }).toBe(true)
    await hurry(app.db)
    await eventually(() => targetOf(taskId)).toMatchObject({
      attempts: 1,
      reason: '设备仍报告 1.3，应为 1.4',
    })
    await hurry(app.db)
    await ends(taskId, { succeeded: 1 })
    expect(versionOf(device)).toBe('1.4')
  })

  test('retries a device that accepted the order and went silent', async () => {
    const { device, taskId } = await oneDevice('goes-silent')
    await eventually(() => targetOf(taskId)).toMatchObject({ result: 'sent' })
    await eventually(async () => {
      await hurry(app.db, 0)
      return targetOf(taskId)
    }).toMatchObject({ result: 'waiting', attempts: 1, reason: '升级中断，设备无响应' })
    await hurry(app.db)
    await ends(taskId, { succeeded: 1 })
    expect(versionOf(device)).toBe('1.4')
  })

  test('retries a device that never answered its command', async () => {
    const { device, taskId } = await oneDevice('never-answers')
    await eventually(async () => {
      // The command was sent the maximum number of times, long ago.
      await sql`UPDATE device_command SET attempts = max_attempts, sent_at = now() - interval '1 hour', next_at = now()
        WHERE state IN ('sent', 'delivered') AND device_code = ${device.code}`.execute(app.db)
      await lookNow(app.db)
      return targetOf(taskId)
    }).toMatchObject({ result: 'waiting', attempts: 1, reason: '设备未答复' })
    await hurry(app.db)
    await ends(taskId, { succeeded: 1 })
    expect(versionOf(device)).toBe('1.4')
  })

  test.each([
    ['was four minutes ahead and is right since', 4 * 60_000, 0],
    ['lost a day with the restart', 0, -86_400_000],
  ])('believes the version of a device whose clock %s', async (_, firstMs, thenMs) => {
    const fleet = await insertFleet(app.db, 1, { versions })
    const [identity] = fleet.devices as [TestDevice]
    const device = simulated(identity)
    device.clockOffsetMs = firstMs
    device.start()
    await device.whenOnline()
    const reportedAt = async () => {
      const { rows } = await sql<{ at: Date }>`
        SELECT max(reported_at) AS at FROM device_version WHERE device_id = ${identity.id}`.execute(app.db)
      return rows[0]?.at.getTime() ?? 0
    }
    await eventually(reportedAt).toBeGreaterThan(Date.now() + firstMs - 60_000)
    device.clockOffsetMs = thenMs
    const taskId = await startTask(app, token, fleet, [await packageFor(fleet)])
    await ends(taskId, { succeeded: 1 })
    expect(await targetOf(taskId)).toMatchObject({ result: 'succeeded', attempts: 0 })
    expect(await reportedAt()).toBeLessThan(Date.now() + thenMs + 60_000)
  })

  test('does not retry a device that refuses', async () => {
    const { device, taskId } = await oneDevice('refuses')
    await ends(taskId, { refused: 1 })
    expect(await targetOf(taskId)).toMatchObject({ reason: '板卡不符' })
    expect(versionOf(device)).toBe('1.3')
  })

  test('gives up a device that fails each time, and says why', async () => {
    const fleet = await insertFleet(app.db, 1, { versions })
    const [identity] = fleet.devices as [TestDevice]
    const device = await switchOn(identity, byChance({ 'install-fails': 1 }))
    const taskId = await startTask(app, token, fleet, [await packageFor(fleet)], { attempts: 2 })
    await eventually(() => targetOf(taskId)).toMatchObject({ result: 'waiting', attempts: 1 })
    await hurry(app.db)
    await ends(taskId, { failed: 1 })
    expect(await targetOf(taskId)).toMatchObject({ attempts: 2, reason: '安装失败，已恢复原版本' })
    expect(versionOf(device)).toBe('1.3')
  })

  test('a device recognizes its target: it installs once, although retries are forced', async () => {
    const { device, taskId } = await oneDevice(undefined, { attempts: 10 })
    await eventually(async () => {
      await hurry(app.db)
      return targetOf(taskId)
    }).toMatchObject({ result: 'succeeded' })
    expect([...device.installCounts.values()]).toEqual([1])
  })
})

describe('a fleet with many troubles', () => {
  test('has one result for every device, and no target was installed twice', async () => {
    const fleet = await insertFleet(app.db, 24, { versions })
    const trouble = byChance<UpgradeTroubleName>({
      'cut-download': 0.1,
      'power-cut': 0.1,
      'wrong-hash': 0.1,
      'install-power-cut': 0.1,
      'install-fails': 0.1,
      'claims-success': 0.1,
      'goes-silent': 0.1,
    })
    const all = await Promise.all(fleet.devices.map((identity) => switchOn(identity, trouble)))
    const taskId = await startTask(app, token, fleet, [await packageFor(fleet)], {
      attempts: 10,
      failurePercent: 100,
      stages: [{ percent: 100, soakMinutes: 0 }],
    })
    await eventually(async () => {
      await hurry(app.db)
      return (await taskOf(app, token, taskId)).counts
    }).toMatchObject({ total: 24, succeeded: 24 })
    await ends(taskId, { succeeded: 24 })
    for (const device of all) {
      expect(versionOf(device)).toBe('1.4')
      expect([...device.installCounts.values()]).toEqual([1])
    }
  })
})

describe('a bad image that installs successfully', () => {
  test('pauses the task in its first stage, and all other devices keep their version', async () => {
    const fleet = await insertFleet(app.db, 12, { versions })
    const all = await Promise.all(
      fleet.devices.map((identity) => switchOn(identity, undefined, { alarmingMinor: 66 })),
    )
    const taskId = await startTask(app, token, fleet, [await packageFor(fleet, { version: '1.66' })], {
      stages: [
        { count: 4, soakMinutes: 30 },
        { percent: 100, soakMinutes: 0 },
      ],
    })
    await eventually(async () => (await taskOf(app, token, taskId)).stages.map(({ state }) => state)).toEqual(
      ['soaking', 'pending'],
    )
    // A quarter of an hour later, after the settle time, the alarms are still active.
    await sql`
      UPDATE upgrade_target SET started_at = now() - interval '20 minutes', verified_at = now() - interval '15 minutes'
      WHERE task_id = ${taskId}::int AND state = 'succeeded'`.execute(app.db)
    await eventually(async () => {
      await lookNow(app.db)
      return taskOf(app, token, taskId)
    }).toMatchObject({
      state: 'paused',
      pause: { reason: 'alarms', stage: 1, gate: { verified: 4, passes: false } },
    })
    const gate = (await taskOf(app, token, taskId)).pause?.gate
    expect(gate?.alarms.map(({ code }) => code)).toEqual(['01120005'])
    expect(gate?.alarmed).toBeGreaterThan(gate?.allowed ?? 0)
    const upgraded = fleet.devices.filter((_, index) => versionOf(all[index] as VirtualDevice) === '1.66')
    expect(upgraded).toHaveLength(4)
    expect(upgraded.map(({ code }) => code)).toEqual(
      expect.arrayContaining(gate?.devices.map(({ code }) => code) ?? ['none']),
    )
  })
})
