// SQL of curves: what is kept of one device. The open reports are read before the blocks: what is packed meanwhile is
// then found twice, and counts once.
import type pg from 'pg'
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

/** Reports that are not packed yet, in the order in which they came. `now` leaves out partitions of later hours. */
export async function readOpen(pool: pg.Pool, deviceId: number, { from, to }: Stretch): Promise<OpenRow[]> {
  const { rows } = await pool.query<OpenRow>(
    `SELECT at, body FROM reading_open
     WHERE device_id = $1 AND at >= $2 AND at < $3 AND arrived_at < $4
     ORDER BY arrived_at, ctid`,
    [deviceId, from, to, new Date(Date.now() + hourMs)],
  )
  return rows
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
