import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Authorities } from './data-scope.ts'

/** What a user may do and what narrows his data scope: the measure of whom he may manage. */
export interface Holdings {
  userId: number
  organizationId: number
  isSystem: boolean
  /** By his roles; a SYSTEM user needs none. */
  functionCodes: readonly string[]
  authorities: Authorities
  /** Of the regions in R: a subtree is a prefix. */
  regionPaths: readonly string[]
}

/** Who holds nothing of a region entry is not narrowed: his is the path that all others begin with. */
const everywhere = ['/']

/** What `reachesAllOf` compares. */
export type Reach = Omit<Holdings, 'functionCodes'>

/** As of now, by user id. */
export async function readHoldings(db: Db, userIds: readonly number[]): Promise<Map<number, Holdings>> {
  const functionCodes = sql`ARRAY(
    SELECT DISTINCT m.remark FROM user_role ur JOIN role_menu rm USING (role_id)
    JOIN menu m ON m.id = rm.menu_id
    WHERE ur.user_id = u.id AND m.type = 'F')`
  return readUsers<Holdings>(db, userIds, sql`, ${functionCodes} AS "functionCodes"`)
}

/** The same without functions: of 10,000 users those took 250 ms. */
export async function readReaches(db: Db, userIds: readonly number[]): Promise<Map<number, Reach>> {
  return readUsers<Reach>(db, userIds, sql``)
}

async function readUsers<Row extends Reach>(
  db: Db,
  userIds: readonly number[],
  more: RawBuilder<unknown>,
): Promise<Map<number, Row>> {
  const entries = (type: string) => sql`ARRAY(
    SELECT a.value FROM user_authority a WHERE a.user_id = u.id AND a.authority_type = ${type}
    ORDER BY length(a.value), a.value)`
  const { rows } = await sql<Row & { operators: string[]; equipTypes: string[]; regions: string[] }>`
    SELECT u.id AS "userId", u.organization_id AS "organizationId",
      EXISTS (
        SELECT FROM user_role ur JOIN role r ON r.id = ur.role_id WHERE ur.user_id = u.id AND r.code = 'SYSTEM'
      ) AS "isSystem",
      ${entries('O')} AS operators, ${entries('ET')} AS "equipTypes", ${entries('R')} AS regions,
      ARRAY(
        SELECT g.path FROM user_authority a JOIN region g ON g.code = a.value
        WHERE a.user_id = u.id AND a.authority_type = 'R'
      ) AS "regionPaths"${more}
    FROM app_user u WHERE u.id = ANY(${userIds}::int[])`.execute(db)
  return new Map(
    rows.map(({ operators, equipTypes, regions, ...row }) => [
      row.userId,
      { ...row, authorities: { O: operators, ET: equipTypes, R: regions } } as unknown as Row,
    ]),
  )
}

/** Does one user hold all that the other holds? Then he may manage him, and hand out the like. */
export function holdsAllOf(user: Holdings, other: Holdings): boolean {
  if (user.isSystem) return true
  if (other.isSystem) return false
  const codes = new Set(user.functionCodes)
  return other.functionCodes.every((code) => codes.has(code)) && reachesAllOf(user, other)
}

/**
 * Is a scope with these entries no wider than the user's, within the same organizations? It is compared by
 * what the entries mean and not by the devices there are: the next one may stand in between. A kind
 * without entries does not narrow, so who is narrowed by a kind reaches nobody who is not.
 */
export function reachesAllOf(
  user: Pick<Holdings, 'isSystem' | 'authorities' | 'regionPaths'>,
  other: Pick<Holdings, 'authorities' | 'regionPaths'>,
): boolean {
  if (user.isSystem) return true
  const { O, ET, R } = user.authorities
  return (
    isWithin(O, other.authorities.O) &&
    isWithin(ET, other.authorities.ET) &&
    (R.length === 0 ||
      (other.authorities.R.length === 0 ? everywhere : other.regionPaths).every((path) =>
        user.regionPaths.some((own) => path.startsWith(own)),
      ))
  )
}

/** Of a caller with 12,000 operators, who is compared with each of 500 rows: looked up, and made once. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>()
function setOf(values: readonly string[]): ReadonlySet<string> {
  let set = sets.get(values)
  if (!set) {
    set = new Set(values)
    sets.set(values, set)
  }
  return set
}

function isWithin(own: readonly string[], others: readonly string[]): boolean {
  if (own.length === 0) return true
  if (others.length === 0) return false
  const held = setOf(own)
  return others.every((value) => held.has(value))
}
