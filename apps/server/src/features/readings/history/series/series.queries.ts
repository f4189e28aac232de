// SQL of curves: what is kept of one device. The open reports are read before the blocks: what is packed meanwhile is
// then found twice, and counts once.
import type pg from 'pg'
import { fetchPieces } from '../../../../platform/database/pieces.ts'
import { inTransaction } from '../../../../platform/database/transaction.ts'
import { firstHourFrom } from '../sealing.queries.ts'

export interface OpenRow {
  at: Date
  body: Buffer
}

export interface Stretch {
  from: Date
  to: Date
}

const hourMs = 3_600_000

const rowsAtOnce = 2_000
const queryLimitMs = 120_000

/**
 * Reports that are not packed yet, in the order in which they came, each as `take` leaves it: those of one device may be hundreds of
 * megabytes. `now` leaves out partitions of later hours.
 */
export async function readOpen<Taken>(
  pool: pg.Pool,
  deviceId: number,
  { from, to }: Stretch,
  take: (row: OpenRow) => Taken,
): Promise<Taken[]> {
  return await inTransaction(pool, { begin: () => 'BEGIN READ ONLY', queryLimitMs }, async (connection) => {
    const all: Taken[] = []
    await connection.query(
      `DECLARE piece NO SCROLL CURSOR FOR
       SELECT at, body FROM reading_open
       WHERE device_id = $1 AND at >= $2 AND at < $3 AND arrived_at < $4
       ORDER BY arrived_at, ctid`,
      [deviceId, from, to, new Date(Date.now() + hourMs)],
    )
    for await (const rows of fetchPieces<OpenRow>(connection, rowsAtOnce))
      for (const row of rows) all.push(take(row))
    return all
  })
}

export interface HourRow {
  /** When it begins. */
  atMs: number
  block: Buffer
}

export async function readHours(pool: pg.Pool, deviceId: number, { from, to }: Stretch): Promise<HourRow[]> {
  const { rows } = await pool.query<{ hour: number; block: Buffer }>(
    'SELECT hour, block FROM reading_hour WHERE device_id = $1 AND hour >= $2 AND hour < $3 ORDER BY hour',
    [deviceId, firstHourFrom(from), firstHourFrom(to)],
  )
  return rows.map(({ hour, block }) => ({ atMs: hour * hourMs, block }))
}

/** The same of any range, so many at a time. */
export async function eachHours(
  pool: pg.Pool,
  deviceId: number,
  { from, to }: Stretch,
  hoursAtOnce: number,
  take: (rows: HourRow[]) => void,
): Promise<void> {
  if (from >= to) return
  await inTransaction(pool, { begin: () => 'BEGIN READ ONLY', queryLimitMs }, async (connection) => {
    await connection.query(
      `DECLARE piece NO SCROLL CURSOR FOR
       SELECT hour, block FROM reading_hour WHERE device_id = $1 AND hour >= $2 AND hour < $3 ORDER BY hour`,
      [deviceId, firstHourFrom(from), firstHourFrom(to)],
    )
    const pieces = fetchPieces<{ hour: number; block: Buffer }>(connection, hoursAtOnce)
    for await (const rows of pieces) take(rows.map(({ hour, block }) => ({ atMs: hour * hourMs, block })))
  })
}

export async function readSomeHours(
  pool: pg.Pool,
  deviceId: number,
  hours: readonly number[],
): Promise<HourRow[]> {
  if (hours.length === 0) return []
  const { rows } = await pool.query<{ hour: number; block: Buffer }>(
    'SELECT hour, block FROM reading_hour WHERE device_id = $1 AND hour = ANY($2::int4[])',
    [deviceId, hours.map((atMs) => Math.floor(atMs / hourMs))],
  )
  return rows.map(({ hour, block }) => ({ atMs: hour * hourMs, block }))
}

export interface DatedRow {
  /** `YYYY-MM-DD` */
  of: string
  block: Buffer
}

/** The statistics of days, both edges included. */
export async function readDays(
  pool: pg.Pool,
  deviceId: number,
  { from, to }: { from: string; to: string },
): Promise<DatedRow[]> {
  const { rows } = await pool.query<DatedRow>(
    'SELECT day::text AS of, block FROM reading_day WHERE device_id = $1 AND day >= $2 AND day <= $3 ORDER BY day',
    [deviceId, from, to],
  )
  return rows
}

export async function readMonths(
  pool: pg.Pool,
  deviceId: number,
  { from, to }: { from: string; to: string },
): Promise<DatedRow[]> {
  const { rows } = await pool.query<DatedRow>(
    `SELECT month::text AS of, block FROM reading_month
     WHERE device_id = $1 AND month >= $2 AND month <= $3 ORDER BY month`,
    [deviceId, from, to],
  )
  return rows
}
