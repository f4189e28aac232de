// SQL of alarms that chatter: an alarm that is its device's and code's third within a minute, or a later one.
import { type RawBuilder, sql } from 'kysely'
import { type PlaceFilter, passes } from '../../../domain/history/index.ts'
import type { TimeRange } from '../../../platform/process/clock.ts'

const thirdOfIt = sql`lag(occurred_at, 2) OVER (PARTITION BY device_id, semaphore_code ORDER BY occurred_at, id) AS third`
const isThird = sql`third >= occurred_at - interval '1 minute'`
const placed = sql`max(operator_id) AS operator_id, max(model_id) AS model_id, max(region_id) AS region_id, count(*)::int AS n`

/** Of the history within a range, by day and place, as the table `report_chattering` keeps them. */
export const chatteringIn = ({ from, to }: TimeRange, places: PlaceFilter | null) => sql`
  SELECT occurred_at::date AS day, device_id, semaphore_code, ${placed}
  FROM (
    SELECT occurred_at, device_id, semaphore_code, operator_id, model_id, region_id, ${thirdOfIt}
    FROM alarm_history
    WHERE occurred_at >= ${from}::timestamptz - interval '1 minute' AND occurred_at < ${to}
      AND ${places ? passes({ ...places, codes: null }) : sql`true`}
  ) AS h
  WHERE occurred_at >= ${from} AND ${isThird}
  GROUP BY occurred_at::date, device_id, semaphore_code`

/** The same of pairs of device and code on their days. */
export const chatteringOf = (pairs: RawBuilder<unknown>) => sql`
  SELECT p.day, p.device_id, p.semaphore_code, own.operator_id, own.model_id, own.region_id, own.n
  FROM (${pairs}) AS p CROSS JOIN LATERAL (
    SELECT ${placed} FROM (
      SELECT occurred_at, operator_id, model_id, region_id, ${thirdOfIt}
      FROM alarm_history
      WHERE device_id = p.device_id AND semaphore_code = p.semaphore_code
        AND occurred_at >= p.day::timestamptz - interval '1 minute' AND occurred_at < (p.day + 1)::timestamptz
    ) AS h
    WHERE occurred_at >= p.day::timestamptz AND ${isThird}
  ) AS own WHERE own.n > 0`
