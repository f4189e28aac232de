// SQL that adds up the alarms of a day: by ten minutes, and those that chattered.
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { dayOf, startOfDay } from '../../../platform/process/clock.ts'
import { markKept } from '../days/days.queries.ts'
import { chatteringIn, touchedDays } from './quality.queries.ts'

/** Forgets the sums of days that were touched since; reports read them from the history until they are added up again. */
export async function forgetTouchedAlarms(db: Db): Promise<void> {
  await sql`
    WITH day AS MATERIALIZED (SELECT DISTINCT t.day FROM (${touchedDays}) AS t),
    taken AS (DELETE FROM report_touched WHERE alarm_at IS NOT NULL RETURNING *),
    -- What a touch means to the devices' days is another's work.
    kept AS (
      INSERT INTO report_touched SELECT device_id, NULL, from_at, to_at FROM taken WHERE from_at IS NOT NULL
    )
    DELETE FROM report_day WHERE part = 'alarms' AND day IN (SELECT d.day FROM day d)`.execute(db)
}

/** Adds a day up. A row that is written meanwhile touches the day. */
export async function sumAlarmDay(trx: Trx, day: Date, zone: string): Promise<void> {
  const range = { from: day, to: startOfDay(day, 1) }
  const name = sql`${dayOf(day)}::date`
  // No region moves until the day stands under the regions that it was added up by.
  await sql`LOCK TABLE region IN SHARE MODE`.execute(trx)
  await sql`DELETE FROM report_window WHERE day = ${name}`.execute(trx)
  await sql`DELETE FROM report_chattering WHERE day = ${name}`.execute(trx)
  await sql`
    WITH counted AS MATERIALIZED (
      SELECT operator_id, model_id, region_id, semaphore_code,
        (extract(epoch FROM date_bin('10 minutes', occurred_at, ${range.from}::timestamptz) - ${range.from}::timestamptz)
          / 600)::smallint AS at,
        count(*) AS n
      FROM alarm_history WHERE occurred_at >= ${range.from} AND occurred_at < ${range.to}
      GROUP BY operator_id, model_id, region_id, semaphore_code, 5
    )
    INSERT INTO report_window (day, kind, key, at, n)
    SELECT ${name}, kind, key, array_agg(at ORDER BY at), array_agg(n::int ORDER BY at) FROM (
      SELECT 'operator' AS kind, operator_id::text AS key, at, sum(n) AS n FROM counted GROUP BY operator_id, at
      UNION ALL SELECT 'model', model_id::text, at, sum(n) FROM counted GROUP BY model_id, at
      UNION ALL SELECT 'code', semaphore_code, at, sum(n) FROM counted GROUP BY semaphore_code, at
      UNION ALL SELECT 'region', node, at, sum(n)
      FROM (SELECT region_id, at, sum(n) AS n FROM counted GROUP BY region_id, at) AS c
      JOIN region r ON r.id = c.region_id CROSS JOIN LATERAL unnest(string_to_array(btrim(r.path, '/'), '/')) AS node
      GROUP BY node, at
    ) AS cell GROUP BY kind, key`.execute(trx)
  await sql`
    INSERT INTO report_chattering (day, device_id, semaphore_code, operator_id, model_id, region_id, n)
    ${chatteringIn(range, null)}`.execute(trx)
  await markKept(trx, 'alarms', day, zone)
}
