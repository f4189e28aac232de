// SQL of whom a rule tells: its channels, and people by their own addresses.
import { sql } from 'kysely'
import { organizationsUnder } from '../../../domain/access/organization-tree.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { Targets } from '../escalations/escalations.states.ts'

/** One address: a channel's own, or a person's through it. */
export interface Receiver {
  channelId: number
  userId: number | null
  userName: string | null
  /** Whose decision the channel's address is. */
  channelBy: number
  channelByName: string
  channelIn: number | null
}

/** As rows `v` of a statement. */
export const receiverRows = (receivers: readonly Receiver[]) => sql`
  unnest(
    ${receivers.map(({ channelId }) => channelId)}::int[], ${receivers.map(({ userId }) => userId)}::int[],
    ${receivers.map(({ userName }) => userName)}::text[]
  ) AS v (channel_id, user_id, user_name)`

/**
 * The addresses of channels that are on, and of enabled people with one: named, of a role, or on duty now
 * (`onDutyIds`). Of people those of the organization or under it. Channels first, so that a limit takes none of them.
 */
export async function listReceivers(
  db: Db,
  organizationId: number,
  { channelIds, userIds, roleIds }: Targets,
  onDutyIds: readonly number[],
  limit: number,
): Promise<Receiver[]> {
  const { rows } = await sql<Receiver>`
    SELECT c.id AS "channelId", NULL::int AS "userId", NULL::text AS "userName", c.decided_by AS "channelBy",
      c.decided_by_name AS "channelByName", c.decided_in AS "channelIn"
    FROM notify_channel c WHERE c.id = ANY(${channelIds}::int[]) AND c.is_enabled
    UNION ALL
    SELECT k.channel_id, u.id, u.user_name, c.decided_by, c.decided_by_name, c.decided_in FROM notify_contact k
    JOIN notify_channel c ON c.id = k.channel_id
    JOIN app_user u ON u.id = k.user_id
    WHERE c.is_enabled AND u.is_enabled AND u.organization_id IN (${organizationsUnder(organizationId)})
      AND (u.id = ANY(${[...userIds, ...onDutyIds]}::int[])
        OR u.id IN (SELECT ur.user_id FROM user_role ur WHERE ur.role_id = ANY(${roleIds}::int[])))
    ORDER BY 2 NULLS FIRST, 1 LIMIT ${limit}`.execute(db)
  return rows
}

/** The step of what tells where a channel fails. */
export const fallbackStep = -1

/** Of a rule, by step; step 0 is told at once. */
export interface TargetRow extends Targets {
  step: number
}

/** What a rule names, with its name. */
export interface NamedTarget {
  ruleId: number
  step: number
  kind: keyof Targets
  id: number
  name: string
}

export async function listTargets(db: Db, ruleIds: readonly number[]): Promise<NamedTarget[]> {
  const { rows } = await sql<NamedTarget>`
    SELECT t.rule_id AS "ruleId", t.step,
      CASE WHEN t.channel_id IS NOT NULL THEN 'channelIds' WHEN t.user_id IS NOT NULL THEN 'userIds'
        WHEN t.role_id IS NOT NULL THEN 'roleIds' ELSE 'dutyIds' END AS kind,
      coalesce(t.channel_id, t.user_id, t.role_id, t.duty_id)::int AS id,
      coalesce(c.name, u.user_name, o.name, d.name, '') AS name
    FROM notify_rule_target t
    LEFT JOIN notify_channel c ON c.id = t.channel_id
    LEFT JOIN app_user u ON u.id = t.user_id
    LEFT JOIN role o ON o.id = t.role_id
    LEFT JOIN duty d ON d.id = t.duty_id
    WHERE t.rule_id = ANY(${ruleIds}::int[]) ORDER BY t.rule_id, t.step, t.id`.execute(db)
  return rows
}

/** Those of a step. */
export function targetsOf(named: readonly NamedTarget[], ruleId: number, step: number): Targets {
  const of = (kind: keyof Targets) =>
    named.filter((one) => one.ruleId === ruleId && one.step === step && one.kind === kind).map(({ id }) => id)
  return {
    channelIds: of('channelIds'),
    userIds: of('userIds'),
    roleIds: of('roleIds'),
    dutyIds: of('dutyIds'),
  }
}

/** Has the rule tell these and nobody else. */
export async function writeTargets(trx: Trx, ruleId: number, targets: readonly TargetRow[]): Promise<void> {
  await sql`DELETE FROM notify_rule_target WHERE rule_id = ${ruleId}`.execute(trx)
  const rows = targets.flatMap(({ step, channelIds, userIds, roleIds, dutyIds }) => [
    ...channelIds.map((id) => ({ step, channel_id: id, user_id: null, role_id: null, duty_id: null })),
    ...userIds.map((id) => ({ step, channel_id: null, user_id: id, role_id: null, duty_id: null })),
    ...roleIds.map((id) => ({ step, channel_id: null, user_id: null, role_id: id, duty_id: null })),
    ...dutyIds.map((id) => ({ step, channel_id: null, user_id: null, role_id: null, duty_id: id })),
  ])
  if (rows.length > 0)
    await trx
      .insertInto('notify_rule_target')
      .values(rows.map((row) => ({ rule_id: ruleId, ...row })))
      .execute()
}

/** Of these people, those of the organization's own tree; kept from being deleted until the transaction ends. */
export async function lockPeople(trx: Trx, organizationId: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT u.id, u.user_name AS name FROM app_user u
    WHERE u.id = ANY(${ids}::int[]) AND u.maker_id IS NULL AND u.organization_id IN (${organizationsUnder(organizationId)})
    ORDER BY u.id FOR KEY SHARE`.execute(trx)
  return rows
}

export async function lockRoles(trx: Trx, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT id, name FROM role WHERE id = ANY(${ids}::int[]) ORDER BY id FOR KEY SHARE`.execute(trx)
  return rows
}

export async function lockDuties(trx: Trx, organizationId: number, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT id, name FROM duty
    WHERE id = ANY(${ids}::int[]) AND organization_id IN (${organizationsUnder(organizationId)})
    ORDER BY id FOR KEY SHARE`.execute(trx)
  return rows
}

/** What waits at once for others than these receivers is not told. */
export async function forgetOthers(trx: Trx, ruleId: number, kept: readonly Receiver[]): Promise<void> {
  await sql`
    DELETE FROM notify_item i WHERE i.rule_id = ${ruleId} AND i.delivery_id IS NULL AND i.event <> 'escalated'
      AND NOT EXISTS (
        SELECT FROM unnest(
          ${kept.map(({ channelId }) => channelId)}::int[], ${kept.map(({ userId }) => userId)}::int[]
        ) AS k (channel_id, user_id)
        WHERE k.channel_id = i.channel_id AND k.user_id IS NOT DISTINCT FROM i.user_id)`.execute(trx)
}
