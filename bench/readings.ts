/**
 * The history of readings: a day of a fleet through the real writer and the real packing into a real server's database,
 * beside a table with a row a point in the same run; then curves over HTTP while reports are written, compared with
 * a plain computation; then retention. The day arrives by its own clock: each hour has its partition, and is packed by
 * another process while the next is written, the last one by this process while the rate of a large fleet comes in.
 *
 *   npm run bench:readings                          1,000 cabinets, 66 readings every five minutes for a day: minutes
 *   npm run bench:readings -- --devices 100000      the whole fleet: half an hour
 *   npm run bench:readings -- --hours 6             of the day only its first hours
 *   npm run bench:readings -- --unthinned           every value is kept
 *   npm run bench:readings -- --pause               waits for a line before curves are timed: for a quiet machine
 *   npm run bench:readings -- --devices 300 --year-devices 0 --answers 1000
 *
 * A figure is that of the size that ran.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatDateTime, readSeries } from '@voltkeep/contract'
import type pg from 'pg'
import { createHistoryConsumer } from '../apps/server/src/features/readings/history/history.intake.ts'
import { dropOldReadings } from '../apps/server/src/features/readings/history/history.jobs.ts'
import { createKeyBudget } from '../apps/server/src/features/readings/history/key-budget.ts'
import {
  makeReadingPartitions,
  type ReadingRetention,
} from '../apps/server/src/features/readings/history/partitions-of-readings.ts'
import { firstNamedId } from '../apps/server/src/features/readings/history/reading-ids.ts'
import { addUp, sealHours } from '../apps/server/src/features/readings/history/sealing.ts'
import { createThinning, ordinaryRule } from '../apps/server/src/features/readings/history/thinning.ts'
import { int4Array, timestampArray } from '../apps/server/src/platform/database/arrays.ts'
import type { Db } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { differenceOf, type PlainPoint, plainSeries } from '../apps/server/test/plain-series.ts'
import { statusReport, writeReports } from '../apps/server/test/readings.ts'
import { cpuMs } from './process-cpu.ts'
import { readingsOf, readingsPerReport, reportEveryMs, reportOf, reportTimeMs } from './readings-fleet.ts'
import type { PackerAnswer, PackerOrder } from './readings-packer.ts'
import { inWorld, timeAt, timesText, type World } from './world.ts'

const { values: options } = parseArgs({
  options: {
    devices: { type: 'string', default: '1000' },
    hours: { type: 'string', default: '24' },
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
const hourCount = count('hours')
/** Devices whose reports come in while something else is timed; nobody reads them. */
const meanwhileDevices = 2_000
/** As sealing waits after an hour of arrival. */
const graceMs = 120_000
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

function createConsumer(db: Db): Consumer {
  return createHistoryConsumer({
    keys: createKeyBudget({
      db,
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
  readonly #serverPid: number | null

  /** Null: the database's part is found out otherwise. Looking for all of its processes takes a while. */
  constructor(serverPid: number | null) {
    this.#serverPid = serverPid
  }

  readonly #database = () => (this.#serverPid === null ? 0 : cpuMs(this.#serverPid).database)

  async around<T>(work: () => Promise<T>): Promise<T> {
    const database = this.#database()
    const cpu = process.cpuUsage()
    const began = performance.now()
    const result = await work()
    this.wallMs += performance.now() - began
    const { user, system } = process.cpuUsage(cpu)
    this.ownMs += (user + system) / 1_000
    this.databaseMs += this.#database() - database
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
  await pool.query("DELETE FROM reading_sealing WHERE arrived_hour > now() - interval '2 hours'")
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

/** The same writer, whose reports arrive at this time and not at present: a day is written within minutes. */
const arrivingAt = (consumer: Consumer, atMs: number): Consumer => ({
  ...consumer,
  write: (connection, reports) => {
    const at = new Date(atMs).toISOString()
    const query = ({ name, text, values }: { name: string; text: string; values: unknown[] }) => {
      if (!text.includes('now()')) throw new Error(`no time of arrival in ${text}`)
      return connection.query({ name: `${name} ${at}`, text: text.replace('now()', `'${at}'`), values })
    }
    return consumer.write({ query } as unknown as typeof connection, reports)
  },
})

function startPacker(world: World) {
  const packer = fork(join(import.meta.dirname, 'readings-packer.ts'), [
    databaseUrlOf(world.server.dataDir),
    process.env.TZ ?? '',
  ])
  const exit = once(packer, 'exit')
  const ask = async (order: PackerOrder): Promise<PackerAnswer> => {
    packer.send(order)
    const answer = await Promise.race([once(packer, 'message'), exit])
    if (typeof answer[0] !== 'object' || answer[0] === null) throw new Error('the packer has ended')
    return answer[0] as PackerAnswer
  }
  return {
    seal: (nowMs: number) => ask({ nowMs }),
    addUp: () => ask('addUp'),
    end: async () => {
      packer.send('end' satisfies PackerOrder)
      await exit
    },
  }
}

async function fleetDay(
  world: World,
  ids: readonly number[],
  others: readonly number[],
  dayStartMs: number,
): Promise<void> {
  const { pool } = world.database
  const consumer = createConsumer(world.database.db)
  const packer = startPacker(world)
  const rowTable = new RowTable(pool, new Meter(world.server.pid))
  await rowTable.create()
  await makeReadingPartitions(pool, { at: [new Date(dayStartMs)], retention })
  const began = performance.now()
  const databaseBefore = cpuMs(world.server.pid).database
  const writing = new Meter(null)
  const packed: PackerAnswer[] = []
  const batchMs = { packing: [] as number[], alone: [] as number[] }
  const dropMs: number[] = []
  let isPacking = false
  let packing: Promise<void> = Promise.resolve()
  let openBytes = 0
  let waitedMs = 0

  const inDay = (hour: number) => dayStartMs + hour * hourMs
  for (let hour = 0; hour < hourCount; hour += 1) {
    const arriving = arrivingAt(consumer, inDay(hour))
    for (let tick = hour * ticksPerHour; tick < (hour + 1) * ticksPerHour; tick += 1) {
      for (let at = 0; at < ids.length; at += batchSize * 4) {
        const batches = Array.from({ length: 4 }, (_, n) =>
          ids
            .slice(at + n * batchSize, at + (n + 1) * batchSize)
            .map((id, place) => statusOf(id, at + n * batchSize + place, tick, dayStartMs)),
        ).filter(({ length }) => length > 0)
        // One after the other: a report's cost, not that of waiting for each other.
        await writing.around(async () => {
          for (const batch of batches) {
            const from = performance.now()
            const times = isPacking ? batchMs.packing : batchMs.alone
            await writeReports(world.database, arriving, batch)
            times.push(performance.now() - from)
          }
        })
      }
      await rowTable.write(ids.slice(0, count('row-devices')), tick, dayStartMs)
    }
    const waitedFrom = performance.now()
    await packing
    waitedMs += performance.now() - waitedFrom
    openBytes = Math.max(openBytes, await bytesOf(pool, [openTable(inDay(hour))]))
    const dropFrom = performance.now()
    await dropOldReadings({ pool, owner: pool, retention })
    dropMs.push(performance.now() - dropFrom)
    if (hour < hourCount - 1) {
      isPacking = true
      packing = packer.seal(inDay(hour + 1) + graceMs).then((answer) => {
        packed.push(answer)
        isPacking = false
      })
    }
    if (hour % 3 === 2)
      console.log(`  ${hour + 1} hours, ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  }
  const wallMs = performance.now() - began
  const databaseMs = cpuMs(world.server.pid).database - databaseBefore
  const { kept, thinned } = { ...counted }
  const waits = await sealBesideIntake(world, others, inDay(hourCount))
  const added = await packer.addUp()
  await packer.end()

  const reports = ids.length * hourCount * ticksPerHour
  const points = reports * readingsPerReport
  console.log(
    `${whole(ids.length)} cabinets × ${readingsPerReport} readings × a report every 5 minutes for ${hourCount} hours: ` +
      `${whole(reports)} reports, ${whole(points)} points; kept ${whole(kept)}, ` +
      `thinned ${((thinned / points) * 100).toFixed(1)} %; written and packed at the same time in ` +
      `${(wallMs / 1_000).toFixed(0)} s, of which ${(waitedMs / 1_000).toFixed(0)} s were waited for packing`,
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
      `${(bytes / kept).toFixed(3)} a point kept (target 1.0 a point)`,
  )
  console.log(
    `  a row a point    ${whole(rowBytes).padStart(15)} bytes  ${(rowBytes / rowTable.points).toFixed(1)} a point ` +
      `(${whole(rowTable.points)} points): ${(rowBytes / rowTable.points / (bytes / points)).toFixed(0)} times as much`,
  )
  console.log(`  while open, an hour's reports took ${whole(openBytes)} bytes`)
  const sum = (of: (answer: PackerAnswer) => number) => packed.reduce((all, one) => all + of(one), 0)
  const packedReports = sum((one) => one.reports)
  const sessionsMs = sum((one) => one.sessionsMs)
  const packerMs = sum((one) => one.ownMs)
  // What of the database is no session of the packer is the writer's, background processes included.
  writing.databaseMs = databaseMs - sessionsMs
  console.log(
    `writer: ${whole(writing.perCore(reports))} reports/s a core (target 10,000), ${whole(reports / (writing.wallMs / 1_000))}/s ` +
      `beside packing; ${writing.each(reports)}, all of it that is no session of packing`,
  )
  console.log(
    `packing: ${whole(packedReports / ((packerMs + sessionsMs) / 1_000))} reports/s a core; ` +
      `${((packerMs * 1_000) / packedReports).toFixed(1)} µs of the process and ${((sessionsMs * 1_000) / packedReports).toFixed(1)} µs of its sessions each; ` +
      `an hour ${seconds(packed.map((one) => one.wallMs))}; its partition emptied and let go ${timesText(packed.map((one) => one.lockedMs))}`,
  )
  console.log(
    `written and packed: ${whole(reports / ((writing.ownMs + databaseMs + packerMs) / 1_000))} reports/s a core`,
  )
  console.log(
    `adding up the day ${(added.wallMs / 1_000).toFixed(1)} s, ${((added.ownMs + added.sessionsMs) / ids.length).toFixed(2)} ms of CPU a cabinet`,
  )
  console.log(`  a batch of ${batchSize} while nothing is packed:   ${timesText(batchMs.alone)}`)
  console.log(`  a batch of ${batchSize} while an hour is packed:   ${timesText(batchMs.packing)}`)
  for (const line of waits) console.log(line)
  console.log(`  dropping emptied hours each hour:   ${timesText(dropMs)}`)
  console.log(
    `a row a point: ${whole(rowTable.meter.perCore(rowTable.reports))} reports/s a core; ${rowTable.meter.each(rowTable.reports)}`,
  )
  console.log(`memory of the writing process at most ${whole(process.resourceUsage().maxRSS / 1_024)} MB`)
}

const openTable = (atMs: number) =>
  `reading_open_${new Date(atMs).toISOString().slice(0, 13).replaceAll(/\D/g, '_')}`
const seconds = (times: readonly number[]) =>
  `p50 ${(timeAt(times, 0.5) / 1_000).toFixed(1)} s, max ${(timeAt(times, 1) / 1_000).toFixed(1)} s`

/** The last hour is packed by this process, as a server does that has all roles, while reports come in. */
async function sealBesideIntake(world: World, others: readonly number[], toMs: number): Promise<string[]> {
  const { pool } = world.database
  const alone = reportMeanwhile(world, others, toMs)
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  const before = await alone()
  const beside = reportMeanwhile(world, others, toMs)
  const began = performance.now()
  const { reports } = await sealHours({
    pool,
    owner: pool,
    retention,
    now: new Date(toMs + graceMs),
  })
  const tookMs = performance.now() - began
  const meanwhile = await beside()
  // What came meanwhile.
  await sealHours({ pool, owner: pool, retention, now: new Date(toMs + hourMs + graceMs) })
  return [
    `packing by the process that takes reports: an hour of ${whole(reports)} in ${(tookMs / 1_000).toFixed(1)} s; ` +
      `reports wait from when they are due to their commit`,
    `  before it, ${whole(before.rate)} reports/s:   ${timesText(before.waits)}`,
    `  meanwhile, ${whole(meanwhile.rate)} reports/s:   ${timesText(meanwhile.waits)}`,
  ]
}

/** All levels' time passes: everything of the day is dropped while reports come in. */
async function retire(world: World, others: readonly number[], days: number): Promise<void> {
  const { pool } = world.database
  // Nothing is dropped before the next kind has it: the empty hours after the fleet's day are still open, and its day
  // is added up once they are packed.
  await sealHours({ pool, owner: pool, retention: wide, now: new Date() })
  await addUp({ pool, owner: pool, retention: wide })
  const before = await bytesOf(pool, ['reading_hour'])
  const end = reportMeanwhile(world, others, Date.now())
  const began = performance.now()
  const dropped = await dropOldReadings({
    pool,
    owner: pool,
    retention,
    now: new Date(Date.now() + days * dayMs),
  })
  const tookMs = performance.now() - began
  const { waits } = await end()
  console.log(
    `retention ${days} days later: ${dropped.length} partitions, ${whole(before - (await bytesOf(pool, ['reading_hour'])))} bytes of values ` +
      `in ${(tookMs / 1_000).toFixed(1)} s; reports waited meanwhile ${timesText(waits)}`,
  )
}

/** What is kept of a reading, by the words of the rule: what changed, and once in each quarter of an hour. */
function plainlyKept(seed: number, dayStartMs: number) {
  const series = new Map<string, PlainPoint[]>()
  const times: number[] = []
  for (let tick = 0; tick < hourCount * ticksPerHour; tick += 1) {
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
  const consumer = createConsumer(world.database.db)
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

/** The rate of a large fleet into the same database, until it is ended: how long each batch waited for its commit. */
function reportMeanwhile({ database }: World, ids: readonly number[], arrivedMs?: number) {
  const plain = createConsumer(database.db)
  const consumer = arrivedMs === undefined ? plain : arrivingAt(plain, arrivedMs)
  let isEnded = false
  let reports = 0
  const waits: number[] = []
  const everyMs = 100
  const began = performance.now()
  const loop = async () => {
    for (let tick = 0; !isEnded; tick += 1) {
      const due = began + tick * everyMs
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())))
      const size = Math.ceil((count('rate') * everyMs) / 1_000)
      const batch = Array.from({ length: size }, (_, n) => {
        const place = (tick * size + n) % ids.length
        const { status, compartments } = reportOf(place, tick)
        return statusReport(
          ids[place] as number,
          arrivedMs === undefined ? Date.now() : arrivedMs + tick * everyMs + n,
          status as Record<string, number | boolean>,
          compartments,
        )
      })
      await writeReports(database, consumer, batch)
      waits.push(performance.now() - due)
      reports += size
    }
  }
  const running = loop()
  return async () => {
    isEnded = true
    await running
    return { rate: reports / ((performance.now() - began) / 1_000), waits }
  }
}

await inWorld({ environment: { ROLES: 'api,ingest' } }, async (world) => {
  const { pool } = world.database
  const all = await seedDevices(pool, deviceCount + weekDevices + yearDevices + meanwhileDevices)
  const fleet = all.slice(0, deviceCount)
  const ofWeek = all.slice(deviceCount, deviceCount + weekDevices)
  const ofYear = all.slice(deviceCount + weekDevices, -meanwhileDevices)
  const others = all.slice(-meanwhileDevices)
  // A day that is over everywhere, also where it is shortly after midnight.
  const dayStartMs = midnight(-2)
  await makeReadingPartitions(pool, { at: [new Date()], retention })
  await fleetDay(world, fleet, others, dayStartMs)
  const token = await world.server.client.signIn('admin', world.server.adminPassword)
  await compareAnswers(world, token, fleet, dayStartMs)

  if (yearDevices > 0) {
    const before = await bytesOf(pool, ['reading_month'])
    await fillDays(world, ofYear, 366)
    // Of the days that are added up already these reports are late.
    await addUp({ pool, owner: pool, retention: wide, now: new Date() })
    const months = (await bytesOf(pool, ['reading_month'])) - before
    console.log(
      `days of months: ${(months / (yearDevices * 366 * ticksPerDay * readingsPerReport)).toFixed(4)} bytes a point over a year of ${yearDevices} devices`,
    )
  }
  if (weekDevices > 0) await fillDays(world, ofWeek, 8)
  await addUp({ pool, owner: pool, retention: wide })
  await pool.query('VACUUM ANALYZE')
  if (options.pause) {
    console.log('filled; waits for a line')
    await once(process.stdin, 'data')
    process.stdin.pause()
  }
  const end = reportMeanwhile(world, others)
  if (weekDevices > 0) await measureCurves(world, token, 'a week', ofWeek, 7)
  if (yearDevices > 0) await measureCurves(world, token, 'a year', ofYear, 365)
  const { rate, waits } = await end()
  console.log(
    `meanwhile ${whole(rate)} reports/s were written, each batch committed after ${timesText(waits)}`,
  )
  await retire(world, others, 31)
})
