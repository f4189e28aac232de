// SQL of the handling that lists show and filter by: the people's half beside the device's half, both as of now.
import type { AlarmHandling } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  type HistoryFilter,
  type PlaceFilter,
  passes,
  settledSources,
  within,
} from '../../../domain/history/index.ts'
import { unknownLevel } from './handling.states.ts'

/** The device's half of an alarm, as columns. */
interface DeviceColumns {
  isActive: RawBuilder<unknown>
  /** The last value other than zero. Read only where somebody has acknowledged the alarm. */
  value: RawBuilder<unknown>
  recoveredAt: RawBuilder<unknown>
}

/**
 * `handlingOf` (handling.states.ts) in SQL: the people's half is the row `p`, all null where there is none, and `e` the
 * alarm's entry of the dictionary. A test compares the two.
 */
export const shownHandling = ({ isActive, value, recoveredAt }: DeviceColumns) => sql<AlarmHandling>`(
  CASE
    WHEN p.settled IS NOT NULL THEN p.settled
    WHEN p.acked_at IS NULL
      OR coalesce(e.alarm_level, ${sql.lit(unknownLevel)}) < coalesce(p.seen_level, ${sql.lit(unknownLevel)})
      OR CASE WHEN e.analysis_type = 'VALUE' THEN ${value} <> p.seen_value ELSE ${value} & ~p.seen_value <> 0 END
      OR EXISTS (SELECT FROM alarm_shelf_cover c WHERE c.episode_id = p.episode_id AND c.until > p.acked_at
        AND c.until <= coalesce(${recoveredAt}, now()))
      OR ((p.assignee_id IS NULL OR p.closed_at IS NOT NULL) AND coalesce(${recoveredAt}, now()) >= p.lasts_until)
    THEN CASE WHEN ${isActive} THEN 'unacknowledged' ELSE 'recoveredUnacknowledged' END
    WHEN p.closed_at IS NOT NULL THEN 'closed'
    WHEN p.assignee_id IS NOT NULL THEN 'inProgress'
    WHEN ${isActive} THEN 'acknowledged'
    ELSE 'closed'
  END)`

/** Joins the handling `p` of an episode, and the user `w` who has it. */
export const handlingJoins = (episodeId: RawBuilder<unknown>) => sql`
  LEFT JOIN alarm_handling p ON p.episode_id = ${episodeId}
  LEFT JOIN app_user w ON w.id = p.assignee_id`

/** What a row shows of its handling. */
export const handlingColumns = (device: DeviceColumns) => sql`
  ${shownHandling(device)} AS handling, coalesce(p.version, 0) AS "handlingVersion",
  p.acked_at AS "ackTime", p.acked_by_name AS "ackUserName",
  p.assignee_id AS "assigneeId", w.user_name AS "assigneeName", p.cause_name AS "causeName"`

/** Which alarms by their handling; null does not narrow. */
export interface HandlingFilter {
  handling: readonly AlarmHandling[] | null
  assigneeId: number | null
}

export const anyHandling: HandlingFilter = { handling: null, assigneeId: null }

export const isNarrowedByHandling = ({ handling, assigneeId }: HandlingFilter) =>
  handling !== null || assigneeId !== null

/** The condition on what is shown, and on the row `p`. */
export const isShownAs = (shown: RawBuilder<unknown>, { handling, assigneeId }: HandlingFilter) => {
  const parts = [sql`true`]
  if (handling) parts.push(sql`${shown} = ANY(${handling}::text[])`)
  if (assigneeId !== null) parts.push(sql`p.assignee_id = ${assigneeId}`)
  return sql<SqlBool>`${sql.join(parts, sql` AND `)}`
}

const ofState: DeviceColumns = {
  isActive: sql`s.is_active`,
  value: sql`CASE WHEN s.is_active THEN s.value ELSE (
    SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id
  ) END`,
  recoveredAt: sql`s.recovered_at`,
}

/** What can be shown of an alarm that lasts, and of one that is over; each of an untouched one first. */
const shownStates = {
  '1': ['unacknowledged', 'acknowledged', 'inProgress', 'closed'],
  '0': ['recoveredUnacknowledged', 'inProgress', 'closed'],
} as const satisfies Record<string, readonly AlarmHandling[]>

/** Edges of when alarms began, as far as a list has them. */
interface Began {
  from: Date | null
  to: Date | null
}

const began = ({ from, to }: Began) => sql`
  ${from ? sql`AND occurred_at >= ${from}` : sql``} ${to ? sql`AND occurred_at < ${to}` : sql``}`

/** The touched episodes among the states of this kind that are not settled and pass. Few, and read without the others. */
const unsettledStates = (kind: '1' | '0', filter: HandlingFilter, edges: Began) => sql`
  SELECT p.episode_id FROM (SELECT * FROM alarm_handling WHERE settled IS NULL ${began(edges)} OFFSET 0) p
  JOIN alarm_state s ON s.episode_id = p.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
  WHERE ${kind === '1' ? sql`s.is_active` : sql`NOT s.is_active`}
    AND ${isShownAs(shownHandling(ofState), filter)}`

/**
 * The condition on `alarm_state`, whose rows are of this kind. Touched alarms are looked up, or those of them that do not
 * pass are left out, and an untouched alarm is never joined with anything. Of touched ones that are over most are settled,
 * and read from an index.
 */
export function statePasses(
  kind: '1' | '0',
  { handling, assigneeId }: HandlingFilter,
  edges: Began,
): RawBuilder<SqlBool> {
  const possible: readonly AlarmHandling[] = shownStates[kind]
  const asked = possible.filter((each) => handling === null || handling.includes(each))
  if (asked.length === 0) return sql<SqlBool>`false`
  if (assigneeId === null && asked.length === possible.length) return sql<SqlBool>`true`
  if (assigneeId === null && asked.some((each) => each === possible[0])) {
    const others = possible.filter((each) => !asked.includes(each))
    const unsettled = sql<SqlBool>`NOT EXISTS (
      SELECT FROM (${unsettledStates(kind, { handling: others, assigneeId: null }, edges)}) AS other
      WHERE other.episode_id = alarm_state.episode_id)`
    if (kind === '1') return unsettled
    return sql<SqlBool>`${unsettled} AND NOT EXISTS (
      SELECT FROM alarm_settled x
      WHERE x.state = ANY(${others}::text[]) AND x.occurred_at = alarm_state.occurred_at
        AND x.id = alarm_state.episode_id)`
  }
  const unsettled = unsettledStates(kind, { handling: asked, assigneeId }, edges)
  if (kind === '1') return sql<SqlBool>`episode_id IN (${unsettled})`
  return sql<SqlBool>`episode_id IN (
    ${unsettled}
    UNION ALL SELECT x.id FROM alarm_settled x
    WHERE x.state = ANY(${asked}::text[]) ${assigneeId === null ? sql`` : sql`AND x.assignee_id = ${assigneeId}`}
      ${began(edges)})`
}

/** What is shown of an episode `h` of the history. */
export const shownEpisode = shownHandling({
  isActive: sql`(h.recovered_at IS NULL)`,
  value: sql`h.value`,
  recoveredAt: sql`h.recovered_at`,
})

/**
 * The touched episodes of the history that are over and pass, and are not settled: `occurred_at`, `id`. Few, so each is
 * looked up (OFFSET 0), and what lasts, which is most of what is not settled, is not.
 */
export const unsettledEpisodes = (
  { range, ...filter }: PlaceFilter & Pick<HistoryFilter, 'codes' | 'range'>,
  handling: HandlingFilter,
) => sql`
  SELECT p.occurred_at, p.episode_id AS id
  FROM (
    SELECT * FROM alarm_handling t
    WHERE t.settled IS NULL AND ${within(range)}
      ${filter.deviceIds ? sql`AND t.device_id = ANY(${filter.deviceIds}::int[])` : sql``}
      ${handling.assigneeId === null ? sql`` : sql`AND t.assignee_id = ${handling.assigneeId}`}
      AND NOT EXISTS (
        SELECT FROM alarm_state s
        WHERE s.is_active AND s.occurred_at = t.occurred_at AND s.episode_id = t.episode_id)
    OFFSET 0
  ) p
  CROSS JOIN LATERAL (
    SELECT semaphore_code, value, recovered_at FROM alarm_history
    WHERE occurred_at = p.occurred_at AND id = p.episode_id AND recovered_at IS NOT NULL AND ${passes(filter)}
    OFFSET 0
  ) h
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
  WHERE ${isShownAs(shownEpisode, handling)}`

/** The sources of the history whose episodes are settled in one of these states; null: in any. */
export const settledAs = (handling: readonly AlarmHandling[] | null) =>
  settledSources.filter(({ state }) => handling === null || handling.includes(state))
