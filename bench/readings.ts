/**
 * The history of readings: a day of a fleet through the real writer and the real packing into a real server's database,
 * beside a table with a row a point in the same run; then curves over HTTP while reports are written, compared with
 * a plain computation.
 *
 *   npm run bench:readings                          1,000 cabinets, 66 readings every five minutes for a day: minutes
 *   npm run bench:readings -- --devices 100000      the whole fleet: hours
 *   npm run bench:readings -- --unthinned           every value is kept
 *   npm run bench:readings -- --pause               waits for a line before curves are timed: for a quiet machine
 *   npm run bench:readings -- --devices 300 --year-devices 0 --answers 1000
 *
 * A figure is that of the size that ran.
 */
import { once } from 'node:events'
import { request } from 'node:http'
import { parseArgs } from 'node:util'
import { formatDateTime, readSeries } from '@voltkeep/contract'
import type pg from 'pg'
import { createHistoryConsumer } from '../apps/server/src/features/readings/history/history.intake.ts'
import { createKeyBudget } from '../apps/server/src/features/readings/history/key-budget.ts'
import {
  dropReadingPartitions,
  makeReadingPartitions,
  type ReadingRetention,
} from '../apps/server/src/features/readings/history/partitions-of-readings.ts'
import { firstNamedId } from '../apps/server/src/features/readings/history/reading-ids.ts'
import { addUp, sealHours } from '../apps/server/src/features/readings/history/sealing.ts'
import { createThinning, ordinaryRule } from '../apps/server/src/features/readings/history/thinning.ts'
import { int4Array, timestampArray } from '../apps/server/src/platform/database/arrays.ts'
import { differenceOf, type PlainPoint, plainSeries } from '../apps/server/test/plain-series.ts'
import { statusReport, writeReports } from '../apps/server/test/readings.ts'
import { cpuMs } from './process-cpu.ts'
import { readingsOf, readingsPerReport, reportEveryMs, reportOf, reportTimeMs } from './readings-fleet.ts'
import { inWorld, timeAt, timesText, type World } from './world.ts'

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000' },
    'row-devices': { type: 'string', default: '50' },
    'week-devices': { type: 'string', default: '20' },
    'year-devices': { type: 'string', default: '2' },
    answers: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '300' },
    /** Reports a second while curves are read: those of 100,000 cabinets. */
    rate: { type: 'string', default: '333' },
    unthinned: { type: 'boolean', default: false },
    pause: { type: 'boolean', default: false },
  },
})
const count = (name: Exclude<keyof typeof options, 'unthinned' | 'pause'>) => Number(options[name])
const deviceCount = count('devices')
const weekDevices = count('week-devices')
const yearDevices = count('year-devices')
const hourMs = 3_600_000
const dayMs = 86_400_000
const ticksPerHour = hourMs / reportEveryMs
const ticksPerDay = dayMs / reportEveryMs
const batchSize = 500
const quarterMs = 900_000

const retention: ReadingRetention = { rawDays: 30, hourDays: 400, dayYears: 5 }
const wide: ReadingRetention = { ...retention, rawDays: 400 }
const whole = (value: number) => Math.round(value).toLocaleString('en')
const midnight = (days: number) => {
  const at = new Date()
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + days).getTime()
}

type Consumer = ReturnType<typeof createHistoryConsumer>
const counted = { kept: 0, thinned: 0, refused: 0 }

function createConsumer(pool: pg.Pool): Consumer {
  return createHistoryConsumer({
    keys: createKeyBudget({
      pool,
      complain: (names) => {
        throw new Error(`names are refused: ${names.join(', ')}`)
      },
    }),
    thinning: createThinning({ isThinning: !options.unthinned, namesOfDevice: 300, firstNamedId }),
    ruleOf: async () => () => () => ordinaryRule,
    count: ({ kept, thinned, refused }) => {
      counted.kept += kept
      counted.thinned += thinned
      counted.refused += refused
    },
  })
}

const statusOf = (deviceId: number, seed: number, tick: number, startMs: number) => {
  const { status, compartments } = reportOf(seed, tick)
  return statusReport(
    deviceId,
    reportTimeMs(startMs, seed, tick),
    status as Record<string, number | boolean>,
    compartments,
  )
}

/** Wall time, and CPU time of this process and of the database. */
class Meter {
  wallMs = 0
  ownMs = 0
  databaseMs = 0
  readonly #serverPid: number

  constructor(serverPid: number) {
    this.#serverPid = serverPid
  }

  async around<T>(work: () => Promise<T>): Promise<T> {
    const database = cpuMs(this.#serverPid).database
    const cpu = process.cpuUsage()
    const began = performance.now()
    const result = await work()
    this.wallMs += performance.now() - began
    const { user, system } = process.cpuUsage(cpu)
    this.ownMs += (user + system) / 1_000
    this.databaseMs += cpuMs(this.#serverPid).database - database
    return result
  }

  perCore = (reports: number) => reports / ((this.ownMs + this.databaseMs) / 1_000)
  each = (reports: number) =>
    `${((this.ownMs * 1_000) / reports).toFixed(1)} µs of the process and ${((this.databaseMs * 1_000) / reports).toFixed(1)} µs of the database each`
}

/** As if the hour of arrival were over. The real one goes on, so its progress is forgotten. */
async function sealNow({ database }: World, kept = retention) {
  const { pool } = database
  const now = new Date(Date.now() + 2 * hourMs)
  const sealed = await sealHours({ pool, owner: pool, retention: kept, now })
  await pool.query('DELETE FROM reading_sealing')
  return sealed
}

async function seedDevices(pool: pg.Pool, devices: number): Promise<number[]> {
  await pool.query(`
    INSERT INTO organization (name, code) VALUES ('Bench', 'BENCH');
    INSERT INTO operator (organization_id, name, code) SELECT id, 'Bench', 'BENCH1' FROM organization WHERE code = 'BENCH'`)
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO device (code, operator_id, model_id, region_id, secret_hash)
     SELECT 'BR' || to_char(n, 'FM000000'), (SELECT id FROM operator WHERE code = 'BENCH1'),
       (SELECT min(id) FROM equip_model), (SELECT min(id) FROM region), '\\x00'
     FROM generate_series(1, $1::int) n RETURNING id`,
    [devices],
  )
  return rows.map(({ id }) => id).sort((a, b) => a - b)
}

async function bytesOf(pool: pg.Pool, tables: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c
     LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE c.relkind = 'r' AND (c.relname = ANY($1) OR i.inhparent = ANY($1::text[]::regclass[]::oid[]))`,
    [tables],
  )
  return Number(rows[0]?.bytes)
}
const kinds = {
  'raw blocks': ['reading_hour'],
  'hours of days': ['reading_day'],
  'days of months': ['reading_month'],
  'all else': ['reading_open', 'reading_key', 'reading_sealing', 'reading_rollup'],
}

/** A table with a row a point, filled by the same reports of the first devices. */
class RowTable {
  readonly #pool: pg.Pool
  readonly meter: Meter
  points = 0
  reports = 0

  constructor(pool: pg.Pool, meter: Meter) {
    this.#pool = pool
    this.meter = meter
  }

  create = () =>
    this.#pool.query(
      'CREATE TABLE bench_point (device_id int, key int, at timestamptz, value real, PRIMARY KEY (device_id, key, at))',
    )

  async write(deviceIds: readonly number[], tick: number, startMs: number): Promise<void> {
    const devices: number[] = []
    const keys: number[] = []
    const times: number[] = []
    const values: number[] = []
    for (const [seed, deviceId] of deviceIds.entries()) {
      const atMs = reportTimeMs(startMs, seed, tick)
      for (const [key, [, value]] of readingsOf(reportOf(seed, tick)).entries()) {
        devices.push(deviceId)
        keys.push(key)
        times.push(atMs)
        values.push(Number(value))
      }
    }
    await this.meter.around(() =>
      this.#pool.query(
        `INSERT INTO bench_point SELECT * FROM unnest($1::int4[], $2::int4[], $3::timestamptz[], $4::real[])`,
        [int4Array(devices), int4Array(keys), timestampArray(times), values],
      ),
    )
    this.points += values.length
    this.reports += deviceIds.length
  }
}

async function fleetDay(world: World, ids: readonly number[], dayStartMs: number): Promise<void> {
  const { pool } = world.database
  const consumer = createConsumer(pool)
  const writing = new Meter(world.server.pid)
  const sealing = new Meter(world.server.pid)
  const adding = new Meter(world.server.pid)
  const rowTable = new RowTable(pool, new Meter(world.server.pid))
  await rowTable.create()
  const began = performance.now()
  let openBytes = 0
  for (let hour = 0; hour < 24; hour += 1) {
    for (let tick = hour * ticksPerHour; tick < (hour + 1) * ticksPerHour; tick += 1) {
      for (let at = 0; at < ids.length; at += batchSize * 4) {
        const batches = Array.from({ length: 4 }, (_, n) =>
          ids
            .slice(at + n * batchSize, at + (n + 1) * batchSize)
            .map((id, place) => statusOf(id, at + n * batchSize + place, tick, dayStartMs)),
        ).filter(({ length }) => length > 0)
        // One after the other: a report's cost, not that of waiting for each other.
        await writing.around(async () => {
          for (const batch of batches) await writeReports(world.database, consumer, batch)
        })
      }
      await rowTable.write(ids.slice(0, count('row-devices')), tick, dayStartMs)
    }
    openBytes = Math.max(openBytes, await bytesOf(pool, ['reading_open']))
    await sealing.around(() => sealNow(world))
    if (hour % 6 === 5)
      console.log(`  ${hour + 1} hours, ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  }
  await adding.around(() => addUp({ pool, owner: pool, retention }))

  const reports = ids.length * ticksPerDay
  const points = reports * readingsPerReport
  console.log(
    `${whole(ids.length)} cabinets × ${readingsPerReport} readings × a report every 5 minutes for a day: ` +
      `${whole(reports)} reports, ${whole(points)} points; kept ${whole(counted.kept)}, ` +
      `thinned ${((counted.thinned / points) * 100).toFixed(1)} %`,
  )
  let bytes = 0
  for (const [name, tables] of Object.entries(kinds)) {
    const some = await bytesOf(pool, tables)
    bytes += some
    console.log(
      `  ${name.padEnd(16)} ${whole(some).padStart(15)} bytes  ${(some / points).toFixed(3)} a point`,
    )
  }
  const rowBytes = await bytesOf(pool, ['bench_point'])
  console.log(
    `  in all           ${whole(bytes).padStart(15)} bytes  ${(bytes / points).toFixed(3)} a point reported, ` +
      `${(bytes / counted.kept).toFixed(3)} a point kept (target 1.0 a point)`,
  )
  console.log(
    `  a row a point    ${whole(rowBytes).padStart(15)} bytes  ${(rowBytes / rowTable.points).toFixed(1)} a point ` +
      `(${whole(rowTable.points)} points): ${(rowBytes / rowTable.points / (bytes / points)).toFixed(0)} times as much`,
  )
  console.log(`  while open, an hour's reports took ${whole(openBytes)} bytes`)
  console.log(
    `writer: ${whole(writing.perCore(reports))} reports/s a core (target 10,000), ${whole(reports / (writing.wallMs / 1_000))}/s; ` +
      writing.each(reports),
  )
  console.log(
    `packing: ${whole(sealing.perCore(reports))} reports/s a core, ${whole(reports / (sealing.wallMs / 1_000))}/s; ${sealing.each(reports)}; ` +
      `adding up the day ${(adding.wallMs / 1_000).toFixed(1)} s`,
  )
  console.log(
    `a row a point: ${whole(rowTable.meter.perCore(rowTable.reports))} reports/s a core; ${rowTable.meter.each(rowTable.reports)}`,
  )
}

/** What is kept of a reading, by the words of the rule: what changed, and once in each quarter of an hour. */
function plainlyKept(seed: number, dayStartMs: number) {
  const series = new Map<string, PlainPoint[]>()
  const times: number[] = []
  for (let tick = 0; tick < ticksPerDay; tick += 1) {
    const atMs = reportTimeMs(dayStartMs, seed, tick)
    let isAny = false
    for (const [key, value] of readingsOf(reportOf(seed, tick))) {
      const points = series.get(key) ?? []
      const last = points.at(-1)
      const isSame =
        last?.value === Number(value) && Math.floor(last.atMs / quarterMs) === Math.floor(atMs / quarterMs)
      if (isSame && !options.unthinned) continue
      points.push({ atMs, value: Number(value) })
      series.set(key, points)
      isAny = true
    }
    if (isAny) times.push(atMs)
  }
  return { series, times }
}

async function compareAnswers(world: World, token: string, ids: readonly number[], dayStartMs: number) {
  let differing = 0
  const levels = new Map<string, number>()
  const random = (most: number) => Math.floor(Math.random() * most)
  for (let n = 0; n < count('answers'); n += 1) {
    const seed = random(ids.length)
    const { series, times } = plainlyKept(seed, dayStartMs)
    const key = [...series.keys()][random(series.size)] as string
    const fromMs = dayStartMs - 2 * hourMs + random(24) * hourMs + random(3_600) * 1_000
    const toMs = fromMs + (600 + random(n % 2 === 0 ? 7_200 : 80_000)) * 1_000
    const points = [10, 60, 600, 2_000][random(4)] as number
    const { data } = await world.server.client.call(
      readSeries,
      {
        id: String(ids[seed]),
        keys: [key],
        startTime: formatDateTime(new Date(fromMs)),
        endTime: formatDateTime(new Date(toMs - 1_000)),
        points,
      },
      token,
    )
    const { level, stepSeconds } = data
    levels.set(level, (levels.get(level) ?? 0) + 1)
    const plain = plainSeries(
      series.get(key) ?? [],
      times,
      { fromMs, toMs },
      { level, stepMs: stepSeconds * 1_000 },
    )
    const difference = differenceOf(data.series[0]?.points ?? [], plain, 0.11)
    if (difference === null) continue
    differing += 1
    console.log(`  ${ids[seed]} ${key} from ${new Date(fromMs).toISOString()}: ${difference}`)
  }
  const by = [...levels].map(([level, n]) => `${n} of ${level}`).join(', ')
  console.log(
    `answers: ${count('answers')} random ones (${by}), ${differing} differ from a plain computation`,
  )
}

/** As a browser asks: compressed. */
function ask(
  world: World,
  token: string,
  body: object,
): Promise<{ ms: number; bytes: number; status: number }> {
  const { hostname, port } = new URL(world.server.url)
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method: 'POST',
        path: '/api/equip/reading/series',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'accept-encoding': 'gzip, br',
        },
      },
      (answer) => {
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        answer.on('end', () =>
          resolve({ ms: performance.now() - began, bytes, status: answer.statusCode ?? 0 }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

/** Reports of so many days, of devices that are read for long ranges, up to the present. */
async function fillDays(world: World, ids: readonly number[], days: number): Promise<void> {
  const { pool } = world.database
  await makeReadingPartitions(pool, { at: [new Date()], retention: wide })
  const consumer = createConsumer(pool)
  for (let day = -days; day < 0; day += 1) {
    const startMs = midnight(day)
    for (const [seed, id] of ids.entries()) {
      const batch = Array.from({ length: ticksPerDay }, (_, tick) =>
        statusOf(id, seed, (days + day) * ticksPerDay + tick, startMs - (days + day) * dayMs),
      )
      await writeReports(world.database, consumer, batch)
    }
    if (day % 20 === 0) await sealNow(world, wide)
  }
  await sealNow(world, wide)
}

async function measureCurves(
  world: World,
  token: string,
  name: string,
  ids: readonly number[],
  days: number,
) {
  const keys = readingsOf(reportOf(0, 0)).map(([key]) => key)
  const times: number[] = []
  const sizes: number[] = []
  for (let n = 0; n < count('calls'); n += 1) {
    const some = keys.toSorted(() => Math.random() - 0.5).slice(0, 6)
    const endMs = Date.now() - Math.random() * 6 * hourMs
    const { ms, bytes, status } = await ask(world, token, {
      id: String(ids[n % ids.length]),
      keys: some,
      startTime: formatDateTime(new Date(endMs - days * dayMs)),
      endTime: formatDateTime(new Date(endMs)),
    })
    if (status !== 200) throw new Error(`answered ${status}`)
    // The first calls compile the server's code.
    if (n >= 30) {
      times.push(ms)
      sizes.push(bytes)
    }
  }
  console.log(
    `${name} of six readings: ${timesText(times)}; bytes p50 ${whole(timeAt(sizes, 0.5))}, p95 ${whole(timeAt(sizes, 0.95))}`,
  )
}

/** The rate of a large fleet into the same database, until it is ended. */
function reportMeanwhile({ database }: World, ids: readonly number[]) {
  const consumer = createConsumer(database.pool)
  let isEnded = false
  let reports = 0
  const everyMs = 100
  const loop = async () => {
    for (let tick = 0; !isEnded; tick += 1) {
      const began = performance.now()
      const size = Math.ceil((count('rate') * everyMs) / 1_000)
      const batch = Array.from({ length: size }, (_, n) => {
        const place = (tick * size + n) % ids.length
        const { status, compartments } = reportOf(place, tick)
        return statusReport(
          ids[place] as number,
          Date.now(),
          status as Record<string, number | boolean>,
          compartments,
        )
      })
      await writeReports(database, consumer, batch)
      reports += size
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, everyMs - (performance.now() - began))))
    }
  }
  const running = loop()
  const began = performance.now()
  return async () => {
    isEnded = true
    await running
    return reports / ((performance.now() - began) / 1_000)
  }
}

await inWorld({ environment: { ROLES: 'api,ingest' } }, async (world) => {
  const { pool } = world.database
  const all = await seedDevices(pool, deviceCount + weekDevices + yearDevices)
  const fleet = all.slice(0, deviceCount)
  const ofWeek = all.slice(deviceCount, deviceCount + weekDevices)
  const ofYear = all.slice(deviceCount + weekDevices)
  // A day that is over everywhere, also where it is shortly after midnight.
  const dayStartMs = midnight(-2)
  await makeReadingPartitions(pool, { at: [new Date()], retention })
  await fleetDay(world, fleet, dayStartMs)
  const token = await world.server.client.signIn('admin', world.server.adminPassword)
  await compareAnswers(world, token, fleet, dayStartMs)

  if (yearDevices > 0) {
    const before = await bytesOf(pool, ['reading_month'])
    await fillDays(world, ofYear, 366)
    await pool.query('DELETE FROM reading_rollup')
    await addUp({ pool, owner: pool, retention: wide, now: new Date() })
    const months = (await bytesOf(pool, ['reading_month'])) - before
    console.log(
      `days of months: ${(months / (yearDevices * 366 * ticksPerDay * readingsPerReport)).toFixed(4)} bytes a point over a year of ${yearDevices} devices`,
    )
  }
  if (weekDevices > 0) await fillDays(world, ofWeek, 8)
  await addUp({ pool, owner: pool, retention: wide })
  const day = new Date(midnight(0))
  await dropReadingPartitions(pool, {
    now: new Date(),
    retention,
    sealedTo: null,
    addedUpTo: day,
    monthsTo: new Date(day.getFullYear(), day.getMonth(), 1),
  })
  await pool.query('VACUUM ANALYZE')
  if (options.pause) {
    console.log('filled; waits for a line')
    await once(process.stdin, 'data')
    process.stdin.pause()
  }
  const end = reportMeanwhile(world, fleet)
  if (weekDevices > 0) await measureCurves(world, token, 'a week', ofWeek, 7)
  if (yearDevices > 0) await measureCurves(world, token, 'a year', ofYear, 365)
  console.log(`meanwhile ${whole(await end())} reports/s were written`)
})
