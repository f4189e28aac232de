import { retryParameterBatch, stopParameterBatch, updateUser } from '@voltkeep/contract'
import type { VirtualDevice } from '@voltkeep/simulator/device'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import {
  batchBecomes,
  batchOf,
  deviceOf,
  devicesBecome,
  devicesOf,
  hurry,
  insertFleet,
  logOf,
  lookNow,
  overTemperature,
  soc,
  startBatch,
} from '../../../test/batches.ts'
import { insertOperator, insertOrganization, type TestDevice } from '../../../test/factories.ts'

let app: TestApp
let admin: string
let organizationId: number
const running: VirtualDevice[] = []

beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  organizationId = await insertOrganization(app.db)
})
afterEach(() => {
  for (const device of running.splice(0)) device.cutPower()
})
afterAll(() => app.close())

const functionCodes = ['batchSet:insert', 'batchSet:list', 'batchSet:retry']
const operator = () => app.asUser({ organizationId, functionCodes })
const enable = (id: number, isEnabled: 0 | 1) => app.call(updateUser, { id: String(id), isEnabled }, admin)
const moveAway = async ({ id }: TestDevice) =>
  sql`UPDATE device SET operator_id = ${await insertOperator(app.db)} WHERE id = ${id}`.execute(app.db)

async function switchOn(identity: TestDevice, troubles: Parameters<typeof deviceOf>[2] = {}) {
  const device = deviceOf(app, identity, troubles)
  running.push(device)
  device.start()
  await device.whenOnline()
  return device
}

test('a batch whose creator was disabled is stopped, says so, and takes back what no device has been handed', async () => {
  const creator = await operator()
  const fleet = await insertFleet(app.db, 2, { organizationId })
  const [away, failing] = fleet.devices as [TestDevice, TestDevice]
  const device = await switchOn(failing, { troubles: ['fails'] })
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 })
  await expect
    .poll(async () => (await devicesOf(app, admin, id)).find(({ code }) => code === failing.code)?.attempts)
    .toBe(1)
  await enable(creator.id, 0)
  await lookNow(app.db)
  const stopNote = `创建人 ${creator.loginName} 已停用`
  await batchBecomes(app, admin, id, { state: 'stopped', stopNote, counts: { stopped: 2 } })
  const back = await switchOn(away)
  // Any command that was left would have come before this one.
  const next = await startBatch(app, admin, fleet, { [soc]: 81 })
  await batchBecomes(app, admin, next, { state: 'finished', counts: { succeeded: 2 } })
  expect([device, back].map(({ parameters }) => parameters.get(soc))).toEqual([81, 81])
  expect(await app.call(retryParameterBatch, { id }, admin)).toMatchObject({
    status: 409,
    message: `${stopNote}，不能重试`,
  })
})

test.each(['was disabled', 'does not reach the device any more'])(
  'a command that its device lost is not sent again when the device is back, once the creator %s',
  async (what) => {
    const creator = await operator()
    const fleet = await insertFleet(app.db, 1, { organizationId })
    const [away] = fleet.devices as [TestDevice]
    const id = await startBatch(app, creator.token, fleet, { [soc]: 80 })
    // As when the device loses its power before the command arrives.
    const sent = sql`
      UPDATE device_command SET state = 'sent', attempts = 1, sent_at = now(), next_at = deadline
      WHERE device_code = ${away.code} AND state = 'waiting' RETURNING 1`
    await expect.poll(async () => (await sent.execute(app.db)).rows.length).toBe(1)
    await sql`
      UPDATE device_state SET is_online = false, online_changed_at = now()
      WHERE device_id = ${away.id}`.execute(app.db)
    if (what === 'was disabled') await enable(creator.id, 0)
    else await moveAway(away)
    const since = new Date()
    await lookNow(app.db)
    const checked = async () =>
      (await sql`SELECT FROM parameter_batch WHERE id = ${id} AND checked_at > ${since}`.execute(app.db)).rows
        .length
    await expect.poll(checked).toBe(1)
    const back = await switchOn(away)
    // A command that was left comes before this one.
    const { rows } = await sql<{ operatorId: number }>`
      SELECT operator_id AS "operatorId" FROM device WHERE id = ${away.id}`.execute(app.db)
    const next = await startBatch(app, admin, rows[0] as { operatorId: number }, { [overTemperature]: 61 })
    await devicesBecome(app, admin, next, { [away.code]: 'succeeded' })
    expect(back.parameters.get(soc)).toBe(95)
    await devicesBecome(app, admin, id, { [away.code]: 'stopped' })
  },
)

test('an attempt that is due is not made once its creator is disabled, whatever else looks at the batch', async () => {
  const creator = await operator()
  const fleet = await insertFleet(app.db, 1, { organizationId })
  const [failing] = fleet.devices as [TestDevice]
  const device = await switchOn(failing, { troubles: ['fails'] })
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 })
  await expect.poll(async () => (await devicesOf(app, admin, id))[0]?.attempts).toBe(1)
  await enable(creator.id, 0)
  await sql`UPDATE parameter_target SET next_at = now() WHERE batch_id = ${id}`.execute(app.db)
  await sql`SELECT pg_notify('voltkeep', '{"name":"workDue","ids":["parameter_target 0"]}')`.execute(app.db)
  await devicesBecome(app, admin, id, { [failing.code]: 'stopped' })
  expect((await devicesOf(app, admin, id))[0]?.reason).toBe(`创建人 ${creator.loginName} 已停用`)
  expect(device.parameters.get(soc)).toBe(95)
})

test('a device that has left the creator’s scope gets nothing more of the batch', async () => {
  const creator = await operator()
  const fleet = await insertFleet(app.db, 3, { organizationId })
  const [away, failing, stays] = fleet.devices as [TestDevice, TestDevice, TestDevice]
  const device = await switchOn(failing, { troubles: ['fails'] })
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 })
  await expect
    .poll(async () => (await devicesOf(app, admin, id)).find(({ code }) => code === failing.code)?.attempts)
    .toBe(1)
  await moveAway(away)
  await moveAway(failing)
  await hurry(app.db)
  await devicesBecome(app, admin, id, {
    [away.code]: 'stopped',
    [failing.code]: 'stopped',
    [stays.code]: 'waiting',
  })
  const reasons = (await devicesOf(app, admin, id)).map(({ reason }) => reason)
  expect(reasons.filter((reason) => reason === '设备已不在创建人的数据范围内')).toHaveLength(2)
  await switchOn(stays)
  await batchBecomes(app, admin, id, { state: 'finished', counts: { succeeded: 1, stopped: 2 } })
  expect(device.parameters.get(soc)).toBe(95)
})

test('the attempts that another user asks for stop with that user, and the creator can ask for them again', async () => {
  const creator = await operator()
  const asker = await operator()
  const fleet = await insertFleet(app.db, 1, { organizationId })
  const [device] = fleet.devices as [TestDevice]
  await switchOn(device, { troubles: ['fails', 'fails'] })
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 }, { upgradeCount: 1 })
  await devicesBecome(app, admin, id, { [device.code]: 'failed' })
  await sql`UPDATE parameter_batch SET max_attempts = 3 WHERE id = ${id}`.execute(app.db)
  expect((await app.call(retryParameterBatch, { id }, asker.token)).data).toEqual({ count: 1 })
  await expect.poll(async () => (await devicesOf(app, admin, id))[0]?.attempts).toBe(1)
  await enable(asker.id, 0)
  await hurry(app.db)
  await devicesBecome(app, admin, id, { [device.code]: 'failed' })
  expect((await devicesOf(app, admin, id))[0]?.reason).toBe(`重试人 ${asker.loginName} 已停用`)
  expect((await app.call(retryParameterBatch, { id }, creator.token)).data).toEqual({ count: 1 })
  await devicesBecome(app, admin, id, { [device.code]: 'succeeded' })
  expect((await batchOf(app, admin, id)).stopNote).toBeNull()
})

test('a command that another user asked for and no device has been handed is taken back with that user', async () => {
  const creator = await operator()
  const fleet = await insertFleet(app.db, 2, { organizationId })
  const [left, stays] = fleet.devices as [TestDevice, TestDevice]
  const asker = await app.asUser({
    organizationId,
    functionCodes,
    authorities: [['O', String(fleet.operatorId)]],
  })
  const devices = [
    await switchOn(left, { troubles: ['fails'] }),
    await switchOn(stays, { troubles: ['fails'] }),
  ]
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 }, { upgradeCount: 1 })
  await devicesBecome(app, admin, id, { [left.code]: 'failed', [stays.code]: 'failed' })
  for (const device of devices) device.cutPower()
  expect((await app.call(retryParameterBatch, { id }, asker.token)).data).toEqual({ count: 2 })
  const underWay = async () => (await logOf(app, admin, id)).filter(([, , result]) => result === 'underWay')
  await expect.poll(underWay).toHaveLength(2)
  // The creator still reaches it there, who asked does not.
  const elsewhere = await insertOperator(app.db, { organizationId })
  await sql`UPDATE device SET operator_id = ${elsewhere} WHERE id = ${left.id}`.execute(app.db)
  await lookNow(app.db)
  await devicesBecome(app, admin, id, { [left.code]: 'failed', [stays.code]: 'waiting' })
  await enable(asker.id, 0)
  await lookNow(app.db)
  await batchBecomes(app, admin, id, { state: 'finished', stopNote: null, counts: { failed: 2 } })
  const beyond = '设备已不在重试人的数据范围内'
  const gone = `重试人 ${asker.loginName} 已停用`
  expect((await devicesOf(app, admin, id)).map(({ code, reason }) => [code, reason])).toEqual(
    expect.arrayContaining([
      [left.code, beyond],
      [stays.code, gone],
    ]),
  )
  // Nothing reaches them when they are back, until somebody else asks for it.
  for (const device of devices) {
    device.start()
    await device.whenOnline()
  }
  expect((await app.call(retryParameterBatch, { id }, creator.token)).data).toEqual({ count: 2 })
  await devicesBecome(app, admin, id, { [left.code]: 'succeeded', [stays.code]: 'succeeded' })
  const log = await logOf(app, admin, id)
  expect(log.filter(([code]) => code === left.code).slice(1)).toEqual([
    [left.code, 2, 'stopped', beyond],
    [left.code, 3, 'succeeded', null],
  ])
  expect(log.filter(([code]) => code === stays.code).slice(1)).toEqual([
    [stays.code, 2, 'stopped', gone],
    [stays.code, 3, 'succeeded', null],
  ])
})

test('another attempt on the own devices does not prolong what the batch brings to others', async () => {
  const creator = await operator()
  const fleet = await insertFleet(app.db, 2, { organizationId })
  const [failing, away] = fleet.devices as [TestDevice, TestDevice]
  const mine = await insertOperator(app.db, { organizationId })
  const asker = await app.asUser({ organizationId, functionCodes, authorities: [['O', String(mine)]] })
  await switchOn(failing, { troubles: ['fails'] })
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 }, { upgradeCount: 1 })
  await devicesBecome(app, admin, id, { [failing.code]: 'failed', [away.code]: 'waiting' })
  await sql`UPDATE device SET operator_id = ${mine} WHERE id = ${failing.id}`.execute(app.db)
  await sql`UPDATE parameter_batch SET ends_at = now() + interval '1 hour' WHERE id = ${id}`.execute(app.db)
  const endOf = async () => (await batchOf(app, admin, id)).paramSetRule.endTime
  const before = await endOf()
  expect((await app.call(retryParameterBatch, { id }, asker.token)).data).toEqual({ count: 1 })
  expect(await endOf()).toEqual(before)
  await devicesBecome(app, admin, id, { [failing.code]: 'succeeded', [away.code]: 'waiting' })
  // Who sees all of its devices prolongs it.
  await sql`UPDATE parameter_target SET state = 'failed' WHERE batch_id = ${id} AND device_id = ${failing.id}`.execute(
    app.db,
  )
  expect((await app.call(retryParameterBatch, { id }, creator.token)).data).toEqual({ count: 1 })
  expect(await endOf()).not.toEqual(before)
})

test('a device that was moved to another organization keeps nobody from stopping the rest of the batch', async () => {
  const creator = await app.asUser({ organizationId, functionCodes: [...functionCodes, 'batchSet:stop'] })
  const narrow = await app.asUser({
    organizationId,
    functionCodes: ['batchSet:list', 'batchSet:stop'],
    authorities: [['O', String(await insertOperator(app.db, { organizationId }))]],
  })
  const fleet = await insertFleet(app.db, 2, { organizationId })
  const [gone, stays] = fleet.devices as [TestDevice, TestDevice]
  const id = await startBatch(app, creator.token, fleet, { [soc]: 80 })
  await devicesBecome(app, admin, id, { [gone.code]: 'waiting', [stays.code]: 'waiting' })
  await moveAway(gone)
  await lookNow(app.db)
  await devicesBecome(app, admin, id, { [gone.code]: 'stopped', [stays.code]: 'waiting' })
  expect(await app.call(stopParameterBatch, { id }, narrow.token)).toMatchObject({
    status: 403,
    refusal: 'parameterBatchReachesBeyond',
  })
  expect(await batchOf(app, narrow.token, id)).toMatchObject({ isStoppable: false })
  expect(await batchOf(app, creator.token, id)).toMatchObject({ isWhole: false, isStoppable: true })
  expect(await app.call(stopParameterBatch, { id }, creator.token)).toMatchObject({ code: 200 })
  await batchBecomes(app, admin, id, { state: 'stopped', counts: { stopped: 2 } })
})
