// Holdings: what users have been given, and whether one user's include another's.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Authorities } from './data-scope.ts'
import { functionCodesOf, isSystemUser } from './granted.ts'
import { organizationsUnder } from './organization-tree.ts'

/** What a user may do and what narrows the user's data scope. It decides which users that user may manage. */
export interface Holdings {
  userId: number
  organizationId: number
  isSystem: boolean
  /** Of a SYSTEM user: all. */
  functionCodes: readonly string[]
  authorities: Authorities
  /** Of the regions in R: a subtree is a prefix. */
  regionPaths: readonly string[]
}

/** Without region entries a user is not limited to regions, as by the path that all others begin with. */
const everywhere = ['/']

/** What `reachesAllOf` compares. */
export type Reach = Omit<Holdings, 'functionCodes'>

const ofRow = sql.ref<number>('u.id')

/** As of now, by user id. */
export async function readHoldings(db: Db, userIds: readonly number[]): Promise<Map<number, Holdings>> {
  return readUsers<Holdings>(db, userIds, sql`, ${functionCodesOf(ofRow)} AS "functionCodes"`)
}

/** The same without functions, which took 250 ms for 10,000 users. */
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
  const { rows } = await sql<
    Omit<Row, 'authorities'> & {
      userId: number
      operators: string[]
      equipTypes: string[]
      regions: string[]
    }
  >`
    SELECT u.id AS "userId", u.organization_id AS "organizationId",
      ${isSystemUser(ofRow)} AS "isSystem",
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

/** Whether no device that there is, or comes, is beyond the user: SYSTEM, or all organizations with no entry to narrow them. */
export async function reachesEverything(db: Db, userId: number): Promise<boolean> {
  const user = (await readReaches(db, [userId])).get(userId)
  if (!user) return false
  if (user.isSystem) return true
  if (Object.values(user.authorities).some((entries) => entries.length > 0)) return false
  const { rows } = await sql`
    SELECT FROM organization o WHERE o.id NOT IN (${organizationsUnder(user.organizationId)}) LIMIT 1`.execute(
    db,
  )
  return rows.length === 0
}

/** Whether a user has all that another one has, and so may manage the other. */
export function holdsAllOf(user: Holdings, other: Holdings): boolean {
  if (user.isSystem) return true
  if (other.isSystem) return false
  const codes = new Set(user.functionCodes)
  return other.functionCodes.every((code) => codes.has(code)) && reachesAllOf(user, other)
}

/**
 * Whether a scope with these entries is no wider than the user's, within the same organizations. Entries are compared
 * and not the devices that exist: the next device may make a difference. A kind without entries is not limited, so
 * a user limited by a kind does not reach a user who is not.
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

/** Made once per list: a caller with 12,000 operators is compared with each of 500 rows. */
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
