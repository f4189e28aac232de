import type { BatchDevices } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { devicesMatching } from './device-matching.ts'

/**
 * A choice as a condition on `device d`, within the scope; where it has filters and codes, the devices of the codes that
 * match the filters. A batch, a task or a publication puts it into its own query when it resolves its devices.
 */
export async function devicesChosen(
  db: Db,
  scope: DataScope,
  { filters, codes, isAll }: BatchDevices,
): Promise<RawBuilder<SqlBool>> {
  const ofCodes = codes && sql<SqlBool>`(d.code = ANY(${codes}::text[]) AND ${deviceWithinScope(scope)})`
  if (ofCodes && !filters) return ofCodes
  if (!filters && isAll !== 1) throw new Error('a choice names filters, codes, or all devices')
  const matching = await devicesMatching(db, scope, filters ?? {})
  return ofCodes ? sql<SqlBool>`(${matching} AND ${ofCodes})` : matching
}

/** Whether somebody of that scope sees all devices `d` of the condition. */
export async function isSeenWhole(db: Db, scope: DataScope, matching: RawBuilder<SqlBool>): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM device d WHERE ${matching} AND NOT ${deviceWithinScope(scope)} LIMIT 1`.execute(db)
  return rows.length === 0
}

/** Of these codes, those that name no device in the scope, in their order and each once. */
export async function listUnknownCodes(
  db: Db,
  scope: DataScope,
  codes: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    SELECT asked.code FROM unnest(${codes}::text[]) WITH ORDINALITY AS asked (code, n)
    WHERE NOT EXISTS (SELECT FROM device d WHERE d.code = asked.code AND ${deviceWithinScope(scope)})
    GROUP BY asked.code ORDER BY min(asked.n)
  `.execute(db)
  return rows.map(({ code }) => code)
}
