import type { BatchDevices } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DataScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { devicesChosen } from '../devices/index.ts'

/** The devices `d` of a batch, within the scope: those of the codes that pass the filters, where it has both. */
export async function devicesOfBatch(
  db: Db,
  scope: DataScope,
  { filters, codes }: BatchDevices,
): Promise<RawBuilder<SqlBool>> {
  const parts = [
    ...(filters ? [await devicesChosen(db, scope, { filters })] : []),
    ...(codes ? [await devicesChosen(db, scope, { codes })] : []),
  ]
  return sql<SqlBool>`(${sql.join(parts, sql` AND `)})`
}
