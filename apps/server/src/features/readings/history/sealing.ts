// Packs the reports of each hour of arrival once it is over, and adds up days and months when they are. Everything is
// done in portions with a row that says how far it is, and doing a portion again changes nothing.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import { beginByIndex, type Connection, inTransaction } from '../../../platform/database/transaction.ts'
import { dayOf } from '../../../platform/process/clock.ts'
import { edgesOfDay, edgesOfMonth, nextDay, nextMonth, packDay, packMonth } from './adding-up.ts'
import { type HourReport, mergeHour, packHour, unpackHour, unpackReport } from './packing/index.ts'
import { oldestKept, type ReadingRetention } from './partitions-of-readings.ts'
import * as queries from './sealing.queries.ts'

const hourMs = 3_600_000
/** Transactions that began within the hour have ended by then; `endSealing` notices one that has not. */
const graceMs = 120_000
const reportsAtOnce = 2_000
const blocksAtOnce = 2_400
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
}

/** Packs every hour of arrival that is over, the earliest first. Ends early where the signal is aborted. */
export async function sealHours(sealing: Sealing): Promise<Sealed> {
  const { pool, signal } = sealing
  const sealed: Sealed = { hours: 0, reports: 0, expired: 0 }
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
    const rows = await readPortion(connection, hour, after)
    const last = rows.at(-1)
    if (!last) return null
    await at?.('read')
    const { hours, expired } = byHour(rows, {
      from: oldestKept(now, retention).getTime(),
      to: now.getTime() + 24 * hourMs,
    })
    const blocks = await mergedBlocks(connection, hours)
    await at?.('merged')
    if (blocks.length > 0) await queries.writeHourBlocks(connection, blocks)
    await at?.('written')
    await addUpLate(connection, blocks)
    await queries.advanceSealing(connection, hour, { after: last.device_id, reports: rows.length, expired })
    await at?.('advanced')
    return { reports: rows.length, expired }
  })
  if (done) await at?.('committed')
  return done
}

/** Whole devices only: what is begun of one at the end is left for the next portion. */
async function readPortion(connection: Connection, hour: Date, after: number) {
  const to = new Date(hour.getTime() + hourMs)
  for (let limit = reportsAtOnce; ; limit *= 4) {
    const rows = await queries.readReceived(connection, { from: hour, to, after, limit })
    if (rows.length < limit) return rows
    const last = rows.at(-1)?.device_id
    const whole = rows.filter(({ device_id }) => device_id !== last)
    if (whole.length > 0) return whole
  }
}

interface DeviceHour {
  deviceId: number
  hourMs: number
  reports: HourReport[]
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
    const key = `${deviceId} ${startMs}`
    let hour = hours.get(key)
    if (!hour) {
      hour = { deviceId, hourMs: startMs, reports: [] }
      hours.set(key, hour)
    }
    hour.reports.push({ time: atMs - startMs, ...unpackReport(body) })
  }
  return { hours: [...hours.values()], expired }
}

async function mergedBlocks(connection: Connection, hours: readonly DeviceHour[]): Promise<queries.Block[]> {
  if (hours.length === 0) return []
  const standing = new Map(
    (await queries.readHourBlocks(connection, hours)).map(({ deviceId, atMs, block }) => [
      `${deviceId} ${atMs}`,
      block,
    ]),
  )
  const blocks: queries.Block[] = []
  const giveWay = inTurns()
  for (const { deviceId, hourMs: atMs, reports } of hours) {
    const before = standing.get(`${deviceId} ${atMs}`)
    const block = packHour(mergeHour(before ? unpackHour(before) : null, reports))
    if (!before?.equals(block)) blocks.push({ deviceId, atMs, block })
    await giveWay()
  }
  return blocks
}

function inTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < turnMs) return
    await nextTurn()
    since = performance.now()
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
async function addUpLate(connection: Connection, blocks: readonly queries.Block[]): Promise<void> {
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

/** Returns the last device that is done; null where there is none left. */
async function addUpDay(connection: Connection, day: string, which: queries.Which): Promise<number | null> {
  const blocks = await queries.readHoursBetween(connection, edgesOfDay(day), which)
  const devices = wholeDevices(blocks, which)
  const giveWay = inTurns()
  const days: queries.DatedBlock[] = []
  for (const [deviceId, hours] of devices) {
    const block = packDay(day, hours)
    if (block) days.push({ deviceId, of: day, block })
    await giveWay()
  }
  if (days.length > 0) await queries.writeStatistics(connection, 'day', days)
  return [...devices.keys()].at(-1) ?? null
}

async function addUpMonth(
  connection: Connection,
  month: string,
  which: queries.Which,
): Promise<number | null> {
  const blocks = await queries.readDaysBetween(connection, edgesOfMonth(month), which)
  const devices = wholeDevices(blocks, which)
  const giveWay = inTurns()
  const months: queries.DatedBlock[] = []
  for (const [deviceId, days] of devices) {
    const block = packMonth(days)
    if (block) months.push({ deviceId, of: month, block })
    await giveWay()
  }
  if (months.length > 0) await queries.writeStatistics(connection, 'month', months)
  return [...devices.keys()].at(-1) ?? null
}

/** By device; the last one is left for the next portion where it may have more. */
function wholeDevices<One extends { deviceId: number }>(
  blocks: readonly One[],
  which: queries.Which,
): Map<number, One[]> {
  const devices = new Map<number, One[]>()
  for (const block of blocks) {
    const some = devices.get(block.deviceId)
    if (some) some.push(block)
    else devices.set(block.deviceId, [block])
  }
  const isFull = 'after' in which && blocks.length === which.limit
  const last = blocks.at(-1)?.deviceId
  if (isFull && devices.size > 1 && last !== undefined) devices.delete(last)
  return devices
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
