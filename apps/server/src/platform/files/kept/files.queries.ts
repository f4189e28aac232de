// SQL of kept files, and of what their uploaders have not used.
import type { StoredFile } from '@voltkeep/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Trx } from '../../database/database.ts'

/** Whose upload it is. */
export interface Uploader {
  userId: number
  organizationId: number
}

const columns = sql`id, name, size_bytes::float8 AS "sizeBytes", md5, sha1, sha256, content_type AS "contentType",
  uploaded_by AS "uploadedBy", created_at AS "createdAt"`

export async function insertFile(
  db: Db,
  file: Omit<StoredFile, 'createdAt' | 'uploadedBy'>,
  uploader: Uploader | null,
): Promise<StoredFile> {
  const { rows } = await sql<StoredFile>`
    INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type, uploaded_by, organization_id)
    VALUES (${file.id}, ${file.name}, ${file.sizeBytes}, ${file.md5}, ${file.sha1}, ${file.sha256},
      ${file.contentType}, ${uploader?.userId ?? null}, ${uploader?.organizationId ?? null})
    RETURNING ${columns}`.execute(db)
  return rows[0] as StoredFile
}

export async function findFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const { rows } = await sql<StoredFile>`SELECT ${columns} FROM stored_file WHERE id = ${id}`.execute(db)
  return rows[0]
}

/** Of these ids those that have a row. */
export async function listKnownIds(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM stored_file WHERE id = ANY(${ids}::uuid[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * "Some row refers to stored_file.id", as a condition. The columns come from the catalog: every foreign key on the
 * table, for a partitioned table the parent's. So the platform names no feature, and a new feature is known as soon as
 * its migration has run.
 */
export async function isReferenced(db: Db): Promise<RawBuilder<boolean>> {
  const { rows } = await sql<{ schema: string; table: string; column: string }>`
    SELECT n.nspname AS schema, c.relname AS table, a.attname AS column
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND k.confrelid = 'stored_file'::regclass AND k.conparentid = 0`.execute(db)
  const references = rows.map(
    ({ schema, table, column }) =>
      sql`EXISTS (SELECT FROM ${sql.id(schema, table)} r WHERE r.${sql.id(column)} = stored_file.id)`,
  )
  return references.length > 0 ? sql`(${sql.join(references, sql` OR `)})` : sql`false`
}

/** Other uploads of the organization begin when the transaction has ended. */
export async function lockUploadsOf(trx: Trx, organizationId: number): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('file_upload', ${organizationId}))`.execute(trx)
}

/**
 * Bytes of files that no row refers to, and of uploads under way, of the user and of the organization. A file whose last
 * reference has gone counts from the collector's next look on.
 */
export async function readUnusedBytes(
  trx: Trx,
  { userId, organizationId }: Uploader,
  forgottenAfterMs: number,
): Promise<{ userBytes: number; organizationBytes: number }> {
  const { rows } = await sql<{ userBytes: number; organizationBytes: number }>`
    SELECT coalesce(sum(bytes) FILTER (WHERE user_id = ${userId}), 0)::float8 AS "userBytes",
      coalesce(sum(bytes) FILTER (WHERE organization_id = ${organizationId}), 0)::float8 AS "organizationBytes"
    FROM (
      SELECT uploaded_by AS user_id, organization_id, size_bytes AS bytes FROM stored_file
      WHERE unused_since IS NOT NULL AND NOT ${await isReferenced(trx)}
      UNION ALL
      SELECT user_id, organization_id, reserved_bytes FROM file_upload
      WHERE touched_at > now() - ${forgottenAfterMs} * interval '1 millisecond'
    ) unused`.execute(trx)
  return rows[0] ?? { userBytes: 0, organizationBytes: 0 }
}

export async function insertReservation(
  trx: Trx,
  { id, uploader, bytes }: { id: string; uploader: Uploader; bytes: number },
): Promise<void> {
  await sql`
    INSERT INTO file_upload (id, user_id, organization_id, reserved_bytes)
    VALUES (${id}, ${uploader.userId}, ${uploader.organizationId}, ${bytes})`.execute(trx)
}

export async function touchReservation(db: Db, id: string): Promise<void> {
  await sql`UPDATE file_upload SET touched_at = now() WHERE id = ${id}`.execute(db)
}

export async function deleteReservation(db: Db, id: string): Promise<void> {
  await sql`DELETE FROM file_upload WHERE id = ${id}`.execute(db)
}

export async function deleteForgottenReservations(db: Db, forgottenAfterMs: number): Promise<void> {
  await sql`
    DELETE FROM file_upload WHERE touched_at < now() - ${forgottenAfterMs} * interval '1 millisecond'`.execute(
    db,
  )
}

/** Keeps `unused_since` true: it begins when the last reference has gone, and ends with a new one. */
export async function markUnused(db: Db): Promise<void> {
  const referenced = await isReferenced(db)
  await sql`UPDATE stored_file SET unused_since = NULL WHERE unused_since IS NOT NULL AND ${referenced}`.execute(
    db,
  )
  await sql`UPDATE stored_file SET unused_since = now() WHERE unused_since IS NULL AND NOT ${referenced}`.execute(
    db,
  )
}

/**
 * Deletes rows that no row refers to, unused since before that time, no more than `limit`; returns their ids.
 *
 * A row is locked first. A reference that is being made has the row locked as well (FOR KEY SHARE), so such a row
 * is skipped; and a reference that comes later waits for the lock and then fails, as its file is gone. The second
 * statement has a newer snapshot than the lock and sees every reference that was committed before it.
 */
export async function deleteUnused(trx: Trx, before: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM stored_file WHERE unused_since < ${before}
    ORDER BY unused_since LIMIT ${limit} FOR UPDATE SKIP LOCKED`.execute(trx)
  return deleteUnreferenced(
    trx,
    rows.map(({ id }) => id),
  )
}

/** Deletes these rows but for those that are referenced. Locks them, and waits where a reference is being made. */
export async function deleteUnreferenced(trx: Trx, ids: readonly string[]): Promise<string[]> {
  await sql`SELECT FROM stored_file WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR UPDATE`.execute(trx)
  const { rows } = await sql<{ id: string }>`
    DELETE FROM stored_file WHERE id = ANY(${ids}::uuid[]) AND NOT ${await isReferenced(trx)}
    RETURNING id`.execute(trx)
  return rows.map(({ id }) => id)
}
