// SQL of identity providers.
import type { SignInProviderKind } from '@voltkeep/contract'
import { sql } from 'kysely'
import { systemRoleId } from '../../domain/access/accounts/first-user.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { countRows, type Page } from '../../platform/database/paging.ts'

/** As a row keeps it. */
export interface KeptRule {
  claim: string
  value: string
  roleIds: number[]
  organizationId: number
}

export interface ProviderRecord {
  id: number
  kind: SignInProviderKind
  name: string
  issuer: string
  corpId: string | null
  address: string | null
  clientId: string
  /** Sealed. */
  clientSecret: string | null
  scopes: string
  rules: KeptRule[]
  isEnabled: boolean
  userCount: number
  createTime: Date
  version: number
}

const columns = sql`
  p.id, p.kind, p.name, p.issuer, p.corp_id AS "corpId", p.address, p.client_id AS "clientId", p.client_secret AS "clientSecret", p.scopes, p.rules,
  p.is_enabled AS "isEnabled", p.created_at AS "createTime", p.version,
  (SELECT count(*)::int FROM sign_in_identity i WHERE i.issuer = p.issuer) AS "userCount"`

export async function listProviders(db: Db, { limit, offset }: Page): Promise<ProviderRecord[]> {
  const { rows } = await sql<ProviderRecord>`
    SELECT ${columns} FROM sign_in_provider p ORDER BY p.name LIMIT ${limit} OFFSET ${offset}`.execute(db)
  return rows
}

export const countProviders = (db: Db): Promise<number> => countRows(db, sql`FROM sign_in_provider`)

export async function findProvider(db: Db, id: number): Promise<ProviderRecord | undefined> {
  const { rows } = await sql<ProviderRecord>`
    SELECT ${columns} FROM sign_in_provider p WHERE p.id = ${id}`.execute(db)
  return rows[0]
}

export async function lockProvider(trx: Trx, id: number): Promise<ProviderRecord | undefined> {
  await sql`SELECT FROM sign_in_provider WHERE id = ${id} FOR UPDATE`.execute(trx)
  return findProvider(trx, id)
}

/** Of these roles, those that a rule may name: all but SYSTEM; kept from being deleted meanwhile. */
export async function lockRoles(trx: Trx, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT id, name FROM role WHERE id = ANY(${ids}::int[]) AND id <> ${systemRoleId} AND code <> 'SYSTEM'
    ORDER BY id FOR KEY SHARE`.execute(trx)
  return rows
}

export async function lockOrganizations(trx: Trx, ids: readonly number[]) {
  const { rows } = await sql<{ id: number; name: string }>`
    SELECT id, name FROM organization WHERE id = ANY(${ids}::int[]) ORDER BY id FOR KEY SHARE`.execute(trx)
  return rows
}
