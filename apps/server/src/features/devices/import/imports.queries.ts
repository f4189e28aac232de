// The record of imports: one row each, and the devices that it made.
import type { DeviceProtocol } from '@voltkeep/contract'
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface ImportRecord {
  id: string
  fileName: string
  rowCount: number
  reason: string | null
  createdAt: Date
  finishedAt: Date | null
}

/** Inserts an import that begins. Imports that began a month ago are deleted. */
export async function insertImport(
  db: Db,
  { userId, fileName, rowCount }: { userId: number; fileName: string; rowCount: number },
): Promise<string> {
  await sql`DELETE FROM device_import WHERE user_id = ${userId} AND created_at < now() - interval '30 days'`.execute(
    db,
  )
  const { rows } = await sql<{ id: string }>`
    INSERT INTO device_import (user_id, file_name, row_count) VALUES (${userId}, ${fileName}, ${rowCount})
    RETURNING id`.execute(db)
  return (rows[0] as { id: string }).id
}

/** Records the end of an import, with the devices that it made or the reason why there are none. */
export async function finishImport(
  db: Db,
  id: string,
  { deviceIds = [], reason = null }: { deviceIds?: readonly number[]; reason?: string | null },
): Promise<void> {
  await sql`
    UPDATE device_import SET finished_at = now(), device_ids = ${deviceIds}::int[], reason = ${reason}
    WHERE id = ${id}::bigint`.execute(db)
}

/** The user's imports that are under way or ended since then. */
export async function listImports(db: Db, userId: number, endedSince: Date): Promise<ImportRecord[]> {
  const { rows } = await sql<ImportRecord>`
    SELECT id, file_name AS "fileName", row_count AS "rowCount", reason, created_at AS "createdAt",
      finished_at AS "finishedAt"
    FROM device_import
    WHERE user_id = ${userId} AND coalesce(finished_at, created_at) > ${endedSince}
    ORDER BY id DESC`.execute(db)
  return rows
}

/** One of the user's imports; undefined where there is none. */
export async function findImport(db: Db, userId: number, id: string): Promise<ImportRecord | undefined> {
  const { rows } = await sql<ImportRecord>`
    SELECT id, file_name AS "fileName", row_count AS "rowCount", reason, created_at AS "createdAt",
      finished_at AS "finishedAt"
    FROM device_import WHERE id = ${id}::bigint AND user_id = ${userId}`.execute(db)
  return rows[0]
}

export interface UnconnectedDevice {
  id: number
  code: string
  name: string | null
  address: string | null
  protocol: DeviceProtocol
}

/** Locks the import's devices of the scope that never connected, in the order of their ids. */
export async function lockUnconnected(
  trx: Trx,
  scope: DataScope,
  importId: string,
): Promise<UnconnectedDevice[]> {
  const { rows } = await sql<UnconnectedDevice>`
    SELECT d.id, d.code, d.name, d.address, d.protocol
    FROM device d JOIN device_state s ON s.device_id = d.id
    WHERE d.id = ANY(ARRAY(SELECT unnest(device_ids) FROM device_import WHERE id = ${importId}::bigint))
      AND NOT s.is_online AND s.online_changed_at IS NULL AND ${deviceWithinScope(scope)}
    ORDER BY d.id FOR UPDATE OF d`.execute(trx)
  return rows
}

export async function updateSecrets(
  trx: Trx,
  devices: readonly { id: number; secretHash: Buffer }[],
  by: number,
): Promise<void> {
  await sql`
    UPDATE device SET secret_hash = t.secret_hash, secret_by = ${by}, updated_at = now()
    FROM unnest(
      ${devices.map(({ id }) => id)}::int[],
      ${devices.map(({ secretHash }) => `\\x${secretHash.toString('hex')}`)}::bytea[]
    ) AS t (id, secret_hash)
    WHERE device.id = t.id`.execute(trx)
}
