import {
  cancelUpgradeTask,
  deleteDevice,
  endUpgradeSoak,
  listFirmware,
  listOperations,
  listUpgradeTransitions,
  pauseUpgradeTask,
  previewRollback,
  resumeUpgradeTask,
  retryUpgradeTask,
  rollBackUpgradeTask,
  upgradeDevices,
  upgradeDevicesByBoard,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../../test/app.ts'
import { type ScriptedDevice, scriptedDevice, type UpgradeOrder } from '../../../../test/upgrade-device.ts'
import {
  bin,
  type Fleet,
  hurry,
  insertFleet,
  insertPackageFor,
  lookNow,
  master,
  raiseAlarm,
  startTask,
  targetsBecome,
  targetsOf,
  taskBecomes,
  taskOf,
} from '../../../../test/upgrades.ts'

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

async function switchOn(fleet: Fleet): Promise<ScriptedDevice[]> {
  const devices = await Promise.all(
    fleet.devices.map((device) => scriptedDevice(app.ports.mqttPort as number, device)),
  )
  running.push(...devices)
  return devices
}

async function ordered(devices: readonly ScriptedDevice[]): Promise<UpgradeOrder[]> {
  return Promise.all(devices.map((device) => device.order()))
}

/** The device accepts the order, and reports the new version at once. */
async function carryOut(device: ScriptedDevice, order: UpgradeOrder): Promise<void> {
  await device.reply(order, 'done')
  await device.versions({ [`${order.partType} 0`]: order.version })
}

const states = async (taskId: string) => {
  const targets = await targetsOf(app, token, taskId)
  return targets.map(({ result }) => result).toSorted()
}
const stagesOf = async (taskId: string) => (await taskOf(app, token, taskId)).stages.map(({ state }) => state)
const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 30_000, interval: 50 })

describe('the stages of a task', () => {
  test('run one after the other, each after the soak of the one before', async () => {
    const fleet = await insertFleet(app.db, 3)
    const devices = await switchOn(fleet)
    const stages = [
      { count: 1, soakMinutes: 30 },
      { percent: 100, soakMinutes: 0 },
    ]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], { stages })
    await eventually(() => states(taskId)).toEqual(['sent', 'waiting', 'waiting'])
    const [first] = await targetsOf(app, token, taskId)
    const own = devices[fleet.devices.findIndex(({ code }) => code === first?.code)] as ScriptedDevice
    await carryOut(own, await own.order())
    await eventually(() => stagesOf(taskId)).toEqual(['soaking', 'pending'])
    expect(await states(taskId)).toEqual(['succeeded', 'waiting', 'waiting'])
    await sql`UPDATE upgrade_stage SET soak_until = now() WHERE task_id = ${taskId}::int AND number = 1`.execute(
      app.db,
    )
    await lookNow(app.db)
    await eventually(() => stagesOf(taskId)).toEqual(['passed', 'running'])
    const others = devices.filter((device) => device !== own)
    for (const [index, order] of (await ordered(others)).entries())
      await carryOut(others[index] as ScriptedDevice, order)
    await taskBecomes(app, token, taskId, { state: 'finished', stage: 2, counts: { succeeded: 3 } })
    expect(await stagesOf(taskId)).toEqual(['passed', 'passed'])
  })

  test('do not wait for an offline device, which is upgraded when it connects', async () => {
    const fleet = await insertFleet(app.db, 3)
    const rule = {
      stages: [
        { count: 2, soakMinutes: 0 },
        { percent: 100, soakMinutes: 0 },
      ],
    }
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], rule)
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'waiting'])
    const [first] = await targetsOf(app, token, taskId)
    const device = fleet.devices.find(({ code }) => code === first?.code)
    const scripted = await scriptedDevice(app.ports.mqttPort as number, device as Fleet['devices'][0])
    running.push(scripted)
    await carryOut(scripted, await scripted.order())
    await eventually(() => stagesOf(taskId)).toEqual(['passed', 'running'])
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'succeeded'])
  })

  test('pause when more failed than the rule allows, and say why', async () => {
    const fleet = await insertFleet(app.db, 3)
    const devices = await switchOn(fleet)
    const rule = {
      stages: [
        { count: 2, soakMinutes: 0 },
        { percent: 100, soakMinutes: 0 },
      ],
      minSample: 2,
      failurePercent: 40,
    }
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], rule)
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'waiting'])
    const inStage = (await targetsOf(app, token, taskId)).filter(({ stage }) => stage === 1)
    const [bad, good] = inStage.map(({ code }) => {
      const index = fleet.devices.findIndex((device) => device.code === code)
      return devices[index] as ScriptedDevice
    }) as [ScriptedDevice, ScriptedDevice]
    await carryOut(good, await good.order())
    // A refusal before that would be judged by itself, and the pause would name one ended target.
    await eventually(() => states(taskId)).toContain('succeeded')
    await bad.reply(await bad.order(), 'refused', '存储空间不足')
    await taskBecomes(app, token, taskId, {
      state: 'paused',
      status: 1,
      pause: {
        reason: 'failures',
        note: '已开始 2 项中 1 项未成功（50%），超过上限 40%',
        stage: 1,
        failures: { begun: 2, executed: 2, failed: 1, failurePercent: 40, minSample: 2 },
      },
    })
    expect(await stagesOf(taskId)).toEqual(['failed', 'pending'])

    // After a user resumes it, the stage is not judged again.
    expect(await app.call(resumeUpgradeTask, { id: taskId }, token)).toMatchObject({ code: 200 })
    await eventually(() => stagesOf(taskId)).toEqual(['passed', 'running'])
    expect((await taskOf(app, token, taskId)).stages[0]).toMatchObject({ isGateWaived: true })
  })
})

describe('failures before any success', () => {
  test('are compared with all that have begun, which excludes an offline device', async () => {
    const fleet = await insertFleet(app.db, 6)
    const devices = await switchOn({ ...fleet, devices: fleet.devices.slice(0, 5) })
    const rule = { minSample: 2, failurePercent: 50 }
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], rule)
    const orders = await ordered(devices)
    const refuse = (n: number) => devices[n]?.reply(orders[n] as UpgradeOrder, 'refused', '存储空间不足')
    await refuse(0)
    await refuse(1)
    await taskBecomes(app, token, taskId, { counts: { refused: 2, sent: 4 } })
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, {
      state: 'running',
      stages: [{ state: 'running', failures: { begun: 5, executed: 2, failed: 2 } }],
    })
    await refuse(2)
    await taskBecomes(app, token, taskId, {
      state: 'paused',
      pause: {
        reason: 'failures',
        note: '已开始 5 项中 3 项未成功（60%），超过上限 50%',
        failures: { begun: 5, executed: 3, failed: 3, failurePercent: 50, minSample: 2 },
      },
    })
  })
})

describe('the alarm gate', () => {
  test('pauses a stage whose devices raise new alarms, and names the alarms and the devices', async () => {
    const fleet = await insertFleet(app.db, 4)
    const devices = await switchOn(fleet)
    const stages = [
      { count: 2, soakMinutes: 30 },
      { percent: 100, soakMinutes: 0 },
    ]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], { stages })
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'waiting', 'waiting'])
    const inStage = (await targetsOf(app, token, taskId)).filter(({ stage }) => stage === 1)
    for (const { code } of inStage) {
      const device = devices[fleet.devices.findIndex((one) => one.code === code)] as ScriptedDevice
      await carryOut(device, await device.order())
    }
    await eventually(() => stagesOf(taskId)).toEqual(['soaking', 'pending'])
    // A quarter of an hour later both have a new alarm.
    await sql`
      UPDATE upgrade_target SET started_at = now() - interval '20 minutes', verified_at = now() - interval '15 minutes'
      WHERE task_id = ${taskId}::int AND state = 'succeeded'`.execute(app.db)
    for (const { code } of inStage) {
      const device = fleet.devices.find((one) => one.code === code)
      await raiseAlarm(app.db, device?.id as number, 6)
    }
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, { state: 'paused', pause: { reason: 'alarms', stage: 1 } })
    const task = await taskOf(app, token, taskId)
    expect(task.pause?.gate).toMatchObject({ verified: 2, alarmed: 2, passes: false })
    expect(task.pause?.gate?.devices.map(({ code }) => code).toSorted()).toEqual(
      inStage.map(({ code }) => code).toSorted(),
    )
    expect(task.stages[0]).toMatchObject({ state: 'failed', gate: { alarmed: 2 } })
    expect(await states(taskId)).toEqual(['succeeded', 'succeeded', 'waiting', 'waiting'])
    const [image] = task.packages
    const ids = [image?.softwareVersionId]
    const rowOf = async () => (await app.call(listFirmware, { ids }, token)).data[0]
    expect((await rowOf())?.gateFailedTime).toMatch(/^2/)

    await app.call(resumeUpgradeTask, { id: taskId }, token)
    await taskBecomes(app, token, taskId, { state: 'running', pause: null })
    expect(await stagesOf(taskId)).toEqual(['soaking', 'pending'])
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, { state: 'running' })
  })

  test('pauses the rest because of alarms in a passed stage, which is not judged again after a resume', async () => {
    const fleet = await insertFleet(app.db, 4)
    const devices = await switchOn(fleet)
    const stages = [
      { count: 2, soakMinutes: 0 },
      { percent: 100, soakMinutes: 30 },
    ]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], { stages })
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'waiting', 'waiting'])
    const first = (await targetsOf(app, token, taskId)).filter(({ stage }) => stage === 1)
    for (const { code } of first) {
      const device = devices[fleet.devices.findIndex((one) => one.code === code)] as ScriptedDevice
      await carryOut(device, await device.order())
    }
    await eventually(() => stagesOf(taskId)).toEqual(['passed', 'running'])
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'succeeded', 'succeeded'])
    // Two hours later both have a new alarm.
    await sql`
      UPDATE upgrade_target SET started_at = now() - interval '130 minutes', verified_at = now() - interval '2 hours'
      WHERE task_id = ${taskId}::int AND state = 'succeeded'`.execute(app.db)
    for (const { equipId } of first) await raiseAlarm(app.db, Number(equipId), 6)
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, {
      state: 'paused',
      stage: 2,
      pause: { reason: 'alarms', stage: 1, gate: { verified: 2, alarmed: 2 } },
    })
    expect((await taskOf(app, token, taskId)).pause?.note).toMatch(
      /^第 1 批：观察已升级的 2 台，其中 2 台出现新告警/u,
    )
    expect(await stagesOf(taskId)).toEqual(['failed', 'running'])

    await app.call(resumeUpgradeTask, { id: taskId }, token)
    await taskBecomes(app, token, taskId, { state: 'running', pause: null })
    expect(await stagesOf(taskId)).toEqual(['passed', 'running'])
    expect((await taskOf(app, token, taskId)).stages[0]).toMatchObject({ isGateWaived: true })
    await sql`UPDATE upgrade_stage SET gate = NULL WHERE task_id = ${taskId}::int`.execute(app.db)
    await lookNow(app.db)
    await eventually(async () => (await checkedAt(taskId)) !== null).toBe(true)
    expect(await taskOf(app, token, taskId)).toMatchObject({ state: 'running', stages: [{ gate: null }, {}] })
  })
})

describe('a stage of which nothing is learnt', () => {
  const stages = [
    { count: 2, soakMinutes: 0 },
    { percent: 100, soakMinutes: 0 },
  ]

  test('stops the task where its devices were deleted, and the next one waits for a user', async () => {
    const fleet = await insertFleet(app.db, 4)
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], { stages })
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'waiting', 'waiting'])
    for (const { stage, equipId } of await targetsOf(app, token, taskId)) {
      if (stage === 1)
        expect(await app.call(deleteDevice, { id: equipId }, token)).toMatchObject({ code: 200 })
    }
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, {
      state: 'paused',
      pause: {
        reason: 'unverified',
        stage: 1,
        note: '第 1 批：2 台设备中没有一台升级成功（设备已删除），无法判断新版本是否正常',
      },
    })
    expect(await stagesOf(taskId)).toEqual(['failed', 'pending'])
    expect(await states(taskId)).toEqual(['waiting', 'waiting'])
    await app.call(resumeUpgradeTask, { id: taskId }, token)
    await eventually(() => stagesOf(taskId)).toEqual(['passed', 'running'])
  })

  test('a device that failed and is deleted stays a failure', async () => {
    const fleet = await insertFleet(app.db, 3)
    const rule = { stages, minSample: 2, failurePercent: 40 }
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], rule)
    await eventually(() => states(taskId)).toEqual(['sent', 'sent', 'waiting'])
    const [bad, good] = (await targetsOf(app, token, taskId)).filter(({ stage }) => stage === 1)
    const switchOnOne = (target: typeof bad) =>
      switchOn({ ...fleet, devices: fleet.devices.filter(({ code }) => code === target?.code) })
    const [failing] = (await switchOnOne(bad)) as [ScriptedDevice]
    await failing.reply(await failing.order(), 'refused', '存储空间不足')
    await eventually(() => states(taskId)).toContain('refused')
    expect(await app.call(deleteDevice, { id: bad?.equipId ?? '' }, token)).toMatchObject({ code: 200 })
    // One alone is no sample. With the other one, which begins now, the deleted one is half of it.
    await lookNow(app.db)
    expect(await stagesOf(taskId)).toEqual(['running', 'pending'])
    await switchOnOne(good)
    await eventually(async () => {
      await lookNow(app.db)
      return taskOf(app, token, taskId)
    }).toMatchObject({
      state: 'paused',
      pause: { reason: 'failures', stage: 1, failures: { begun: 2, failed: 1 } },
    })
    expect(await stagesOf(taskId)).toEqual(['failed', 'pending'])
  })
})

/** The time of the last full check; null while a requested one is pending. */
async function checkedAt(taskId: string): Promise<Date | null | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT checked_at AS at FROM upgrade_task WHERE id = ${taskId}::int`.execute(app.db)
  return rows[0]?.at
}

describe('a task that is paused', () => {
  // proves: call POST /equipUpgradeTask/pause/{id}; call POST /equipUpgradeTask/resume/{id}
  test('withdraws unsent commands, starts no targets, and continues where it was', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [device] = fleet.devices as [Fleet['devices'][0]]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    await eventually(() => states(taskId)).toEqual(['sent', 'sent'])
    expect(await app.call(pauseUpgradeTask, { id: taskId }, token)).toMatchObject({ code: 200 })
    await eventually(() => states(taskId)).toEqual(['waiting', 'waiting'])
    expect(await taskOf(app, token, taskId)).toMatchObject({
      state: 'paused',
      status: 1,
      pause: { reason: 'user', by: 'admin' },
    })
    const scripted = await scriptedDevice(app.ports.mqttPort as number, device)
    running.push(scripted)
    await hurry(app.db)
    expect(await app.call(pauseUpgradeTask, { id: taskId }, token)).toMatchObject({
      refusal: 'upgradeNotRunning',
    })
    expect(await app.call(resumeUpgradeTask, { id: taskId }, token)).toMatchObject({ code: 200 })
    const order = await scripted.order()
    await carryOut(scripted, order)
    await eventually(() => states(taskId)).toEqual(['sent', 'succeeded'])
    expect(await app.call(resumeUpgradeTask, { id: taskId }, token)).toMatchObject({
      refusal: 'upgradeNotPaused',
    })
  })

  test('lets a device that is working finish', async () => {
    const fleet = await insertFleet(app.db, 1)
    const [device] = (await switchOn(fleet)) as [ScriptedDevice]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    const order = await device.order()
    await device.reply(order, 'done')
    await app.call(pauseUpgradeTask, { id: taskId }, token)
    await device.tell(order, 'downloading', { percent: 70 })
    expect(await states(taskId)).toEqual(['downloading'])
    await device.versions({ [`${master} 0`]: '1.4' })
    await eventually(() => states(taskId)).toEqual(['succeeded'])
  })
})

describe('a task that is cancelled', () => {
  // proves: call POST /equipUpgradeTask/cancel/{id}
  test('ends open targets and their commands', async () => {
    const fleet = await insertFleet(app.db, 2)
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    await eventually(() => states(taskId)).toEqual(['sent', 'sent'])
    expect(await app.call(cancelUpgradeTask, { id: taskId }, token)).toMatchObject({ code: 200 })
    expect(await taskOf(app, token, taskId)).toMatchObject({
      state: 'cancelled',
      status: 2,
      counts: { cancelled: 2, sent: 0 },
      stages: [{ state: 'ended' }],
    })
    const { rows } = await sql<{ result: string }>`
      SELECT c.result FROM device_command c JOIN upgrade_target t ON t.command_id = c.id
      WHERE t.task_id = ${taskId}::int`.execute(app.db)
    expect(rows.map(({ result }) => result)).toEqual(['cancelled', 'cancelled'])
    for (const call of [cancelUpgradeTask, retryUpgradeTask])
      expect(await app.call(call, { id: taskId }, token)).toMatchObject({
        status: 409,
        refusal: 'upgradeOver',
      })
  })
})

describe('the address in an order', () => {
  test('ends with the device', async () => {
    const fleet = await insertFleet(app.db, 1)
    const [device] = (await switchOn(fleet)) as [ScriptedDevice]
    await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    const { url } = await device.order()
    const { pathname, search } = new URL(url)
    const ask = async () => (await fetch(`${app.url}${pathname}${search}`)).status
    expect(await ask()).not.toBe(403)
    const id = String(fleet.devices[0]?.id)
    expect(await app.call(deleteDevice, { id }, token)).toMatchObject({ code: 200 })
    expect(await ask()).toBe(403)
  })
})

describe('a retry', () => {
  // proves: call POST /equipUpgradeTask/retry/{id}
  test('gives failed targets all their attempts again, and a finished task runs again', async () => {
    const fleet = await insertFleet(app.db, 1)
    const [device] = (await switchOn(fleet)) as [ScriptedDevice]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)])
    await device.reply(await device.order(), 'refused', '存储空间不足')
    await taskBecomes(app, token, taskId, { state: 'finished' })
    expect(await app.call(retryUpgradeTask, { id: taskId }, token)).toMatchObject({ data: { count: 1 } })
    expect(await taskOf(app, token, taskId)).toMatchObject({ state: 'running', status: 1, finishTime: null })
    await carryOut(device, await device.order())
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 1, refused: 0 } })
    expect(await app.call(retryUpgradeTask, { id: taskId }, token)).toMatchObject({
      refusal: 'upgradeNothingToRetry',
    })
  })

  test('also retries the parts that were skipped because of the first one', async () => {
    const fleet = await insertFleet(app.db, 1, { versions: { [`${master} 0`]: '1.3', [`${bin} 0`]: '2.0' } })
    const [device] = (await switchOn(fleet)) as [ScriptedDevice]
    const packages = [
      await insertPackageFor(app.db, fleet),
      await insertPackageFor(app.db, fleet, { partType: bin, version: '2.1' }),
    ]
    const taskId = await startTask(app, token, fleet, packages)
    await device.reply(await device.order(), 'refused', '存储空间不足')
    await eventually(() => states(taskId)).toEqual(['refused', 'skipped'])
    expect(await app.call(retryUpgradeTask, { id: taskId }, token)).toMatchObject({ data: { count: 2 } })
    const first = await device.order()
    expect(first.partType).toBe(master)
    await carryOut(device, first)
    const second = await device.order()
    expect(second.partType).toBe(bin)
    await carryOut(device, second)
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 2 } })
  })
})

describe('a task with an end', () => {
  test('ends then, and its open targets have timed out', async () => {
    const fleet = await insertFleet(app.db, 1)
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], {
      endTime: '2099-01-01 00:00:00',
    })
    await eventually(() => states(taskId)).toEqual(['sent'])
    await sql`UPDATE upgrade_task SET ends_at = now() WHERE id = ${taskId}::int`.execute(app.db)
    await lookNow(app.db)
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { timedOut: 1 } })
    expect(await stagesOf(taskId)).toEqual(['ended'])
    expect((await targetsOf(app, token, taskId))[0]).toMatchObject({ reason: '任务已到结束时间' })
    const { data } = await app.call(listUpgradeTransitions, { taskId }, token)
    expect(data[0]).toMatchObject({ from: 'running', to: 'finished', cause: '任务已到结束时间' })
  })
})

describe('a rollback', () => {
  test('restores the former versions, and leaves out devices whose former package is gone', async () => {
    const fleet = await insertFleet(app.db, 2)
    const [one, other] = (await switchOn(fleet)) as [ScriptedDevice, ScriptedDevice]
    await sql`UPDATE device_version SET version = '1.2' WHERE device_id = ${fleet.devices[1]?.id}`.execute(
      app.db,
    )
    const earlier = await insertPackageFor(app.db, fleet, { version: '1.3' })
    const newer = await insertPackageFor(app.db, fleet, { board: earlier.board })
    const taskId = await startTask(app, token, fleet, [newer])
    await carryOut(one, await one.order())
    await carryOut(other, await other.order())
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 2 } })

    expect((await app.call(previewRollback, { id: taskId }, token)).data).toEqual({
      chosen: 2,
      devices: 1,
      offline: 0,
      parts: [{ partTypeName: '主控', version: '1.3', devices: 1 }],
      skipped: [{ partTypeName: '主控', reason: 'noPackage', note: null, version: '1.2', devices: 1 }],
    })
    const answer = await app.call(rollBackUpgradeTask, { id: taskId }, token)
    expect(answer).toMatchObject({ code: 200 })
    expect(await taskOf(app, token, answer.data.id)).toMatchObject({ rolledBack: '主控 1.4' })
    const back = await one.order()
    expect(back.version).toBe('1.3')
    await carryOut(one, back)
    await taskBecomes(app, token, answer.data.id, {
      type: 'ROLLBACK',
      rollbackOf: taskId,
      version: '1.3',
      state: 'finished',
      counts: { total: 2, succeeded: 1, skipped: 1 },
    })
    const skipped = (await targetsOf(app, token, answer.data.id)).find(({ result }) => result === 'skipped')
    expect(skipped).toMatchObject({ code: fleet.devices[1]?.code, reason: '无旧版本安装包' })
    const empty = await app.call(rollBackUpgradeTask, { id: taskId, stage: 7 }, token)
    expect(empty).toMatchObject({ status: 409, refusal: 'upgradeNothingToRollBack' })
    await sql`UPDATE software_package SET deleted_at = now() WHERE id = ${earlier.id}`.execute(app.db)
    expect(await app.call(rollBackUpgradeTask, { id: taskId }, token)).toMatchObject({
      status: 409,
      message: '没有可以回退的设备：无旧版本安装包',
    })
  })
})

describe('single devices', () => {
  // proves: call GET /equip/version/remote/upgrade; call GET /equip/version/pcb/remote/upgrade
  test('are upgraded immediately, by a package or by their board', async () => {
    const fleet = await insertFleet(app.db, 2)
    const devices = (await switchOn(fleet)) as [ScriptedDevice, ScriptedDevice]
    const { id, board } = await insertPackageFor(app.db, fleet)
    await insertPackageFor(app.db, fleet, { board, version: '1.5', isRelease: false })
    const [one, other] = fleet.devices.map((device) => String(device.id)) as [string, string]
    const made = await app.call(upgradeDevices, { equipId: one, softwareVersionId: String(id) }, token)
    expect(made).toMatchObject({ code: 200, message: '创建成功' })
    const order = await devices[0].order()
    const again = await app.call(upgradeDevices, { equipIds: [one], softwareVersionId: String(id) }, token)
    expect(again).toMatchObject({ status: 409, refusal: 'upgradeBusy' })
    await carryOut(devices[0], order)
    await taskBecomes(app, token, made.data.id, {
      type: 'SINGLE',
      state: 'finished',
      counts: { succeeded: 1 },
    })
    const same = await app.call(upgradeDevices, { equipId: one, softwareVersionId: String(id) }, token)
    expect(same).toMatchObject({ status: 400, message: '已是目标版本' })

    const byBoard = await app.call(upgradeDevicesByBoard, { equipId: other, pcbCode: board.code }, token)
    expect(byBoard).toMatchObject({ code: 200 })
    const second = await devices[1].order()
    expect(second.version).toBe('1.4')
    await carryOut(devices[1], second)
    await targetsBecome(app, token, byBoard.data.id, { [fleet.devices[1]?.code as string]: 'succeeded' })
    const unknown = await app.call(upgradeDevicesByBoard, { equipId: other, pcbCode: 'NONE' }, token)
    expect(unknown).toMatchObject({ status: 400, message: '该板卡没有可用的正式版软件' })
  })
})

describe('a soak', () => {
  test('ends before its time where a user says so, and is judged by what has been seen', async () => {
    const fleet = await insertFleet(app.db, 3)
    const devices = await switchOn(fleet)
    const stages = [
      { count: 1, soakMinutes: 30 },
      { percent: 100, soakMinutes: 0 },
    ]
    const taskId = await startTask(app, token, fleet, [await insertPackageFor(app.db, fleet)], { stages })
    await eventually(() => states(taskId)).toEqual(['sent', 'waiting', 'waiting'])
    expect(await app.call(endUpgradeSoak, { id: taskId }, token)).toMatchObject({
      status: 409,
      refusal: 'upgradeNotSoaking',
    })
    const [first] = await targetsOf(app, token, taskId)
    const own = devices[fleet.devices.findIndex(({ code }) => code === first?.code)] as ScriptedDevice
    await carryOut(own, await own.order())
    await eventually(() => stagesOf(taskId)).toEqual(['soaking', 'pending'])
    expect(await app.call(endUpgradeSoak, { id: taskId }, token)).toMatchObject({ code: 200 })
    await eventually(() => stagesOf(taskId)).toEqual(['passed', 'running'])
    const { data } = await app.call(listUpgradeTransitions, { taskId }, token)
    expect(data.map(({ cause }) => cause)).toContain('admin 提前结束观察')
    const [written] = (await app.call(listOperations, {}, token)).data
    expect(written?.target).toContain('升级')
    const others = devices.filter((device) => device !== own)
    for (const [index, order] of (await ordered(others)).entries())
      await carryOut(others[index] as ScriptedDevice, order)
    await taskBecomes(app, token, taskId, { state: 'finished', counts: { succeeded: 3 } })
  })
})
