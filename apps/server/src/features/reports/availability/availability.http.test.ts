import {
  type AvailabilityGroup,
  type AvailabilityReport,
  type AvailabilityRow,
  availabilityGroupNames,
  exportAvailability,
  insertAlarmShelf,
  readAvailability,
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
import { everything } from '../../../domain/access/data-scope.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { reportJobs } from '../days/days.jobs.ts'
import { createAvailability } from './availability.service.ts'
import type { Span } from './device-day.rules.ts'
import { divideUnkept } from './device-days.ts'

const app = await appOfTests({ ROLES: 'api' })
const days = 30
const midnight = startOfDay(new Date())
const first = startOfDay(midnight, -days)
const range = { startTime: dayOf(first), endTime: dayOf(startOfDay(midnight, -1)) }
const begin = first.getTime() / 1000
const end = midnight.getTime() / 1000
let seed = 11
const below = (n: number) => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor(seed / 65_536) % n
}
const someTime = () => begin + below(days) * 86_400 + below(24) * 3_600 + below(3_600)

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
  { id: await insertRegion(app.db, { parentId: country, code: 'AV1' }), code: 'AV1' },
  { id: await insertRegion(app.db, { parentId: country, code: 'AV2' }), code: 'AV2' },
]
const grave = (
  await app.db
    .selectFrom('dictionary_entry')
    .select('code')
    .where('type', '=', 'ALARM')
    .where('alarm_level', '=', 1)
    .orderBy('code')
    .executeTakeFirstOrThrow()
).code

/** One device by hand: what happened to it. */
interface Life {
  id: number
  operatorId: number
  modelId: number
  region: string
  knownFrom: number
  /** Stretches without a connection, in order, apart from each other. */
  offline: Span[]
  alarms: (Span & { id: number })[]
  /** Upgrades that were installed. */
  planned: Span[]
  /** What shelves took out of use, by their name. */
  shelved: Map<string, Span[]>
  /** From alarms to their acknowledgement. */
  waits: number[]
}

const later = (at: number, n: number) => at + 1 + below(n)
let nextId = 9_000_000
const lives: Life[] = []
for (let n = 0; n < 8; n += 1) {
  const operatorId = operators[n % 2] as number
  const modelId = models[n % 3 === 0 ? 0 : 1] as number
  const region = regions[n % 4 === 0 ? 0 : 1] as (typeof regions)[number]
  const { id } = await insertDevice(app.db, { operatorId, modelId, regionId: region.id })
  const knownFrom = n < 6 ? begin - 5 * 86_400 : someTime()
  const offline: Span[] = []
  for (let at = knownFrom; offline.length < 12; ) {
    const from = later(at, 5 * 86_400)
    const to = later(from, offline.length % 4 === 0 ? 2 * 86_400 : 3_600)
    // One that goes over midnight, to the second.
    offline.push({ from, to })
    at = to
  }
  const alarms = Array.from({ length: 25 }, () => {
    const from = Math.max(someTime(), knownFrom)
    nextId += 1
    return { id: nextId, from, to: later(from, below(5) === 0 ? 3 * 86_400 : 1_800) }
  })
  // From a midnight to a midnight.
  nextId += 1
  alarms.push({
    id: nextId,
    from: startOfDay(first, 9).getTime() / 1000,
    to: startOfDay(first, 10).getTime() / 1000,
  })
  const planned = Array.from({ length: 4 }, () => {
    const from = Math.max(someTime(), knownFrom)
    return { from, to: later(from, 20_000) }
  })
  lives.push({
    id,
    operatorId,
    modelId,
    region: region.code,
    knownFrom,
    offline: offline.filter(({ to }) => to < end),
    alarms: alarms.filter(({ from }) => from >= knownFrom),
    planned,
    shelved: new Map(),
    waits: [],
  })
}
const gaps: Span[] = [
  { from: begin + 3 * 86_400 + 500, to: begin + 3 * 86_400 + 7_777 },
  { from: begin + 11 * 86_400 - 100, to: begin + 11 * 86_400 + 100 },
]

async function writeLives(): Promise<void> {
  await sql`DELETE FROM report_beat`.execute(app.db)
  for (const [from, to] of [
    [begin - 86_400, gaps[0]?.from],
    [gaps[0]?.to, gaps[1]?.from],
    [gaps[1]?.to, end + 86_400],
  ] as [number, number][])
    await sql`INSERT INTO report_beat VALUES (to_timestamp(${from}), to_timestamp(${to}))`.execute(app.db)
  for (const life of lives) {
    await sql`
      UPDATE device_state SET is_online = true, online_changed_at = to_timestamp(${life.knownFrom})
      WHERE device_id = ${life.id}`.execute(app.db)
    await sql`DELETE FROM device_connection WHERE device_id = ${life.id}`.execute(app.db)
    const changes = [
      { at: life.knownFrom, isOnline: true },
      ...life.offline.flatMap(({ from, to }) => [
        { at: from, isOnline: false },
        { at: to, isOnline: true },
      ]),
    ]
    await sql`
      INSERT INTO device_connection (device_id, at, is_online)
      SELECT ${life.id}, to_timestamp(u.at), u.online FROM unnest(
        ${changes.map(({ at }) => at)}::float8[], ${changes.map(({ isOnline }) => isOnline)}::bool[]) AS u (at, online)`.execute(
      app.db,
    )
    await writeAlarms(life, life.alarms)
    for (const [task, { from, to }] of life.planned.entries()) {
      const target = await sql<{ id: string }>`
        INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions,
          started_at, changed_at)
        VALUES (${task + 1}, ${life.id}, 'P', 1, 1, 1, 1, 'succeeded', '{}', to_timestamp(${from}), to_timestamp(${to}))
        RETURNING id`.execute(app.db)
      const targetId = target.rows[0]?.id
      await sql`
        INSERT INTO upgrade_transition (task_id, target_id, at, to_state, cause) VALUES
          (1, ${targetId}, to_timestamp(${from}), 'installing', ''),
          (1, ${targetId}, to_timestamp(${to}), 'succeeded', '')`.execute(app.db)
    }
    // Every third alarm was acknowledged; every sixth again, much later.
    for (const [n, { id, from }] of life.alarms.entries()) {
      if (n % 3 !== 0 || from >= end || from < begin) continue
      const wait = below(4_000)
      life.waits.push(wait)
      const isAgain = n % 6 === 0
      await sql`
        INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version, acked_at, acked_by_name, seen_value, lasts_until)
        VALUES (${id}, to_timestamp(${from}), ${life.id}, ${isAgain ? 2 : 1},
          to_timestamp(${from + wait + (isAgain ? 50_000 : 0)}), 'x', 1, now())`.execute(app.db)
      await sql`
        INSERT INTO alarm_handling_action (episode_id, device_id, at, user_id, user_name, source, address, kind, before, after)
        SELECT ${id}, ${life.id}, to_timestamp(at), 1, 'x', 'web', '', kind, '{}', '{}' FROM (VALUES
          (${from + wait}::float8, 'claim'), (${from + wait + 50_000}::float8, 'ack')) AS a (at, kind)
        LIMIT ${isAgain ? 2 : 1}`.execute(app.db)
    }
  }
}

const writeAlarms = ({ id }: Life, alarms: Life['alarms']) =>
  sql`
    INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value,
      value, recovered_at, recovery_method)
    SELECT u.id, to_timestamp(u.at), d.id, d.operator_id, d.model_id, d.region_id, ${grave}, 1, 1, to_timestamp(u.until), 1
    FROM unnest(${alarms.map((one) => one.id)}::bigint[], ${alarms.map(({ from }) => from)}::float8[],
      ${alarms.map(({ to }) => to)}::float8[]) AS u (id, at, until), device d WHERE d.id = ${id}`.execute(
    app.db,
  )

/** By the moments at which anything changes, from the first on. */
function plainly({ knownFrom, offline, alarms, planned: installed, shelved }: Life) {
  const planned = [...installed, ...[...shelved.values()].flat()]
  const down: Span[] = [...offline, ...alarms]
  const covers = (list: readonly Span[], at: number) => list.some(({ from, to }) => from <= at && at < to)
  const edges = [...down, ...planned, ...gaps].flatMap(({ from, to }) => [from, to])
  const from = Math.max(begin, knownFrom)
  const moments = [...new Set([...edges, from, end, begin])].sort((a, b) => a - b)
  const sum = { alive: end - from, down: 0, planned: 0, unknown: 0, failures: 0, recovered: [] as number[] }
  let since: number | null = null
  for (const [index, at] of moments.entries()) {
    const next = moments[index + 1] ?? Number.MAX_SAFE_INTEGER
    const isPlanned = covers(planned, at)
    const isDown = covers(down, at) && !isPlanned
    const goesOn = down.some((span) => span.from < at && at < span.to)
    if (since !== null && (!isDown || !goesOn)) {
      if (at > begin && at <= end) sum.recovered.push(at - since)
      since = null
    }
    if (isDown && since === null) {
      since = at
      if (at >= begin && at < end) sum.failures += 1
    }
    if (at < from || at >= end) continue
    if (isPlanned) sum.planned += next - at
    else if (covers(gaps, at)) sum.unknown += next - at
    else if (isDown) sum.down += next - at
  }
  return sum
}

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? null

function sumOf(some: readonly Life[]) {
  const parts = some.map(plainly)
  const total = (of: (part: (typeof parts)[number]) => number) =>
    parts.reduce((sum, part) => sum + of(part), 0)
  const [down, planned, unknown] = [total((p) => p.down), total((p) => p.planned), total((p) => p.unknown)]
  const known = total(({ alive }) => alive) - planned - unknown
  const recovered = parts.flatMap((part) => part.recovered)
  const waits = some.flatMap((life) => life.waits)
  const failures = total((part) => part.failures)
  return {
    deviceCount: some.length,
    upSeconds: known - down,
    downSeconds: down,
    plannedSeconds: planned,
    unknownSeconds: unknown,
    availability: (known - down) / known,
    failureCount: failures,
    daysBetween: (known - down) / 86_400 / failures,
    recoveredCount: recovered.length,
    recoverMedian: quantile(recovered, 0.5),
    recoverP90: quantile(recovered, 0.9),
    acknowledgedCount: waits.length,
    ackMedian: quantile(waits, 0.5),
    ackP90: quantile(waits, 0.9),
  }
}

const keyOf = (life: Life, by: AvailabilityGroup) =>
  ({
    operator: String(life.operatorId),
    model: String(life.modelId),
    region: life.region,
    device: String(life.id),
  })[by]

function compare(report: AvailabilityReport, seen: readonly Life[], by: AvailabilityGroup): void {
  expect(report.total).toEqual(sumOf(seen))
  const groups = Map.groupBy(seen, (life) => keyOf(life, by))
  expect(report.rowCount).toBe(groups.size)
  expect(report.rows.map(({ id }) => id).sort()).toEqual([...groups.keys()].sort())
  for (const { id, name, ...row } of report.rows) {
    expect(name).not.toBe('')
    expect(row).toEqual(sumOf(groups.get(id) ?? []))
  }
  const shares = report.rows.map(({ availability }: AvailabilityRow) => availability ?? 1)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
}

const functionCodes = ['report:availability', 'report:export']
const everyone = await app.asUser({ organizationId, functionCodes })
const ofRegion = await app.asUser({ organizationId, functionCodes, authorities: [['R', 'AV2']] })
const jobs = reportJobs({ db: app.db, zone: app.config.zone, retentionDays: 365 })
const run = (name: string, signal = new AbortController().signal) =>
  jobs.find((job) => job.name === name)?.run(signal) ?? Promise.reject(new Error(name))

async function compareAll(): Promise<void> {
  for (const groupBy of Object.keys(availabilityGroupNames) as AvailabilityGroup[]) {
    const asked = { ...range, groupBy, pageSize: 100 }
    compare((await app.call(readAvailability, asked, everyone.token)).data, lives, groupBy)
    const seen = lives.filter(({ region }) => region === 'AV2')
    compare((await app.call(readAvailability, asked, ofRegion.token)).data, seen, groupBy)
  }
}

const hour = 3_600
/** Zones whose clocks never change, in hours ahead of UTC. */
const zones = { 'Asia/Kolkata': 5.5, 'America/Sao_Paulo': -3 }
type Zone = keyof typeof zones
const wall = (zone: Zone, at: number) =>
  new Date((at + zones[zone] * hour) * 1000).toISOString().slice(0, 19).replace('T', ' ')
const mayPlan = ['alarm:shelve', 'alarm:shelve:long']
const maker = await app.asUser({ organizationId, functionCodes: mayPlan })
const makerOfRegion = await app.asUser({
  organizationId,
  functionCodes: mayPlan,
  authorities: [['R', 'AV2']],
})

interface Window {
  zone: Zone
  first: Span
  /** Days between two occurrences; null: one alone. */
  every: number | null
  /** No occurrence begins later. */
  until: number
}
const spansOf = ({ first, every, until }: Window): Span[] => {
  const spans: Span[] = []
  for (let at = 0; first.from + at <= until; at += (every ?? 1_000) * 24 * hour)
    spans.push({ from: first.from + at, to: first.to + at })
  return spans
}
const shelfIds = new Map<string, number>()

/** A shelf as somebody made it before it began. */
async function writeShelf(
  name: string,
  by: { id: number },
  about: { filter: object | null; codes?: string[]; devices: readonly Life[] },
  when: Window | Span,
): Promise<void> {
  const window = 'zone' in when ? when : null
  const spans = 'zone' in when ? spansOf(when) : [when]
  const rule = window?.every
    ? `FREQ=DAILY;INTERVAL=${window.every};UNTIL=${wall(window.zone, window.until).slice(0, 10).replaceAll('-', '')}`
    : null
  const { rows } = await sql<{ id: number }>`
    INSERT INTO alarm_shelf (kind, organization_id, filter, semaphore_codes, reason, start_at, end_at, time_zone,
      start_local, end_local, repeat, decided_by, decided_by_name, decided_in)
    VALUES (${window ? 'maintenance' : 'outOfService'}, ${organizationId},
      ${about.filter && JSON.stringify(about.filter)}::jsonb, ${about.codes ?? null}::text[], '检修',
      to_timestamp(${spans[0]?.from}), ${window ? sql`to_timestamp(${spans.at(-1)?.to})` : null}, ${window?.zone ?? null},
      ${window && wall(window.zone, window.first.from)}, ${window && wall(window.zone, window.first.to)}, ${rule},
      ${by.id}, 'maker', ${organizationId})
    RETURNING id`.execute(app.db)
  const id = rows[0]?.id as number
  shelfIds.set(name, id)
  await sql`
    INSERT INTO alarm_shelf_target (shelf_id, device_id)
    SELECT ${id}, unnest(${about.filter ? [] : about.devices.map((life) => life.id)}::int[])`.execute(app.db)
  if (!window)
    await sql`
      UPDATE alarm_shelf SET ended_at = to_timestamp(${spans[0]?.to}), ended_by_name = 'x' WHERE id = ${id}`.execute(
      app.db,
    )
  if (!about.codes) for (const life of about.devices) life.shelved.set(name, spans)
}

const day = (n: number, seconds: number) => begin + n * 24 * hour + seconds
const once: Window = {
  zone: 'Asia/Kolkata',
  first: { from: day(5, 7_777), to: day(5, 50_000) },
  every: null,
  until: day(5, 7_777),
}
const nightly: Window = {
  zone: 'America/Sao_Paulo',
  // Over midnight of the report's days, too.
  first: { from: day(2, 80_000), to: day(3, 3_661) },
  every: 2,
  until: day(25, 0),
}
const ofOperator = (n: number, some = lives) => some.filter((life) => life.operatorId === operators[n])
const ofSecondRegion = () => lives.filter(({ region }) => region === 'AV2')

async function writeShelves(): Promise<void> {
  const [one, two, three, four, five] = lives as [Life, Life, Life, Life, Life]
  await writeShelf('once', maker, { filter: null, devices: [one, four] }, once)
  const filter = { operatorId: String(operators[1]) }
  await writeShelf('nightly', maker, { filter, devices: ofOperator(1) }, nightly)
  await writeShelf('out', maker, { filter: null, devices: [five] }, { from: day(7, 45_296), to: day(9, 11) })
  // Of some alarms alone: no plan.
  await writeShelf('code', maker, { filter: null, codes: [grave], devices: [two, three] }, nightly)
  // As far as its maker sees.
  await writeShelf(
    'region',
    makerOfRegion,
    { filter: { operatorId: String(operators[0]) }, devices: ofOperator(0, ofSecondRegion()) },
    { ...once, first: { from: day(15, 100), to: day(15, 70_000) }, until: day(15, 100) },
  )
}

describe('the report on availability', () => {
  beforeAll(async () => {
    await writeLives()
    await writeShelves()
  })

  test('of a month made by hand is that month to the second, once its days are kept', async () => {
    await run('reports.sumUp')
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::int AS n FROM report_day WHERE part = 'devices' AND day >= ${range.startTime}::date`.execute(
      app.db,
    )
    expect(rows[0]?.n).toBeGreaterThanOrEqual(days - 1)
    await compareAll()
  })

  test('is corrected by late reports at once, and still after their days are kept again', async () => {
    const [late, longer] = lives as [Life, Life]
    // One that came to nobody's knowledge for three weeks, and one that lasted on into another.
    nextId += 1
    const alarm = { id: nextId, from: begin + 6 * 86_400 + 777, to: begin + 8 * 86_400 + 5 }
    late.alarms.push(alarm)
    await writeAlarms(late, [alarm])
    const changed = longer.alarms[3] as Life['alarms'][number]
    changed.to += 2 * 86_400
    await sql`
      UPDATE alarm_history SET recovered_at = to_timestamp(${changed.to}) WHERE id = ${changed.id}`.execute(
      app.db,
    )
    const sooner = longer.alarms[7] as Life['alarms'][number]
    sooner.to = sooner.from + 1
    await sql`
      UPDATE alarm_history SET recovered_at = to_timestamp(${sooner.to}) WHERE id = ${sooner.id}`.execute(
      app.db,
    )
    await compareAll()
    await run('reports.sumUp')
    expect((await sql`SELECT FROM report_touched`.execute(app.db)).rows).toEqual([])
    await compareAll()
  })

  test('is corrected day by day: what is done stays done, and a server that stops begins no other day', async () => {
    const [life] = lives as [Life]
    nextId += 1
    const alarm = { id: nextId, from: begin + 11 * 86_400 + 99, to: begin + 15 * 86_400 + 7 }
    life.alarms.push(alarm)
    await writeAlarms(life, [alarm])
    const firstTouched = async () =>
      (await sql<{ day: string }>`SELECT min(from_at)::date::text AS day FROM report_touched`.execute(app.db))
        .rows[0]?.day
    const nameOf = (n: number) => dayOf(startOfDay(first, n))
    await run('reports.sumUp', AbortSignal.abort())
    expect(await firstTouched()).toBe(nameOf(11))
    // Told to stop as it has done two of the days.
    let asked = 0
    const stopping = Object.defineProperty(new AbortController().signal, 'aborted', {
      get() {
        asked += 1
        return asked > 2
      },
    })
    await run('reports.sumUp', stopping)
    expect(await firstTouched()).toBe(nameOf(13))
    await compareAll()
    await run('reports.sumUp')
    expect((await sql`SELECT FROM report_touched`.execute(app.db)).rows).toEqual([])
    await compareAll()
  })

  test('is corrected by windows that are changed, ended, and made for days that are over', async () => {
    const change = (name: string, set: ReturnType<typeof sql>) =>
      sql`UPDATE alarm_shelf SET ${set} WHERE id = ${shelfIds.get(name)}`.execute(app.db)
    const moved = { from: day(6, 1_000), to: day(6, 9_999) }
    await change(
      'once',
      sql`start_local = ${wall('Asia/Kolkata', moved.from)}, end_local = ${wall('Asia/Kolkata', moved.to)},
        start_at = to_timestamp(${moved.from}), end_at = to_timestamp(${moved.to})`,
    )
    for (const life of lives) if (life.shelved.has('once')) life.shelved.set('once', [moved])
    // In the midst of an occurrence.
    const endedAt = day(17, 0) - 777
    await change('nightly', sql`ended_at = to_timestamp(${endedAt}), ended_by_name = 'x'`)
    for (const life of ofOperator(1))
      life.shelved.set(
        'nightly',
        spansOf(nightly).flatMap(({ from, to }) =>
          from < endedAt ? [{ from, to: Math.min(to, endedAt) }] : [],
        ),
      )
    const late: Window = {
      zone: 'America/Sao_Paulo',
      first: { from: day(20, 30_000), to: day(20, 36_000) },
      every: 1,
      until: end,
    }
    const body = {
      kind: 'maintenance' as const,
      timeZone: late.zone,
      startTime: wall(late.zone, late.first.from),
      endTime: wall(late.zone, late.first.to),
      repeat: 'FREQ=DAILY',
      reason: '每日清洁',
    }
    const [one, two] = lives as [Life, Life]
    const codes = await app.db.selectFrom('device').select('code').where('id', '=', one.id).execute()
    const named = { ...body, deviceCodes: codes.map(({ code }) => code) }
    expect((await app.call(insertAlarmShelf, named, maker.token)).status).toBe(200)
    const filter = { equipModelId: String(models[0]) }
    expect((await app.call(insertAlarmShelf, { ...body, filter }, maker.token)).status).toBe(200)
    for (const life of lives)
      if (life === one || life.modelId === models[0]) life.shelved.set('late', spansOf(late))
    await compareAll()
    await run('reports.sumUp')
    expect((await sql`SELECT FROM report_touched`.execute(app.db)).rows).toEqual([])
    await compareAll()

    // Whom a shelf reached stands, whatever becomes of who made it; and so does a correction of another kind.
    await sql`UPDATE app_user SET is_enabled = false WHERE id = ${maker.id}`.execute(app.db)
    nextId += 1
    const alarm = { id: nextId, from: day(10, 5), to: day(19, 7) }
    two.alarms.push(alarm)
    await writeAlarms(two, [alarm])
    await compareAll()
    await run('reports.sumUp')
    await compareAll()
  })

  test('of days that somebody’s window has touched as a whole divides the caller’s own devices alone', async () => {
    await sql`
      INSERT INTO report_touched (device_id, from_at, to_at)
      SELECT NULL, day, day FROM generate_series(${first}::timestamptz, ${startOfDay(first, days - 2)}::timestamptz, interval '1 day') AS day`.execute(
      app.db,
    )
    await compareAll()
    const asked = { range: { from: first, to: midnight }, kept: new Set<string>(), touched: [] }
    const all = await divideUnkept(app.db, { ...asked, within: null })
    const [life] = lives as [Life]
    const own = await divideUnkept(app.db, { ...asked, within: [life.id] })
    expect(new Set(own.days.map(({ deviceId }) => deviceId))).toEqual(new Set([life.id]))
    expect(own.days).toEqual(all.days.filter(({ deviceId }) => deviceId === life.id))

    // As kept, where it would be too much for one call.
    const read = async (atMost: number) => {
      const report = await createAvailability({ db: app.db, zone: app.config.zone, atMost }).readWithin(
        everything,
        { ...range, groupBy: 'device' } as never,
      )
      return report.total.downSeconds
    }
    const before = await read(200_000)
    await sql`UPDATE report_device_month SET down_s = ARRAY(SELECT n + 31 FROM unnest(down_s) AS n)`.execute(
      app.db,
    )
    expect(await read(200_000)).toBe(before)
    expect(await read(5)).toBeGreaterThan(before)
    await sql`UPDATE report_device_month SET down_s = ARRAY(SELECT n - 31 FROM unnest(down_s) AS n)`.execute(
      app.db,
    )
    await run('reports.sumUp')
    expect((await sql`SELECT FROM report_touched`.execute(app.db)).rows).toEqual([])
    await compareAll()
  })

  test('of whole groups is what their devices add up to', async () => {
    const admin = await app.asAdmin()
    const readAll = async () => {
      const reports: AvailabilityReport[] = []
      for (const groupBy of ['operator', 'region', 'model'] as const)
        for (const more of [{}, { regionCode: 'AV2' }, { operatorId: String(lives[0]?.operatorId) }])
          reports.push(
            (await app.call(readAvailability, { ...range, ...more, groupBy, pageSize: 100 }, admin)).data,
          )
      return reports
    }
    const grouped = sql<{ n: number }>`SELECT count(*)::int AS n FROM report_day WHERE part = 'groups'`
    expect((await grouped.execute(app.db)).rows[0]?.n).toBeGreaterThanOrEqual(days - 1)
    const bySums = await readAll()
    // As if nothing were added up: then the devices' days are read one by one.
    await sql`DELETE FROM report_day WHERE part = 'groups'`.execute(app.db)
    expect(await readAll()).toEqual(bySums)
    await run('reports.sumUp')
    expect(await readAll()).toEqual(bySums)
  })

  test('follows a device that moves to another operator, at once and once its groups are added up again', async () => {
    const [life] = lives as [Life]
    const other = lives.find(({ operatorId }) => operatorId !== life.operatorId) as Life
    await sql`UPDATE device SET operator_id = ${other.operatorId} WHERE id = ${life.id}`.execute(app.db)
    life.operatorId = other.operatorId
    await compareAll()
    // A late report of the device that has moved, before anything is added up again.
    nextId += 1
    const alarm = { id: nextId, from: begin + 4 * 86_400 + 31, to: begin + 5 * 86_400 + 77 }
    life.alarms.push(alarm)
    await writeAlarms(life, [alarm])
    await compareAll()
    expect((await sql`SELECT FROM report_moved`.execute(app.db)).rows).toHaveLength(2)
    await run('reports.sumUp')
    expect((await sql`SELECT FROM report_moved`.execute(app.db)).rows).toEqual([])
    await compareAll()
  })

  test('takes sums where something was moved, reported late or both', async () => {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*)::int AS n FROM report_day WHERE part = 'groups'`.execute(app.db)
    expect(rows[0]?.n).toBeGreaterThanOrEqual(days - 1)
    const readAll = async () =>
      await Promise.all(
        (Object.keys(availabilityGroupNames) as AvailabilityGroup[]).map(
          async (groupBy) =>
            (await app.call(readAvailability, { ...range, groupBy }, everyone.token)).data.total.downSeconds,
        ),
      )
    const before = await readAll()
    await sql`UPDATE report_place_day SET down_s = down_s + 1`.execute(app.db)
    await sql`UPDATE report_device_month SET down_s = ARRAY(SELECT n + 31 FROM unnest(down_s) AS n)`.execute(
      app.db,
    )
    for (const [index, down] of (await readAll()).entries())
      expect(down).toBeGreaterThan(before[index] as number)
    await sql`UPDATE report_place_day SET down_s = down_s - 1`.execute(app.db)
    await sql`UPDATE report_device_month SET down_s = ARRAY(SELECT n - 31 FROM unnest(down_s) AS n)`.execute(
      app.db,
    )
  })

  test('of a device that is deleted is gone from every group, at once and later', async () => {
    const [gone] = lives.splice(6, 1) as [Life]
    const remove = async (id: number) => {
      await sql`DELETE FROM alarm_history WHERE device_id = ${id}`.execute(app.db)
      await sql`DELETE FROM alarm_handling_action WHERE device_id = ${id}`.execute(app.db)
      await sql`DELETE FROM alarm_handling WHERE device_id = ${id}`.execute(app.db)
      await sql`DELETE FROM device WHERE id = ${id}`.execute(app.db)
    }
    await remove(gone.id)
    await compareAll()
    await run('reports.sumUp')
    await compareAll()
  })

  test('ends with the last day asked for, also where later ones are kept', async () => {
    const asked = { startTime: range.startTime, endTime: dayOf(startOfDay(first, 9)), pageSize: 100 }
    const next = { startTime: dayOf(startOfDay(first, 10)), endTime: range.endTime, pageSize: 100 }
    const whole = (await app.call(readAvailability, { ...range, pageSize: 100 }, everyone.token)).data.total
    for (const groupBy of Object.keys(availabilityGroupNames) as AvailabilityGroup[]) {
      const parts = [
        (await app.call(readAvailability, { ...asked, groupBy }, everyone.token)).data.total,
        (await app.call(readAvailability, { ...next, groupBy }, everyone.token)).data.total,
      ] as const
      for (const sum of [
        'downSeconds',
        'upSeconds',
        'plannedSeconds',
        'unknownSeconds',
        'recoveredCount',
      ] as const)
        expect({ groupBy, sum, n: parts[0][sum] + parts[1][sum] }).toEqual({ groupBy, sum, n: whole[sum] })
    }
  })

  test('counts today up to now', async () => {
    const [life] = lives as [Life]
    await sql`
      UPDATE device_state SET is_online = false, online_changed_at = date_trunc('second', now()) - interval '2 seconds'
      WHERE device_id = ${life.id}`.execute(app.db)
    const { data } = await app.call(
      readAvailability,
      { startTime: dayOf(midnight), groupBy: 'device', equipId: String(life.id) },
      everyone.token,
    )
    expect(data.rows).toHaveLength(1)
    expect(data.total.failureCount).toBeGreaterThanOrEqual(1)
    expect(data.total.downSeconds).toBeGreaterThanOrEqual(2)
    expect(data.total.upSeconds).toBeGreaterThanOrEqual(0)
  })

  test('leaves out what was never connected, and foreign devices', async () => {
    await insertDevice(app.db, { operatorId: operators[0] as number })
    const { data } = await app.call(readAvailability, { ...range, groupBy: 'device' }, everyone.token)
    expect(data.rowCount).toBe(lives.length)
    const empty = await app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })
    expect((await app.call(readAvailability, range, empty.token)).data).toMatchObject({
      rows: [],
      rowCount: 0,
      total: { deviceCount: 0, availability: null, daysBetween: null },
    })
    const { token } = await app.asUser({ organizationId, functionCodes: ['report:alarm'] })
    expect((await app.call(readAvailability, range, token)).status).toBe(403)
  })

  test('is a sheet, too', async () => {
    expect((await app.call(exportAvailability, range, everyone.token)).status).toBe(200)
  })
})

test('the beat goes on while the server runs, and begins anew where it was missing', async () => {
  await sql`DELETE FROM report_beat`.execute(app.db)
  const beats = async () =>
    (
      await sql<{ age: number; runs: number }>`
        SELECT extract(epoch FROM now() - to_at)::float8 AS age, count(*) OVER ()::int AS runs
        FROM report_beat ORDER BY from_at DESC`.execute(app.db)
    ).rows[0]
  await run('reports.beat')
  await sql`UPDATE report_beat SET from_at = now() - interval '50 seconds', to_at = now() - interval '40 seconds'`.execute(
    app.db,
  )
  await run('reports.beat')
  expect(await beats()).toMatchObject({ runs: 1 })
  expect((await beats())?.age).toBeLessThan(30)
  await sql`UPDATE report_beat SET from_at = now() - interval '2 hours', to_at = now() - interval '1 hour'`.execute(
    app.db,
  )
  await run('reports.beat')
  expect(await beats()).toMatchObject({ runs: 2 })
})
