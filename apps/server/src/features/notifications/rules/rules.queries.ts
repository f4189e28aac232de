// SQL of rules.
import type { NotifyRuleRow, RuleEvent } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { inOwnTree } from '../../../domain/access/organization-tree.ts'
import type { Wanted } from '../../../domain/history/index.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { likeLiteral } from '../../../platform/database/like.ts'
import { countRows, type Page } from '../../../platform/database/paging.ts'
import { plainQueries } from '../../../platform/database/plain-queries.ts'
import type { Unless } from '../escalations/escalations.states.ts'

/** Which alarms a rule is about, as the wire has it. */
export type RuleFilter = Pick<
  Wanted,
  'organizationId' | 'operatorId' | 'equipTypeId' | 'equipModelId' | 'regionCode'
> & { semaphoreCode?: string[] | undefined }

export interface RuleRow {
  id: number
  name: string
  when: RuleEvent[]
  alarmLevels: NotifyRuleRow['alarmLevels']
  filter: RuleFilter
  steps: { afterMinutes: number; unless: Unless }[]
  repeatS: number
  groupWaitS: number
  offlineMinutes: number
  quietFrom: string | null
  quietTo: string | null
  isEnabled: boolean
  decidedBy: number
  ownerName: string
  decidedIn: number | null
  organizationId: number
  organizationName: string
  version: number
  createTime: Date
}

const columns = sql`
  r.id, r.name, r.events AS "when", r.alarm_levels AS "alarmLevels", r.filter,
  r.steps, r.repeat_s AS "repeatS",
  r.group_wait_s AS "groupWaitS", r.offline_minutes AS "offlineMinutes", r.quiet_from AS "quietFrom", r.quiet_to AS "quietTo", r.is_enabled AS "isEnabled",
  r.decided_by AS "decidedBy", r.decided_by_name AS "ownerName", r.decided_in AS "decidedIn",
  r.organization_id AS "organizationId", o.name AS "organizationName", r.version, r.created_at AS "createTime"`

/** A rule, or a report by mail, as a rota or a channel tells by it: whose decision it is, and what it is about. */
export interface Telling {
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
  filter: RuleFilter
}

export interface RuleListFilter {
  name?: string | undefined
  channelId?: number | undefined
  ids?: readonly number[] | undefined
}

function matching(actor: Actor, { name, channelId, ids }: RuleListFilter): RawBuilder<SqlBool> {
  const parts: RawBuilder<SqlBool>[] = [sql<SqlBool>`${inOwnTree(actor, sql.ref('r.organization_id'))}`]
  if (name !== undefined) parts.push(sql`r.name ILIKE ${`%${likeLiteral(name)}%`}`)
  if (channelId !== undefined)
    parts.push(sql`r.id IN (SELECT rule_id FROM notify_rule_target WHERE channel_id = ${channelId})`)
  if (ids) parts.push(sql`r.id = ANY(${ids}::int[])`)
  return sql.join(parts, sql` AND `)
}

/** Newest first. */
export async function listRules(
  db: Db,
  actor: Actor,
  filter: RuleListFilter,
  { limit, offset }: Page,
): Promise<RuleRow[]> {
  const { rows } = await sql<RuleRow>`
    SELECT ${columns} FROM notify_rule r JOIN organization o ON o.id = r.organization_id
    WHERE ${matching(actor, filter)} ORDER BY r.id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countRules = (db: Db, actor: Actor, filter: RuleListFilter): Promise<number> =>
  countRows(db, sql`FROM notify_rule r WHERE ${matching(actor, filter)}`)

/** The rule of the actor's organizations, locked until the transaction ends. */
export async function lockRule(trx: Trx, actor: Actor, id: number): Promise<RuleRow | undefined> {
  const { rows } = await sql<RuleRow>`
    SELECT ${columns} FROM notify_rule r JOIN organization o ON o.id = r.organization_id
    WHERE r.id = ${id} AND ${inOwnTree(actor, sql.ref('r.organization_id'))} FOR UPDATE OF r`.execute(trx)
  return rows[0]
}

/** Forgets what waits to be told by the rule. */
export async function forgetWaiting(trx: Trx, ruleId: number): Promise<void> {
  await sql`DELETE FROM notify_item WHERE rule_id = ${ruleId} AND delivery_id IS NULL`.execute(trx)
}

const rules = plainQueries('notify_rule')
export const { insert: insertRule, update: updateRule, delete: deleteRule } = rules
