// SQL of handovers. What a page has of devices is read with the reader's data scope, over the devices as they are today.
import type { AlarmHandling, HandlingKind, HandoverState, ShelfKind } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import { seesPlacesOf, unseenName } from '../../domain/access/places-seen.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'

export interface HandoverRecord {
  id: number
  organizationName: string
  startTime: Date
  endTime: Date
  state: HandoverState
  draftedBy: number
  draftUserName: string
  countTime: Date
  note: string | null
  signUserName: string | null
  signTime: Date | null
  signNote: string | null
  isNotesCut: boolean
  version: number
}

/** A page that nobody has signed becomes overdue by time alone: every read says it as of now. */
const stateAfter = (overdueMinutes: number) => sql<HandoverState>`CASE
  WHEN h.signed_at IS NOT NULL THEN 'signed'
  WHEN now() >= h.to_at + ${overdueMinutes} * interval '1 minute' THEN 'overdue'
  ELSE 'drafted' END`

const columns = (overdueMinutes: number) => sql`
  h.id, o.name AS "organizationName", h.from_at AS "startTime", h.to_at AS "endTime",
  ${stateAfter(overdueMinutes)} AS state, h.drafted_by AS "draftedBy", h.drafted_by_name AS "draftUserName",
  h.counted_at AS "countTime", h.note, h.signed_by_name AS "signUserName", h.signed_at AS "signTime",
  h.sign_note AS "signNote", h.is_notes_cut AS "isNotesCut", h.version`

export interface HandoverFilter {
  from: Date | null
  to: Date | null
  states?: readonly HandoverState[] | undefined
  ids?: readonly number[] | undefined
}

function matching(
  actor: Actor,
  { from, to, states, ids }: HandoverFilter,
  overdueMinutes: number,
): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`${inOwnTree(actor, sql.ref('h.organization_id'))}`]
  if (from) parts.push(sql`h.to_at > ${from}`)
  if (to) parts.push(sql`h.from_at < ${to}`)
  if (states) parts.push(sql`${stateAfter(overdueMinutes)} = ANY(${states}::text[])`)
  if (ids) parts.push(sql`h.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

/** The latest shift first. */
export async function listHandovers(
  db: Db,
  actor: Actor,
  filter: HandoverFilter,
  { overdueMinutes, limit, offset }: Page & { overdueMinutes: number },
): Promise<HandoverRecord[]> {
  const { rows } = await sql<HandoverRecord>`
    SELECT ${columns(overdueMinutes)} FROM handover h JOIN organization o ON o.id = h.organization_id
    WHERE ${matching(actor, filter, overdueMinutes)}
    ORDER BY h.from_at DESC, h.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countHandovers = (
  db: Db,
  actor: Actor,
  filter: HandoverFilter,
  overdueMinutes: number,
): Promise<number> => countRows(db, sql`FROM handover h WHERE ${matching(actor, filter, overdueMinutes)}`)

/** The page of the actor's organizations, locked until the transaction ends. */
export async function lockHandover(
  trx: Trx,
  actor: Actor,
  id: number,
  overdueMinutes: number,
): Promise<HandoverRecord | undefined> {
  const { rows } = await sql<HandoverRecord>`
    SELECT ${columns(overdueMinutes)} FROM handover h JOIN organization o ON o.id = h.organization_id
    WHERE h.id = ${id} AND ${inOwnTree(actor, sql.ref('h.organization_id'))} FOR UPDATE OF h`.execute(trx)
  return rows[0]
}

export async function findUserName(db: Db, userId: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    SELECT user_name AS name FROM app_user WHERE id = ${userId}`.execute(db)
  return rows[0]?.name
}

export interface LevelCount {
  level: number
  handling: AlarmHandling
  count: number
  shelvedCount: number
}

export async function countOpen(db: Db, scope: DataScope, id: number): Promise<LevelCount[]> {
  const { rows } = await sql<LevelCount>`
    SELECT c.level, c.handling, sum(c.n)::int AS count, coalesce(sum(c.shelved), 0)::int AS "shelvedCount"
    FROM handover h
    CROSS JOIN LATERAL unnest(h.open_devices, h.open_levels, h.open_handlings, h.open_counts, h.open_shelved)
      AS c (device_id, level, handling, n, shelved)
    JOIN device d ON d.id = c.device_id
    WHERE h.id = ${id} AND ${deviceWithinScope(scope)}
    GROUP BY c.level, c.handling`.execute(db)
  return rows
}

export interface AlarmRecord {
  id: string
  equipId: number
  code: string
  equipName: string | null
  regionName: string
  semaphoreName: string
  meaning: string | null
  alarmLevel: number
  handling: AlarmHandling
  occurrenceTime: Date
  assigneeName: string | null
  ackUserName: string | null
  lastNote: string | null
  lastNoteUserName: string | null
  lastNoteTime: Date | null
  isShelved: 0 | 1
  shelvedUntil: Date | null
}

export async function listAlarms(db: Db, scope: DataScope, id: number): Promise<AlarmRecord[]> {
  const { rows } = await sql<AlarmRecord>`
    SELECT a.episode_id::text AS id, a.device_id AS "equipId", a.device_code AS code, a.device_name AS "equipName",
      a.region_name AS "regionName", a.semaphore_name AS "semaphoreName", a.meaning, a.level AS "alarmLevel",
      a.handling, a.occurred_at AS "occurrenceTime", a.assignee_name AS "assigneeName", a.acked_by_name AS "ackUserName",
      a.last_note AS "lastNote", a.last_note_by_name AS "lastNoteUserName", a.last_note_at AS "lastNoteTime",
      a.is_shelved::int AS "isShelved", a.shelved_until AS "shelvedUntil"
    FROM handover_alarm a JOIN device d ON d.id = a.device_id
    WHERE a.handover_id = ${id} AND ${deviceWithinScope(scope)} ORDER BY a.place`.execute(db)
  return rows
}

export interface ShelfRecord {
  id: number
  kind: ShelfKind
  reason: string
  createBy: string
  endTime: Date | null
  deviceCodes: string[] | null
  deviceCount: number
  placeNames: string[]
  semaphoreNames: string[] | null
  alarmLevels: (1 | 2 | 3 | 4)[] | null
  compartment: number | null
  isOneShot: 0 | 1
}

/** Devices of a shelf that are named. */
const codesNamed = 3

/** The organization of a shelf `s` of a page; the release before left it to the shelf. */
const organizationOfShelf = sql<number>`coalesce(
  s.organization_id, (SELECT a.organization_id FROM alarm_shelf a WHERE a.id = s.shelf_id))`

/**
 * By filter, of the reader's organizations, as in the list of shelves, by places that the reader sees; or of a device in scope: of these alone the devices
 * are counted and named.
 */
export async function listShelves(
  db: Db,
  reader: Actor,
  scope: DataScope,
  id: number,
): Promise<ShelfRecord[]> {
  const { rows } = await sql<ShelfRecord>`
    SELECT s.shelf_id AS id, s.kind, s.reason, s.made_by_name AS "createBy", s.until AS "endTime",
      CASE WHEN s.device_ids IS NOT NULL THEN seen.codes[:${codesNamed}::int] END AS "deviceCodes",
      cardinality(seen.codes)::int AS "deviceCount",
      CASE WHEN s.device_ids IS NOT NULL OR s.place_names = '{}' OR EXISTS (
        SELECT FROM alarm_shelf a WHERE a.id = s.shelf_id AND ${seesPlacesOf(reader, scope, sql.ref('a.filter'))}
      ) THEN s.place_names ELSE ARRAY[${unseenName}] END AS "placeNames",
      s.semaphore_names AS "semaphoreNames", s.levels AS "alarmLevels", s.compartment,
      s.is_one_shot::int AS "isOneShot"
    FROM handover_shelf s
    CROSS JOIN LATERAL (
      SELECT ARRAY(
        SELECT d.code FROM device d WHERE d.id = ANY(s.device_ids) AND ${deviceWithinScope(scope)} ORDER BY d.code
      ) AS codes
    ) seen
    WHERE s.handover_id = ${id} AND CASE WHEN s.device_ids IS NULL THEN ${inOwnTree(reader, organizationOfShelf)}
      ELSE seen.codes <> '{}' END
    ORDER BY s.place`.execute(db)
  return rows
}

export interface NoteRecord {
  time: Date
  userName: string
  kind: HandlingKind
  note: string
  alarmCount: number
  code: string
  equipId: number
  semaphoreName: string | null
  meaning: string | null
}

/** A note on alarms of several devices counts, and names one of, those in scope. */
export async function listNotes(db: Db, scope: DataScope, id: number): Promise<NoteRecord[]> {
  const { rows } = await sql<NoteRecord>`
    SELECT n.at AS time, n.user_name AS "userName", n.kind, n.note, seen.count AS "alarmCount", d.code,
      d.id AS "equipId", n.semaphore_name AS "semaphoreName", n.meaning
    FROM handover_note n
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count, min(d.id) AS device_id
      FROM unnest(n.device_ids) AS u (device_id) JOIN device d ON d.id = u.device_id
      WHERE ${deviceWithinScope(scope)}
    ) seen
    JOIN device d ON d.id = seen.device_id
    WHERE n.handover_id = ${id} ORDER BY n.place`.execute(db)
  return rows
}

/**
 * Whether an open alarm, a note or a named device of a shelf of the page is of a device that exists and is out of scope, or
 * a shelf by filter is another organization's.
 */
export async function reachesBeyond(db: Db, reader: Actor, scope: DataScope, id: number): Promise<boolean> {
  const { rows } = await sql<{ isBeyond: boolean }>`
    SELECT EXISTS (
      SELECT FROM (
        SELECT unnest(h.open_devices) AS device_id FROM handover h WHERE h.id = ${id}
        UNION SELECT unnest(n.device_ids) FROM handover_note n WHERE n.handover_id = ${id}
        UNION SELECT unnest(s.device_ids) FROM handover_shelf s WHERE s.handover_id = ${id}
      ) named
      JOIN device d ON d.id = named.device_id
      WHERE NOT ${deviceWithinScope(scope)}
    ) OR EXISTS (
      SELECT FROM handover_shelf s
      WHERE s.handover_id = ${id} AND s.device_ids IS NULL AND ${inOwnTree(reader, organizationOfShelf)} IS NOT TRUE
    ) AS "isBeyond"`.execute(db)
  return rows[0]?.isBeyond ?? false
}

/** The tasks, of which this scope has a device; of the page, or those that are under way now. */
const upgradesAmong = (scope: DataScope, condition: RawBuilder<unknown>) => sql`
  SELECT t.id FROM upgrade_task t
  WHERE ${condition} AND EXISTS (
    SELECT FROM upgrade_target g JOIN device d ON d.id = g.device_id
    WHERE g.task_id = t.id AND ${deviceWithinScope(scope)})`
const batchesAmong = (scope: DataScope, condition: RawBuilder<unknown>) => sql`
  SELECT t.id FROM parameter_batch t
  WHERE ${condition} AND EXISTS (
    SELECT FROM parameter_target g JOIN device d ON d.id = g.device_id
    WHERE g.batch_id = t.id AND ${deviceWithinScope(scope)})`

export async function listUnderWay(
  db: Db,
  scope: DataScope,
): Promise<{ upgradeIds: number[]; batchIds: number[] }> {
  const { rows } = await sql<{ upgradeIds: number[]; batchIds: number[] }>`
    SELECT
      ARRAY(${upgradesAmong(scope, sql`t.state IN ('running', 'paused')`)} ORDER BY t.id) AS "upgradeIds",
      ARRAY(${batchesAmong(scope, sql`t.next_at IS NOT NULL`)} ORDER BY t.id) AS "batchIds"`.execute(db)
  return rows[0] ?? { upgradeIds: [], batchIds: [] }
}

export async function countUnderWay(
  db: Db,
  scope: DataScope,
  id: number,
): Promise<{ upgradeCount: number; batchCount: number }> {
  const among = (column: string) =>
    sql`t.id IN (SELECT unnest(${sql.ref(`h.${column}`)}) FROM handover h WHERE h.id = ${id})`
  const { rows } = await sql<{ upgradeCount: number; batchCount: number }>`
    SELECT
      (SELECT count(*)::int FROM (${upgradesAmong(scope, among('upgrade_ids'))}) u) AS "upgradeCount",
      (SELECT count(*)::int FROM (${batchesAmong(scope, among('batch_ids'))}) b) AS "batchCount"`.execute(db)
  return rows[0] ?? { upgradeCount: 0, batchCount: 0 }
}

/** Pages of shifts that ended before; their rows go with them. */
export const deleteHandovers = deletingOld(({ db, before, limit }) =>
  sql`
    DELETE FROM handover WHERE id IN (
      SELECT id FROM handover WHERE to_at < ${before} ORDER BY to_at LIMIT ${limit})`.execute(db),
)

const handovers = plainQueries('handover')
export const { insert: insertHandover, update: updateHandover } = handovers
