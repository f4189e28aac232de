// SQL of rotas.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { likeLiteral } from '../../../platform/database/like.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'
import { plainQueries } from '../../../platform/database/plain-queries.ts'
import type { Telling } from '../rules/rules.queries.ts'
import { onDuty } from './rota.rules.ts'

export interface DutyRow {
  id: number
  organizationId: number
  organizationName: string
  name: string
  timeZone: string
  startsOn: string
  handoverAt: string
  lengthHours: number
  members: (number | null)[]
  exceptions: { fromDay: string; toDay: string; userId: number | null }[]
  version: number
  createTime: Date
}

const columns = sql`
  d.id, d.organization_id AS "organizationId", o.name AS "organizationName", d.name, d.time_zone AS "timeZone",
  d.starts_on AS "startsOn", d.handover_at AS "handoverAt", d.length_hours AS "lengthHours",
  ARRAY(SELECT m.user_id FROM duty_member m WHERE m.duty_id = d.id ORDER BY m.position) AS members,
  coalesce((
    SELECT jsonb_agg(jsonb_build_object('fromDay', x.from_day, 'toDay', x.to_day, 'userId', x.user_id)
      ORDER BY x.from_day)
    FROM duty_exception x WHERE x.duty_id = d.id
  ), '[]') AS exceptions,
  d.version, d.created_at AS "createTime"`

export interface DutyFilter {
  name?: string | undefined
  ids?: readonly number[] | undefined
}

function matching(actor: Actor, { name, ids }: DutyFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`${inOwnTree(actor, sql.ref('d.organization_id'))}`]
  if (name !== undefined) parts.push(sql`d.name ILIKE ${`%${likeLiteral(name)}%`}`)
  if (ids) parts.push(sql`d.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

/** Newest first. */
export async function listDuties(
  db: Db,
  actor: Actor,
  filter: DutyFilter,
  { limit, offset }: Page,
): Promise<DutyRow[]> {
  const { rows } = await sql<DutyRow>`
    SELECT ${columns} FROM duty d JOIN organization o ON o.id = d.organization_id
    WHERE ${matching(actor, filter)} ORDER BY d.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countDuties = (db: Db, actor: Actor, filter: DutyFilter): Promise<number> =>
  countRows(db, sql`FROM duty d WHERE ${matching(actor, filter)}`)

export async function nameDuties(db: Db, actor: Actor): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT d.id, d.name FROM duty d WHERE ${inOwnTree(actor, sql.ref('d.organization_id'))}
    ORDER BY d.name, d.id`.execute(db)
  return rows
}

/** The rota of the actor's organizations, locked until the transaction ends. */
export async function lockDuty(trx: Trx, actor: Actor, id: number): Promise<DutyRow | undefined> {
  const { rows } = await sql<DutyRow>`
    SELECT ${columns} FROM duty d JOIN organization o ON o.id = d.organization_id
    WHERE d.id = ${id} AND ${inOwnTree(actor, sql.ref('d.organization_id'))} FOR UPDATE OF d`.execute(trx)
  return rows[0]
}

/** The rules that tell by the rota, locked against another owner until the transaction ends. */
export async function listRulesBy(trx: Trx, dutyId: number): Promise<Telling[]> {
  const { rows } = await sql<Telling>`
    SELECT r.decided_by AS "decidedBy", r.decided_by_name AS "decidedByName", r.decided_in AS "decidedIn", r.filter
    FROM notify_rule r WHERE r.id IN (SELECT rule_id FROM notify_rule_target WHERE duty_id = ${dutyId})
    ORDER BY r.id FOR SHARE`.execute(trx)
  return rows
}

/** The people who are on duty at the moment by any of these rotas. */
export async function onDutyAt(db: Db, dutyIds: readonly number[], at: Date): Promise<number[]> {
  if (dutyIds.length === 0) return []
  const { rows } = await sql<DutyRow>`
    SELECT ${columns} FROM duty d JOIN organization o ON o.id = d.organization_id
    WHERE d.id = ANY(${dutyIds}::int[])`.execute(db)
  return rows.flatMap((row) => onDuty(row, at) ?? [])
}

export interface Person {
  id: number
  name: string
  isEnabled: boolean
  /** Whether anything reaches the person. */
  hasContact: boolean
}

export async function listPersons(db: Db, ids: readonly number[]): Promise<Person[]> {
  const { rows } = await sql<Person>`
    SELECT u.id, u.user_name AS name, u.is_enabled AS "isEnabled",
      EXISTS (
        SELECT FROM notify_contact k JOIN notify_channel c ON c.id = k.channel_id
        WHERE k.user_id = u.id AND c.is_enabled
      ) AS "hasContact"
    FROM app_user u WHERE u.id = ANY(${ids}::int[])`.execute(db)
  return rows
}

/** People who may stand in rotas and rules of the actor's organizations, by a part of the name. */
export async function listReachable(
  db: Db,
  actor: Actor,
  name: string | null,
  limit: number,
): Promise<Person[]> {
  const { rows } = await sql<Person>`
    SELECT u.id, u.user_name AS name, u.is_enabled AS "isEnabled",
      EXISTS (
        SELECT FROM notify_contact k JOIN notify_channel c ON c.id = k.channel_id
        WHERE k.user_id = u.id AND c.is_enabled
      ) AS "hasContact"
    FROM app_user u
    WHERE u.is_enabled AND u.maker_id IS NULL AND ${inOwnTree(actor, sql.ref('u.organization_id'))}
      ${name === null ? sql`` : sql`AND u.user_name ILIKE ${`%${likeLiteral(name)}%`}`}
    ORDER BY u.user_name, u.id LIMIT ${limit}`.execute(db)
  return rows
}

/** Writes the members and exceptions anew. */
export async function writeTurns(
  trx: Trx,
  dutyId: number,
  members: readonly (number | null)[],
  exceptions: DutyRow['exceptions'],
): Promise<void> {
  await sql`DELETE FROM duty_member WHERE duty_id = ${dutyId}`.execute(trx)
  await sql`DELETE FROM duty_exception WHERE duty_id = ${dutyId}`.execute(trx)
  await sql`
    INSERT INTO duty_member (duty_id, position, user_id)
    SELECT ${dutyId}, m.position - 1, m.user_id
    FROM unnest(${members}::int[]) WITH ORDINALITY AS m (user_id, position)`.execute(trx)
  if (exceptions.length > 0)
    await trx
      .insertInto('duty_exception')
      .values(
        exceptions.map(({ fromDay, toDay, userId }) => ({
          duty_id: dutyId,
          from_day: fromDay,
          to_day: toDay,
          user_id: userId,
        })),
      )
      .execute()
}

const duties = plainQueries('duty')
export const { insert: insertDuty, update: updateDuty, delete: deleteDuty } = duties
