// Holdings: what users have been given, and whether one user's include another's.
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type { Authorities } from './data-scope.ts'
import { functionCodesOf, isSystemUser } from './granted.ts'
import { organizationsUnder } from './organization-tree.ts'

/**
 * What a user may do and what narrows the user's data scope. It decides which users that user may manage. Of an API key:
 * what is left of it beside its maker's.
 */
export interface Holdings {
  userId: number
  organizationId: number
  isSystem: boolean
  /** Of an API key: who made it. */
  makerId: number | null
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
      ${isSystemUser(ofRow)} AS "isSystem", u.maker_id AS "makerId",
      ${entries('O')} AS operators, ${entries('ET')} AS "equipTypes", ${entries('R')} AS regions,
      ARRAY(
        SELECT g.path FROM user_authority a JOIN region g ON g.code = a.value
        WHERE a.user_id = u.id AND a.authority_type = 'R'
      ) AS "regionPaths"${more}
    FROM app_user u WHERE u.id = ANY(${userIds}::int[])`.execute(db)
  const found = new Map(
    rows.map(({ operators, equipTypes, regions, ...row }) => [
      row.userId,
      { ...row, authorities: { O: operators, ET: equipTypes, R: regions } } as unknown as Row,
    ]),
  )
  const keys = [...found.values()].filter(({ makerId }) => makerId !== null)
  if (keys.length === 0) return found
  const makers = await readReaches(
    db,
    keys.map(({ makerId }) => makerId ?? 0),
  )
  for (const key of keys) found.set(key.userId, await cutToMaker(db, key, makers.get(key.makerId ?? 0)))
  return found
}

/** Names no operator. */
const noOperator = '0'

/** What a key's entries are worth beside its maker's: both limit it. */
async function cutToMaker<Row extends Reach>(db: Db, key: Row, maker: Reach | undefined): Promise<Row> {
  if (maker?.isSystem) return key
  const organizationId = maker && (await lowerOf(db, key.organizationId, maker.organizationId))
  if (!maker || organizationId === undefined)
    return { ...key, authorities: { ...key.authorities, O: [noOperator] } }
  const { R, regionPaths } = await commonRegions(db, key, maker)
  const authorities = {
    O: commonEntries(key.authorities.O, maker.authorities.O),
    ET: commonEntries(key.authorities.ET, maker.authorities.ET),
    R,
  }
  return { ...key, organizationId, authorities, regionPaths }
}

/** Of two organizations the one that lies in the other; undefined where neither does. */
async function lowerOf(db: Db, one: number, other: number): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    SELECT ${one}::int AS id WHERE ${one}::int IN (${organizationsUnder(other)})
    UNION ALL
    SELECT ${other}::int WHERE ${other}::int IN (${organizationsUnder(one)})`.execute(db)
  return rows[0]?.id
}

/** No entry means no limit, so that nothing in common has to be said by an entry that names nothing. */
function commonEntries(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length === 0) return other
  if (other.length === 0) return one
  const both = one.filter((value) => setOf(other).has(value))
  return both.length > 0 ? both : [noOperator]
}

async function commonRegions(db: Db, key: Reach, maker: Reach) {
  const [one, other] = [key.authorities.R, maker.authorities.R]
  if (one.length === 0) return { R: other, regionPaths: maker.regionPaths }
  if (other.length === 0) return { R: one, regionPaths: key.regionPaths }
  const { rows } = await sql<{ code: string; path: string }>`
    SELECT code, path FROM region WHERE code = ANY(${[...one, ...other]}::text[])`.execute(db)
  const named = (codes: readonly string[]) => rows.filter(({ code }) => codes.includes(code))
  const within = (inner: typeof rows, outer: typeof rows) =>
    inner.filter(({ path }) => outer.some((region) => path.startsWith(region.path)))
  const both = [...within(named(one), named(other)), ...within(named(other), named(one))]
  return both.length > 0
    ? { R: [...new Set(both.map(({ code }) => code))], regionPaths: both.map(({ path }) => path) }
    : { R: [noOperator], regionPaths: [] }
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
