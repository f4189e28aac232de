// The trial of a batch with devices that answer.
import {
  continueParameterBatch,
  deleteDevice,
  type InputFor,
  insertAlarmShelf,
  insertParameterBatch,
  listAlarms,
  listBatchDevices,
  listParameterBatches,
  listTasks,
  readDeviceTimeline,
  recoverAlarm,
  retryParameterBatch,
  stopParameterBatch,
  timelineWords,
} from '@voltkeep/contract'
import type { SettingTroubleName } from '@voltkeep/simulator/commands/trouble'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  batchBecomes,
  batchOf,
  deviceOf,
  entitysOf,
  insertFleet,
  lookNow,
  overTemperature,
  passTrial,
  soc,
  startBatch,
} from '../../../test/batches.ts'
import { insertOperator, type TestUser } from '../../../test/factories.ts'

type BatchTrialForm = InputFor<typeof insertParameterBatch>['trial']
const app = await appOfTests()
const admin = await app.asAdmin()
const running: VirtualDevice[] = []
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})

/** Four devices that are connected; the first has these troubles. */
async function begin(
  trial: { count?: number; codes?: number; autoMinutes?: number },
  troubles: readonly (SettingTroubleName | undefined)[] = [],
) {
  const fleet = await insertFleet(app.db, 4)
  const devices = await Promise.all(
    fleet.devices.map(async (identity, at) => {
      const device = deviceOf(app, identity, at === 0 ? { troubles } : {})
      running.push(device)
      device.start()
      await device.whenOnline()
      return device
    }),
  )
  const codes = fleet.devices.map(({ code }) => code)
  const { data } = await app.call(
    insertParameterBatch,
    {
      queryParam: { codes },
      entitys: entitysOf({ [soc]: 88 }),
      paramSetRule: { upgradeCount: 1, interval: 3 },
      trial: { ...trial, ...(trial.codes && { codes: codes.slice(0, trial.codes) }) } as BatchTrialForm,
    },
    admin,
  )
  return { id: data.id, devices, codes, fleet }
}
/** Waits until the batch has been looked at after this call. */
async function lookedAt(id: string): Promise<void> {
  await lookNow(app.db)
  await expect
    .poll(async () => {
      const { rows } = await sql<{
        isSeen: boolean
      }>`SELECT checked_at > now() - interval '1 minute' AS "isSeen"
        FROM parameter_batch WHERE id = ${id}::int`.execute(app.db)
      return rows[0]?.isSeen
    })
    .toBe(true)
}
const valuesOf = (devices: readonly VirtualDevice[]) => devices.map((device) => device.parameters.get(soc))

/** What its creator's tasks say of the batch. */
const noteOf = async (id: string) =>
  (await app.call(listTasks, {}, admin)).data.tasks.find((task) => task.id === id)?.reason

/** What the timeline of the device calls its batches. */
async function kindsOf(code: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT id FROM device WHERE code = ${code}`.execute(app.db)
  const { data } = await app.call(readDeviceTimeline, { id: String(rows[0]?.id), kinds: ['batch'] }, admin)
  return data.entries.map((entry) => timelineWords(entry).title)
}

test('sets a few devices, waits, and sets the others once a user has continued it', async () => {
  const { id, devices } = await begin({ count: 1 })
  await batchBecomes(app, admin, id, { state: 'paused', counts: { total: 4, succeeded: 1, held: 3 } })
  expect(valuesOf(devices).filter((value) => value === 88)).toHaveLength(1)
  expect(await batchOf(app, admin, id)).toMatchObject({ trial: { state: 'waiting', devices: 1 } })
  expect((await app.call(continueParameterBatch, { id }, admin)).data).toEqual({ count: 3 })
  await batchBecomes(app, admin, id, { state: 'finished', counts: { total: 4, succeeded: 4 } })
  expect(valuesOf(devices)).toEqual([88, 88, 88, 88])
  expect(await noteOf(id)).toBe(null)
  expect(await batchOf(app, admin, id)).toMatchObject({ trial: { state: 'continued', continueBy: 'admin' } })
  expect(await app.call(continueParameterBatch, { id }, admin)).toMatchObject({ status: 409 })
})

test('shows why its device has failed, and stopped sets nothing else', async () => {
  const { id, devices, codes } = await begin({ codes: 1 }, ['refuses'])
  await batchBecomes(app, admin, id, { state: 'paused', counts: { total: 4, held: 3 } })
  const { data } = await app.call(listBatchDevices, { id, isTrial: 1 }, admin)
  expect(data).toMatchObject([{ code: codes[0], state: 'refused', reason: expect.any(String) }])
  await app.call(stopParameterBatch, { id }, admin)
  await batchBecomes(app, admin, id, { state: 'stopped', counts: { total: 4, stopped: 3 } })
  expect(valuesOf(devices)).not.toContain(88)
})

test('is continued by nobody who does not see its devices', async () => {
  const { id } = await begin({ count: 2 })
  await batchBecomes(app, admin, id, { state: 'paused' })
  const narrow = await app.asUser({
    functionCodes: ['batchSet:list', 'batchSet:retry', 'batchSet:insert'],
    authorities: [['O', String(await insertOperator(app.db))]],
  })
  expect(await app.call(continueParameterBatch, { id }, narrow.token)).toMatchObject({ status: 403 })
  expect(await batchOf(app, admin, id)).toMatchObject({ state: 'paused', counts: { held: 2 } })
})

test('is taken up again by nobody who sees one device of it alone', async () => {
  const { id, fleet } = await begin({ codes: 1 }, ['refuses'])
  await batchBecomes(app, admin, id, { state: 'paused', counts: { total: 4, held: 3 } })
  const operatorId = await insertOperator(app.db)
  await sql`UPDATE device SET operator_id = ${operatorId} WHERE id = ${fleet.devices[0]?.id}`.execute(app.db)
  const narrow = await app.asUser({
    functionCodes: ['batchSet:list', 'batchSet:retry'],
    authorities: [['O', String(operatorId)]],
  })
  const before = await batchOf(app, admin, id)
  expect(await app.call(retryParameterBatch, { id }, narrow.token)).toMatchObject({
    status: 403,
    refusal: 'parameterBatchReachesBeyond',
  })
  expect(await batchOf(app, admin, id)).toEqual(before)
  expect((await app.call(continueParameterBatch, { id }, admin)).data).toEqual({ count: 3 })
  // Nobody waits for it any more.
  expect((await app.call(retryParameterBatch, { id }, narrow.token)).data).toEqual({ count: 1 })
})

test('who continued it and asks for another attempt is asked for as who did that', async () => {
  const { id, devices } = await begin({ codes: 1 }, ['fails'])
  await batchBecomes(app, admin, id, { state: 'paused', counts: { failed: 1, held: 3 } })
  const user = await app.asUser({ functionCodes: ['batchSet:list', 'batchSet:retry', 'batchSet:insert'] })
  expect((await app.call(continueParameterBatch, { id }, user.token)).data).toEqual({ count: 3 })
  await batchBecomes(app, admin, id, { state: 'finished', counts: { failed: 1, succeeded: 3 } })
  devices[0]?.cutPower()
  expect((await app.call(retryParameterBatch, { id }, user.token)).data).toEqual({ count: 1 })
  // The command waits for the device.
  const made = sql`SELECT FROM parameter_target WHERE batch_id = ${id}::int AND state = 'sent'`
  await expect.poll(async () => (await made.execute(app.db)).rows.length).toBe(1)
  // The function by which it was continued is left.
  await sql`
    DELETE FROM role_menu rm USING user_role ur, menu m
    WHERE ur.role_id = rm.role_id AND ur.user_id = ${user.id} AND m.id = rm.menu_id
      AND m.remark = 'batchSet:retry'`.execute(app.db)
  await lookNow(app.db)
  await batchBecomes(app, admin, id, { state: 'finished', counts: { failed: 1, succeeded: 3 } })
  const { data } = await app.call(listBatchDevices, { id, isTrial: 1 }, admin)
  expect(data).toMatchObject([{ reason: `重试人 ${user.loginName} 已没有所需的权限` }])
})

test('continues by itself at the time that it has said, after a trial without failures and alarms', async () => {
  const { id, devices } = await begin({ count: 2, autoMinutes: 30 })
  await batchBecomes(app, admin, id, { state: 'paused', counts: { succeeded: 2, held: 2 } })
  const { trial } = await batchOf(app, admin, id)
  expect(await noteOf(id)).toBe(`试行 2 台，成功 2 台；将于 ${trial?.autoTime} 自动继续`)
  const said = Date.parse(`${trial?.endTime}Z`) + 30 * 60_000
  expect(Date.parse(`${trial?.autoTime}Z`)).toBe(said)
  await passTrial(app.db, id, 29)
  await lookedAt(id)
  expect(await batchOf(app, admin, id)).toMatchObject({ state: 'paused', counts: { held: 2 } })
  await passTrial(app.db, id, 1)
  await batchBecomes(app, admin, id, { state: 'finished', counts: { total: 4, succeeded: 4 } })
  expect(valuesOf(devices)).toEqual([88, 88, 88, 88])
  expect(await batchOf(app, admin, id)).toMatchObject({
    trial: { state: 'continued', continueBy: null, autoTime: null, counts: { total: 2, succeeded: 2 } },
  })
})

test('waits for somebody where a device of its trial has raised an alarm since', async () => {
  const { id, devices, codes } = await begin({ codes: 1, autoMinutes: 1 })
  await batchBecomes(app, admin, id, { state: 'paused', counts: { succeeded: 1, held: 3 } })
  await devices[0]?.raise('02030001', 1)
  await devices[1]?.raise('02030001', 1)
  await batchBecomes(app, admin, id, {
    trial: { autoTime: null },
    trialResult: {
      alarmed: [{ code: codes[0] }],
      alarms: [{ code: '02030001', devices: 1 }],
    },
  })
  expect(await noteOf(id)).toBe('试行 1 台，成功 1 台，1 台出现新告警；等待继续')
  await passTrial(app.db, id, 10)
  await lookedAt(id)
  expect(await batchOf(app, admin, id)).toMatchObject({ state: 'paused', counts: { held: 3 } })
})

test.each([
  ['declared it over', 'alarm:recover'],
  ['kept it quiet', 'alarm:shelve'],
] as const)('waits for somebody also where a narrow colleague has %s', async (what, functionCode) => {
  const { id, devices, codes, fleet } = await begin({ codes: 1, autoMinutes: 1 })
  await batchBecomes(app, admin, id, { state: 'paused', counts: { succeeded: 1, held: 3 } })
  await devices[0]?.raise('02030001', 1)
  await batchBecomes(app, admin, id, { trialResult: { alarmed: [{ code: codes[0] }] } })
  const narrow = await app.asUser({
    functionCodes: ['alarm:page', functionCode],
    authorities: [['O', String(fleet.operatorId)]],
  })
  const [alarm] = (await app.call(listAlarms, { code: [codes[0] ?? ''] }, narrow.token)).data
  const alarmId = alarm?.id ?? ''
  const done =
    what === 'declared it over'
      ? await app.call(recoverAlarm, { id: alarmId, note: '误报' }, narrow.token)
      : await app.call(insertAlarmShelf, { kind: 'shelve', ids: [alarmId], reason: '误报' }, narrow.token)
  expect(done).toMatchObject({ code: 200 })
  expect((await app.call(listAlarms, { code: [codes[0] ?? ''] }, narrow.token)).data).toEqual([])
  await passTrial(app.db, id, 10)
  await lookedAt(id)
  expect(await batchOf(app, admin, id)).toMatchObject({ state: 'paused', counts: { held: 3 } })
})

test.each([
  [
    'who was disabled',
    ({ id }: TestUser) => sql`UPDATE app_user SET is_enabled = false WHERE id = ${id}`.execute(app.db),
    ({ loginName }: TestUser) => `继续人 ${loginName} 已停用`,
  ],
  [
    'who does not reach them any more',
    ({ id }: TestUser) =>
      sql`INSERT INTO user_authority (user_id, authority_type, value) VALUES (${id}, 'O', '0')`.execute(
        app.db,
      ),
    () => '设备已不在继续人的数据范围内',
  ],
] as const)('brings held devices nothing by the decision of one %s', async (_, change, why) => {
  const fleet = await insertFleet(app.db, 3)
  const [first, ...others] = fleet.devices.map((identity) => deviceOf(app, identity))
  running.push(...(first ? [first] : []), ...others)
  first?.start()
  await first?.whenOnline()
  const codes = fleet.devices.map(({ code }) => code)
  const { data } = await app.call(
    insertParameterBatch,
    {
      queryParam: { codes },
      entitys: entitysOf({ [soc]: 88 }),
      paramSetRule: { upgradeCount: 1, interval: 3 },
      trial: { codes: codes.slice(0, 1) },
    },
    admin,
  )
  await batchBecomes(app, admin, data.id, { state: 'paused', counts: { succeeded: 1, held: 2 } })
  const colleague = await app.asUser({ functionCodes: ['batchSet:list', 'batchSet:retry'] })
  expect(await app.call(continueParameterBatch, { id: data.id }, colleague.token)).toMatchObject({
    data: { count: 2 },
  })
  // Their commands wait for them.
  const made = sql`SELECT FROM parameter_target WHERE batch_id = ${data.id}::int AND state = 'sent'`
  await expect.poll(async () => (await made.execute(app.db)).rows.length).toBe(2)
  await change(colleague)
  await lookNow(app.db)
  await batchBecomes(app, admin, data.id, { counts: { failed: 2 } })
  const { data: rows } = await app.call(listBatchDevices, { id: data.id, isTrial: 0 }, admin)
  expect(rows.map(({ reason }) => reason)).toEqual([why(colleague), why(colleague)])
  for (const device of others) device.start()
  await Promise.all(others.map((device) => device.whenOnline()))
  // What was left would come before this one.
  const next = await startBatch(app, admin, fleet, { [overTemperature]: 61 })
  await batchBecomes(app, admin, next, { counts: { succeeded: 3 } })
  expect(valuesOf(others)).not.toContain(88)
})

test('waits for somebody also where a narrow colleague has deleted the device of its trial that failed', async () => {
  const { id, codes, fleet } = await begin({ codes: 2, autoMinutes: 1 }, ['refuses'])
  await batchBecomes(app, admin, id, { state: 'paused', counts: { refused: 1, succeeded: 1, held: 2 } })
  const narrow = await app.asUser({
    functionCodes: ['equip:delete'],
    authorities: [['O', String(fleet.operatorId)]],
  })
  const failed = fleet.devices.find(({ code }) => code === codes[0])
  expect(await app.call(deleteDevice, { id: String(failed?.id) }, narrow.token)).toMatchObject({ code: 200 })
  await passTrial(app.db, id, 10)
  await lookedAt(id)
  expect(await batchOf(app, admin, id)).toMatchObject({
    state: 'paused',
    trial: { autoTime: null, counts: { total: 1, succeeded: 1 } },
    counts: { held: 2 },
  })
})

test('waits for somebody where a device of its trial has failed', async () => {
  const { id, codes } = await begin({ codes: 1, autoMinutes: 1 }, ['refuses'])
  await batchBecomes(app, admin, id, { state: 'paused', trial: { autoTime: null } })
  await passTrial(app.db, id, 10)
  await lookedAt(id)
  expect(await batchOf(app, admin, id)).toMatchObject({
    state: 'paused',
    trial: { counts: { total: 1, refused: 1 } },
    trialResult: { reasons: [{ state: 'refused', count: 1 }] },
  })
  const { data } = await app.call(listParameterBatches, { state: ['paused'], ids: [id] }, admin)
  expect(data).toMatchObject([{ id, trial: { counts: { refused: 1 } } }])
  expect(await noteOf(id)).toBe('试行 1 台，成功 0 台，失败 1 台；等待继续')
  expect(await kindsOf(codes[0] as string)).toEqual([expect.stringMatching(/^CS\d+ · 试行$/)])
  expect(await kindsOf(codes[1] as string)).toEqual([expect.stringMatching(/^CS\d+$/)])
})
