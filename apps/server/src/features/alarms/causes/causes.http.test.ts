// Alarms of one cause as one line, as callers see it and handle it.
import {
  ackAlarms,
  claimAlarms,
  countAlarmLevels,
  exportAlarms,
  listAlarmCauses,
  listAlarms,
  readActiveLevels,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import {
  insertAlarm,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../../test/factories.ts'
import { alarmsChanged } from '../alarms.notices.ts'
import { lookAtCauses } from './cause-watch.ts'
import { deleteCauses } from './causes.queries.ts'

const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const codes = ['alarm:page', 'alarm:ack', 'alarm:export']
/** A user of the organization that has one of the site's devices. */
const narrow = (await app.asUser({ organizationId, functionCodes: codes })).token
/** A user who may look, and do nothing. */
const looking = (await app.asUser({ organizationId: 1, functionCodes: ['alarm:page'] })).token

const told: (readonly string[] | null)[] = []
const look = () =>
  lookAtCauses({
    db: app.db,
    notices: { publish: ((_: unknown, ids: readonly string[] | null) => told.push(ids)) as never },
  })
const lines = async (token = admin, filter: Record<string, unknown> = {}) =>
  (await app.call(listAlarmCauses, filter as never, token)).data
const shown = async (filter: Record<string, unknown>, token = admin) => {
  const { data, total } = await app.call(listAlarms, filter as never, token)
  return { ids: data.map(({ id }) => id).toSorted(), total }
}
const code = 'R1'
const away = (deviceId: number, address: string, secondsAgo = 60) =>
  sql`
    INSERT INTO device_state (device_id, is_online, online_changed_at, connected_from)
    VALUES (${deviceId}, false, date_trunc('second', now()) - ${secondsAgo} * interval '1 second', ${address})
    ON CONFLICT (device_id) DO UPDATE SET is_online = false, online_changed_at = excluded.online_changed_at,
      connected_from = excluded.connected_from`.execute(app.db)

type Device = Awaited<ReturnType<typeof insertDevice>>
let devices: Device[] = []
let ids: string[] = []

/** Three of a site's four devices raise an alarm at one time. */
beforeEach(async () => {
  await sql`DELETE FROM alarm_cause`.execute(app.db)
  await sql`DELETE FROM alarm_state`.execute(app.db)
  await sql`UPDATE device_state SET is_online = true`.execute(app.db)
  const operatorId = await insertOperator(app.db)
  const regionId = await insertRegion(app.db)
  devices = []
  for (let n = 0; n < 4; n += 1) devices.push(await insertDevice(app.db, { operatorId, regionId }))
  ids = []
  for (const device of devices.slice(0, 3)) ids.push(await insertAlarm(app.db, device, code, 1))
  told.length = 0
})

describe('what happens to half of a site at one time', () => {
  test('is one line with its members, which the list leaves out where it is asked to', async () => {
    const other = await insertAlarm(app.db, await insertDevice(app.db), code, 1)
    await away(devices[3]?.id ?? 0, '10.9.9.9')
    expect(await look()).toBe(1)
    expect(told).toEqual([expect.arrayContaining(ids)])
    const [line, ...more] = await lines()
    expect(more).toEqual([])
    expect(line).toMatchObject({
      kind: 'site',
      alarmCount: 3,
      unacknowledgedCount: 3,
      offlineCount: 1,
      deviceCount: 4,
      equipId: null,
    })
    expect(await shown({ isCaused: '0' })).toEqual({ ids: [other], total: 1 })
    expect(await shown({ causeId: line?.id })).toEqual({ ids: ids.toSorted(), total: 3 })
    expect((await shown({})).total).toBe(4)
    // The counts of levels, and the sheet, are of the same rows.
    const levels = (await app.call(countAlarmLevels, { isCaused: '0' }, admin)).data.levels
    expect(levels.reduce((sum, { count }) => sum + count, 0)).toBe(1)
    const sheet = await app.request(`/api${exportAlarms.path}?causeId=${line?.id}`, {
      headers: { authorization: admin },
    })
    expect(sheet.status).toBe(200)
    // Nothing is put anywhere twice.
    expect(await look()).toBe(0)
    expect((await lines())[0]).toMatchObject({ alarmCount: 3, offlineCount: 1 })
  })

  test('grows by what comes soon after, and ends when nothing of it lasts', async () => {
    await look()
    const late = await insertAlarm(app.db, devices[3] as Device, code, 0)
    expect(await look()).toBe(0)
    expect((await lines())[0]).toMatchObject({ alarmCount: 4, deviceCount: 4 })
    await sql`UPDATE alarm_state SET is_active = false WHERE episode_id <> ${late}::bigint`.execute(app.db)
    expect((await lines())[0]).toMatchObject({ alarmCount: 1 })
    await look()
    expect(await lines()).toHaveLength(1)
    await sql`UPDATE alarm_state SET is_active = false`.execute(app.db)
    expect(await lines()).toEqual([])
    await look()
    expect(await deleteCauses(app.db, { before: new Date(0), limit: 10 })).toBe(0)
    expect(await deleteCauses(app.db, { before: new Date(Date.now() + 1_000), limit: 10 })).toBe(1)
  })

  test('never has an alarm of fire, which stands for itself', async () => {
    const { rows } = await sql<{ code: string }>`
      SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND is_fire LIMIT 1`.execute(app.db)
    const fire = await insertAlarm(app.db, devices[0] as Device, rows[0]?.code ?? '', 1)
    await look()
    expect((await lines())[0]).toMatchObject({ alarmCount: 3 })
    expect(await shown({ isCaused: '0' })).toEqual({ ids: [fire], total: 1 })
  })

  test('shows and counts for each caller what that one may see, and nothing else', async () => {
    const operatorId = await insertOperator(app.db, { organizationId })
    const own: Device[] = []
    for (let n = 0; n < 3; n += 1) own.push(await insertDevice(app.db, { operatorId }))
    // A network has devices of several organizations: one is the caller's.
    for (const device of [...devices, own[0] as Device]) await away(device.id, '10.8.7.6')
    await sql`DELETE FROM alarm_state`.execute(app.db)
    expect(await look()).toBe(1)
    expect(await lines()).toMatchObject([
      { kind: 'network', network: '10.8.7.', offlineCount: 5, alarmCount: 0, deviceCount: 5 },
    ])
    expect(await lines(narrow)).toMatchObject([{ kind: 'network', offlineCount: 1, deviceCount: 1 }])
    // A site of others is no line at all.
    await sql`DELETE FROM alarm_cause`.execute(app.db)
    await sql`UPDATE device_state SET is_online = true`.execute(app.db)
    for (const device of devices) await insertAlarm(app.db, device, 'R9', 1)
    await look()
    const [line] = await lines()
    expect(line).toMatchObject({ kind: 'site', alarmCount: 4 })
    expect(await lines(narrow)).toEqual([])
    expect(await shown({ causeId: line?.id }, narrow)).toEqual({ ids: [], total: 0 })
  })

  test('counts what passes the filters of the list', async () => {
    await look()
    expect(await lines(admin, { code: [devices[0]?.code] })).toMatchObject([
      { alarmCount: 1, deviceCount: 1 },
    ])
    expect(await lines(admin, { semaphoreName: 'NOSUCH' })).toEqual([])
    expect(await lines(admin, { status: '0' })).toEqual([])
    await app.call(ackAlarms, { ids: [ids[0] as string] }, admin)
    expect(await lines()).toMatchObject([{ alarmCount: 3, unacknowledgedCount: 2 }])
    expect(await lines(admin, { handling: ['unacknowledged'] })).toMatchObject([{ alarmCount: 2 }])
  })

  test('is handled together: as many as the line says, of those that the caller may see, by who may', async () => {
    await look()
    const [line] = await lines()
    const chosen = { filter: { causeId: line?.id ?? '' }, count: line?.alarmCount ?? 0 }
    expect((await app.call(ackAlarms, chosen, looking)).status).toBe(403)
    expect((await app.call(ackAlarms, { ...chosen, count: 30 }, admin)).status).toBe(409)
    // Of a line that the caller does not see, nothing.
    const few = { ...chosen, count: 1 }
    expect((await app.call(claimAlarms, few, narrow)).data).toMatchObject({ done: 0 })
    expect(await lines()).toMatchObject([{ unacknowledgedCount: 3 }])
    expect((await app.call(claimAlarms, chosen, admin)).data).toMatchObject({ done: 3, skippedCount: 0 })
    expect(await lines()).toMatchObject([{ alarmCount: 3, unacknowledgedCount: 0 }])
  })
})

test('a carrier’s outage is one line of all devices that were connected from its network, for each caller the own ones', async () => {
  await sql`DELETE FROM alarm_state`.execute(app.db)
  const operatorId = await insertOperator(app.db, { organizationId })
  const near = devices.slice(0, 4)
  const own: Device[] = []
  for (let n = 0; n < 3; n += 1) own.push(await insertDevice(app.db, { operatorId }))
  const connected = [...near, ...own]
  for (const [n, { id }] of connected.entries()) await away(id, `10.7.7.${n + 1}`)
  // One of another network stays, and two of this one do.
  const stayed = [await insertDevice(app.db), await insertDevice(app.db)]
  for (const { id } of stayed)
    await sql`
      INSERT INTO device_state (device_id, is_online, online_changed_at, connected_from)
      VALUES (${id}, true, now(), '10.7.7.99') ON CONFLICT (device_id) DO UPDATE
      SET is_online = true, connected_from = excluded.connected_from`.execute(app.db)
  await away((await insertDevice(app.db)).id, '10.8.8.8')
  const alarm = await insertAlarm(app.db, own[0] as Device, code, 1)
  expect(await look()).toBe(1)
  expect(await lines()).toMatchObject([
    {
      kind: 'network',
      network: '10.7.7.',
      offlineCount: 7,
      alarmCount: 0,
      deviceCount: 7,
      operatorName: null,
    },
  ])
  expect(await lines(narrow)).toMatchObject([{ kind: 'network', offlineCount: 3, deviceCount: 3 }])
  // What a device raises beside it is a trouble of its own.
  expect(await shown({ isCaused: '0' })).toEqual({ ids: [alarm], total: 1 })
  await sql`UPDATE device_state SET is_online = true, online_changed_at = now()`.execute(app.db)
  expect(await lines()).toEqual([])
})

test('every alarm counts once: the figures are what the rows of the list and its lines count together', async () => {
  const operatorId = await insertOperator(app.db, { organizationId })
  const regionId = await insertRegion(app.db)
  const own: Device[] = []
  for (let n = 0; n < 3; n += 1) own.push(await insertDevice(app.db, { operatorId, regionId }))
  for (const device of own) await insertAlarm(app.db, device, code, 1)
  await insertAlarm(app.db, own[0] as Device, 'R9', 30)
  const alone = await insertAlarm(app.db, await insertDevice(app.db), code, 1)
  await look()
  await expect.poll(async () => (await lines()).length).toBe(2)
  await sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name: 'alarmsOpened', ids: [alone] })})`.execute(
    app.db,
  )
  for (const [token, count] of [
    [admin, 8],
    [narrow, 4],
  ] as const) {
    const counted = async () =>
      ((await shown({ isCaused: '0' }, token)).total ?? 0) +
      (await lines(token)).reduce((sum, { alarmCount }) => sum + alarmCount, 0)
    expect(await counted()).toBe(count)
    await expect
      .poll(async () =>
        (await app.call(readActiveLevels, {}, token)).data.levels.reduce(
          (sum, level) => sum + level.count,
          0,
        ),
      )
      .toBe(count)
  }
})

test('a cabinet that goes offline with its alarms is one line', async () => {
  await sql`DELETE FROM alarm_state`.execute(app.db)
  const cabinet = devices[0] as Device
  await insertAlarm(app.db, cabinet, code, 2)
  await insertAlarm(app.db, cabinet, 'R2', 1)
  await away(cabinet.id, '10.5.5.5')
  expect(await look()).toBe(1)
  expect(await lines()).toMatchObject([
    { kind: 'cabinet', equipCode: cabinet.code, alarmCount: 2, offlineCount: 1, deviceCount: 1 },
  ])
})

test('the notice that tells of it is that of alarms', async () => {
  const published: unknown[] = []
  await lookAtCauses({
    db: app.db,
    notices: { publish: ((kind: unknown) => published.push(kind)) as never },
  })
  expect(published).toEqual([alarmsChanged])
})
