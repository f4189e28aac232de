// Packs the reports of each hour of arrival once it is over, and adds up days and months when they are. Everything is
// done in portions with a row that says how far it is, and doing a portion again changes nothing.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { beginByIndex, type Connection, inTransaction } from '../../../platform/database/transaction.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { addDay, addHour, edgesOfDay, edgesOfMonth, nextDay, nextMonth, SlotsBuilder } from './adding-up.ts'
import {
  type GiveWay,
  HourMerge,
  type HourPoints,
  openHour,
  packHour,
  unpackReport,
} from './packing/index.ts'
import { oldestKept, type ReadingRetention } from './partitions-of-readings.ts'
import * as queries from './sealing.queries.ts'

const hourMs = 3_600_000
/** Transactions that began within the hour have ended by then; `endSealing` notices one that has not. */
const graceMs = 120_000
const reportsAtOnce = 2_000
const blocksAtOnce = 2_400
/** Of blocks: one is of a few kilobytes, and of nine megabytes at most. */
const bytesAtOnce = 16_000_000
const queryLimitMs = 120_000
/** Devices wait for their PUBACK while one portion is reckoned: it gives way after this time. */
const turnMs = 4

/** Where a process may be killed, for the tests that do. */
export type SealingPoint =
  | 'read'
  | 'merged'
  | 'written'
  | 'advanced'
  | 'committed'
  | 'emptied'
  | 'ended'
  | 'addedUp'

export interface Sealing {
  pool: pg.Pool
  owner: pg.Pool
  retention: ReadingRetention
  /** The database's time where it is left out. */
  now?: Date | undefined
  signal?: AbortSignal | undefined
  at?: ((point: SealingPoint) => Promise<void>) | undefined
}

export interface Sealed {
  hours: number
  reports: number
  /** Reports whose own time is no longer kept. */
  expired: number
  /** Readings of reports beyond what one device may have in an hour. */
  refused: number
  /** The devices of these. */
  crowded: Set<number>
}

/** Packs every hour of arrival that is over, the earliest first. Ends early where the signal is aborted. */
export async function sealHours(sealing: Sealing): Promise<Sealed> {
  const { pool, signal } = sealing
  const sealed: Sealed = { hours: 0, reports: 0, expired: 0, refused: 0, crowded: new Set() }
  const ended = await queries.listEndedHours(pool)
  const now = sealing.now ?? (await queries.readDatabaseTime(pool))
  for (const open of await queries.listOpenHours(pool)) {
    if (signal?.aborted) return sealed
    if (open.hour.getTime() + hourMs + graceMs > now.getTime()) break
    if (ended.has(open.hour.getTime())) continue
    await queries.beginSealing(pool, open.hour)
    for (let isDone = false; !isDone; ) {
      for (;;) {
        if (signal?.aborted) return sealed
        const portion = await sealPortion(sealing, open.hour, now)
        if (!portion) break
        sealed.reports += portion.reports
        sealed.expired += portion.expired
        sealed.refused += portion.refused
        for (const deviceId of portion.crowded) sealed.crowded.add(deviceId)
      }
      isDone = await endHour(sealing, open)
    }
    sealed.hours += 1
  }
  return sealed
}

/** Null where nothing is left of the hour. */
async function sealPortion({ pool, retention, at }: Sealing, hour: Date, now: Date) {
  const done = await inTransaction(pool, { begin: () => beginByIndex, queryLimitMs }, async (connection) => {
    const after = await queries.lockProgress(connection, hour)
    if (after === null) return null
    const from = await oldestTaken(connection, now, retention)
    const range = { from: from.getTime(), to: now.getTime() + 24 * hourMs }
    const packing = createPacking(connection, at)
    let last: number | undefined
    let reports = 0
    let expired = 0
    for await (const rows of walkPortion(connection, hour, after)) {
      await at?.('read')
      const piece = byHour(rows, range)
      await packing.add(piece.hours)
      last = rows.at(-1)?.device_id
      reports += rows.length
      expired += piece.expired
    }
    if (last === undefined) return null
    await packing.end()
    await addUpLate(connection, packing.changed)
    await queries.advanceSealing(connection, hour, { after: last, reports, expired })
    await at?.('advanced')
    return { reports, expired, refused: packing.refused, crowded: packing.crowded }
  })
  if (done) await at?.('committed')
  return done
}

/** Whole devices only: what is begun of one at the end is left for the next portion. One that fills a portion comes in pieces. */
async function* walkPortion(connection: Connection, hour: Date, after: number) {
  const range = { from: hour, to: new Date(hour.getTime() + hourMs), limit: reportsAtOnce }
  const rows = await queries.readReceived(connection, { ...range, after })
  const last = rows.at(-1)?.device_id
  const whole = rows.length < reportsAtOnce ? rows : rows.filter(({ device_id }) => device_id !== last)
  if (whole.length > 0) yield whole
  else if (last !== undefined) yield* queries.walkReceived(connection, { ...range, deviceId: last })
}

interface DeviceHour {
  deviceId: number
  hourMs: number
  reports: { time: number; body: Buffer }[]
}

/** The reports by device and hour of their own time. */
function byHour(rows: readonly queries.ReceivedReport[], { from, to }: { from: number; to: number }) {
  const hours = new Map<string, DeviceHour>()
  let expired = 0
  for (const { device_id: deviceId, at, body } of rows) {
    const atMs = at.getTime()
    if (atMs < from || atMs >= to) {
      expired += 1
      continue
    }
    const startMs = Math.floor(atMs / hourMs) * hourMs
    const key = keyOf({ deviceId, hourMs: startMs })
    let hour = hours.get(key)
    if (!hour) {
      hour = { deviceId, hourMs: startMs, reports: [] }
      hours.set(key, hour)
    }
    hour.reports.push({ time: atMs - startMs, body })
  }
  return { hours: [...hours.values()], expired }
}

const keyOf = ({ deviceId, hourMs: atMs }: Pick<DeviceHour, 'deviceId' | 'hourMs'>) => `${deviceId} ${atMs}`

interface OpenHour {
  of: DeviceHour
  /** Its block as it stands. */
  before: Buffer | undefined
  /** Null where it takes nothing more. */
  merge: HourMerge | null
}

/** Blocks of hours, one after the other: reports of the last one may go on to come. */
function createPacking(connection: Connection, at: Sealing['at']) {
  const giveWay = inTurns()
  const changed: { deviceId: number; atMs: number }[] = []
  const crowded = new Set<number>()
  let refused = 0
  let blocks: queries.Block[] = []
  let bytes = 0
  let open: OpenHour | null = null

  const write = async () => {
    await at?.('merged')
    if (blocks.length > 0) await queries.writeHourBlocks(connection, blocks)
    await at?.('written')
    blocks = []
    bytes = 0
  }
  const begin = async (of: DeviceHour, before: Buffer | undefined): Promise<OpenHour> => {
    if (!before) return { of, before, merge: new HourMerge(null) }
    const { times, isLarge, series } = await openHour(before)
    // One that was packed before there were limits stays as it is.
    if (isLarge) return { of, before, merge: null }
    const standing: HourPoints['series'] = new Map()
    for (const [id, values] of series) {
      standing.set(id, values)
      await giveWay()
    }
    return { of, before, merge: new HourMerge({ times, series: standing }) }
  }
  const close = async () => {
    if (!open) return
    const { of, before, merge } = open
    open = null
    const block = merge && (await packHour(merge.points(), giveWay))
    if (!block || before?.equals(block)) return
    blocks.push({ deviceId: of.deviceId, atMs: of.hourMs, block })
    changed.push({ deviceId: of.deviceId, atMs: of.hourMs })
    bytes += block.length
    if (bytes > bytesAtOnce) await write()
  }
  const put = async (merge: HourMerge | null, { deviceId, reports }: DeviceHour) => {
    for (const { time, body } of reports) {
      const report = { time, ...unpackReport(body) }
      if (!merge?.add(report)) {
        refused += report.ids.length
        crowded.add(deviceId)
      }
      await giveWay()
    }
  }

  return {
    changed,
    crowded,
    get refused() {
      return refused
    },
    async add(hours: readonly DeviceHour[]): Promise<void> {
      for await (const [hour, before] of withStanding(connection, hours)) {
        if (open === null || keyOf(open.of) !== keyOf(hour)) {
          await close()
          open = await begin(hour, before)
        }
        await put(open.merge, hour)
      }
    },
    async end(): Promise<void> {
      await close()
      await write()
    },
  }
}

/** Each hour with its block, of which no more are read at once than fit in memory. */
async function* withStanding(
  connection: Connection,
  hours: readonly DeviceHour[],
): AsyncGenerator<[hour: DeviceHour, before: Buffer | undefined]> {
  const sizes = hours.length > 0 ? await queries.readHourSizes(connection, hours) : []
  for (let from = 0; from < hours.length; ) {
    let to = from
    for (let bytes = 0; to < hours.length && (to === from || bytes < bytesAtOnce); to += 1)
      bytes += sizes[to] as number
    const some = hours.slice(from, to)
    const standing = new Map(
      (await queries.readHourBlocks(connection, some)).map(({ deviceId, atMs, block }) => [
        keyOf({ deviceId, hourMs: atMs }),
        block,
      ]),
    )
    for (const hour of some) yield [hour, standing.get(keyOf(hour))]
    from = to
  }
}

function inTurns(): GiveWay {
  let since = performance.now()
  return () => {
    if (performance.now() - since < turnMs) return undefined
    return nextTurn().then(() => {
      since = performance.now()
    })
  }
}

const lockNotAvailable = '55P03'
const lockTries = 30

async function endHour({ owner, at }: Sealing, open: { name: string; hour: Date }): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await owner.connect()
    let failure: Error | undefined
    try {
      const isDone = await queries.endSealing(client, open, async (point) => at?.(point))
      if (isDone) await at?.('committed')
      return isDone
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable || attempt === lockTries) {
        failure = error as Error
        throw error
      }
    } finally {
      client.release(failure)
    }
  }
}

// ── Days and months ──────────────────────────────────────────────────────────────────────────

/** Late reports: the days and months that are added up already are added up anew, of these devices. */
async function addUpLate(
  connection: Connection,
  blocks: readonly Pick<queries.Block, 'deviceId' | 'atMs'>[],
): Promise<void> {
  const latestDay = (await queries.readLatestRollup(connection, 'day'))?.of
  if (latestDay === undefined) return
  const devicesOf = new Map<string, Set<number>>()
  for (const { deviceId, atMs } of blocks) {
    const day = dayOf(new Date(atMs))
    if (day > latestDay) continue
    const devices = devicesOf.get(day)
    if (devices) devices.add(deviceId)
    else devicesOf.set(day, new Set([deviceId]))
  }
  const latestMonth = (await queries.readLatestRollup(connection, 'month'))?.of
  const months = new Map<string, Set<number>>()
  for (const [day, devices] of devicesOf) {
    await addUpDay(connection, day, { deviceIds: [...devices] })
    const { from } = edgesOfMonth(day)
    if (latestMonth !== undefined && from <= latestMonth)
      months.set(from, new Set([...(months.get(from) ?? []), ...devices]))
  }
  for (const [month, devices] of months) await addUpMonth(connection, month, { deviceIds: [...devices] })
}

/**
 * The earliest time whose reports are still taken: of a day whose values are gone, statistics of late ones alone would replace those that
 * stand. A clock that was ahead may have dropped those of today; what is reported now is taken all the same.
 */
export async function oldestTaken(
  db: pg.Pool | Connection,
  now: Date,
  retention: ReadingRetention,
): Promise<Date> {
  const oldest = oldestKept(now, retention)
  const gone = await queries.readHoursGone(db, dayOf(startOfDay(now, -1)))
  return new Date(Math.max(oldest.getTime(), gone === null ? 0 : edgesOfDay(gone).to.getTime()))
}

/** Returns the last device that is done; null where there is none left. */
async function addUpDay(connection: Connection, day: string, which: queries.Which): Promise<number | null> {
  const giveWay = inTurns()
  const pieces = queries.walkHoursBetween(connection, edgesOfDay(day), which)
  const { days, last } = await addUpDevices(pieces, which, day, (builder, hour) =>
    addHour(builder, day, hour, giveWay),
  )
  if (days.length > 0) await queries.writeStatistics(connection, 'day', days)
  return last
}

async function addUpMonth(
  connection: Connection,
  month: string,
  which: queries.Which,
): Promise<number | null> {
  const giveWay = inTurns()
  const pieces = queries.walkDaysBetween(connection, edgesOfMonth(month), which)
  const { days, last } = await addUpDevices(pieces, which, month, async (builder, day) => {
    addDay(builder, day)
    await giveWay()
  })
  if (days.length > 0) await queries.writeStatistics(connection, 'month', days)
  return last
}

/** By device; the last one is left for the next portion where it may have more. */
async function addUpDevices<One extends { deviceId: number }>(
  pieces: AsyncIterable<readonly One[]>,
  which: queries.Which,
  of: string,
  add: (builder: SlotsBuilder, one: One) => Promise<void>,
): Promise<{ days: queries.DatedBlock[]; last: number | null }> {
  const days: queries.DatedBlock[] = []
  let builder = new SlotsBuilder()
  let deviceId: number | undefined
  let last: number | null = null
  let count = 0
  const close = () => {
    if (deviceId === undefined) return
    const block = builder.packed()
    if (block) days.push({ deviceId, of, block })
    last = deviceId
    builder = new SlotsBuilder()
  }
  for await (const some of pieces) {
    for (const one of some) {
      if (one.deviceId !== deviceId) close()
      deviceId = one.deviceId
      count += 1
      await add(builder, one)
    }
  }
  if (last === null || !('after' in which && count === which.limit)) close()
  return { days, last }
}

/** Adds up the days that are over and packed, then the months. */
export async function addUp(sealing: Sealing): Promise<{ days: number; months: number }> {
  const { pool, signal } = sealing
  const done = { days: 0, months: 0 }
  const now = sealing.now ?? (await queries.readDatabaseTime(pool))
  const ended = await queries.listEndedHours(pool)
  const open = (await queries.listOpenHours(pool)).find(({ hour }) => !ended.has(hour.getTime()))
  // Everything that arrived within a day of its own time is there once this is packed.
  const packedToMs = Math.min(open?.hour.getTime() ?? now.getTime(), now.getTime())

  let day = await nextToAddUp(pool, 'day')
  while (day !== null && edgesOfDay(day).to.getTime() <= packedToMs && !signal?.aborted) {
    if (!(await addUpAll(sealing, 'day', day))) return done
    done.days += 1
    day = nextDay(day)
  }
  const through = day
  let month = await nextToAddUp(pool, 'month')
  while (month !== null && through !== null && nextMonth(month) <= through && !signal?.aborted) {
    if (!(await addUpAll(sealing, 'month', month))) return done
    done.months += 1
    month = nextMonth(month)
  }
  return done
}

/** The day, or the first day of the month, that is to be added up next; null where there is nothing yet. */
export async function nextToAddUp(pool: pg.Pool, kind: queries.RollupKind): Promise<string | null> {
  const next = await addedUpBefore(pool, kind)
  if (next !== null) return next
  if (kind === 'day') {
    const first = await queries.readFirstHour(pool)
    return first && dayOf(first)
  }
  const first = await queries.readFirstDay(pool)
  return first && edgesOfMonth(first).from
}

/** The day, or month, before which everything is added up; null where nothing is yet. */
export async function addedUpBefore(pool: pg.Pool, kind: queries.RollupKind): Promise<string | null> {
  const latest = await queries.readLatestRollup(pool, kind)
  if (!latest?.isEnded) return latest?.of ?? null
  return kind === 'day' ? nextDay(latest.of) : nextMonth(latest.of)
}

/** False where it ended early. */
async function addUpAll(
  { pool, signal, at }: Sealing,
  kind: queries.RollupKind,
  of: string,
): Promise<boolean> {
  await queries.beginRollup(pool, kind, of)
  for (;;) {
    if (signal?.aborted) return false
    const isEnded = await inTransaction(
      pool,
      { begin: () => beginByIndex, queryLimitMs },
      async (connection) => {
        const after = await queries.lockRollup(connection, kind, of)
        if (after === null) return true
        const which = { after, limit: blocksAtOnce }
        const last = await (kind === 'day' ? addUpDay : addUpMonth)(connection, of, which)
        await queries.advanceRollup(connection, kind, of, { after: last ?? after, isEnded: last === null })
        await at?.('addedUp')
        return last === null
      },
    )
    if (isEnded) return true
  }
}
