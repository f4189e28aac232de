// SQL of which days are added up, and of when the server ran.
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { dayOf } from '../../../platform/process/clock.ts'

/** The oldest day that has an alarm; null without any. */
export async function readOldestAlarm(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`SELECT min(occurred_at) AS at FROM alarm_history`.execute(
    db,
  )
  return rows[0]?.at ?? null
}

export async function readOldestDevice(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`SELECT min(known_from) AS at FROM report_device`.execute(db)
  return rows[0]?.at ?? null
}

/** What is added up of a day. */
type Part = 'alarms' | 'devices' | 'groups'

/** The days that are touched as a whole: every device's may differ from what is kept. */
export const touchedWholeDays = sql`SELECT w.from_at::date FROM report_touched w WHERE w.device_id IS NULL`

/** Of these days, those that are not added up by the zone, or touched as a whole since. */
export async function listMissing(
  db: Db,
  part: Part,
  { from, to }: { from: Date; to: Date },
  zone: string,
): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT day::date::text AS day
    FROM generate_series(${dayOf(from)}::date, ${dayOf(to)}::date - 1, interval '1 day') AS day
    WHERE day::date NOT IN (SELECT d.day FROM report_day d WHERE d.part = ${part} AND d.zone = ${zone})
      ${part === 'devices' ? sql`OR day::date IN (${touchedWholeDays})` : sql``}
    ORDER BY day`.execute(db)
  return rows.map(({ day }) => day)
}

/** The kept days of devices that are not added up, the newest first. */
export async function listUnsummed(db: Db, zone: string): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT d.day::text AS day FROM report_day d
    WHERE d.part = 'devices' AND d.zone = ${zone} AND NOT EXISTS (
      SELECT FROM report_day g WHERE g.part = 'groups' AND g.day = d.day AND g.zone = ${zone})
    ORDER BY d.day DESC`.execute(db)
  return rows.map(({ day }) => day)
}

export async function markKept(trx: Trx, part: Part, day: Date, zone: string): Promise<void> {
  await sql`
    INSERT INTO report_day (part, day, zone) VALUES (${part}, ${dayOf(day)}::date, ${zone})
    ON CONFLICT (part, day) DO UPDATE SET zone = excluded.zone`.execute(trx)
}

/** Takes what touched devices' days before the moment that the caller's snapshot shows. */
export async function takeTouchedDevices(trx: Trx): Promise<void> {
  await sql`DELETE FROM report_touched WHERE device_id IS NOT NULL`.execute(trx)
}

/**
 * Takes what touched devices up to this day, before it is kept anew. How it ended for them may differ then: the day after is
 * touched for those that are down as it ends.
 */
export async function takeTouchedUpTo(
  trx: Trx,
  { day, deviceIds }: { day: string; deviceIds: readonly number[] },
): Promise<void> {
  await sql`
    DELETE FROM report_touched
    WHERE device_id IS NOT NULL AND least(to_at, now() - interval '1 day')::date <= ${day}::date`.execute(trx)
  await sql`
    UPDATE report_touched SET from_at = ${day}::date + 1
    WHERE device_id IS NOT NULL AND from_at < ${day}::date + 1`.execute(trx)
  await sql`
    INSERT INTO report_touched (device_id, from_at, to_at)
    SELECT device_id, day + 1, day + 1 FROM report_device_day
    WHERE day = ${day}::date AND device_id = ANY(${deviceIds}::int[]) AND down_since IS NOT NULL
      AND day + 1 < now()::date`.execute(trx)
}

/**
 * Takes what touched the whole day, which has just been added up again. How it ended for a device may differ now: the
 * day after is touched for those that are down as it ends.
 */
export async function takeTouchedDay(trx: Trx, day: Date): Promise<void> {
  const name = sql`${dayOf(day)}::date`
  await sql`
    WITH taken AS (
      DELETE FROM report_touched WHERE device_id IS NULL AND from_at::date = ${name} RETURNING 1
    )
    INSERT INTO report_touched (device_id, from_at, to_at)
    SELECT device_id, day + 1, day + 1 FROM report_device_day
    WHERE day = ${name} AND down_since IS NOT NULL AND EXISTS (SELECT FROM taken)`.execute(trx)
}

/** Extends the record of the server's run, or begins one where it has not run for `gapS` seconds. */
export async function beat(db: Db, gapS: number): Promise<void> {
  await sql`
    WITH extended AS (
      UPDATE report_beat SET to_at = now()
      WHERE from_at = (SELECT max(from_at) FROM report_beat)
        AND to_at >= now() - ${gapS} * interval '1 second'
      RETURNING 1
    )
    INSERT INTO report_beat (from_at, to_at)
    SELECT now(), now() WHERE NOT EXISTS (SELECT FROM extended)
    ON CONFLICT (from_at) DO NOTHING`.execute(db)
}

/** Deletes what is kept of days before the moment. */
export async function deleteDays(db: Db, before: Date): Promise<void> {
  const day = dayOf(before)
  await sql`DELETE FROM report_window WHERE day < ${day}::date`.execute(db)
  await sql`DELETE FROM report_chattering WHERE day < ${day}::date`.execute(db)
  await sql`DELETE FROM report_device_day WHERE day < ${day}::date`.execute(db)
  await sql`DELETE FROM report_place_day WHERE day < ${day}::date`.execute(db)
  await sql`DELETE FROM report_device_month WHERE month < date_trunc('month', ${day}::date)`.execute(db)
  await sql`DELETE FROM report_device_alarms WHERE month < date_trunc('month', ${day}::date)`.execute(db)
  await sql`DELETE FROM report_day WHERE day < ${day}::date`.execute(db)
  await sql`DELETE FROM report_plan WHERE day < ${day}::date`.execute(db)
  await sql`DELETE FROM report_touched WHERE device_id IS NULL AND from_at < ${before}`.execute(db)
  await sql`DELETE FROM report_beat WHERE to_at < ${before}`.execute(db)
}
