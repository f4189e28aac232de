// SQL that adds up the alarms of days: by ten minutes, by device, and those that chattered. All within one snapshot.
import { type RawBuilder, sql } from 'kysely'
import type { Trx } from '../../../platform/database/database.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { markKept } from '../days/days.queries.ts'
import { ofDay, placeOf, running, together } from '../days/running-sums.ts'
import { chatteringIn, chatteringOf } from './chattering.queries.ts'
import { cellKey, packedWindows, windowCells } from './window-cells.ts'

const keptDays = (zone: string) =>
  sql`SELECT k.day FROM report_day k WHERE k.part = 'alarms' AND k.zone = ${zone}`

/**
 * Adds what has changed since to the sums of its days. What changed on a day that is not added up is forgotten: the day is
 * read from the history.
 */
export async function foldAlarmDeltas(trx: Trx, zone: string): Promise<void> {
  const { rows } = await sql`SELECT FROM report_alarm_delta LIMIT 1`.execute(trx)
  if (rows.length === 0) return
  const ofKept = sql`
    SELECT * FROM (${alarmDeltas}) AS d WHERE day IN (${keptDays(zone)})`
  await sql`
    WITH changed AS MATERIALIZED (
      SELECT day, operator_id, model_id, region_id, semaphore_code, at, sum(n) AS n FROM (${ofKept}) AS d
      GROUP BY day, operator_id, model_id, region_id, semaphore_code, at HAVING sum(n) <> 0
    ), cell AS MATERIALIZED (${windowCells(sql`changed`)}
    ), merged AS (
      SELECT ${cellKey}, at, sum(n)::int AS n FROM (
        SELECT ${cellKey}, at, n FROM cell
        UNION ALL
        SELECT w.kind, w.day, w.operator_id, w.model_id, w.region_id, w.semaphore_code,
          get_byte(w.windows, 2 * place), get_byte(w.windows, 2 * place + 1)
        FROM (SELECT DISTINCT ${cellKey} FROM cell) AS k JOIN report_window w USING (${cellKey})
        CROSS JOIN LATERAL generate_series(0, length(w.windows) / 2 - 1) AS place
      ) AS part GROUP BY ${cellKey}, at
    )
    INSERT INTO report_window (${cellKey}, windows)
    SELECT ${cellKey}, ${packedWindows} FROM merged GROUP BY ${cellKey}
    ON CONFLICT (${cellKey}) DO UPDATE SET windows = excluded.windows`.execute(trx)
  await addDeviceAlarms(
    trx,
    sql`
      SELECT date_trunc('month', day)::date AS month, device_id, extract(day FROM day) AS number, sum(n) AS n
      FROM (${ofKept}) AS d GROUP BY device_id, day`,
  )
  const pairs = sql`SELECT * FROM (${changedPairs}) AS p WHERE p.day IN (${keptDays(zone)})`
  await sql`
    DELETE FROM report_chattering c USING (${pairs}) AS p
    WHERE c.day = p.day AND c.device_id = p.device_id AND c.semaphore_code = p.semaphore_code`.execute(trx)
  await sql`
    INSERT INTO report_chattering (day, device_id, semaphore_code, operator_id, model_id, region_id, n)
    ${chatteringOf(pairs)}`.execute(trx)
  await sql`DELETE FROM report_alarm_delta`.execute(trx)
}

/** Adds a day up whose changes so far are folded. */
export async function sumAlarmDay(trx: Trx, day: Date, zone: string): Promise<void> {
  const range = { from: day, to: startOfDay(day, 1) }
  const name = sql`${dayOf(day)}::date`
  await sql`DELETE FROM report_window WHERE day = ${name}`.execute(trx)
  await sql`DELETE FROM report_chattering WHERE day = ${name}`.execute(trx)
  await sql`
    WITH counted AS MATERIALIZED (
      SELECT ${name} AS day, operator_id, model_id, region_id, semaphore_code,
        (extract(epoch FROM date_bin('10 minutes', occurred_at, ${range.from}::timestamptz) - ${range.from}::timestamptz)
          / 600)::int AS at,
        count(*) AS n
      FROM alarm_history WHERE occurred_at >= ${range.from} AND occurred_at < ${range.to}
      GROUP BY operator_id, model_id, region_id, semaphore_code, 6
    )
    INSERT INTO report_window (${cellKey}, windows)
    SELECT ${cellKey}, ${packedWindows} FROM (${windowCells(sql`counted`)}) AS cell
    GROUP BY ${cellKey} ORDER BY ${cellKey}`.execute(trx)
  const { month, number } = placeOf(dayOf(day))
  await addDeviceAlarms(
    trx,
    sql`
      SELECT ${month}::date AS month, device_id, ${number}::int AS number, sum(n) AS n FROM (
        SELECT device_id, count(*) AS n FROM alarm_history
        WHERE occurred_at >= ${range.from} AND occurred_at < ${range.to} GROUP BY device_id
        UNION ALL
        SELECT device_id, -${ofDay('running', number)} FROM report_device_alarms WHERE month = ${month}::date
      ) AS part GROUP BY device_id HAVING sum(n) <> 0`,
  )
  await sql`
    INSERT INTO report_chattering (day, device_id, semaphore_code, operator_id, model_id, region_id, n)
    ${chatteringIn(range, null)}`.execute(trx)
  await markKept(trx, 'alarms', day, zone)
}

/** Adds numbers of alarms (`month`, `device_id`, the day's `number`, `n`) to those of devices. */
async function addDeviceAlarms(trx: Trx, numbers: RawBuilder<unknown>): Promise<void> {
  await sql`
    INSERT INTO report_device_alarms AS a (month, device_id, running)
    SELECT month, device_id, ${running('n')} FROM (${numbers}) AS d GROUP BY month, device_id ORDER BY month, device_id
    ON CONFLICT (month, device_id) DO UPDATE SET running = ${together('a.running', 'excluded.running')}`.execute(
    trx,
  )
}

/** What has changed since the days were added up, by ten minutes. */
export const alarmDeltas = sql`
  SELECT occurred_at::date AS day, device_id, operator_id, model_id, region_id, semaphore_code,
    floor(extract(epoch FROM occurred_at - date_trunc('day', occurred_at)) / 600)::int AS at, sign AS n
  FROM report_alarm_delta`

/** Of which devices and codes an alarm of a day may chatter otherwise: the third within a minute may be of the next day. */
export const changedPairs = sql`
  SELECT occurred_at::date AS day, device_id, semaphore_code FROM report_alarm_delta
  UNION SELECT (occurred_at + interval '1 minute')::date, device_id, semaphore_code FROM report_alarm_delta`
