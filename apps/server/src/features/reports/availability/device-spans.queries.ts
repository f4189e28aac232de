// SQL of what happened to devices: from when on they are known, when they were down, planned and unknown.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'
import { dayOf, type TimeRange } from '../../../platform/process/clock.ts'
import type { DaySpans, Span } from './device-day.rules.ts'

/** Connections are kept so long (devices.trimConnections): nothing can be said of a device before. */
export const connectionDays = 90

/** Later than anything. */
const never = Number.MAX_SAFE_INTEGER

const seconds = (at: RawBuilder<unknown>) => sql`floor(extract(epoch FROM ${at}))::float8`

/**
 * From when on a device `d` counts: since it first connected, or, where it was connected already when records of that
 * begin, since it was registered; null while it never was. `k` is its row of `report_device`, if any.
 */
export const knownFrom = sql`coalesce(k.known_from, (
  SELECT greatest(
    now() - ${sql.lit(connectionDays)} * interval '1 day',
    CASE WHEN c.is_online THEN c.at ELSE d.created_at END)
  FROM device_connection c WHERE c.device_id = d.id ORDER BY c.at, c.id LIMIT 1
), (
  SELECT greatest(now() - ${sql.lit(connectionDays)} * interval '1 day', d.created_at)
  FROM device_state s WHERE s.device_id = d.id AND s.online_changed_at IS NOT NULL
))`

/** Writes down from when on devices count that have connected since. */
export async function keepKnownFrom(db: Db): Promise<void> {
  await sql`
    INSERT INTO report_device (device_id, known_from)
    SELECT d.id, date_trunc('second', ${knownFrom})
    FROM device d LEFT JOIN report_device k ON k.device_id = d.id
    WHERE k.device_id IS NULL AND ${knownFrom} IS NOT NULL
    ON CONFLICT (device_id) DO NOTHING`.execute(db)
}

/** In whole seconds since 1970; null: it lasts. */
export interface SpanRow {
  deviceId: number
  from: number
  to: number | null
}

/** What a day, or the part of it that has been, is to some devices or to all. */
export interface DayAsked {
  range: TimeRange
  /** Null: all of them. */
  deviceIds: readonly number[] | null
  /** The day begins for these devices as what is kept of the day before says, as it does for all of them. */
  isWhole?: boolean
}

/** Of these devices, or of all. */
export const among = (deviceIds: readonly number[] | null, column: string) =>
  deviceIds ? sql`${sql.ref(column)} = ANY(${deviceIds}::int[])` : sql`true`

/** The devices of a day that is going on, of which anything but "up" may have to be said. */
export async function listEventful(db: Db, { from, to }: TimeRange): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT device_id AS id FROM device_state WHERE NOT is_online AND online_changed_at IS NOT NULL
    UNION SELECT device_id FROM device_connection WHERE at >= ${from} AND at < ${to}
    UNION SELECT device_id FROM alarm_history
      WHERE occurred_at >= ${from} AND occurred_at < ${to} AND ${isGrave}
    UNION SELECT device_id FROM alarm_state WHERE (is_active OR recovered_at >= ${from}) AND ${isGrave}
    UNION SELECT device_id FROM (${installingIn({ from, to }, null)}) AS p`.execute(db)
  return rows.map(({ id }) => id)
}

/** Alarms that make a device count as down. */
const isGrave = sql`semaphore_code IN (SELECT code FROM dictionary_entry WHERE type = 'ALARM' AND alarm_level = 1)`

const spanOf = ({ from, to }: SpanRow): Span => ({ from, to: to ?? never })

/** The grave alarms that overlap the day. */
async function readAlarmSpans(
  db: Db,
  { range: { from, to }, deviceIds, isWhole }: DayAsked,
): Promise<SpanRow[]> {
  const columns = sql`device_id AS "deviceId", ${seconds(sql`occurred_at`)} AS "from", ${seconds(sql`recovered_at`)} AS "to"`
  const lastsInto = sql`(recovered_at IS NULL OR recovered_at > ${from})`
  const isAsked = among(deviceIds, 'device_id')
  if (deviceIds && !isWhole) {
    const { rows } = await sql<SpanRow>`
      SELECT ${columns} FROM alarm_history
      WHERE ${isAsked} AND occurred_at < ${to} AND ${lastsInto} AND ${isGrave}`.execute(db)
    return rows
  }
  // What has lasted since the day before belongs to devices that were down, or planned, as that day ended.
  const { rows: before } = await sql<{ ids: number[] | null }>`
    SELECT (
      SELECT coalesce(array_agg(device_id), '{}') FROM report_device_day r
      WHERE r.day = y.day AND (r.down_since IS NOT NULL OR r.planned_s > 0)
    ) AS ids
    FROM report_day y WHERE y.part = 'devices' AND y.day = ${dayOf(from)}::date - 1`.execute(db)
  const older = before[0]?.ids ?? null
  const { rows } = await sql<SpanRow>`
    SELECT ${columns} FROM alarm_history
    WHERE occurred_at >= ${from} AND occurred_at < ${to} AND ${isAsked} AND ${isGrave}
    UNION ALL
    SELECT ${columns} FROM alarm_history
    WHERE ${among(older, 'device_id')} AND ${isAsked} AND occurred_at < ${from} AND ${lastsInto} AND ${isGrave}`.execute(
    db,
  )
  return rows
}

/** The stretches without a connection that overlap the day. */
async function readOfflineSpans(db: Db, { range: { from, to }, deviceIds }: DayAsked): Promise<SpanRow[]> {
  const { rows: atStart } = await sql<{ deviceId: number; at: number }>`
    SELECT k.device_id AS "deviceId", ${seconds(sql`last.at`)} AS at
    FROM report_device k
    CROSS JOIN LATERAL (
      SELECT c.at, c.is_online FROM device_connection c
      WHERE c.device_id = k.device_id AND c.at < ${from} ORDER BY c.at DESC, c.id DESC LIMIT 1
    ) AS last
    WHERE NOT last.is_online AND ${among(deviceIds, 'k.device_id')}
    UNION ALL
    -- Offline for so long that its record is gone.
    SELECT s.device_id, ${seconds(sql`s.online_changed_at`)} FROM device_state s
    WHERE NOT s.is_online AND s.online_changed_at < ${from} AND ${among(deviceIds, 's.device_id')}
      AND NOT EXISTS (SELECT FROM device_connection c WHERE c.device_id = s.device_id AND c.at < ${from})`.execute(
    db,
  )
  // What happens within the second after the day ends with it: moments count by whole seconds.
  const { rows: changes } = await sql<{ deviceId: number; at: number; isOnline: boolean }>`
    SELECT device_id AS "deviceId", ${seconds(sql`at`)} AS at, is_online AS "isOnline"
    FROM device_connection
    WHERE at >= ${from} AND at < ${to}::timestamptz + interval '1 second' AND ${among(deviceIds, 'device_id')}
    ORDER BY device_id, device_connection.at, id`.execute(db)
  const open = new Map(atStart.map(({ deviceId, at }) => [deviceId, at]))
  const spans: SpanRow[] = []
  for (const { deviceId, at, isOnline } of changes) {
    const since = open.get(deviceId)
    if (isOnline && since !== undefined) {
      spans.push({ deviceId, from: since, to: at })
      open.delete(deviceId)
    } else if (!isOnline && since === undefined) open.set(deviceId, at)
  }
  for (const [deviceId, since] of open) spans.push({ deviceId, from: since, to: null })
  return spans
}

/** Upgrades that are being installed: the device is away on our behalf. */
const installingIn = ({ from, to }: TimeRange, deviceIds: readonly number[] | null) => sql`
  SELECT * FROM (
    SELECT t.device_id, x.at AS from_at, (
      SELECT n.at FROM upgrade_transition n
      WHERE n.target_id = t.id AND n.id > x.id AND n.to_state <> 'installing' ORDER BY n.id LIMIT 1
    ) AS to_at
    FROM upgrade_target t JOIN upgrade_transition x ON x.target_id = t.id AND x.to_state = 'installing'
    WHERE t.started_at <= ${to} AND (t.changed_at >= ${from} OR t.state = 'installing')
      AND ${among(deviceIds, 't.device_id')}
  ) AS installing WHERE from_at <= ${to} AND (to_at IS NULL OR to_at > ${from})`

async function readInstallingSpans(db: Db, { range, deviceIds }: DayAsked): Promise<SpanRow[]> {
  const { rows } = await sql<SpanRow>`
    SELECT device_id AS "deviceId", ${seconds(sql`from_at`)} AS "from", ${seconds(sql`to_at`)} AS "to"
    FROM (${installingIn(range, deviceIds)}) AS p`.execute(db)
  return rows
}

/** When the server did not run; before its first record nothing is known of that, and it counts as having run. */
async function readGaps(db: Db, { from, to }: TimeRange): Promise<Span[]> {
  const { rows } = await sql<Span>`
    SELECT ${seconds(sql`gap_from`)} AS "from", ${seconds(sql`gap_to`)} AS "to" FROM (
      SELECT to_at AS gap_from, lead(from_at) OVER (ORDER BY from_at) AS gap_to FROM report_beat
    ) AS gap WHERE gap_from < ${to} AND gap_to > ${from}`.execute(db)
  return rows
}

/** What overlapped the day, by device, beside what is planned; a device of which nothing is told is in none. */
export async function readSpans(
  db: Db,
  asked: DayAsked,
  plans: readonly SpanRow[],
): Promise<Map<number, DaySpans>> {
  const alarms = await readAlarmSpans(db, asked)
  const offline = await readOfflineSpans(db, asked)
  const installing = await readInstallingSpans(db, asked)
  const gaps = await readGaps(db, asked.range)
  const spans = new Map<number, { down: Span[]; planned: Span[]; unknown: Span[] }>()
  const of = (deviceId: number) => {
    const own = spans.get(deviceId) ?? { down: [], planned: [], unknown: gaps }
    spans.set(deviceId, own)
    return own
  }
  for (const row of [...alarms, ...offline]) of(row.deviceId).down.push(spanOf(row))
  for (const row of [...installing, ...plans]) of(row.deviceId).planned.push(spanOf(row))
  if (gaps.length > 0) {
    const { rows } = await sql<{ id: number }>`
      SELECT device_id AS id FROM report_device WHERE ${among(asked.deviceIds, 'device_id')}`.execute(db)
    for (const { id } of rows) of(id)
  }
  return spans
}

export interface DeviceBefore {
  deviceId: number
  knownFrom: number
  /** Of the day before; null: not down as it ended. */
  downSince: number | null
}

/** Of these devices, from when on they count, and how the day before ended for them. */
export async function readBefore(
  db: Db,
  day: Date,
  deviceIds: readonly number[],
): Promise<{ devices: DeviceBefore[]; isDayBeforeKnown: boolean }> {
  const { rows } = await sql<DeviceBefore>`
    SELECT d.id AS "deviceId", ${seconds(knownFrom)} AS "knownFrom", ${seconds(sql`r.down_since`)} AS "downSince"
    FROM device d
    LEFT JOIN report_device k ON k.device_id = d.id
    LEFT JOIN report_device_day r ON r.device_id = d.id AND r.day = ${dayOf(day)}::date - 1
    WHERE d.id = ANY(${deviceIds}::int[]) AND ${knownFrom} IS NOT NULL`.execute(db)
  const { rows: known } = await sql`
    SELECT FROM report_day WHERE part = 'devices' AND day = ${dayOf(day)}::date - 1`.execute(db)
  return { devices: rows, isDayBeforeKnown: known.length > 0 }
}
