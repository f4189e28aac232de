// SQL of packing: the reports of an hour of arrival into blocks, the blocks of a day into statistics.
import type pg from 'pg'
import { byteaArray, int4Array, textArray } from '../../../platform/database/arrays.ts'
import { fetchPieces } from '../../../platform/database/pieces.ts'

export interface ReceivedReport {
  device_id: number
  at: Date
  body: Buffer
}

/** The hours of arrival that have a partition, in order. */
export async function listOpenHours(db: pg.Pool | pg.ClientBase): Promise<{ name: string; hour: Date }[]> {
  const { rows } = await db.query<{ name: string }>(`
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'reading_open'::regclass AND NOT i.inhdetachpending ORDER BY c.relname`)
  return rows.map(({ name }) => {
    const [year = 0, month = 1, day = 1, hour = 0] = name.replace('reading_open_', '').split('_').map(Number)
    return { name, hour: new Date(Date.UTC(year, month - 1, day, hour)) }
  })
}

/** The number of the hour of a moment, and of the first hour that begins from a moment on. */
const hourOf = (ms: number) => Math.floor(ms / 3_600_000)
export const firstHourFrom = (at: Date): number => Math.ceil(at.getTime() / 3_600_000)

export async function readDatabaseTime(db: pg.Pool | pg.ClientBase): Promise<Date> {
  const { rows } = await db.query<{ now: Date }>('SELECT now()')
  return rows[0]?.now as Date
}

export async function listEndedHours(db: pg.Pool): Promise<Set<number>> {
  const { rows } = await db.query<{ hour: Date }>(
    'SELECT arrived_hour AS hour FROM reading_sealing WHERE ended_at IS NOT NULL',
  )
  return new Set(rows.map(({ hour }) => hour.getTime()))
}

export async function beginSealing(db: pg.Pool, hour: Date): Promise<void> {
  await db.query('INSERT INTO reading_sealing (arrived_hour) VALUES ($1) ON CONFLICT DO NOTHING', [hour])
}

/** Locks the progress: of two processes that pack the same hour, the second goes on behind the first. */
export async function lockProgress(db: pg.ClientBase, hour: Date): Promise<number | null> {
  const { rows } = await db.query<{ after: number }>(
    'SELECT after_device_id AS after FROM reading_sealing WHERE arrived_hour = $1 AND ended_at IS NULL FOR UPDATE',
    [hour],
  )
  return rows[0]?.after ?? null
}

/** The next reports by device, each device's in the order in which they came. */
export async function readReceived(
  db: pg.ClientBase,
  { from, to, after, limit }: { from: Date; to: Date; after: number; limit: number },
): Promise<ReceivedReport[]> {
  const { rows } = await db.query<ReceivedReport>(
    `SELECT device_id, at, body FROM reading_open
     WHERE arrived_at >= $1 AND arrived_at < $2 AND device_id > $3
     ORDER BY device_id, ctid LIMIT $4`,
    [from, to, after, limit],
  )
  return rows
}

/** Those of one device by the hour of their own time, in pieces: they may be too many to have all at once. */
export async function* walkReceived(
  db: pg.ClientBase,
  { from, to, deviceId, limit }: { from: Date; to: Date; deviceId: number; limit: number },
): AsyncGenerator<ReceivedReport[]> {
  await db.query(
    `DECLARE piece NO SCROLL CURSOR FOR
     SELECT device_id, at, body FROM reading_open
     WHERE arrived_at >= $1 AND arrived_at < $2 AND device_id = $3
     ORDER BY floor(extract(epoch FROM at) / 3600), ctid`,
    [from, to, deviceId],
  )
  yield* fetchPieces<ReceivedReport>(db, limit)
}

export async function advanceSealing(
  db: pg.ClientBase,
  hour: Date,
  { after, reports, expired }: { after: number; reports: number; expired: number },
): Promise<void> {
  await db.query(
    `UPDATE reading_sealing SET after_device_id = $2, report_count = report_count + $3,
       expired_count = expired_count + $4
     WHERE arrived_hour = $1`,
    [hour, after, reports, expired],
  )
}

export interface Block {
  deviceId: number
  atMs: number
  block: Buffer
}

/** How many bytes stand already of devices and hours, in the order of these. */
export async function readHourSizes(
  db: pg.ClientBase,
  wanted: readonly { deviceId: number; hourMs: number }[],
): Promise<number[]> {
  const { rows } = await db.query<{ bytes: number }>({
    name: 'readings.readHourSizes',
    text: `
      SELECT coalesce(octet_length(h.block), 0) AS bytes
      FROM unnest($1::int4[], $2::int4[]) WITH ORDINALITY AS m(device_id, hour, place)
      LEFT JOIN reading_hour h ON h.device_id = m.device_id AND h.hour = m.hour
      ORDER BY m.place`,
    values: placesOf(wanted),
  })
  return rows.map(({ bytes }) => bytes)
}

/** The blocks that stand already, of devices and hours. */
export async function readHourBlocks(
  db: pg.ClientBase,
  wanted: readonly { deviceId: number; hourMs: number }[],
): Promise<Block[]> {
  const { rows } = await db.query<{ device_id: number; hour: number; block: Buffer }>({
    name: 'readings.readHourBlocks',
    text: `
      SELECT h.device_id, h.hour, h.block
      FROM unnest($1::int4[], $2::int4[]) AS m(device_id, hour)
      JOIN reading_hour h ON h.device_id = m.device_id AND h.hour = m.hour`,
    values: placesOf(wanted),
  })
  return rows.map(({ device_id, hour, block }) => ({ deviceId: device_id, atMs: hour * 3_600_000, block }))
}

const placesOf = (wanted: readonly { deviceId: number; hourMs: number }[]) => [
  int4Array(wanted.map(({ deviceId }) => deviceId)),
  int4Array(wanted.map(({ hourMs }) => hourOf(hourMs))),
]

export async function writeHourBlocks(db: pg.ClientBase, blocks: readonly Block[]): Promise<void> {
  await db.query({
    name: 'readings.writeHourBlocks',
    text: `
      INSERT INTO reading_hour (device_id, hour, block)
      SELECT m.device_id, m.hour, m.block
      FROM unnest($1::int4[], $2::int4[], $3::bytea[]) AS m(device_id, hour, block)
      ON CONFLICT (device_id, hour) DO UPDATE SET block = excluded.block`,
    values: [
      int4Array(blocks.map(({ deviceId }) => deviceId)),
      int4Array(blocks.map(({ atMs }) => hourOf(atMs))),
      byteaArray(blocks.map(({ block }) => block)),
    ],
  })
}

/** What is locked by somebody is tried again: a reader of the same partition must not wait behind us for long. */
const lockTimeoutMs = 1_000

/**
 * Ends an hour of arrival in one transaction of the tables' owner: its reports go, and the hour is done. False where
 * there are more reports than were packed: one came whose transaction had begun before the hour was over. Then all of
 * the hour is packed again, which changes nothing of what was.
 */
export async function endSealing(
  owner: pg.ClientBase,
  { name, hour }: { name: string; hour: Date },
  at: (point: 'emptied' | 'ended') => Promise<void>,
): Promise<boolean> {
  await owner.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
  try {
    await owner.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`)
    const { rows } = await owner.query<{ isWhole: boolean }>(
      `SELECT report_count = (SELECT count(*) FROM ${name}) AS "isWhole" FROM reading_sealing
       WHERE arrived_hour = $1 FOR UPDATE`,
      [hour],
    )
    const isWhole = rows[0]?.isWhole ?? false
    if (isWhole) {
      await owner.query(`TRUNCATE ${name}`)
      await at('emptied')
      await owner.query('UPDATE reading_sealing SET ended_at = now() WHERE arrived_hour = $1', [hour])
    } else {
      await owner.query(
        'UPDATE reading_sealing SET after_device_id = 0, report_count = 0 WHERE arrived_hour = $1',
        [hour],
      )
    }
    await at('ended')
    await owner.query('COMMIT')
    return isWhole
  } catch (error) {
    await owner.query('ROLLBACK')
    throw error
  }
}

/**
 * Up to where every hour of arrival is done and empty. One that has got a report after its end is begun again.
 */
export async function readSealedTo(db: pg.Pool, hours: readonly { hour: Date }[]): Promise<Date | null> {
  const ended = await listEndedHours(db)
  let sealedTo: Date | null = null
  for (const { hour } of hours) {
    if (!ended.has(hour.getTime())) break
    const to = new Date(hour.getTime() + 3_600_000)
    const { rows } = await db.query<{ isEmpty: boolean }>(
      `SELECT NOT EXISTS (SELECT FROM reading_open WHERE arrived_at >= $1 AND arrived_at < $2) AS "isEmpty"`,
      [hour, to],
    )
    if (!rows[0]?.isEmpty) {
      await db.query(
        `UPDATE reading_sealing SET ended_at = NULL, after_device_id = 0, report_count = 0 WHERE arrived_hour = $1`,
        [hour],
      )
      break
    }
    sealedTo = to
  }
  return sealedTo
}

/** Forgets the progress of hours whose partitions are gone. */
export async function forgetSealing(db: pg.Pool, hours: readonly { hour: Date }[]): Promise<void> {
  await db.query('DELETE FROM reading_sealing WHERE ended_at IS NOT NULL AND NOT arrived_hour = ANY($1)', [
    hours.map(({ hour }) => hour),
  ])
}

// ── Statistics ───────────────────────────────────────────────────────────────────────────────

export type RollupKind = 'day' | 'month'

export interface RollupRow {
  of: string
  after: number
  isEnded: boolean
}

/** The latest day, or month, that is or is being added up. */
export async function readLatestRollup(
  db: pg.Pool | pg.ClientBase,
  kind: RollupKind,
): Promise<RollupRow | null> {
  const { rows } = await db.query<RollupRow>(
    `SELECT of::text AS of, after_device_id AS after, ended_at IS NOT NULL AS "isEnded"
     FROM reading_rollup WHERE kind = $1 ORDER BY of DESC LIMIT 1`,
    [kind],
  )
  return rows[0] ?? null
}

/** The first time of which there is anything. */
export async function readFirstHour(db: pg.Pool): Promise<Date | null> {
  const { rows } = await db.query<{ first: number | null }>('SELECT min(hour) AS first FROM reading_hour')
  const first = rows[0]?.first ?? null
  return first === null ? null : new Date(first * 3_600_000)
}
export async function readFirstDay(db: pg.Pool): Promise<string | null> {
  const { rows } = await db.query<{ first: string | null }>('SELECT min(day)::text AS first FROM reading_day')
  return rows[0]?.first ?? null
}

export async function beginRollup(db: pg.Pool, kind: RollupKind, of: string): Promise<void> {
  await db.query('INSERT INTO reading_rollup (kind, of) VALUES ($1, $2) ON CONFLICT DO NOTHING', [kind, of])
}

export async function lockRollup(db: pg.ClientBase, kind: RollupKind, of: string): Promise<number | null> {
  const { rows } = await db.query<{ after: number }>(
    `SELECT after_device_id AS after FROM reading_rollup WHERE kind = $1 AND of = $2 AND ended_at IS NULL FOR UPDATE`,
    [kind, of],
  )
  return rows[0]?.after ?? null
}

export async function advanceRollup(
  db: pg.ClientBase,
  kind: RollupKind,
  of: string,
  { after, isEnded }: { after: number; isEnded: boolean },
): Promise<void> {
  await db.query(
    `UPDATE reading_rollup SET after_device_id = $3, ended_at = CASE WHEN $4 THEN now() END
     WHERE kind = $1 AND of = $2`,
    [kind, of, after, isEnded],
  )
}

/** Says of the days whose values go with the partitions that end by `oldest` that they are gone. Before these are dropped. */
export async function markHoursGone(db: pg.Pool, oldest: Date): Promise<void> {
  await db.query(
    `UPDATE reading_rollup SET hours_gone = true
     WHERE kind = 'day' AND NOT hours_gone AND of::timestamptz < (
       SELECT max(p.ends) FROM (
         SELECT (to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1)::timestamp AT TIME ZONE 'UTC' AS ends
         FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'reading_hour'::regclass) p
       WHERE p.ends <= $1)`,
    [oldest],
  )
}

/** The latest day before `before` whose values are gone; those of all days before it are, too. */
export async function readHoursGone(db: pg.Pool | pg.ClientBase, before: string): Promise<string | null> {
  const { rows } = await db.query<{ of: string | null }>({
    name: 'readings.readHoursGone',
    text: `SELECT max(of)::text AS of FROM reading_rollup WHERE kind = 'day' AND hours_gone AND of < $1::date`,
    values: [before],
  })
  return rows[0]?.of ?? null
}

/** Which devices' blocks: the next ones behind a device, or those of given devices. */
export type Which = { after: number; limit: number } | { deviceIds: readonly number[] }

/** As parameters: which devices, behind which one, and how many blocks; null: no limit. */
const parametersOf = (of: Which) => ('after' in of ? [null, of.after, of.limit] : [of.deviceIds, 0, null])

/** A device's blocks may be of megabytes each: so many at a time. */
const blocksInPiece = 24

/** Blocks of hours from a moment to another, by device and hour. */
export async function* walkHoursBetween(
  db: pg.ClientBase,
  { from, to }: { from: Date; to: Date },
  of: Which,
): AsyncGenerator<Block[]> {
  await db.query(
    `DECLARE piece NO SCROLL CURSOR FOR
     SELECT device_id, hour, block FROM reading_hour
     WHERE hour >= $1 AND hour < $2 AND ($3::int4[] IS NULL OR device_id = ANY($3::int4[])) AND device_id > $4
     ORDER BY device_id, hour LIMIT $5`,
    [firstHourFrom(from), firstHourFrom(to), ...parametersOf(of)],
  )
  const pieces = fetchPieces<{ device_id: number; hour: number; block: Buffer }>(db, blocksInPiece)
  for await (const rows of pieces)
    yield rows.map(({ device_id, hour, block }) => ({ deviceId: device_id, atMs: hour * 3_600_000, block }))
}

export interface DatedBlock {
  deviceId: number
  /** `YYYY-MM-DD` */
  of: string
  block: Buffer
}

/** Blocks of the days of a month, by device and day. */
export async function* walkDaysBetween(
  db: pg.ClientBase,
  { from, to }: { from: string; to: string },
  of: Which,
): AsyncGenerator<DatedBlock[]> {
  await db.query(
    `DECLARE piece NO SCROLL CURSOR FOR
     SELECT device_id, day::text AS of, block FROM reading_day
     WHERE day >= $1::date AND day < $2::date AND ($3::int4[] IS NULL OR device_id = ANY($3::int4[]))
       AND device_id > $4
     ORDER BY device_id, day LIMIT $5`,
    [from, to, ...parametersOf(of)],
  )
  const pieces = fetchPieces<{ device_id: number; of: string; block: Buffer }>(db, blocksInPiece)
  for await (const rows of pieces)
    yield rows.map(({ device_id, of: day, block }) => ({ deviceId: device_id, of: day, block }))
}

const targets = {
  day: { table: 'reading_day', column: 'day' },
  month: { table: 'reading_month', column: 'month' },
}

export async function writeStatistics(
  db: pg.ClientBase,
  kind: RollupKind,
  blocks: readonly DatedBlock[],
): Promise<void> {
  const { table, column } = targets[kind]
  await db.query({
    name: `readings.writeStatistics.${kind}`,
    text: `
      INSERT INTO ${table} (device_id, ${column}, block)
      SELECT m.device_id, m.day::date, m.block
      FROM unnest($1::int4[], $2::text[], $3::bytea[]) AS m(device_id, day, block)
      ON CONFLICT (device_id, ${column}) DO UPDATE SET block = excluded.block`,
    values: [
      int4Array(blocks.map(({ deviceId }) => deviceId)),
      textArray(blocks.map(({ of }) => of)),
      byteaArray(blocks.map(({ block }) => block)),
    ],
  })
}
