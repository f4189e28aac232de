// SQL of the handling that lists show and filter by: the people's half beside the device's half, both as of now.
import type { AlarmHandling } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type HistoryFilter, type PlaceFilter, passes, within } from '../../../domain/history/index.ts'
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

/** The touched episodes among the states of this kind that the condition on `p` and what is shown holds for. */
const touchedStates = (kind: '1' | '0', condition: RawBuilder<unknown>) => sql`
  SELECT p.episode_id FROM alarm_handling p
  JOIN alarm_state s ON s.episode_id = p.episode_id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.semaphore_code
  WHERE ${kind === '1' ? sql`s.is_active` : sql`NOT s.is_active`} AND ${condition}`

/**
 * The condition on `alarm_state`, whose rows are of this kind. Few alarms are touched: they are looked up, or those of
 * them that do not pass are left out, and an untouched alarm is never joined with anything.
 */
export function statePasses(kind: '1' | '0', filter: HandlingFilter): RawBuilder<SqlBool> {
  const shown = shownHandling(ofState)
  const untouched: AlarmHandling = kind === '1' ? 'unacknowledged' : 'recoveredUnacknowledged'
  if (filter.assigneeId === null && filter.handling?.includes(untouched)) {
    return sql<SqlBool>`NOT EXISTS (
      SELECT FROM (${touchedStates(kind, sql`${shown} <> ALL(${filter.handling}::text[])`)}) AS other
      WHERE other.episode_id = alarm_state.episode_id)`
  }
  return sql<SqlBool>`episode_id IN (${touchedStates(kind, isShownAs(shown, filter))})`
}

/** What is shown of an episode `h` of the history. */
export const shownEpisode = shownHandling({
  isActive: sql`(h.recovered_at IS NULL)`,
  value: sql`h.value`,
  recoveredAt: sql`h.recovered_at`,
})

/** The touched episodes of the history that are over and pass: `occurred_at`, `id`. */
export const touchedEpisodes = (
  filter: PlaceFilter & Pick<HistoryFilter, 'codes' | 'range'>,
  handling: HandlingFilter,
) => sql`
  SELECT h.occurred_at, h.id
  FROM (SELECT * FROM alarm_history WHERE ${passes(filter)} AND ${within(filter.range)}) h
  JOIN alarm_handling p ON p.occurred_at = h.occurred_at AND p.episode_id = h.id
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
  WHERE h.recovered_at IS NOT NULL
    AND p.occurred_at >= ${filter.range.from} AND p.occurred_at < ${filter.range.to}
    AND ${isShownAs(shownEpisode, handling)}`
