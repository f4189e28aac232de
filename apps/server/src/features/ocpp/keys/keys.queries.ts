// SQL of changes of stations' passwords.
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface KeyChangeRow {
  /** The former password is still the device's. */
  isCurrent: boolean
  failure: string | null
  askBy: string
  askTime: Date
  toldTime: Date | null
  doneTime: Date | null
}

/** Undefined where the scope has no such device; `askTime` null where nothing was ever asked for. */
export async function findChange(
  db: Db,
  scope: DataScope,
  id: number,
): Promise<KeyChangeRow | { askTime: null } | undefined> {
  const { rows } = await sql<KeyChangeRow | { askTime: null }>`
    SELECT k.former_hash = d.secret_hash AND d.protocol = 'ocpp16' AS "isCurrent", k.failure,
      k.asked_by_name AS "askBy", k.asked_at AS "askTime", k.told_at AS "toldTime", k.done_at AS "doneTime"
    FROM device d LEFT JOIN ocpp_key_change k ON k.id = d.id
    WHERE d.id = ${id} AND ${deviceWithinScope(scope)}`.execute(db)
  return rows[0]
}

export interface KeyedStation {
  id: number
  code: string
  isStation: boolean
  secretHash: Buffer
  isChanging: boolean
  version: number
}

/** Locked against another change of its secret. */
export async function lockKeyed(trx: Trx, scope: DataScope, id: number): Promise<KeyedStation | undefined> {
  const { rows } = await sql<KeyedStation>`
    SELECT d.id, d.code, d.protocol = 'ocpp16' AS "isStation", d.secret_hash AS "secretHash", d.version,
      EXISTS (SELECT FROM ocpp_key_change k WHERE k.id = d.id AND k.former_hash = d.secret_hash
        AND k.done_at IS NULL AND k.failure IS NULL) AS "isChanging"
    FROM device d WHERE d.id = ${id} AND ${deviceWithinScope(scope)} FOR NO KEY UPDATE OF d`.execute(trx)
  return rows[0]
}

export async function upsertChange(
  trx: Trx,
  id: number,
  {
    formerHash,
    secretHash,
    key,
    askedBy,
    askedByName,
  }: { formerHash: Buffer; secretHash: Buffer; key: string; askedBy: number; askedByName: string },
): Promise<void> {
  const row = {
    former_hash: formerHash,
    secret_hash: secretHash,
    key,
    asked_by: askedBy,
    asked_by_name: askedByName,
    asked_at: new Date(),
    told_at: null,
    done_at: null,
    failure: null,
  }
  await trx
    .insertInto('ocpp_key_change')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export interface UntoldKey {
  /** Sealed. */
  key: string
  askedBy: number
  askedByName: string
  /** It has taken it before, and may start with it yet. */
  isTold: boolean
}

/**
 * The password that the station has not come with yet; undefined where there is none, or where it has taken it a moment
 * ago.
 */
export async function findUntold(db: Db, id: number): Promise<UntoldKey | undefined> {
  const { rows } = await sql<UntoldKey>`
    SELECT k.key, k.asked_by AS "askedBy", k.asked_by_name AS "askedByName",
      k.told_at IS NOT NULL AS "isTold"
    FROM ocpp_key_change k JOIN device d ON d.id = k.id
    WHERE k.id = ${id} AND k.former_hash = d.secret_hash AND d.protocol = 'ocpp16' AND k.key IS NOT NULL
      AND k.done_at IS NULL AND k.failure IS NULL
      AND (k.told_at IS NULL OR k.told_at < now() - interval '10 minutes')`.execute(db)
  return rows[0]
}

export async function isWithin(db: Db, scope: DataScope, id: number): Promise<boolean> {
  const { rows } = await sql`SELECT FROM device d WHERE d.id = ${id} AND ${deviceWithinScope(scope)}`.execute(
    db,
  )
  return rows.length > 0
}

/** Of this password alone: it may have been asked for anew. `failure` null: the station has taken it. */
export async function markTold(db: Db, id: number, key: string, failure: string | null): Promise<void> {
  await sql`
    UPDATE ocpp_key_change SET told_at = CASE WHEN ${failure}::text IS NULL THEN now() ELSE told_at END,
      failure = ${failure}, key = CASE WHEN ${failure}::text IS NULL THEN key END
    WHERE id = ${id} AND key = ${key} AND done_at IS NULL`.execute(db)
}

/** The station has come with this password; false where it is not the one that was asked for, or is done already. */
export async function finishChange(trx: Trx, id: number, secretHash: Buffer): Promise<boolean> {
  const { rows } = await sql<{ id: number }>`
    UPDATE ocpp_key_change k SET done_at = now(), key = NULL, told_at = coalesce(k.told_at, now())
    FROM device d WHERE k.id = ${id} AND d.id = k.id AND k.secret_hash = ${secretHash}
      AND k.former_hash = d.secret_hash AND k.done_at IS NULL AND k.failure IS NULL
    RETURNING k.id`.execute(trx)
  return rows.length > 0
}
