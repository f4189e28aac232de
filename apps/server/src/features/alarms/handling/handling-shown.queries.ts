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

/** What is shown of a state `s` that is active. */
export const shownActive = shownHandling({
  isActive: sql`true`,
  value: sql`s.value`,
  recoveredAt: sql`NULL::timestamptz`,
})

/** What is shown of a state `s` that is over. Its recovery has set its value to zero: its episode still has the last one. */
export const shownRecovered = shownHandling({
  isActive: sql`false`,
  value: sql`(SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id)`,
  recoveredAt: sql`s.recovered_at`,
})

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

const began = (at: string, { from, to }: Began) => sql`
  ${from ? sql`AND ${sql.ref(at)} >= ${from}` : sql``} ${to ? sql`AND ${sql.ref(at)} < ${to}` : sql``}`

/** Joins the entry `e` of the dictionary of an alarm's code. */
export const entryOf = (code: string) => sql`
  LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = ${sql.ref(code)}`

/** States, and a condition on them; null: none. */
export interface StatesShown {
  relation: RawBuilder<unknown>
  condition: RawBuilder<SqlBool> | null
}

const allStates = sql`alarm_state`
const noState: StatesShown = { relation: allStates, condition: sql<SqlBool>`false` }

/** Which of the states of a kind are asked for. */
interface Asked {
  asked: readonly AlarmHandling[]
  /** What is left out where untouched alarms are asked for, of anybody; null where they are not. */
  others: readonly AlarmHandling[] | null
  assigneeId: number | null
}

function askedOf(kind: '1' | '0', { handling, assigneeId }: HandlingFilter): Asked {
  const possible: readonly AlarmHandling[] = shownStates[kind]
  const asked = possible.filter((each) => handling === null || handling.includes(each))
  const hasUntouched = assigneeId === null && asked[0] === possible[0]
  return { asked, others: hasUntouched ? possible.filter((each) => !asked.includes(each)) : null, assigneeId }
}

/**
 * Where active alarms are asked for that nobody has acknowledged, and not all: the others. They are fewer, and each is
 * touched, so they are counted and subtracted. Null where nothing is gained by it.
 */
export function handledOtherwise(handled: HandlingFilter): HandlingFilter | null {
  const { others } = askedOf('1', handled)
  return others && others.length > 0 ? { handling: others, assigneeId: null } : null
}

/** Whether an alarm that lasts, or one that is over, can be shown so. */
export const isPossible = (kind: '1' | '0', handled: HandlingFilter) =>
  askedOf(kind, handled).asked.length > 0

/**
 * The states of this kind, as `alarm_state`, that are shown so. Touched ones are read from what people did, and an untouched
 * one is joined with nothing. A row whose handling has to be looked up is looked up alone (OFFSET 0), since a list
 * reads a page: the planner took the rows to leave out for a few, and compared each row with all 60,000 of them.
 */
export function statesShownAs(kind: '1' | '0', handled: HandlingFilter, edges: Began): StatesShown {
  const wanted = askedOf(kind, handled)
  if (wanted.asked.length === 0) return noState
  if (wanted.others?.length === 0) return { relation: allStates, condition: null }
  return kind === '1' ? activeShownAs(wanted, edges) : recoveredShownAs(wanted, edges)
}

function activeShownAs({ asked, others, assigneeId }: Asked, edges: Began): StatesShown {
  if (others) {
    const isOther = isShownAs(shownActive, { handling: others, assigneeId: null })
    const condition = sql<SqlBool>`NOT EXISTS (
      SELECT FROM (SELECT alarm_state.episode_id, alarm_state.semaphore_code, alarm_state.value) s
      JOIN alarm_handling p ON p.episode_id = s.episode_id ${entryOf('s.semaphore_code')}
      WHERE ${isOther} OFFSET 0)`
    return { relation: allStates, condition }
  }
  // Moment and id are those of the handling, by whose index a page is read in order. Joined by the moment as well, of
  // 60,000 rows the planner expected one.
  const relation = sql`(
    SELECT s.device_id, s.semaphore_code, p.episode_id, s.is_active, s.value, p.occurred_at, s.reported_at, s.recovered_at,
      s.recovery_method, s.recovered_by, s.note, s.operator_id, s.model_id, s.region_id
    FROM alarm_handling p
    JOIN alarm_state s ON s.is_active AND s.episode_id = p.episode_id ${entryOf('s.semaphore_code')}
    WHERE p.settled IS NULL ${began('p.occurred_at', edges)} AND ${isShownAs(shownActive, { handling: asked, assigneeId })}
  ) AS alarm_state`
  return { relation, condition: null }
}

/** Of touched ones that are over most are settled, and read from an index. */
function recoveredShownAs({ asked, others, assigneeId }: Asked, edges: Began): StatesShown {
  const unsettled = (handling: readonly AlarmHandling[]) => sql`
    SELECT p.episode_id FROM (
      SELECT * FROM alarm_handling WHERE settled IS NULL ${began('occurred_at', edges)} OFFSET 0
    ) p
    JOIN alarm_state s ON s.episode_id = p.episode_id ${entryOf('s.semaphore_code')}
    WHERE NOT s.is_active AND ${isShownAs(shownRecovered, { handling, assigneeId })}`
  if (others) {
    const condition = sql<SqlBool>`NOT EXISTS (
      SELECT FROM (${unsettled(others)}) AS other WHERE other.episode_id = alarm_state.episode_id)
      AND NOT EXISTS (
        SELECT FROM alarm_settled x
        WHERE x.state = ANY(${others}::text[]) AND x.occurred_at = alarm_state.occurred_at
          AND x.id = alarm_state.episode_id)`
    return { relation: allStates, condition }
  }
  const condition = sql<SqlBool>`episode_id IN (
    ${unsettled(asked)}
    UNION ALL SELECT x.id FROM alarm_settled x
    WHERE x.state = ANY(${asked}::text[]) ${assigneeId === null ? sql`` : sql`AND x.assignee_id = ${assigneeId}`}
      ${began('occurred_at', edges)})`
  return { relation: allStates, condition }
}

/** What is shown of an episode `h` of the history. */
export const shownEpisode = shownHandling({
  isActive: sql`(h.recovered_at IS NULL)`,
  value: sql`h.value`,
  recoveredAt: sql`h.recovered_at`,
})

/** The condition on an episode `h` of the history, whose handling is looked up alone. */
export const isEpisodeShownAs = (handling: readonly AlarmHandling[]) => sql<SqlBool>`EXISTS (
  SELECT FROM (SELECT) AS one LEFT JOIN alarm_handling p ON p.episode_id = h.id ${entryOf('h.semaphore_code')}
  WHERE ${isShownAs(shownEpisode, { handling, assigneeId: null })} OFFSET 0)`

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
  ${entryOf('h.semaphore_code')}
  WHERE ${isShownAs(shownEpisode, handling)}`

/** The sources of the history whose episodes are settled in one of these states; null: in any. */
export const settledAs = (handling: readonly AlarmHandling[] | null) =>
  settledSources.filter(({ state }) => handling === null || handling.includes(state))
