import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { insertDevice, insertModel, insertOperator, insertRegion } from '../../../../test/factories.ts'
import { type GateAlarms, readGateAlarms } from './gate.queries.ts'
import { judgeAlarms } from './gate.rules.ts'

let database: TestDatabase
let place: { operatorId: number; modelId: number; regionId: number }
beforeAll(async () => {
  database = await createTestDatabase({ isSeeded: true })
  const { db } = database
  place = {
    operatorId: await insertOperator(db),
    modelId: await insertModel(db),
    regionId: await insertRegion(db),
  }
  for (const [code, level] of [
    ['T_URGENT', 1],
    ['T_MAJOR', 2],
    ['T_HINT', 4],
  ] as const) {
    await db
      .insertInto('dictionary_entry')
      .values({ type: 'ALARM', code, name: `告警${code}`, alarm_level: level })
      .execute()
  }
})
afterAll(() => database.close())

const now = new Date()
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

let taskId = 0
beforeEach(() => {
  taskId += 1
})

/** A target of the task: upgraded from `began` to `verified` minutes ago, or waiting where neither is given. */
async function target({
  stage = 1,
  began = null as number | null,
  verified = null as number | null,
  isOnline = true,
  partType = 'T_PART',
  deviceId = null as number | null,
} = {}): Promise<number> {
  const id = deviceId ?? (await insertDevice(database.db, place)).id
  await sql`UPDATE device_state SET is_online = ${isOnline} WHERE device_id = ${id}`.execute(database.db)
  await sql`
    INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions,
      started_at, verified_at)
    VALUES (${taskId}, ${id}, ${partType}, 1, 1, ${stage}, ${id}, ${verified === null ? 'waiting' : 'succeeded'}, '{}',
      ${began === null ? null : minutesAgo(began)}, ${verified === null ? null : minutesAgo(verified)})
  `.execute(database.db)
  return id
}

const upgraded = (changes: Parameters<typeof target>[0] = {}) =>
  target({ began: 25, verified: 20, ...changes })

let episodes = 0
/** An episode, with times in minutes ago. */
async function alarm(
  deviceId: number,
  code: string,
  began: number,
  recovered: number | null = null,
  method: 1 | 2 = 1,
): Promise<void> {
  episodes += 1
  await sql`
    INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value,
      value, recovered_at, recovery_method)
    VALUES (${episodes}, ${minutesAgo(began)}, ${deviceId}, ${place.operatorId}, ${place.modelId}, ${place.regionId},
      ${code}, 1, 1, ${recovered === null ? null : minutesAgo(recovered)}, ${recovered === null ? null : method})
  `.execute(database.db)
}

const read = async (
  soakMinutes: number | null = 30,
  numbers = [1],
  ignoredAlarms = ['T_HINT'],
): Promise<Map<number, GateAlarms>> =>
  readGateAlarms(database.db, {
    taskId,
    stages: numbers.map((number) => ({ number, soakMinutes })),
    levels: [1, 2],
    ignoredAlarms,
    now,
  })
const readOne = async (soakMinutes?: number): Promise<GateAlarms> => {
  const one = (await read(soakMinutes)).get(1)
  if (!one) throw new Error('the stage has no figures')
  return one
}

test('devices with a new alarm are counted once, also per code, and named', async () => {
  const [one, two] = [await upgraded(), await upgraded(), await upgraded()]
  await alarm(one, 'T_URGENT', 10)
  await alarm(one, 'T_MAJOR', 9, 8)
  await alarm(one, 'T_MAJOR', 7, 6)
  await alarm(two, 'T_URGENT', 4)
  const { figures, alarms, devices } = await readOne()
  expect(figures).toMatchObject({ verified: 3, windowHours: 0.5, all: { alarmed: 2, before: 0, control: 0 } })
  expect(alarms).toEqual([
    { code: 'T_URGENT', name: '告警T_URGENT', level: 1, devices: 2 },
    { code: 'T_MAJOR', name: '告警T_MAJOR', level: 2, devices: 1 },
  ])
  expect(devices.map(({ equipId }) => equipId).sort()).toEqual([one, two])
  expect(judgeAlarms(figures)).toMatchObject({ passes: false, alarmed: 2, verified: 3 })
})

test('an alarm that was active when the upgrade began is not new when it is reported again', async () => {
  const id = await upgraded()
  await alarm(id, 'T_URGENT', 60 * 24 * 40, 24)
  await alarm(id, 'T_URGENT', 19)
  expect((await readOne()).figures.all.alarmed).toBe(0)
})

test('an alarm that ended before the upgrade is new when it occurs again', async () => {
  const id = await upgraded()
  await alarm(id, 'T_URGENT', 60 * 30, 60 * 29)
  await alarm(id, 'T_URGENT', 10)
  expect((await readOne()).figures.all.alarmed).toBe(1)
})

test('an alarm during the restart is not counted, unless it stays', async () => {
  const [passing, staying] = [await upgraded(), await upgraded()]
  await alarm(passing, 'T_URGENT', 22, 16)
  await alarm(staying, 'T_URGENT', 22)
  const { figures, devices } = await readOne()
  expect(figures.all.alarmed).toBe(1)
  expect(devices.map(({ equipId }) => equipId)).toEqual([staying])
})

test('an alarm that somebody has declared over is not taken for one of the restart', async () => {
  const [declared, passing] = [await upgraded(), await upgraded()]
  await alarm(declared, 'T_URGENT', 22, 16, 2)
  await alarm(passing, 'T_URGENT', 22, 16)
  const { figures, devices } = await readOne()
  expect(figures.all.alarmed).toBe(1)
  expect(devices.map(({ equipId }) => equipId)).toEqual([declared])
})

test('a device is counted only after its restart, whose time is shorter with a short soak', async () => {
  const id = await upgraded({ began: 4, verified: 3 })
  await alarm(id, 'T_URGENT', 2)
  expect((await read(30)).size).toBe(0)
  expect((await read(1)).get(1)?.figures).toMatchObject({ verified: 1, all: { alarmed: 1 } })
})

test('other levels than the chosen ones are left out, but not codes that the dictionary does not know', async () => {
  const id = await upgraded()
  await alarm(id, 'T_HINT', 10)
  expect((await readOne()).figures.all.alarmed).toBe(0)
  await alarm(id, 'T_NOBODY_KNOWS', 10)
  const { figures, alarms } = await readOne()
  expect(figures.all.alarmed).toBe(1)
  expect(alarms).toEqual([{ code: 'T_NOBODY_KNOWS', name: 'T_NOBODY_KNOWS', level: null, devices: 1 }])
})

test('a code is left out only where both the task and its present level say so', async () => {
  const id = await upgraded()
  await alarm(id, 'T_HINT', 10)
  expect((await read(30, [1], [])).get(1)?.figures.all.alarmed).toBe(1)
  await alarm(id, 'T_MAJOR', 10)
  expect((await read(30, [1], ['T_HINT', 'T_MAJOR'])).get(1)?.alarms).toMatchObject([{ code: 'T_MAJOR' }])
})

test('the day before the upgrade is divided into spans, and each span with a new alarm counts once', async () => {
  const id = await upgraded({ began: 40, verified: 35 })
  // Spans of 40 minutes: the first one before the upgrade is 40 to 80 minutes ago.
  await alarm(id, 'T_URGENT', 50, 45)
  await alarm(id, 'T_MAJOR', 70, 65)
  await alarm(id, 'T_URGENT', 90, 85)
  await alarm(id, 'T_URGENT', 60 * 30, 60 * 29)
  await alarm(id, 'T_URGENT', 5)
  const { figures } = await readOne()
  expect(figures.windowHours).toBeCloseTo(40 / 60)
  expect(figures).toMatchObject({
    beforeWindows: 36,
    all: { alarmed: 1, before: 2 },
    codes: [{ code: 'T_URGENT', alarmed: 1, before: 2 }],
  })
})

test('online devices without upgrade are the control group, for the span of the stage', async () => {
  const id = await upgraded()
  await alarm(id, 'T_URGENT', 10)
  const [quiet, loud, away] = [
    await target({ stage: 2 }),
    await target({ stage: 2 }),
    await target({ stage: 3, isOnline: false }),
  ]
  // Its first part was upgraded, which may cause its alarms.
  const half = await upgraded({ stage: 2 })
  await target({ stage: 2, deviceId: half, partType: 'T_OTHER' })
  for (const other of [loud, away, half]) await alarm(other, 'T_URGENT', 20)
  await alarm(quiet, 'T_URGENT', 31)
  const { figures } = await readOne()
  expect(figures).toMatchObject({
    controlDevices: 2,
    all: { alarmed: 1, control: 1 },
    codes: [{ code: 'T_URGENT', control: 1 }],
  })
})

test('an upgraded device that went offline counts only if it has raised an alarm', async () => {
  await upgraded()
  await upgraded({ isOnline: false })
  await alarm(await upgraded({ isOnline: false }), 'T_URGENT', 10)
  expect((await readOne()).figures).toMatchObject({ verified: 2, all: { alarmed: 1 } })
})

test('the wait of a command for its device does not move the days before the upgrade', async () => {
  const id = await upgraded({ began: 60 * 24 * 3, verified: 30 })
  await alarm(id, 'T_URGENT', 60 * 24 * 2)
  const { figures } = await readOne()
  expect(figures).toMatchObject({ all: { alarmed: 0 }, windowHours: 1.5 })
})

test('each stage has its own figures, and one without verified devices has none', async () => {
  await alarm(await upgraded({ stage: 1 }), 'T_URGENT', 10)
  await upgraded({ stage: 2 })
  await target({ stage: 3 })
  const stages = await read(30, [1, 2, 3])
  expect([...stages.keys()].sort()).toEqual([1, 2])
  expect([1, 2].map((stage) => stages.get(stage)?.figures.all.alarmed)).toEqual([1, 0])
})

test('a device that is deleted leaves its new alarms to the verdict, and none of the others', async () => {
  const task = await runningTask()
  const [deleted, calm, loud] = [await upgraded(), await upgraded(), await upgraded()]
  await alarm(deleted, 'T_URGENT', 10)
  await alarm(deleted, 'T_HINT', 9)
  await alarm(deleted, 'T_MAJOR', 22, 16)
  await alarm(deleted, 'T_NOBODY_KNOWS', 60 * 24 * 40, 24)
  await alarm(deleted, 'T_NOBODY_KNOWS', 12)
  await alarm(loud, 'T_URGENT', 4)
  for (const id of [deleted, calm]) await deleteDevice(id)
  const { figures, alarms } = await readOne()
  expect(figures).toMatchObject({ verified: 2, all: { alarmed: 2 } })
  expect(alarms).toEqual([{ code: 'T_URGENT', name: '告警T_URGENT', level: 1, devices: 2 }])
  expect(judgeAlarms(figures)).toMatchObject({ passes: false, alarmed: 2, verified: 2 })
  expect(await goneOf(task)).toEqual([
    { deviceId: deleted, isVerified: true },
    { deviceId: calm, isVerified: true },
  ])
})

test('of a deleted device that had begun it is kept that it did not succeed; of another one nothing', async () => {
  const task = await runningTask()
  const made = async (state: string, attempts: number) => {
    const id = await target()
    await sql`UPDATE upgrade_target SET state = ${state}, attempts = ${attempts} WHERE device_id = ${id}`.execute(
      database.db,
    )
    await deleteDevice(id)
    return id
  }
  const begun = [
    await made('failed', 3),
    await made('refused', 1),
    await made('timedOut', 1),
    await made('downloading', 1),
    await made('installing', 1),
    await made('waiting', 1),
  ]
  for (const state of ['waiting', 'sent', 'skipped', 'cancelled']) await made(state, 0)
  expect(await goneOf(task)).toEqual(begun.map((deviceId) => ({ deviceId, isVerified: false })))
})

/** A task under way with this test's number, and its first stage. */
async function runningTask(): Promise<number> {
  await sql`
    INSERT INTO upgrade_task (id, type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
      organization_id)
    VALUES (${taskId}, 'SCHEDULE', 'running', now(), '{}', '{}', 1, 1, 'admin', 1)`.execute(database.db)
  await sql`INSERT INTO upgrade_stage (task_id, number, device_count, soak_minutes) VALUES (${taskId}, 1, 9, 30)`.execute(
    database.db,
  )
  return taskId
}

/** As the call does it: with its history. */
async function deleteDevice(id: number): Promise<void> {
  await sql`DELETE FROM device WHERE id = ${id}`.execute(database.db)
  await sql`DELETE FROM alarm_history WHERE device_id = ${id}`.execute(database.db)
}

const goneOf = async (id: number) =>
  (
    await sql`SELECT device_id AS "deviceId", is_verified AS "isVerified" FROM upgrade_gone WHERE task_id = ${id}
      ORDER BY device_id`.execute(database.db)
  ).rows
