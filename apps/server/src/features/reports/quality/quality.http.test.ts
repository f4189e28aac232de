import {
  type AlarmGroup,
  type AlarmReport,
  alarmGroupNames,
  alarmTargets,
  exportAlarmReport,
  listAlarmHistory,
  readAlarmReport,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { appOfTests } from '../../../../test/app.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../../test/factories.ts'
import { deleteHistory, moveHistory } from '../../../domain/history/index.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { reportJobs } from '../days/days.jobs.ts'

const app = await appOfTests({ ROLES: 'api' })
const days = 6
const now = new Date()
const first = startOfDay(now, -days)
const range = { startTime: dayOf(first), endTime: dayOf(startOfDay(now, -1)) }
const codes = ['01110001', '01110002', '01120001', 'NOBODYS']
let seed = 7
const below = (n: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor(seed / 65_536) % n
}

interface Alarm {
  id: number
  at: number
  code: string
  device: (typeof devices)[number]
}

const organizationId = await insertOrganization(app.db)
const operators = [
  await insertOperator(app.db, { organizationId }),
  await insertOperator(app.db, { organizationId }),
]
const models = [await insertModel(app.db), await insertModel(app.db)]
const country = (
  await app.db.selectFrom('region').select('id').where('parent_id', 'is', null).executeTakeFirstOrThrow()
).id
const regions = [
  { id: await insertRegion(app.db, { parentId: country, code: 'RP1' }), code: 'RP1' },
  { id: await insertRegion(app.db, { parentId: country, code: 'RP2' }), code: 'RP2' },
]
const devices = await Promise.all(
  Array.from({ length: 12 }, async (_, n) => ({
    ...(await insertDevice(app.db, {
      operatorId: operators[n % 2] as number,
      modelId: models[n % 3 === 0 ? 0 : 1] as number,
      regionId: regions[n % 4 === 0 ? 0 : 1]?.id as number,
    })),
    operatorId: operators[n % 2] as number,
    modelId: models[n % 3 === 0 ? 0 : 1] as number,
    region: regions[n % 4 === 0 ? 0 : 1]?.code as string,
  })),
)
const stranger = await insertDevice(app.db, { regionId: regions[1]?.id as number })
const alarms: Alarm[] = []
let nextId = 5_000_000

/** As ingest does, with a counter delta each. */
async function write(rows: readonly Alarm[]): Promise<void> {
  await sql`
    WITH added AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value,
        value, recovered_at, recovery_method)
      SELECT u.id, to_timestamp(u.at), d.id, d.operator_id, d.model_id, d.region_id, u.code, 1, 1, to_timestamp(u.at + 5), 1
      FROM unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ at }) => at / 1000)}::float8[],
        ${rows.map(({ code }) => code)}::text[], ${rows.map(({ device }) => device.id)}::int[]) AS u (id, at, code, device_id)
      JOIN device d ON d.id = u.device_id
      RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
    )
    INSERT INTO history_delta SELECT 1, day, operator_id, model_id, region_id, semaphore_code, 1 FROM added`.execute(
    app.db,
  )
}

function someAlarms(count: number): Alarm[] {
  return Array.from({ length: count }, () => {
    const device = devices[below(devices.length)] as (typeof devices)[number]
    // Most within a few hours, and many of the same minute: floods and chattering are to come up.
    const at = first.getTime() + below(days) * 86_400_000 + (below(4) * 3_600 + below(900)) * 1000
    nextId += 1
    return { id: nextId, at, device, code: codes[below(codes.length)] as string }
  })
}

const jobs = reportJobs({ db: app.db, zone: app.config.zone, retentionDays: 365 })
const sumUp = async () => {
  await jobs.find(({ name }) => name === 'reports.sumUp')?.run(new AbortController().signal)
}

/** The report by counting one by one. */
function plainly(seen: readonly Alarm[]) {
  const windowsOf = (some: readonly Alarm[]) => {
    const counts = new Array<number>(days * 144).fill(0)
    for (const { at } of some) {
      const window = Math.floor((at - first.getTime()) / 600_000)
      counts[window] = (counts[window] ?? 0) + 1
    }
    return counts
  }
  const loadOf = (some: readonly Alarm[]) => {
    let floods = 0
    let flooded = 0
    let isIn = false
    const counts = windowsOf(some)
    for (const n of counts) {
      if (isIn && n < alarmTargets.floodEnds) isIn = false
      if (!isIn && n > alarmTargets.floodBegins) {
        isIn = true
        floods += 1
      }
      if (isIn) flooded += 1
    }
    return { peak: Math.max(0, ...counts), floodCount: floods, floodShare: flooded / counts.length }
  }
  const groups = (by: AlarmGroup) =>
    Map.groupBy(seen, ({ device, code }) =>
      by === 'operator'
        ? String(device.operatorId)
        : by === 'model'
          ? String(device.modelId)
          : by === 'region'
            ? device.region
            : by === 'device'
              ? String(device.id)
              : code,
    )
  const chattering = new Map<string, number>()
  for (const [pair, own] of Map.groupBy(seen, ({ device, code }) => `${device.id} ${code}`)) {
    const sorted = own.map(({ at }) => at).sort((a, b) => a - b)
    const n = sorted.filter((at, index) => index >= 2 && at - (sorted[index - 2] as number) <= 60_000).length
    if (n > 0) chattering.set(pair, n)
  }
  return { groups, loadOf, chattering }
}

function compare(report: AlarmReport, seen: readonly Alarm[], by: AlarmGroup): void {
  const plain = plainly(seen)
  const groups = plain.groups(by)
  expect(report.rows.map(({ id, count }) => [id, count]).sort()).toEqual(
    [...groups].map(([key, own]) => [key, own.length]).sort(),
  )
  for (const row of report.rows) {
    const { peak, floodCount, floodShare } = plain.loadOf(groups.get(row.id) ?? [])
    expect(row).toMatchObject({ peak, floodCount })
    expect(row.floodShare).toBeCloseTo(floodShare, 10)
    expect(row.perDay).toBeCloseTo(row.count / days, 10)
  }
  const operatorLoads = [...plain.groups('operator').values()].map(plain.loadOf)
  expect(report.total).toMatchObject({
    count: seen.length,
    operatorCount: operatorLoads.length,
    floodCount: operatorLoads.reduce((sum, { floodCount }) => sum + floodCount, 0),
    peak: Math.max(0, ...operatorLoads.map(({ peak }) => peak)),
    chatteringCount: plain.chattering.size,
  })
  expect(report.levels.reduce((sum, { count }) => sum + count, 0)).toBe(seen.length)
  const byCode = plain.groups('code')
  expect(report.top.map(({ semaphoreCode, count }) => [semaphoreCode, count]).sort()).toEqual(
    [...byCode].map(([code, own]) => [code, own.length]).sort(),
  )
  const chatteringShown = report.chattering.map(
    ({ deviceId, semaphoreCode, chatteringCount }) => `${deviceId} ${semaphoreCode} ${chatteringCount}`,
  )
  const chatteringAll = [...plain.chattering].map(([pair, n]) => `${pair} ${n}`)
  expect(chatteringShown).toHaveLength(Math.min(10, chatteringAll.length))
  expect(chatteringAll).toEqual(expect.arrayContaining(chatteringShown))
}

const functionCodes = ['report:alarm', 'report:export', 'alarm:history']
const groupings = Object.keys(alarmGroupNames) as AlarmGroup[]
const everyone = await app.asUser({ organizationId, functionCodes })
const ofOperator = await app.asUser({
  organizationId,
  functionCodes,
  authorities: [['O', String(operators[0])]],
})
const ofRegion = await app.asUser({
  organizationId,
  functionCodes,
  authorities: [['R', 'RP2']],
})
const viewers = [
  { token: everyone.token, sees: () => true },
  { token: ofOperator.token, sees: ({ device }: Alarm) => device.operatorId === operators[0] },
  { token: ofRegion.token, sees: ({ device }: Alarm) => device.region === 'RP2' },
]

async function compareAll(): Promise<void> {
  for (const { token, sees } of viewers) {
    for (const groupBy of groupings) {
      const { data } = await app.call(readAlarmReport, { ...range, groupBy }, token)
      compare(data, alarms.filter(sees), groupBy)
    }
  }
}

describe('the report on alarms', () => {
  beforeAll(async () => {
    alarms.push(...someAlarms(1_500))
    await write(alarms)
    nextId += 1
    await write([
      {
        id: nextId,
        at: first.getTime() + 1000,
        code: '01110001',
        device: stranger as unknown as Alarm['device'],
      },
    ])
  })

  test('is what counting one by one gives, before its days are added up and after', async () => {
    await compareAll()
    await sumUp()
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::int AS n FROM report_day WHERE part = 'alarms'`.execute(app.db)
    expect(rows[0]?.n).toBeGreaterThanOrEqual(days - 1)
    await compareAll()
  })

  test('is corrected by late reports at once, and still after they are added up', async () => {
    const late = someAlarms(200)
    await write(late)
    alarms.push(...late)
    await compareAll()
    await sumUp()
    const { rows } = await sql`SELECT FROM report_touched`.execute(app.db)
    expect(rows).toEqual([])
    await compareAll()
  })

  test('follows a device that moves to another operator', async () => {
    const device = devices[1] as (typeof devices)[number]
    const [operatorId] = operators as [number]
    await sql`UPDATE device SET operator_id = ${operatorId} WHERE id = ${device.id}`.execute(app.db)
    await app.db.transaction().execute((trx) =>
      moveHistory(trx, device.id, {
        operatorId,
        modelId: device.modelId,
        regionId: regions.find(({ code }) => code === device.region)?.id as number,
      }),
    )
    device.operatorId = operatorId
    await compareAll()
    await sumUp()
    await compareAll()
  })

  test('follows a device that moves, reports late and moves again, and one that is deleted, without a sum forgotten', async () => {
    const kept = sql<{ n: number }>`SELECT count(*)::int AS n FROM report_day WHERE part = 'alarms'`
    const before = (await kept.execute(app.db)).rows[0]?.n
    const move = async (device: (typeof devices)[number], to: number, region: (typeof regions)[number]) => {
      const place = { operatorId: operators[to] as number, modelId: models[1] as number, regionId: region.id }
      await app.db.transaction().execute(async (trx) => {
        await sql`
          UPDATE device SET operator_id = ${place.operatorId}, model_id = ${place.modelId}, region_id = ${place.regionId}
          WHERE id = ${device.id}`.execute(trx)
        await moveHistory(trx, device.id, place)
      })
      Object.assign(device, { operatorId: place.operatorId, modelId: place.modelId, region: region.code })
    }
    const [, , one, two] = devices as [never, never, (typeof devices)[number], (typeof devices)[number]]
    await move(one, 1, regions[0] as (typeof regions)[number])
    await compareAll()
    // Just before midnight, so that the third of the minute is of the next day.
    const late = [-40, -20, 5, 8].map((seconds) => {
      nextId += 1
      return { id: nextId, at: startOfDay(first, 2).getTime() + seconds * 1000, device: one, code: 'NOBODYS' }
    })
    await write(late)
    alarms.push(...late)
    await move(one, 0, regions[1] as (typeof regions)[number])
    await app.db.transaction().execute(async (trx) => {
      await sql`DELETE FROM device WHERE id = ${two.id}`.execute(trx)
      await deleteHistory(trx, two.id)
    })
    alarms.splice(0, alarms.length, ...alarms.filter(({ device }) => device !== two))
    await compareAll()
    await sumUp()
    expect((await sql`SELECT FROM report_alarm_delta`.execute(app.db)).rows).toEqual([])
    expect((await kept.execute(app.db)).rows[0]?.n).toBe(before)
    await compareAll()
  })

  test('has the sums that its days would have if they were added up anew', async () => {
    const sums = async () => ({
      windows: (
        await sql`
          SELECT kind, day::text, operator_id, model_id, region_id, semaphore_code, encode(windows, 'hex') AS windows
          FROM report_window WHERE windows <> '' ORDER BY 1, 2, 3, 4, 5, 6`.execute(app.db)
      ).rows,
      devices: (
        await sql`SELECT * FROM report_device_alarms WHERE 0 <> ANY(running) ORDER BY month, device_id`.execute(
          app.db,
        )
      ).rows,
      chattering: (
        await sql`SELECT * FROM report_chattering ORDER BY day, device_id, semaphore_code`.execute(app.db)
      ).rows,
    })
    const followed = await sums()
    expect(followed.chattering).not.toEqual([])
    await sql`DELETE FROM report_day WHERE part = 'alarms'`.execute(app.db)
    await sumUp()
    expect(await sums()).toEqual(followed)
  })

  test('takes the sums of a user who sees some operators, of every grouping', async () => {
    const groups = groupings.filter((groupBy) => groupBy !== 'device')
    const peaks = async () =>
      await Promise.all(
        groups.map(async (groupBy) => {
          const { data } = await app.call(readAlarmReport, { ...range, groupBy }, ofOperator.token)
          return data.rows.map(({ peak }) => peak)
        }),
      )
    const plain = await peaks()
    await sql`UPDATE report_window SET windows = windows || decode('00ff', 'hex')`.execute(app.db)
    for (const [index, group] of (await peaks()).entries())
      expect(group.some((peak) => peak >= 255 && !plain[index]?.includes(peak))).toBe(true)
    await sql`
      UPDATE report_window SET windows = substring(windows FOR length(windows) - 2)`.execute(app.db)
    expect(await peaks()).toEqual(plain)
  })

  test('counts what the list counts that each figure opens', async () => {
    const { data } = await app.call(readAlarmReport, range, everyone.token)
    const listed = async (filter: Parameters<typeof app.call<typeof listAlarmHistory>>[1]) =>
      (await app.call(listAlarmHistory, { ...filter, pageSize: 1 }, everyone.token)).total
    expect(await listed(range)).toBe(data.total.count)
    for (const { id, count } of data.rows) expect(await listed({ ...range, operatorId: id })).toBe(count)
    for (const { semaphoreCode, count } of data.top)
      expect(await listed({ ...range, semaphoreCode: [semaphoreCode] })).toBe(count)
    for (const { operatorId, startTime, endTime, count } of data.floods)
      expect(await listed({ operatorId, startTime, endTime })).toBe(count)
    for (const { deviceId, semaphoreCode, count } of data.chattering)
      expect(await listed({ ...range, equipId: deviceId, semaphoreCode: [semaphoreCode] })).toBe(count)
    for (const { level, count } of data.levels.filter((one) => one.level > 0))
      expect(await listed({ ...range, alarmLevel: [level] })).toBe(count)
    expect(data.floods.length).toBeGreaterThan(0)
    expect(data.chattering.length).toBeGreaterThan(0)
  })

  test('counts alarms that have stood for more than a day, as their list does', async () => {
    const device = devices[0] as (typeof devices)[number]
    await sql`
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT d.id, s.semaphore, s.episode, true, 1, now() - hours * interval '1 hour', now(), d.operator_id, d.model_id, d.region_id
      FROM device d, (VALUES ('01110001', 1, 25), ('01110002', 2, 23), ('01120001', 3, 500)) AS s (semaphore, episode, hours)
      WHERE d.id = ${device.id}`.execute(app.db)
    const { data } = await app.call(readAlarmReport, range, everyone.token)
    expect(data.total.standingCount).toBe(2)
    const { total } = await app.call(
      listAlarmHistory,
      { status: 1, startTime: '2000-01-01', endTime: data.standingBefore },
      everyone.token,
    )
    expect(total).toBe(2)
  })

  test('is a sheet, too', async () => {
    const { status } = await app.call(exportAlarmReport, range, everyone.token)
    expect(status).toBe(200)
  })

  test('is about whole days, which have been', async () => {
    const asked = (input: object) => app.call(readAlarmReport, input, everyone.token)
    expect((await asked({ startTime: `${range.startTime} 10:00:00` })).data).toMatchObject([
      { field: 'startTime' },
    ])
    expect((await asked({ startTime: '2020-01-01', endTime: '2022-01-01' })).data).toMatchObject([
      { field: 'endTime' },
    ])
    expect((await asked({ startTime: dayOf(startOfDay(now, 1)) })).status).toBe(400)
  })

  test('has nothing for who sees no device, and is refused to who has no right', async () => {
    const empty = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
    const { data } = await app.call(readAlarmReport, range, empty.token)
    expect(data).toMatchObject({ total: { count: 0, floodCount: 0 }, rows: [], top: [], floods: [] })
    const { token } = await app.asUser({ organizationId, functionCodes: ['alarm:history'] })
    expect((await app.call(readAlarmReport, range, token)).status).toBe(403)
  })
})
