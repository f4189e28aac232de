import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import type { TestDevice } from '../../../test/factories.ts'
import { type ScriptedDevice, scriptedDevice } from '../../../test/upgrade-device.ts'
import {
  bin,
  hurry,
  insertFleet,
  insertPackageFor,
  lookNow,
  master,
  reportVersions,
  startTask,
  targetsBecome,
  targetsOf,
  taskBecomes,
} from '../../../test/upgrades.ts'

let app: TestApp
let token: string
const running: ScriptedDevice[] = []

beforeAll(async () => {
  app = await createTestApp()
  token = await app.asAdmin()
})
afterEach(() => {
  for (const device of running.splice(0)) device.breakOff()
})
afterAll(() => app.close())

async function switchOn(device: TestDevice): Promise<ScriptedDevice> {
  const scripted = await scriptedDevice(app.ports.mqttPort as number, device)
  running.push(scripted)
  return scripted
}

/** A fleet with one connected device, and a task for it. */
async function oneDevice({
  rule = {},
  versions = { [`${master} 0`]: '1.3' } as Record<string, string>,
} = {}) {
  const fleet = await insertFleet(app.db, 1, { versions })
  const [device] = fleet.devices as [TestDevice]
  const scripted = await switchOn(device)
  const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], rule)
  return { fleet, device, scripted, taskId, code: device.code }
}

/** The interval passes without an answer to the command. */
async function comesAgain(id: string): Promise<void> {
  const { pool } = app.database
  await pool.query('UPDATE device_command SET next_at = now() WHERE id = $1', [id])
  await pool.query(`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["device_command 0"]}')`)
  const attempts = async () => {
    const { rows } = await pool.query('SELECT attempts FROM device_command WHERE id = $1', [id])
    return rows[0]?.attempts
  }
  await expect.poll(attempts, { timeout: 20_000, interval: 20 }).toBe(2)
}

const targetOf = async (taskId: string) => (await targetsOf(app, token, taskId))[0]
const refusalsOf = async ({ code }: TestDevice) => {
  const rows = await app.db
    .selectFrom('intake_refusal')
    .select(['reason', 'detail'])
    .where('device_code', '=', code)
    .execute()
  return rows.map(({ reason, detail }) => `${reason} ${detail}`)
}

describe('a device that upgrades', () => {
  test('has succeeded when it reports the new version, and not before', async () => {
    const { scripted, taskId, code } = await oneDevice()
    const order = await scripted.order()
    expect(order).toMatchObject({ partType: master, addrIds: ['0'], version: '1.4', taskId })
    await scripted.reply(order, 'done')
    await scripted.tell(order, 'downloading', { percent: 40 })
    expect(await targetOf(taskId)).toMatchObject({ result: 'downloading', percent: 40 })
    await scripted.tell(order, 'installing', { percent: 5 })
    expect(await targetOf(taskId)).toMatchObject({ result: 'installing', percent: 5, isClaimed: false })
    await scripted.tell(order, 'installed')
    expect(await targetOf(taskId)).toMatchObject({ result: 'installing', isClaimed: true })
    await scripted.versions({ [`${master} 0`]: '1.3' })
    expect(await targetOf(taskId)).toMatchObject({ result: 'installing' })
    await scripted.versions({ [`${master} 0`]: '1.4' })
    await targetsBecome(app, token, taskId, { [code]: 'succeeded' })
    await taskBecomes(app, token, taskId, {
      state: 'finished',
      status: 2,
      counts: { total: 1, succeeded: 1 },
    })
  })

  test('that is offline gets its order when it connects, and the task waits', async () => {
    const fleet = await insertFleet(app.db, 1)
    const [device] = fleet.devices as [TestDevice]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    await targetsBecome(app, token, taskId, { [device.code]: 'sent' })
    await taskBecomes(app, token, taskId, { state: 'running', status: 1 })
    const scripted = await switchOn(device)
    const order = await scripted.order()
    await scripted.reply(order, 'done')
    await scripted.versions({ [`${master} 0`]: '1.4' })
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 1 } })
  })

  test('that refuses is not asked again', async () => {
    const { scripted, taskId } = await oneDevice()
    await scripted.reply(await scripted.order(), 'refused', '板卡不符')
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { refused: 1 } })
    expect(await targetOf(taskId)).toMatchObject({ result: 'refused', reason: '板卡不符', attempts: 0 })
  })

  test('has succeeded if it got the version in another way', async () => {
    const fleet = await insertFleet(app.db, 1)
    const [device] = fleet.devices as [TestDevice]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    await targetsBecome(app, token, taskId, { [device.code]: 'sent' })
    // Simulates a lost notice.
    await reportVersions(app.db, device, { [`${master} 0`]: '1.4' })
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 1 } })
    const { rows } = await app.database.pool.query(
      `SELECT c.result FROM device_command c JOIN upgrade_target t ON t.command_id = c.id WHERE t.task_id = $1`,
      [Number(taskId)],
    )
    expect(rows).toEqual([{ result: 'cancelled' }])
  })
})

describe('a failed attempt', () => {
  test('is followed by others, and the last one is the end', async () => {
    const { scripted, taskId, code } = await oneDevice({ rule: { attempts: 2 } })
    const first = await scripted.order()
    await scripted.reply(first, 'done')
    await scripted.tell(first, 'failed', { reason: '校验失败' })
    expect(await targetOf(taskId)).toMatchObject({ result: 'waiting', attempts: 1, reason: '校验失败' })
    await hurry(app.db)
    const second = await scripted.order()
    expect(second.targetId).toBe(first.targetId)
    expect(second.id).not.toBe(first.id)
    await scripted.reply(second, 'done')
    await scripted.tell(second, 'failed', { reason: '校验失败' })
    await targetsBecome(app, token, taskId, { [code]: 'failed' })
    expect(await targetOf(taskId)).toMatchObject({ attempts: 2, reason: '校验失败', nextTime: null })
  })

  test('by a claim without the new version has this reason', async () => {
    const { scripted, taskId, code } = await oneDevice({ rule: { attempts: 1 } })
    const order = await scripted.order()
    await scripted.reply(order, 'done')
    await scripted.tell(order, 'installed')
    await hurry(app.db)
    await targetsBecome(app, token, taskId, { [code]: 'failed' })
    expect(await targetOf(taskId)).toMatchObject({ reason: '设备未报告新版本' })
  })

  test('by silence during the download has this reason', async () => {
    const { scripted, taskId, code } = await oneDevice({ rule: { attempts: 1 } })
    const order = await scripted.order()
    await scripted.reply(order, 'done')
    await scripted.tell(order, 'downloading', { percent: 10 })
    await hurry(app.db)
    await targetsBecome(app, token, taskId, { [code]: 'timedOut' })
    expect(await targetOf(taskId)).toMatchObject({ reason: '升级中断，设备无响应' })
  })

  test('by an unanswered command has this reason, and a late answer resumes the target', async () => {
    const { scripted, taskId, code } = await oneDevice({ rule: { attempts: 2 } })
    const order = await scripted.order()
    await expect
      .poll(async () => {
        await app.database.pool.query(
          `UPDATE device_command SET sent_at = now() - interval '1 hour' WHERE id = $1 AND sent_at IS NOT NULL`,
          [order.id],
        )
        await lookNow(app.db)
        return targetOf(taskId)
      })
      .toMatchObject({ result: 'waiting', attempts: 1, reason: '设备未答复' })
    await scripted.reply(order, 'done')
    expect(await targetOf(taskId)).toMatchObject({ result: 'sent' })
    await scripted.tell(order, 'downloading', { percent: 1 })
    await targetsBecome(app, token, taskId, { [code]: 'downloading' })
  })
})

describe('a report of progress', () => {
  test('that goes backwards is refused, counted, and changes nothing', async () => {
    const { scripted, device, taskId } = await oneDevice()
    const order = await scripted.order()
    await scripted.reply(order, 'done')
    await scripted.tell(order, 'installing', { percent: 50 })
    await scripted.tell(order, 'downloading', { percent: 90 })
    await scripted.tell(order, 'installing', { percent: 49 })
    expect(await targetOf(taskId)).toMatchObject({ result: 'installing', percent: 50 })
    await expect.poll(() => refusalsOf(device)).toEqual(['staleUpgrade 升级进度倒退'])
  })

  test('for another device, an unknown target or a final one is refused', async () => {
    const { scripted, taskId } = await oneDevice()
    const order = await scripted.order()
    const other = await oneDevice()
    await other.scripted.tell(order, 'failed')
    await other.scripted.tell({ targetId: 'x' }, 'failed')
    await expect.poll(() => refusalsOf(other.device)).toEqual(['unknownUpgrade 没有该设备的这项升级'])
    expect(await targetOf(taskId)).toMatchObject({ result: 'sent' })
    await scripted.reply(order, 'refused', '板卡不符')
    await scripted.tell(order, 'downloading', { percent: 1 })
    expect(await targetOf(taskId)).toMatchObject({ result: 'refused' })
  })
})

describe('several parts', () => {
  test('of a device are upgraded one after the other, in the order of the packages', async () => {
    const fleet = await insertFleet(app.db, 1, {
      versions: { [`${master} 0`]: '1.3', [`${bin} 1`]: '2.0', [`${bin} 2`]: '2.1' },
    })
    const [device] = fleet.devices as [TestDevice]
    const scripted = await switchOn(device)
    const ofBins = await insertPackageFor(app.db, fleet, { partType: bin, version: '2.1' })
    const ofMaster = await insertPackageFor(app.db, fleet)
    const taskId = await startTask(app, token, fleet, [ofBins, ofMaster])
    const first = await scripted.order()
    expect(first).toMatchObject({ partType: bin, addrIds: ['1'], version: '2.1' })
    await targetsBecome(app, token, taskId, {
      [`${device.code} ${bin}`]: 'sent',
      [`${device.code} ${master}`]: 'waiting',
    })
    await scripted.reply(first, 'done')
    await scripted.versions({ [`${bin} 1`]: '2.1' })
    const second = await scripted.order()
    expect(second).toMatchObject({ partType: master, version: '1.4' })
    await scripted.reply(second, 'done')
    await scripted.versions({ [`${master} 0`]: '1.4' })
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { total: 2, succeeded: 2 } })
  })

  test('go on after a command that has come twice', async () => {
    const fleet = await insertFleet(app.db, 1, { versions: { [`${master} 0`]: '1.3', [`${bin} 1`]: '2.0' } })
    const scripted = await switchOn(fleet.devices[0] as TestDevice)
    const ofBins = await insertPackageFor(app.db, fleet, { partType: bin, version: '2.1' })
    const taskId = await startTask(app, token, fleet, [ofBins, await insertPackageFor(app.db, fleet)])
    const first = await scripted.order()
    await comesAgain(first.id)
    await scripted.reply(first, 'done')
    await scripted.versions({ [`${bin} 1`]: '2.1' })
    const second = await scripted.order()
    expect(second).toMatchObject({ partType: master, version: '1.4' })
    await scripted.reply(second, 'done')
    await scripted.versions({ [`${master} 0`]: '1.4' })
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { total: 2, succeeded: 2 } })
  })

  test('after a failed one are skipped', async () => {
    const fleet = await insertFleet(app.db, 1, { versions: { [`${master} 0`]: '1.3', [`${bin} 1`]: '2.0' } })
    const [device] = fleet.devices as [TestDevice]
    const scripted = await switchOn(device)
    const packages = [
      await insertPackageFor(app.db, fleet),
      await insertPackageFor(app.db, fleet, { partType: bin, version: '2.1' }),
    ]
    const taskId = await startTask(app, token, fleet, packages)
    await scripted.reply(await scripted.order(), 'refused', '存储空间不足')
    await targetsBecome(app, token, taskId, {
      [`${device.code} ${master}`]: 'refused',
      [`${device.code} ${bin}`]: 'skipped',
    })
    const [, skipped] = await targetsOf(app, token, taskId)
    expect(skipped).toMatchObject({ reason: '前一部件未成功' })
  })
})
