// How far users reach, kept beside what they decided, and once more when they are deleted: that is how far their decisions
// reach from then on.
import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import {
  type Authorities,
  type DataScope,
  everything,
  intersectScopes,
  nothing,
  scopeBy,
  scopeOf,
} from './data-scope.ts'
import { isExpiredKey } from './granted.ts'
import { type Reach, reachesAllOf, reachesEverything, readReaches } from './holdings.ts'
import { isInOwnTree } from './organization-tree.ts'

/** A reach as rows keep it, as JSON. Entries that are gone by now match nothing. */
export interface KeptReach {
  isSystem: boolean
  organizationId: number
  authorities: Authorities
  /** Of an API key: who made it. */
  makerId?: number | null
}

/** Somebody who decided, as a row keeps it. */
export interface Person {
  userId: number
  name: string
  /** At the time of the decision; null where that is not known. */
  reach: KeptReach | null
}

const keptOf = ({ isSystem, organizationId, authorities, makerId = null }: KeptReach): KeptReach => ({
  isSystem,
  organizationId,
  authorities,
  ...(makerId !== null && { makerId }),
})

/** The user's reach as of now, to be kept; null where there is no such user. */
export async function readKeptReach(db: Db, userId: number): Promise<KeptReach | null> {
  const reach = (await readReaches(db, [userId])).get(userId)
  return reach ? keptOf(reach) : null
}

/**
 * Before a user is deleted: keeps how far the user reaches, which may be less than at the time of a decision; and how far
 * the user's API keys do, which are deleted with it.
 */
export async function keepLastReach(trx: Trx, userId: number): Promise<void> {
  const { rows: keys } = await sql<{
    id: number
  }>`SELECT id FROM app_user WHERE maker_id = ${userId}`.execute(trx)
  for (const { id } of keys) await keepLastReach(trx, id)
  const reach = JSON.stringify(await readKeptReach(trx, userId))
  await sql`INSERT INTO former_user_reach (user_id, reach) VALUES (${userId}, ${reach}::jsonb)`.execute(trx)
}

/** Before a region is deleted: its code may be given to another region, which nobody who is gone has decided about. */
export async function forgetRegionCode(trx: Trx, code: string): Promise<void> {
  // An entry stays in its place: a reach without any would not be limited to regions.
  await sql`
    UPDATE former_user_reach SET reach = jsonb_set(reach, '{authorities,R}', (
      SELECT jsonb_agg(CASE WHEN entry = to_jsonb(${code}::text) THEN to_jsonb('deleted'::text) ELSE entry END)
      FROM jsonb_array_elements(reach #> '{authorities,R}') AS entry))
    WHERE reach #> '{authorities,R}' ? ${code}`.execute(trx)
  await sql`
    UPDATE narrowed_reach SET authorities = jsonb_set(authorities, '{R}', (
      SELECT jsonb_agg(CASE WHEN entry = to_jsonb(${code}::text) THEN to_jsonb('deleted'::text) ELSE entry END)
      FROM jsonb_array_elements(authorities -> 'R') AS entry))
    WHERE authorities -> 'R' ? ${code}`.execute(trx)
}

/** Of the deleted users among these, by id; none of a user who was deleted before last reaches were kept. */
async function readLastReaches(db: Db, userIds: readonly number[]): Promise<Map<number, KeptReach>> {
  const { rows } = await sql<{ userId: number; reach: KeptReach }>`
    SELECT user_id AS "userId", reach FROM former_user_reach WHERE user_id = ANY(${userIds}::int[])`.execute(
    db,
  )
  return new Map(rows.map(({ userId, reach }) => [userId, reach]))
}

/**
 * The scope of each person as of now; of a deleted one, by the reach that was kept last, and of a deleted API key within
 * its maker's as of now: no key outlives in this way what its maker may. Of an unknown one: nothing.
 */
export async function scopesOfPeople(db: Db, people: readonly Person[]): Promise<DataScope[]> {
  const userIds = [...new Set(people.map(({ userId }) => userId))]
  const live = await readReaches(db, userIds)
  const last = await readLastReaches(db, userIds)
  const known = new Map<number, Promise<DataScope>>()
  const scopeOfLive = (reach: Reach) => {
    const scope = known.get(reach.userId) ?? scopeOf(db, reach)
    known.set(reach.userId, scope)
    return scope
  }
  const scopes: DataScope[] = []
  for (const { userId, reach: atDecision } of people) {
    const own = live.get(userId)
    const reach = last.get(userId) ?? atDecision
    if (own) scopes.push(await scopeOfLive(own))
    else scopes.push(reach ? await scopeOfGone(db, reach) : nothing)
  }
  return scopes
}

async function scopeOfGone(
  db: Db,
  { isSystem, organizationId, authorities, makerId = null }: KeptReach,
): Promise<DataScope> {
  const kept = isSystem ? everything : await scopeBy(db, organizationId, authorities)
  if (makerId === null) return kept
  const ofMaker = await scopesOfPeople(db, [{ userId: makerId, name: '', reach: null }])
  return intersectScopes([kept, ...ofMaker])
}

/** The person who a user is, as an id: of an API key, also one that was deleted, its maker. */
export const personOf = (userId: Expression<number>): RawBuilder<number> => sql<number>`coalesce(
  (SELECT p.maker_id FROM app_user p WHERE p.id = ${userId}),
  (SELECT (f.reach ->> 'makerId')::int FROM former_user_reach f WHERE f.user_id = ${userId}), ${userId})`

/** Of these users, who is there in the place of each: the user, or the maker of an API key that was deleted or has expired. */
export async function standInsOf(db: Db, userIds: readonly number[]): Promise<Map<number, number>> {
  const last = await readLastReaches(db, userIds)
  const { rows: keys } = await sql<{ id: number; makerId: number }>`
    SELECT u.id, u.maker_id AS "makerId" FROM app_user u
    WHERE u.id = ANY(${userIds}::int[]) AND u.maker_id IS NOT NULL AND ${isExpiredKey}`.execute(db)
  const expired = new Map(keys.map(({ id, makerId }) => [id, makerId]))
  const placeOf = (userId: number) => last.get(userId)?.makerId ?? expired.get(userId) ?? userId
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM app_user WHERE id = ANY(${userIds.map(placeOf)}::int[])`.execute(db)
  const there = new Set(rows.map(({ id }) => id))
  return new Map(userIds.map((id) => [id, placeOf(id)] as const).filter(([, standIn]) => there.has(standIn)))
}

/**
 * Whether the user reaches at least as far as each of these people: in organizations and entries, not in the devices
 * that exist. Only SYSTEM reaches as far as SYSTEM, and as far as somebody of whom nothing is known.
 */
export async function reachesPeople(db: Db, userId: number, people: readonly Person[]): Promise<boolean> {
  const live = await readReaches(db, [userId, ...people.map((person) => person.userId)])
  const user = live.get(userId)
  if (!user) return false
  if (user.isSystem) return true
  const last = await readLastReaches(
    db,
    people.map((person) => person.userId),
  )
  for (const { userId: personId, reach: atDecision } of people) {
    const reach = last.get(personId) ?? atDecision
    const other = live.get(personId) ?? (reach && (await comparable(db, reach)))
    if (!other || other.isSystem) return false
    if (!(await isInOwnTree(db, user, other.organizationId)) || !reachesAllOf(user, other)) return false
  }
  return true
}

/** The conditions of a choice of devices that name organizations, operators, types, models or regions. */
export interface PlaceFilters {
  organizationId?: string | undefined
  operatorId?: string | undefined
  equipTypeId?: string | undefined
  equipModelId?: string | undefined
  regionCode?: string | undefined
}

/**
 * Whether the user reaches every device that this choice of somebody's may come to have: what is registered later, too. In
 * organizations and entries, as `reachesPeople`; what the choice itself leaves out needs nobody's reach. Of somebody who
 * was deleted it comes to have none. `isWithin`: organizations do not matter, as it only concerns what is in the user's.
 */
export async function reachesChoiceOf(
  db: Db,
  userId: number,
  decider: { userId: number; decidedIn: number | null },
  filters: PlaceFilters,
  { isWithin = false } = {},
): Promise<boolean> {
  if (decider.userId === userId) return true
  const live = await readReaches(db, [userId, decider.userId])
  const [user, own] = [live.get(userId), live.get(decider.userId)]
  if (!user) return false
  if (user.isSystem || !own) return true
  const { decidedIn } = decider
  const isElsewhere = decidedIn !== null && (own.isSystem || own.organizationId !== decidedIn)
  const stays = isElsewhere ? { ...own, isSystem: false, organizationId: decidedIn } : own
  const other = await narrowed(db, stays, filters)
  if (other === null) return true
  if (!reachesAllOf(user, other)) return false
  if (isWithin) return true
  return other.isSystem ? reachesEverything(db, userId) : isInOwnTree(db, user, other.organizationId)
}

/**
 * A reach cut to what the filters name; null where one of them is gone for good. A region that is gone cuts nothing: another
 * one may get its code.
 */
async function narrowed(db: Db, reach: Reach, filters: PlaceFilters): Promise<Reach | null> {
  const { rows } = await sql<{
    organizationId: number | null
    equipTypeId: number | null
    path: string | null
  }>`
    SELECT coalesce(
        (SELECT organization_id FROM operator WHERE id = ${filters.operatorId ?? null}::bigint),
        (SELECT id FROM organization WHERE id = ${filters.organizationId ?? null}::bigint)
      ) AS "organizationId",
      coalesce(
        (SELECT equip_type_id FROM equip_model WHERE id = ${filters.equipModelId ?? null}::bigint),
        (SELECT id FROM equip_type WHERE id = ${filters.equipTypeId ?? null}::bigint)
      ) AS "equipTypeId",
      (SELECT path FROM region WHERE code = ${filters.regionCode ?? null}) AS path`.execute(db)
  const found = rows[0] ?? { organizationId: null, equipTypeId: null, path: null }
  const isGone =
    ((filters.operatorId ?? filters.organizationId) !== undefined && found.organizationId === null) ||
    ((filters.equipModelId ?? filters.equipTypeId) !== undefined && found.equipTypeId === null)
  if (isGone) return null
  const { O, ET, R } = reach.authorities
  return {
    ...reach,
    ...(found.organizationId !== null && { isSystem: false, organizationId: found.organizationId }),
    authorities: {
      O: filters.operatorId === undefined ? O : [String(Number(filters.operatorId))],
      ET: found.equipTypeId === null ? ET : [String(found.equipTypeId)],
      R: filters.regionCode === undefined || found.path === null ? R : [filters.regionCode],
    },
    regionPaths: found.path === null ? reach.regionPaths : [found.path],
  }
}

async function comparable(db: Db, reach: KeptReach): Promise<Omit<Reach, 'userId'>> {
  const { rows } = await sql<{ path: string }>`
    SELECT path FROM region WHERE code = ANY(${reach.authorities.R}::text[])`.execute(db)
  return { ...reach, makerId: null, regionPaths: rows.map(({ path }) => path) }
}
