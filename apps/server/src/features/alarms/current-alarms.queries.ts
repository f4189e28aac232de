// SQL of current alarms: the newest state for each device and semaphore.
import { alarmHandlings } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import {
  deviceColumns,
  deviceJoins,
  type FewRows,
  type HistoryFilter,
  type HistoryRows,
  historySources,
  meaningOf,
  type PlaceFilter,
  passes,
  passesNothing,
  type RowKey,
} from '../../domain/history/index.ts'
import type { PlacedRow } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'
import { type AlarmRecord, episodeColumns, namesOf } from './alarm-records.queries.ts'
import {
  anyHandling,
  type HandlingFilter,
  handledOtherwise,
  handlingColumns,
  handlingJoins,
  isEpisodeShownAs,
  isNarrowedByHandling,
  isPossible,
  isShownAs,
  type StatesShown,
  settledAs,
  shownEpisode,
  statesShownAs,
  unsettledEpisodes,
} from './handling/handling-shown.queries.ts'
import { repeatColumns, repeatOfEpisode, repeatOfNewest } from './repeats/repeats-shown.queries.ts'
import { isNothing, isNotQuiet, isQuiet, type Quiet } from './shelves/quiet.queries.ts'

/** Which of the states: active ones, recovered ones, or both. */
export type StateKind = '1' | '0' | 'all'

export interface StateFilter extends PlaceFilter {
  codes: readonly string[] | null
  kind: StateKind
  from: Date | null
  to: Date | null
  handled: HandlingFilter
  shelved: ShelvedFilter
  /** Those of one cause, or active ones that have none; undefined does not narrow. */
  caused?: { by: string } | 'none' | undefined
}

/** 1: what is kept quiet, 0: what is not, `all`: both. */
export interface ShelvedFilter {
  wanted: '1' | '0' | 'all'
  quiet: Quiet
}

export interface StateKey {
  deviceId: number
  semaphoreCode: string
  occurredAt: string
  /** The episode's. */
  id: string
}

export function passingStates(filter: StateFilter) {
  const parts = [passes(filter)]
  if (filter.kind === '1') parts.push(sql`is_active`)
  else parts.push(sql`episode_id IS NOT NULL`)
  if (filter.kind === '0') parts.push(sql`NOT is_active`)
  if (filter.from) parts.push(sql`occurred_at >= ${filter.from}`)
  if (filter.to) parts.push(sql`occurred_at < ${filter.to}`)
  const shelved = shelvedCondition(filter)
  if (shelved) parts.push(shelved)
  const caused = causedCondition(filter)
  if (caused) parts.push(caused)
  const { relation, condition } = shownStatesOf(filter)
  if (condition) parts.push(condition)
  return sql`FROM ${relation} WHERE ${sql.join(parts, sql` AND `)}`
}

function shownStatesOf({ kind, handled, from, to }: StateFilter): StatesShown {
  if (kind !== 'all') return statesShownAs(kind, handled, { from, to })
  if (!isNarrowedByHandling(handled)) return statesShownAs('1', handled, { from, to })
  // Apart, since what is over is looked up otherwise than what lasts.
  const ofKind = (each: '1' | '0') => {
    const { relation, condition } = statesShownAs(each, handled, { from, to })
    return sql`SELECT * FROM ${relation}
      WHERE ${each === '1' ? sql`is_active` : sql`NOT is_active`} ${condition ? sql`AND ${condition}` : sql``}`
  }
  return { relation: sql`(${ofKind('1')} UNION ALL ${ofKind('0')}) AS alarm_state`, condition: null }
}

/** Only what is active is kept quiet. */
function shelvedCondition({ kind, shelved: { wanted, quiet } }: StateFilter): RawBuilder<SqlBool> | null {
  if (wanted === 'all') return null
  if (wanted === '1') {
    if (kind === '0') return sql<SqlBool>`false`
    return kind === '1' ? isQuiet(quiet) : sql<SqlBool>`is_active AND ${isQuiet(quiet)}`
  }
  if (kind === '0' || isNothing(quiet)) return null
  return kind === '1' ? isNotQuiet(quiet) : sql<SqlBool>`(NOT is_active OR (${isNotQuiet(quiet)}))`
}

/** Only what is active stands in a line of its cause. */
function causedCondition({ kind, caused }: StateFilter): RawBuilder<SqlBool> | null {
  if (caused === undefined || (caused === 'none' && kind !== '1')) return null
  // A set that is hashed once: by NOT EXISTS the planner compared each of 24,000 handled alarms with all members.
  if (caused === 'none')
    return sql<SqlBool>`episode_id NOT IN (SELECT m.episode_id FROM alarm_cause_member m WHERE m.is_open AND m.episode_id IS NOT NULL)`
  return sql<SqlBool>`episode_id IN (
    SELECT m.episode_id FROM alarm_cause_member m WHERE m.cause_id = ${caused.by}::bigint)`
}

/** The states that pass, as sums: all of them, less those that are handled otherwise where these are the fewer. */
function summed(filter: StateFilter): { sign: 1 | -1; states: RawBuilder<unknown> }[] {
  const otherwise = filter.kind === '1' ? handledOtherwise(filter.handled) : null
  return otherwise
    ? [
        { sign: 1, states: passingStates({ ...filter, handled: anyHandling }) },
        { sign: -1, states: passingStates({ ...filter, handled: otherwise }) },
      ]
    : [{ sign: 1, states: passingStates(filter) }]
}

/** How many states pass, by this of theirs: a relation of `by` and `n`. */
const countedBy = (by: RawBuilder<unknown>, filter: StateFilter) => sql`
  SELECT by, sum(n)::int AS n FROM (${sql.join(
    summed(filter).map(
      ({ sign, states }) => sql`SELECT ${by} AS by, ${sql.lit(sign)} * count(*) AS n ${states} GROUP BY 1`,
    ),
    sql` UNION ALL `,
  )}) AS part GROUP BY by HAVING sum(n) <> 0`

export async function countStates(db: Db, filter: StateFilter): Promise<number> {
  if (passesNothing(filter)) return 0
  const { rows } = await sql<{ n: number }>`
    SELECT (${sql.join(
      summed(filter).map(({ sign, states }) => sql`${sql.lit(sign)} * (SELECT count(*) ${states})`),
      sql` + `,
    )})::int AS n`.execute(db)
  return rows[0]?.n ?? 0
}

/** How many states began on each day: `YYYY-MM-DD` → count. */
export async function countStatesByDay(db: Db, filter: StateFilter): Promise<Map<string, number>> {
  const { rows } = await sql<{ day: string; n: number }>`
    SELECT by::text AS day, n FROM (${countedBy(sql`occurred_at::date`, filter)}) AS counted`.execute(db)
  return new Map(rows.map(({ day, n }) => [day, n]))
}

export interface CodeCount {
  code: string
  /** 0 where the dictionary does not know the code. */
  level: number
  count: number
}

/** How many states of each semaphore pass. */
export async function countStatesByCode(db: Db, filter: StateFilter): Promise<CodeCount[]> {
  if (passesNothing(filter)) return []
  const { rows } = await sql<CodeCount>`
    SELECT s.by AS code, coalesce(e.alarm_level, 0) AS level, s.n AS count
    FROM (${countedBy(sql`semaphore_code`, filter)}) AS s
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = s.by
  `.execute(db)
  return rows
}

/** The active episodes that pass, of these where some are named, a device's together. At most `limit`. */
export async function listActiveKeys(
  db: Db,
  filter: StateFilter,
  { ids, except }: { ids: readonly string[] | null; except: readonly string[] },
  limit: number,
): Promise<StateKey[]> {
  if (passesNothing(filter)) return []
  const { rows } = await sql<StateKey>`
    SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode", occurred_at::text AS "occurredAt",
      episode_id AS id
    ${passingStates({ ...filter, kind: '1' })}
      ${ids ? sql`AND episode_id = ANY(${ids}::bigint[])` : sql``}
      ${except.length > 0 ? sql`AND episode_id <> ALL(${except}::bigint[])` : sql``}
    ORDER BY device_id, semaphore_code LIMIT ${limit}
  `.execute(db)
  return rows
}

/** Of these alarms, those that are active now: asked by their keys, which costs no search. */
export async function listStillActive(db: Db, keys: readonly StateKey[]): Promise<StateKey[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT s.episode_id::text AS id
    FROM unnest(
      ${keys.map(({ deviceId }) => deviceId)}::int[], ${keys.map(({ semaphoreCode }) => semaphoreCode)}::text[]
    ) AS k (device_id, semaphore_code)
    JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.semaphore_code
    WHERE s.is_active`.execute(db)
  const active = new Set(rows.map(({ id }) => id))
  return keys.filter(({ id }) => active.has(id))
}

/** Newest first, or oldest first, equal moments by id. `after` continues a list that is newest first. */
export async function listStateKeys(
  db: Db,
  filter: StateFilter,
  {
    limit,
    offset = 0,
    after,
    isOldestFirst = false,
  }: { limit: number; offset?: number; after?: RowKey | undefined; isOldestFirst?: boolean },
): Promise<StateKey[]> {
  if (passesNothing(filter)) return []
  const rest = after
    ? sql`AND (occurred_at, episode_id) < (${after.occurredAt}::timestamptz, ${after.id}::bigint)`
    : sql``
  // The index is sorted within active and within recovered states: the two are merged, not sorted.
  const kinds = filter.kind === 'all' ? (['1', '0'] as const) : [filter.kind]
  const parts = kinds.map(
    (kind) => sql`
      SELECT device_id, semaphore_code, occurred_at, episode_id ${passingStates({ ...filter, kind })} ${rest}`,
  )
  const { rows } = await sql<StateKey>`
    SELECT device_id AS "deviceId", semaphore_code AS "semaphoreCode",
      occurred_at::text AS "occurredAt", episode_id AS id
    FROM (
      SELECT * FROM (${sql.join(parts, sql` UNION ALL `)}) AS state
      ORDER BY ${isOldestFirst ? sql`occurred_at, episode_id` : sql`occurred_at DESC, episode_id DESC`}
      LIMIT ${limit} OFFSET ${offset}
    ) AS page
  `.execute(db)
  return rows
}

/** The rows of a page of keys, in their order. */
export async function readStates(db: Db, keys: readonly StateKey[]): Promise<AlarmRecord[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<AlarmRecord>`
    SELECT ${stateColumns}
    FROM unnest(
      ${keys.map(({ deviceId }) => deviceId)}::int[], ${keys.map(({ semaphoreCode }) => semaphoreCode)}::text[]
    ) WITH ORDINALITY AS k (device_id, semaphore_code, n)
    JOIN alarm_state s ON s.device_id = k.device_id AND s.semaphore_code = k.semaphore_code
    ${stateJoins}
    ORDER BY k.n
  `.execute(db)
  return rows
}

/**
 * Those of these episodes that pass the filter, newest first. The state of a semaphore is its newest episode;
 * an episode that a newer one has replaced is over, and passes where recovered alarms do.
 */
export async function readStatesById(
  db: Db,
  filter: StateFilter,
  episodeIds: readonly string[],
): Promise<AlarmRecord[]> {
  if (passesNothing(filter)) return []
  const { rows } = await sql<AlarmRecord>`
    SELECT ${stateColumns}
    FROM (SELECT * ${passingStates(filter)} AND episode_id = ANY(${episodeIds}::bigint[])) s
    ${stateJoins}
    ORDER BY s.occurred_at DESC, s.episode_id DESC
  `.execute(db)
  if (filter.kind === '1' || rows.length === episodeIds.length) return rows
  const found = new Set(rows.map(({ id }) => id))
  const replaced = await readReplacedById(
    db,
    filter,
    episodeIds.filter((id) => !found.has(id)),
  )
  return [...rows, ...replaced].sort(
    (a, b) =>
      b.occurrenceTime.getTime() - a.occurrenceTime.getTime() || (BigInt(b.id) > BigInt(a.id) ? 1 : -1),
  )
}

/** Of these episodes, those that are no semaphore's newest and pass the filter. */
async function readReplacedById(
  db: Db,
  { from, to, handled, shelved, caused, ...filter }: StateFilter,
  ids: readonly string[],
): Promise<AlarmRecord[]> {
  if (shelved.wanted === '1') return []
  const parts = [passes(filter), sql`id = ANY(${ids}::bigint[])`]
  if (from) parts.push(sql`occurred_at >= ${from}`)
  if (to) parts.push(sql`occurred_at < ${to}`)
  if (typeof caused === 'object')
    parts.push(
      sql`id IN (SELECT m.episode_id FROM alarm_cause_member m WHERE m.cause_id = ${caused.by}::bigint)`,
    )
  const { rows } = await sql<AlarmRecord>`
    SELECT ${episodeColumns}
    FROM (
      SELECT * FROM alarm_history h WHERE ${sql.join(parts, sql` AND `)}
        AND NOT EXISTS (SELECT FROM alarm_state s WHERE s.episode_id = h.id)
    ) h
    ${deviceJoins(sql`h.device_id`)} ${namesOf('h')} ${handlingJoins(sql`h.id`)} ${repeatOfEpisode}
    WHERE ${isShownAs(shownEpisode, handled)}
  `.execute(db)
  return rows
}

/** Where the devices of these episodes stand. */
export async function readPlacesOfEpisodes(db: Db, ids: readonly string[]): Promise<PlacedRow[]> {
  const read = async (relation: RawBuilder<unknown>, some: readonly string[]) => {
    const { rows } = await sql<PlacedRow>`
      SELECT e.id::text AS id, e.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
        e.region_id AS "regionId"
      FROM ${relation} e JOIN equip_model m ON m.id = e.model_id
      WHERE e.id = ANY(${some}::bigint[])
    `.execute(db)
    return rows
  }
  const current = await read(
    sql`(SELECT episode_id AS id, operator_id, model_id, region_id FROM alarm_state)`,
    ids,
  )
  const found = new Set(current.map(({ id }) => id))
  const replaced = ids.filter((id) => !found.has(id))
  return replaced.length > 0 ? [...current, ...(await read(sql`alarm_history`, replaced))] : current
}

/** Which episodes of the history by what people have done about them, and by whether they are kept quiet. */
export interface People {
  handled: HandlingFilter
  shelved: ShelvedFilter
}

/**
 * How a list of the history is read; of recovered ones alone, or of both. What is over and nobody has touched goes by the
 * counters of the history, and what is settled by its own; active alarms and what is not settled yet are few.
 */
export function historyRows(
  filter: HistoryFilter,
  { handled, shelved }: People,
  isOfRecovered: boolean,
): HistoryRows {
  const { quiet } = shelved
  const active =
    (wanted: HandlingFilter, which: ShelvedFilter['wanted']): FewRows =>
    (range) =>
      sql`SELECT occurred_at, episode_id AS id ${passingStates({
        ...filter,
        kind: '1',
        from: range.from,
        to: range.to,
        handled: wanted,
        shelved: { wanted: which, quiet },
      })}`
  const unsettled =
    (wanted: HandlingFilter): FewRows =>
    (range) =>
      unsettledEpisodes({ ...filter, range }, wanted)
  const leavesQuiet = shelved.wanted === '0' && !isOfRecovered && !isNothing(quiet)
  const shelvedOnes = active(anyHandling, '1')
  const isOver = sql<SqlBool>`NOT EXISTS (
    SELECT FROM alarm_state s WHERE s.is_active AND s.occurred_at = h.occurred_at AND s.episode_id = h.id OFFSET 0)`
  const isLoud = sql<SqlBool>`NOT EXISTS (
    SELECT FROM alarm_state
    WHERE is_active AND occurred_at = h.occurred_at AND episode_id = h.id AND ${isQuiet(quiet)} OFFSET 0)`
  const { handling, assigneeId } = handled
  if (!isNarrowedByHandling(handled)) {
    if (leavesQuiet)
      return { sources: [historySources.alarm], filter, exclusion: shelvedOnes, isListed: isLoud }
    return isOfRecovered
      ? {
          sources: [historySources.alarm],
          filter,
          exclusion: active(anyHandling, 'all'),
          isListed: isOver,
        }
      : { sources: [historySources.alarm], filter }
  }
  if (assigneeId === null && handling?.includes('recoveredUnacknowledged')) {
    const others = alarmHandlings.filter((each) => !handling.includes(each))
    const otherwise: HandlingFilter = { handling: others, assigneeId: null }
    const lasting = active(isOfRecovered ? anyHandling : otherwise, 'all')
    const over = unsettled(otherwise)
    return {
      sources: [historySources.alarm],
      less: settledAs(others),
      filter,
      exclusion: (range) => sql`
        ${lasting(range)} ${leavesQuiet ? sql`UNION ${shelvedOnes(range)}` : sql``} UNION ALL ${over(range)}`,
      isListed: sql<SqlBool>`${isEpisodeShownAs(handling)}
        ${isOfRecovered ? sql`AND ${isOver}` : sql``} ${leavesQuiet ? sql`AND ${isLoud}` : sql``}`,
    }
  }
  const lasts = !isOfRecovered && isPossible('1', handled)
  const lasting = active(handled, shelved.wanted)
  const over = unsettled(handled)
  const otherwise = lasts ? handledOtherwise(handled) : null
  const ended = isPossible('0', handled) ? [over] : []
  return {
    sources: settledAs(handling),
    only: assigneeId === null ? undefined : sql<SqlBool>`assignee_id = ${assigneeId}`,
    filter,
    additions: lasts ? [lasting, ...ended] : ended,
    counted: otherwise
      ? {
          additions: [active(anyHandling, shelved.wanted), ...ended],
          exclusion: active(otherwise, shelved.wanted),
        }
      : undefined,
  }
}

const stateColumns = sql`
  s.episode_id AS id, ${deviceColumns},
  s.semaphore_code AS "semaphoreCode", coalesce(e.name, s.semaphore_code) AS "semaphoreName",
  e.alarm_level AS "alarmLevel", s.value, s.value AS "firstValue", s.is_active AS "isActive",
  ${meaningOf(sql`last.value`)} AS meaning,
  s.occurred_at AS "occurrenceTime", s.recovered_at AS "recoveryTime",
  s.recovery_method AS "recoveryMethod", u.user_name AS "recoveredBy", s.note,
  ${handlingColumns({ isActive: sql`s.is_active`, value: sql`last.value`, recoveredAt: sql`s.recovered_at` })},
  ${repeatColumns}`

// A recovery sets a state to zero; its episode still knows what was wrong. OFFSET 0: looked up once a row.
const stateJoins = sql`
  ${deviceJoins(sql`s.device_id`)} ${namesOf('s')} ${handlingJoins(sql`s.episode_id`)} ${repeatOfNewest(sql`s.episode_id`)}
  CROSS JOIN LATERAL (
    SELECT CASE WHEN s.is_active THEN s.value ELSE (
      SELECT h.value FROM alarm_history h WHERE h.occurred_at = s.occurred_at AND h.id = s.episode_id
    ) END AS value OFFSET 0
  ) AS last`
