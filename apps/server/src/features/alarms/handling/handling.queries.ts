// SQL of what people do about alarms: the people's half is locked, the device's half only read.
import type { HandlingKind } from '@voltkeep/contract'
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import { functionCodesOf, isSystemUser } from '../../../domain/access/granted.ts'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { deletingOld } from '../../../platform/database/jobs/retention.ts'
import { likeLiteral } from '../../../platform/database/like.ts'
import { countRows } from '../../../platform/database/paging.ts'
import { passingStates, type StateFilter } from '../current-alarms.queries.ts'
import type { Acknowledgement, DeviceHalf, PeopleHalf, SettledHandling } from './handling.states.ts'

/** Where an episode's rows are. */
export interface EpisodePlace {
  id: string
  /** As the database writes it, to the microsecond. */
  occurredAt: string
  deviceId: number
  /** Whether the second scope has the device too. */
  isSeen: boolean
}

/**
 * Those of these episodes that are in scope. Their devices are locked against deletion, which ingest does too: neither
 * waits for the other.
 */
export async function placesOf(
  trx: Trx,
  { scope, also }: { scope: DataScope; also: DataScope },
  ids: readonly string[],
): Promise<EpisodePlace[]> {
  const read = async (table: 'alarm_state' | 'alarm_history', some: readonly string[]) => {
    const id = sql.ref(table === 'alarm_state' ? 'h.episode_id' : 'h.id')
    const { rows } = await sql<EpisodePlace>`
      SELECT ${id}::text AS id, h.occurred_at::text AS "occurredAt", d.id AS "deviceId",
        ${deviceWithinScope(also)} AS "isSeen"
      FROM ${sql.table(table)} h JOIN device d ON d.id = h.device_id
      WHERE ${id} = ANY(${some}::bigint[]) AND ${deviceWithinScope(scope)}
      ORDER BY d.id FOR KEY SHARE OF d`.execute(trx)
    return rows
  }
  const current = await read('alarm_state', ids)
  const found = new Set(current.map(({ id }) => id))
  const older = ids.filter((id) => !found.has(id))
  return older.length > 0 ? [...current, ...(await read('alarm_history', older))] : current
}

/** Adds a row for each episode that nobody has touched; a call at the same moment waits for it. */
export async function insertUntouched(trx: Trx, places: readonly EpisodePlace[]): Promise<void> {
  await sql`
    INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version)
    SELECT m.id, m.occurred_at, m.device_id, 0
    FROM unnest(
      ${places.map(({ id }) => id)}::bigint[], ${places.map(({ occurredAt }) => occurredAt)}::timestamptz[],
      ${places.map(({ deviceId }) => deviceId)}::int[]
    ) AS m (id, occurred_at, device_id)
    ORDER BY m.id
    ON CONFLICT (episode_id) DO NOTHING`.execute(trx)
}

/** Both halves of an alarm, the people's half locked. */
export interface LockedHandling {
  id: string
  deviceId: number
  deviceCode: string
  semaphoreCode: string
  semaphoreName: string
  occurrenceTime: Date
  device: DeviceHalf
  people: PeopleHalf
}

interface HandlingRow {
  id: string
  deviceId: number
  deviceCode: string
  semaphoreCode: string
  semaphoreName: string
  occurrenceTime: Date
  isActive: boolean
  value: string
  recoveredAt: Date | null
  level: number | null
  isByValue: boolean
  unshelvedAt: Date | null
  version: number
  ackedAt: Date | null
  ackedByName: string | null
  seenValue: string
  seenLevel: number | null
  lastsUntil: Date | null
  assigneeId: number | null
  assigneeName: string | null
  closedAt: Date | null
  cause: string | null
  causeName: string | null
  settled: SettledHandling | null
}

/** In the order of their ids, as `insertUntouched` has it, so that two calls cannot wait for each other. */
export async function lockHandlings(trx: Trx, places: readonly EpisodePlace[]): Promise<LockedHandling[]> {
  const { rows: held } = await sql<{ id: string }>`
    SELECT p.episode_id::text AS id FROM alarm_handling p
    WHERE p.episode_id = ANY(${places.map(({ id }) => id)}::bigint[])
    ORDER BY p.episode_id FOR UPDATE`.execute(trx)
  // A statement of its own: one that has waited for a lock reads the locked row anew, and what it joins as before. A row
  // that came in between is not locked, and left out.
  const isHeld = new Set(held.map(({ id }) => id))
  const locked = places.filter(({ id }) => isHeld.has(id))
  const { rows } = await sql<HandlingRow>`
    SELECT p.episode_id::text AS id, p.device_id AS "deviceId", d.code AS "deviceCode",
      h.semaphore_code AS "semaphoreCode", coalesce(e.name, h.semaphore_code) AS "semaphoreName",
      h.occurred_at AS "occurrenceTime", h.recovered_at IS NULL AS "isActive", h.value::text AS value,
      h.recovered_at AS "recoveredAt", e.alarm_level AS level,
      coalesce(e.analysis_type = 'VALUE', false) AS "isByValue", (
        SELECT max(c.until) FROM alarm_shelf_cover c
        WHERE c.episode_id = h.id AND c.until <= coalesce(h.recovered_at, clock_timestamp())
      ) AS "unshelvedAt",
      p.version, p.acked_at AS "ackedAt", p.acked_by_name AS "ackedByName", p.seen_value::text AS "seenValue",
      p.seen_level AS "seenLevel", p.lasts_until AS "lastsUntil", p.assignee_id AS "assigneeId",
      w.user_name AS "assigneeName", p.closed_at AS "closedAt", p.cause, p.cause_name AS "causeName",
      p.settled
    FROM unnest(
      ${locked.map(({ id }) => id)}::bigint[], ${locked.map(({ occurredAt }) => occurredAt)}::timestamptz[]
    ) AS m (id, occurred_at)
    JOIN alarm_handling p ON p.episode_id = m.id
    JOIN alarm_history h ON h.occurred_at = m.occurred_at AND h.id = m.id
    JOIN device d ON d.id = h.device_id
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = h.semaphore_code
    LEFT JOIN app_user w ON w.id = p.assignee_id
    ORDER BY p.episode_id`.execute(trx)
  return rows.map(
    ({
      isActive,
      value,
      recoveredAt,
      level,
      isByValue,
      unshelvedAt,
      version,
      ackedAt,
      assigneeId,
      closedAt,
      settled,
      ...row
    }) => ({
      id: row.id,
      deviceId: row.deviceId,
      deviceCode: row.deviceCode,
      semaphoreCode: row.semaphoreCode,
      semaphoreName: row.semaphoreName,
      occurrenceTime: row.occurrenceTime,
      device: {
        isActive,
        value,
        recoveredAtMs: recoveredAt?.getTime() ?? null,
        level,
        isByValue,
        unshelvedAtMs: unshelvedAt?.getTime() ?? null,
      },
      people: {
        version,
        // What belongs to an acknowledgement or a closing is written with it.
        ack: ackedAt && {
          atMs: ackedAt.getTime(),
          byName: row.ackedByName ?? '',
          seenValue: row.seenValue,
          seenLevel: row.seenLevel,
          lastsUntilMs: row.lastsUntil?.getTime() ?? 0,
        },
        assignee: assigneeId === null ? null : { id: assigneeId, name: row.assigneeName ?? '' },
        closed: closedAt && {
          atMs: closedAt.getTime(),
          cause: row.cause ?? '',
          causeName: row.causeName ?? '',
        },
        settled,
      },
    }),
  )
}

/** The database's time, which is not the beginning of the transaction: that may have waited for another action. */
export async function readNow(trx: Trx): Promise<Date> {
  const { rows } = await sql<{
    at: Date
  }>`SELECT date_trunc('milliseconds', clock_timestamp()) AS at`.execute(trx)
  return (rows[0] as { at: Date }).at
}

/** What an alarm was and is to people, as its record shows it. */
export interface Side {
  handling: string
  assigneeName: string | null
  causeName: string | null
}

export interface Handled {
  id: string
  deviceId: number
  people: PeopleHalf
  before: Side
  after: Side
}

export interface Doer {
  userId: number
  userName: string
  source: 'web' | 'api' | 'system'
  address: string
}

/** Writes the people's halves, and an action for each. */
export async function writeHandlings(
  trx: Trx,
  handled: readonly Handled[],
  { kind, note, at, by }: { kind: HandlingKind; note: string | null; at: Date; by: Doer },
): Promise<void> {
  const of = <Value>(column: (one: Handled) => Value) => handled.map(column)
  const ofAck = <Value>(column: (ack: Acknowledgement) => Value) =>
    of(({ people: { ack } }) => ack && column(ack))
  const moment = (ms: number | null | undefined) => (ms == null ? null : new Date(ms).toISOString())
  await sql`
    UPDATE alarm_handling p SET version = m.version, acked_at = m.acked_at, acked_by_name = m.acked_by_name,
      seen_value = m.seen_value, seen_level = m.seen_level, lasts_until = m.lasts_until,
      assignee_id = m.assignee_id, closed_at = m.closed_at, cause = m.cause, cause_name = m.cause_name
    FROM unnest(
      ${of(({ id }) => id)}::bigint[], ${of(({ people }) => people.version)}::int[],
      ${ofAck(({ atMs }) => moment(atMs))}::timestamptz[], ${ofAck(({ byName }) => byName)}::text[],
      ${ofAck(({ seenValue }) => seenValue)}::bigint[], ${ofAck(({ seenLevel }) => seenLevel)}::int2[],
      ${ofAck(({ lastsUntilMs }) => moment(lastsUntilMs))}::timestamptz[],
      ${of(({ people }) => people.assignee?.id ?? null)}::int[],
      ${of(({ people }) => moment(people.closed?.atMs))}::timestamptz[],
      ${of(({ people }) => people.closed?.cause ?? null)}::text[],
      ${of(({ people }) => people.closed?.causeName ?? null)}::text[]
    ) AS m (id, version, acked_at, acked_by_name, seen_value, seen_level, lasts_until, assignee_id, closed_at,
      cause, cause_name)
    WHERE p.episode_id = m.id`.execute(trx)
  await sql`
    INSERT INTO alarm_handling_action (episode_id, device_id, at, user_id, user_name, source, address, kind, note,
      before, after)
    SELECT m.id, m.device_id, ${at}, ${by.userId}, ${by.userName}, ${by.source}, ${by.address}, ${kind}, ${note},
      m.before, m.after
    FROM unnest(
      ${of(({ id }) => id)}::bigint[], ${of(({ deviceId }) => deviceId)}::int[],
      ${of(({ before }) => JSON.stringify(before))}::jsonb[], ${of(({ after }) => JSON.stringify(after))}::jsonb[]
    ) AS m (id, device_id, before, after)
    ORDER BY m.id`.execute(trx)
}

export interface ActionRecord {
  time: Date
  userName: string
  source: 'web' | 'api' | 'system'
  kind: HandlingKind
  note: string | null
  before: Side
  after: Side
}

/** How many notes an alarm has, counted up to the limit. */
export const countNotes = (db: Db, episodeId: string, limit: number): Promise<number> =>
  countRows(
    db,
    sql`FROM (
      SELECT FROM alarm_handling_action WHERE episode_id = ${episodeId}::bigint AND kind = 'note' LIMIT ${limit}) AS note`,
  )

/** The newest so many, the oldest of them first. */
export async function listActions(db: Db, episodeId: string, limit: number): Promise<ActionRecord[]> {
  const { rows } = await sql<ActionRecord>`
    SELECT at AS time, user_name AS "userName", source, kind, note, before, after
    FROM alarm_handling_action WHERE episode_id = ${episodeId}::bigint ORDER BY id DESC LIMIT ${limit}`.execute(
    db,
  )
  return rows.reverse()
}

export async function findLastAction(
  db: Db,
  episodeId: string,
): Promise<Pick<ActionRecord, 'time' | 'userName' | 'kind' | 'after'> | undefined> {
  const { rows } = await sql<Pick<ActionRecord, 'time' | 'userName' | 'kind' | 'after'>>`
    SELECT at AS time, user_name AS "userName", kind, after
    FROM alarm_handling_action WHERE episode_id = ${episodeId}::bigint ORDER BY id DESC LIMIT 1`.execute(db)
  return rows[0]
}

export async function findUserName(db: Db, userId: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    SELECT user_name AS name FROM app_user WHERE id = ${userId}`.execute(db)
  return rows[0]?.name
}

export async function findCauseName(db: Db, type: string, code: string): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM dictionary_entry WHERE type = ${type} AND code = ${code}`.execute(db)
  return rows[0]?.name
}

/** The condition on a user `u` who may have alarms assigned by this one: of the organizations that the caller manages. */
const mayHaveAlarms = (actor: Actor, functionCodes: readonly string[]) => sql`
  u.is_enabled AND u.maker_id IS NULL AND ${inOwnTree(actor, sql.ref('u.organization_id'))}
  AND (${isSystemUser(sql.ref<number>('u.id'))}
    OR ${functionCodesOf(sql.ref<number>('u.id'))} && ${functionCodes}::text[])`

export interface Candidate {
  id: number
  userName: string
  organizationId: number
  isSystem: boolean
}

/** The user, locked against deletion, if alarms may be assigned to that user at all. */
export async function lockCandidate(
  trx: Trx,
  actor: Actor,
  functionCodes: readonly string[],
  userId: number,
): Promise<Candidate | undefined> {
  const { rows } = await sql<Candidate>`
    SELECT u.id, u.user_name AS "userName", u.organization_id AS "organizationId",
      ${isSystemUser(sql.ref<number>('u.id'))} AS "isSystem"
    FROM app_user u WHERE u.id = ${userId} AND ${mayHaveAlarms(actor, functionCodes)}
    FOR KEY SHARE OF u`.execute(trx)
  return rows[0]
}

/** Where devices stand, as a relation of operator_id, model_id, region_id. */
export const placesOfIds = (scope: DataScope, ids: readonly string[]) => sql`
  SELECT DISTINCT d.operator_id, d.model_id, d.region_id FROM device d
  WHERE ${deviceWithinScope(scope)} AND d.id IN (
    SELECT device_id FROM alarm_state WHERE episode_id = ANY(${ids}::bigint[])
    UNION ALL SELECT device_id FROM alarm_history WHERE id = ANY(${ids}::bigint[]))`
export const placesOfFilter = (filter: StateFilter) => sql`
  SELECT DISTINCT operator_id, model_id, region_id ${passingStates(filter)}`

/** Users who see all these places, by name. The scope is that of data-scope.ts, asked of many users at once. */
export async function listCandidates(
  db: Db,
  actor: Actor,
  {
    functionCodes,
    places,
    name,
    limit,
  }: { functionCodes: readonly string[]; places: ReturnType<typeof sql>; name: string | null; limit: number },
): Promise<Candidate[]> {
  const narrowed = (type: string, column: ReturnType<typeof sql>) => sql`(
    NOT EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = ${type})
    OR EXISTS (SELECT FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = ${type}
      AND ${column}))`
  const { rows } = await sql<Candidate>`
    WITH RECURSIVE place AS MATERIALIZED (
      SELECT s.operator_id, m.equip_type_id, r.path, o.organization_id
      FROM (${places}) AS s
      JOIN operator o ON o.id = s.operator_id
      JOIN equip_model m ON m.id = s.model_id
      JOIN region r ON r.id = s.region_id
    ), above AS (
      SELECT DISTINCT organization_id AS id, organization_id AS top FROM place
      UNION
      SELECT above.id, o.parent_id FROM above JOIN organization o ON o.id = above.top
      WHERE o.parent_id IS NOT NULL
    )
    SELECT u.id, u.user_name AS "userName", u.organization_id AS "organizationId",
      ${isSystemUser(sql.ref<number>('u.id'))} AS "isSystem"
    FROM app_user u
    WHERE ${mayHaveAlarms(actor, functionCodes)}
      ${name === null ? sql`` : sql`AND u.user_name ILIKE ${`%${likeLiteral(name)}%`}`}
      AND EXISTS (SELECT FROM place)
      AND (${isSystemUser(sql.ref<number>('u.id'))} OR NOT EXISTS (
        SELECT FROM place p WHERE NOT (
          EXISTS (SELECT FROM above WHERE above.id = p.organization_id AND above.top = u.organization_id)
          AND ${narrowed('O', sql`a.value = p.operator_id::text`)}
          AND ${narrowed('ET', sql`a.value = p.equip_type_id::text`)}
          AND ${narrowed('R', sql`EXISTS (SELECT FROM region g WHERE g.code = a.value AND p.path LIKE g.path || '%')`)}
        )))
    ORDER BY u.user_name, u.id LIMIT ${limit}`.execute(db)
  return rows
}

/** Deletes what people did about episodes from before a moment, with its actions; returns how many episodes. */
export const deleteHandlings = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM alarm_handling WHERE episode_id IN (
      SELECT episode_id FROM alarm_handling WHERE occurred_at < ${before} LIMIT ${limit})`.execute(db),
)
