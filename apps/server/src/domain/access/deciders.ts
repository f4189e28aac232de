// Decisions that act later by themselves: they reach what everybody who decided reaches then, and nothing once one of
// these people is gone.
import type { StoppedDecider } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { type DataScope, everything, intersectScopes, scopeBy, scopeOf } from './data-scope.ts'
import { functionCodesOf, isActive, isExpiredKey, isSystemUser } from './granted.ts'
import { type Holdings, readHoldings } from './holdings.ts'
import { organizationsUnderRow } from './organization-tree.ts'

/** Somebody whose decision a row carries. */
export interface Decider {
  userId: number
  /** Kept by the row, for the text about a user who was deleted. */
  name: string
  /** What the user did, as a noun in a text: 创建人. */
  role: string
  /** One of these codes is what the decision needs; empty: none does. */
  functionCodes: readonly string[]
  /**
   * Of a row that chooses devices again later: the decision stays in it. Whoever left it for another one, or rose above
   * it, or became SYSTEM, takes nothing along. Null: a SYSTEM user decided.
   */
  decidedIn?: number | null
}

/** The second person who agreed to what a row does, as the row keeps it; null where it needed nobody. */
export interface Approved {
  approvedBy: number | null
  approvedByName: string | null
}

/** That person as a decider beside who asked: the two hold the same function. */
export function approverOf(
  { approvedBy, approvedByName }: Approved,
  functionCodes: readonly string[],
  approvedIn: number | null = null,
): Decider | null {
  if (approvedBy === null) return null
  return {
    userId: approvedBy,
    name: approvedByName ?? '',
    role: '同意人',
    functionCodes,
    decidedIn: approvedIn,
  }
}

/** How far a decision reaches now; `stopped`: the first of its people who may no longer make it. */
export type Standing = { scope: DataScope; stopped: null } | { scope: null; stopped: StoppedDecider }

/**
 * The devices that all of these users reach as of now. Stopped where one was deleted or disabled, is an API key that has
 * expired or been stopped, or has none of the decision's function codes; SYSTEM users have all codes.
 */
export async function standingScope(db: Db, deciders: readonly Decider[]): Promise<Standing> {
  const holdings = await readHoldings(
    db,
    deciders.map(({ userId }) => userId),
  )
  return standingBy(db, holdings, deciders)
}

/** The same by holdings that were just read, for who needs these as well. */
export async function standingBy(
  db: Db,
  holdings: ReadonlyMap<number, Holdings>,
  deciders: readonly Decider[],
): Promise<Standing> {
  const inactive = await readInactive(db, [...holdings.keys()])
  const scopes: DataScope[] = []
  for (const { userId, functionCodes, name, role, decidedIn = null } of deciders) {
    const held = holdings.get(userId)
    const reason = stopOf(held, inactive, functionCodes)
    if (!held || reason) return { scope: null, stopped: { role, name, reason: reason ?? 'deleted' } }
    scopes.push(await scopeWithin(db, held, decidedIn))
  }
  return { scope: intersectScopes(scopes), stopped: null }
}

/**
 * `standingScope` of many decisions of one user each, in one statement: for what a list asks each time. Null where the
 * user may no longer decide. A test compares the two.
 */
export async function standingScopes(
  db: Db,
  deciders: readonly Pick<Decider, 'userId' | 'functionCodes' | 'decidedIn'>[],
): Promise<(DataScope | null)[]> {
  if (deciders.length === 0) return []
  const userId = sql.ref<number>('u.id')
  const isSystem = isSystemUser(userId)
  const entries = (type: string) => sql`
    SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = ${type}`
  const { rows } = await sql<{
    operatorIds: number[] | null
    equipTypeIds: number[] | null
    regionIds: number[] | null
    stands: boolean
    isKey: boolean
  }>`
    SELECT
      coalesce(${isActive} AND (${isSystem} OR k.codes = '' OR ${functionCodesOf(userId)} && string_to_array(k.codes, ' ')),
        false) AS stands,
      u.maker_id IS NOT NULL AS "isKey",
      CASE WHEN NOT ${isSystem} OR k.decided_in IS NOT NULL THEN ARRAY(
        SELECT p.id FROM operator p
        WHERE (k.decided_in IS NULL OR p.organization_id IN (${organizationsUnderRow(sql.ref<number>('k.decided_in'))}))
          AND (${isSystem} OR (p.organization_id IN (${organizationsUnderRow(sql.ref<number>('u.organization_id'))})
            AND (NOT EXISTS (${entries('O')}) OR p.id::text IN (${entries('O')}))))
        ORDER BY p.id
      ) END AS "operatorIds",
      CASE WHEN NOT ${isSystem} AND EXISTS (${entries('ET')}) THEN ARRAY(
        SELECT t.id FROM equip_type t WHERE t.id::text IN (${entries('ET')}) ORDER BY t.id
      ) END AS "equipTypeIds",
      CASE WHEN NOT ${isSystem} AND EXISTS (${entries('R')}) THEN ARRAY(
        SELECT DISTINCT r.id FROM (${entries('R')}) AS e JOIN region g ON g.code = e.value
        JOIN region r ON r.path LIKE g.path || '%' ORDER BY r.id
      ) END AS "regionIds"
    FROM unnest(
      ${deciders.map((one) => one.userId)}::int[], ${deciders.map((one) => one.decidedIn ?? null)}::int[],
      ${deciders.map((one) => one.functionCodes.join(' '))}::text[]
    ) WITH ORDINALITY AS k (user_id, decided_in, codes, n)
    LEFT JOIN app_user u ON u.id = k.user_id
    ORDER BY k.n`.execute(db)
  return Promise.all(
    rows.map(async ({ stands, isKey, ...scope }, n) => {
      if (!stands) return null
      const decider = deciders[n]
      // Of a key, the maker's scope counts as well. There are few.
      if (isKey && decider) return (await standingScope(db, [{ ...decider, name: '', role: '' }])).scope
      return intersectScopes([scope])
    }),
  )
}

/** The user's scope as of now, of what belongs to the organization that the decision stays in, if it does in one. */
export async function scopeWithin(
  db: Db,
  user: Parameters<typeof scopeOf>[1],
  decidedIn: number | null,
): Promise<DataScope> {
  const own = await scopeOf(db, user)
  const isWithin = decidedIn === user.organizationId && !user.isSystem
  return isWithin ? own : cutToOrganization(db, own, decidedIn)
}

/** Of a scope, what belongs to the organization that a decision stays in; all of it where it stays in none. */
export async function cutToOrganization(
  db: Db,
  scope: DataScope,
  decidedIn: number | null,
): Promise<DataScope> {
  if (decidedIn === null) return scope
  return intersectScopes([scope, await scopeBy(db, decidedIn, { O: [], ET: [], R: [] })])
}

function stopOf(
  held: Holdings | undefined,
  inactive: ReadonlyMap<number, 'disabled' | 'expired'>,
  codes: readonly string[],
): StoppedDecider['reason'] | null {
  if (!held) return 'deleted'
  const isInactive = inactive.get(held.userId)
  if (isInactive) return isInactive
  const isAllowed =
    held.isSystem || codes.length === 0 || codes.some((code) => held.functionCodes.includes(code))
  return isAllowed ? null : 'lostFunction'
}

/** A row that is about to reach a device. */
interface Due {
  id: string
}

/**
 * Of rows that are due, those that one of their people keeps back now, by id: who stops it, or null where that user
 * does not reach the device. `listWithin` returns which of these rows are about devices in the scope.
 */
export async function listKeptBack<Row extends Due>(
  db: Db,
  due: readonly Row[],
  deciderOf: (row: Row) => Decider | null,
  listWithin: (scope: DataScope, ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<Map<string, StoppedDecider | null>> {
  // Rows of one user may be decisions that need different functions.
  const deciders = new Map<string, { decider: Decider; ids: string[] }>()
  for (const row of due) {
    const decider = deciderOf(row)
    if (!decider) continue
    const decision = JSON.stringify(decider)
    const own = deciders.get(decision) ?? { decider, ids: [] }
    own.ids.push(row.id)
    deciders.set(decision, own)
  }
  const kept = new Map<string, StoppedDecider | null>()
  for (const { decider, ids } of deciders.values()) {
    const { scope, stopped } = await standingScope(db, [decider])
    const inside =
      scope === null ? new Set<string>() : scope === everything ? null : await listWithin(scope, ids)
    for (const id of ids) if (inside && !inside.has(id)) kept.set(id, stopped)
  }
  return kept
}

/** Of these users those who may not act, with why. */
async function readInactive(
  db: Db,
  userIds: readonly number[],
): Promise<Map<number, 'disabled' | 'expired'>> {
  const { rows } = await sql<{ id: number; isExpired: boolean }>`
    SELECT u.id, ${isExpiredKey} AS "isExpired"
    FROM app_user u WHERE u.id = ANY(${userIds}::int[]) AND NOT ${isActive}`.execute(db)
  return new Map(rows.map(({ id, isExpired }) => [id, isExpired ? 'expired' : 'disabled']))
}
