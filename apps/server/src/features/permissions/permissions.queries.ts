// SQL of data permissions.
import { sql } from 'kysely'
import {
  type Authorities,
  type DataScope,
  deviceWithinScope,
  scopeBy,
} from '../../domain/access/data-scope.ts'
import type { Holdings } from '../../domain/access/holdings.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { countRows } from '../../platform/database/paging.ts'

export interface PermissionUser {
  id: number
  loginName: string
  version: number
}

/** A user of the caller's organizations; undefined where there is none with that id. */
export async function findUser(
  db: Db,
  actor: Pick<Actor, 'isSystem' | 'organizationId'>,
  id: number,
): Promise<PermissionUser | undefined> {
  return db
    .selectFrom('app_user as u')
    .select(['u.id', 'u.login_name as loginName', 'u.version'])
    .where('u.id', '=', id)
    .where('u.maker_id', 'is', null)
    .where((eb) => inOwnTree(actor, eb.ref('u.organization_id')))
    .executeTakeFirst()
}

export interface SplitEntries {
  within: Authorities
  beyond: Authorities
}

/** Entries of a user by whether they lie within what the reader reaches: who does not, is not told which they are. */
export async function splitEntries(
  db: Db,
  reader: Holdings,
  authorities: Authorities,
): Promise<SplitEntries> {
  if (reader.isSystem) return { within: authorities, beyond: { O: [], ET: [], R: [] } }
  const { operatorIds } = await scopeBy(db, reader.organizationId, reader.authorities)
  const operators = new Set(operatorIds?.map(String))
  const equipTypes = new Set(reader.authorities.ET)
  const { rows } = await sql<{ code: string; path: string }>`
    SELECT code, path FROM region WHERE code = ANY(${authorities.R}::text[])`.execute(db)
  const regions = new Set(
    rows.flatMap(({ code, path }) => (reader.regionPaths.some((own) => path.startsWith(own)) ? [code] : [])),
  )
  const isWithin: Record<keyof Authorities, (value: string) => boolean> = {
    O: (value) => operators.has(value),
    ET: (value) => equipTypes.size === 0 || equipTypes.has(value),
    R: (value) => reader.authorities.R.length === 0 || regions.has(value),
  }
  const part = (isWanted: boolean): Authorities => ({
    O: authorities.O.filter((value) => isWithin.O(value) === isWanted),
    ET: authorities.ET.filter((value) => isWithin.ET(value) === isWanted),
    R: authorities.R.filter((value) => isWithin.R(value) === isWanted),
  })
  return { within: part(true), beyond: part(false) }
}

/**
 * Values of each kind that exist, with the paths of the regions among them. Shared key locks keep them from deletion
 * until the transaction ends, since entries name them without a foreign key.
 */
export async function lockNamedShared(
  trx: Trx,
  { O, ET, R }: Authorities,
): Promise<{ O: string[]; ET: string[]; R: string[]; regionPaths: string[] }> {
  const operators = await sql<{ id: string }>`
    SELECT id::text FROM operator WHERE id::text = ANY(${O}::text[]) ORDER BY operator.id FOR KEY SHARE`.execute(
    trx,
  )
  const equipTypes = await sql<{ id: string }>`
    SELECT id::text FROM equip_type WHERE id::text = ANY(${ET}::text[]) ORDER BY equip_type.id FOR KEY SHARE`.execute(
    trx,
  )
  const regions = await sql<{ code: string; path: string }>`
    SELECT code, path FROM region WHERE code = ANY(${R}::text[]) ORDER BY id FOR KEY SHARE`.execute(trx)
  return {
    O: operators.rows.map(({ id }) => id),
    ET: equipTypes.rows.map(({ id }) => id),
    R: regions.rows.map(({ code }) => code),
    regionPaths: regions.rows.map(({ path }) => path),
  }
}

/** Replaces the entries of a user, and raises the user's version. */
export async function replaceAuthorities(trx: Trx, userId: number, authorities: Authorities): Promise<void> {
  await trx.deleteFrom('user_authority').where('user_id', '=', userId).execute()
  await insertAuthorities(trx, userId, authorities)
  await sql`UPDATE app_user SET version = version + 1, updated_at = now() WHERE id = ${userId}`.execute(trx)
}

export async function insertAuthorities(trx: Trx, userId: number, authorities: Authorities): Promise<void> {
  const rows = Object.entries(authorities).flatMap(([type, values]) =>
    values.map((value) => ({ type, value })),
  )
  await sql`
    INSERT INTO user_authority (user_id, authority_type, value)
    SELECT ${userId}, type, value FROM unnest(
      ${rows.map(({ type }) => type)}::text[], ${rows.map(({ value }) => value)}::text[]) AS e(type, value)
    ON CONFLICT DO NOTHING`.execute(trx)
}

/** How many devices are in both scopes. */
export async function countWithin(db: Db, scope: DataScope, other: DataScope): Promise<number> {
  return countRows(
    db,
    sql`FROM device d
    WHERE ${deviceWithinScope(scope)} AND ${deviceWithinScope(other)}`,
  )
}

export interface DevicePlace {
  code: string
  organizationName: string
  operatorId: number
  operatorName: string
  equipTypeId: number
  equipTypeName: string
  regionId: number
  regionName: string
  /** The user's organization, or one of those under it, is the device's. */
  isInOrganization: boolean
  userOrganizationName: string
}

/** Where a device of the scope stands, as seen from a user's organization; undefined where the scope has none. */
export async function findDevice(
  db: Db,
  scope: DataScope,
  code: string,
  organizationId: number,
): Promise<DevicePlace | undefined> {
  const { rows } = await sql<DevicePlace>`
    SELECT d.code, o.name AS "organizationName", p.id AS "operatorId", p.name AS "operatorName",
      t.id AS "equipTypeId", t.name AS "equipTypeName", r.id AS "regionId", r.full_name AS "regionName",
      ${inOwnTree({ isSystem: false, organizationId }, sql.ref('o.id'))} AS "isInOrganization",
      (SELECT name FROM organization WHERE id = ${organizationId}) AS "userOrganizationName"
    FROM device d
    JOIN operator p ON p.id = d.operator_id
    JOIN organization o ON o.id = p.organization_id
    JOIN equip_model m ON m.id = d.model_id
    JOIN equip_type t ON t.id = m.equip_type_id
    JOIN region r ON r.id = d.region_id
    WHERE d.code = ${code} AND ${deviceWithinScope(scope)}`.execute(db)
  return rows[0]
}

/** The ids of the user's API keys. */
export async function listKeysOf(trx: Trx, userId: number): Promise<number[]> {
  const rows = await trx.selectFrom('app_user').select('id').where('maker_id', '=', userId).execute()
  return rows.map(({ id }) => id)
}
