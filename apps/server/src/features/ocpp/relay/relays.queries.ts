// SQL of relays: one device's, as it is shown, changed and used.
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'

export interface RelayEntry {
  /** The device's. */
  id: number
  code: string
  url: string
  identity: string | null
  /** Sealed, as `tls` is. */
  password: string | null
  tls: string | null
  isEnabled: boolean
  version: number
}

export interface RelayRow extends RelayEntry {
  isStation: boolean
  isOnline: boolean
  connectedTime: Date | null
  lastError: string | null
  lastErrorTime: Date | null
  updateBy: string | null
  updateTime: Date
}

/** Undefined where the scope has no such device; `url` null where it has no relay. */
export async function findRelay(
  db: Db,
  scope: DataScope,
  id: number,
): Promise<RelayRow | { url: null } | undefined> {
  const { rows } = await sql<RelayRow | { url: null }>`
    SELECT d.id, d.code, d.protocol = 'ocpp16' AS "isStation", coalesce(s.is_online, false) AS "isOnline", r.url,
      r.identity, r.password, r.tls, r.is_enabled AS "isEnabled", r.connected_at AS "connectedTime",
      r.last_error AS "lastError", r.last_error_at AS "lastErrorTime", r.updated_by_name AS "updateBy",
      r.updated_at AS "updateTime", r.version
    FROM device d
    LEFT JOIN ocpp_relay r ON r.id = d.id
    LEFT JOIN device_state s ON s.device_id = d.id
    WHERE d.id = ${id} AND ${deviceWithinScope(scope)}`.execute(db)
  return rows[0]
}

/** The device of a new relay, which waits for changes of it. */
export async function lockStation(
  trx: Trx,
  scope: DataScope,
  id: number,
): Promise<{ id: number; code: string; isStation: boolean } | undefined> {
  const { rows } = await sql<{ id: number; code: string; isStation: boolean }>`
    SELECT d.id, d.code, d.protocol = 'ocpp16' AS "isStation" FROM device d
    WHERE d.id = ${id} AND ${deviceWithinScope(scope)} FOR NO KEY UPDATE OF d`.execute(trx)
  return rows[0]
}

export async function lockRelay(trx: Trx, scope: DataScope, id: number): Promise<RelayEntry | undefined> {
  const { rows } = await sql<RelayEntry>`
    SELECT d.id, d.code, r.url, r.identity, r.password, r.tls, r.is_enabled AS "isEnabled", r.version
    FROM ocpp_relay r JOIN device d ON d.id = r.id
    WHERE r.id = ${id} AND ${deviceWithinScope(scope)} FOR UPDATE OF r`.execute(trx)
  return rows[0]
}

export interface RelayValues {
  url: string
  identity: string | null
  password: string | null
  tls: string | null
  isEnabled: boolean
  updatedByName: string
}

const columnsOf = ({ url, identity, password, tls, isEnabled, updatedByName }: RelayValues) => ({
  url,
  identity,
  password,
  tls,
  is_enabled: isEnabled,
  updated_by_name: updatedByName,
})

export async function insertRelay(trx: Trx, id: number, values: RelayValues): Promise<void> {
  await trx
    .insertInto('ocpp_relay')
    .values({ id, ...columnsOf(values) })
    .execute()
}

/** What was wrong with the former one is forgotten. */
export async function updateRelay(trx: Trx, id: number, values: RelayValues): Promise<void> {
  await trx
    .updateTable('ocpp_relay')
    .set((eb) => ({
      ...columnsOf(values),
      last_error: null,
      last_error_at: null,
      updated_at: new Date(),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
}

export async function deleteRelay(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('ocpp_relay').where('id', '=', id).execute()
}

/** Another one for each change, also where a row is made anew and counts its versions from the beginning. */
const editionText = sql<string>`concat_ws(' ', r.version, extract(epoch FROM r.updated_at))`

export interface RelayTargetRow extends Omit<RelayEntry, 'id' | 'isEnabled' | 'version'> {
  edition: string
}

/** The relay that a station has now; undefined where it has none, or one that is switched off. */
export async function findTarget(db: Db, id: number): Promise<RelayTargetRow | undefined> {
  const { rows } = await sql<RelayTargetRow>`
    SELECT coalesce(d.protocol_identity, d.code) AS code, r.url, r.identity, r.password, r.tls,
      ${editionText} AS edition
    FROM ocpp_relay r JOIN device d ON d.id = r.id WHERE r.id = ${id} AND r.is_enabled`.execute(db)
  return rows[0]
}

/** Of these devices, those that have one now. */
export async function listEditions(
  db: Db,
  ids: readonly number[],
): Promise<{ id: number; edition: string; isConnected: boolean }[]> {
  const { rows } = await sql<{ id: number; edition: string; isConnected: boolean }>`
    SELECT r.id, ${editionText} AS edition, r.connected_at IS NOT NULL AS "isConnected" FROM ocpp_relay r
    WHERE r.id = ANY(${ids}::int[]) AND r.is_enabled`.execute(db)
  return rows
}

/** It is connected from now on; returns since when, by which its end is known. */
export async function markConnected(db: Db, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ since: string }>`
    UPDATE ocpp_relay SET connected_at = clock_timestamp() WHERE id = ${id}
    RETURNING connected_at::text AS since`.execute(db)
  return rows[0]?.since
}

export async function markFailed(db: Db, id: number, failure: string): Promise<void> {
  await sql`
    UPDATE ocpp_relay SET connected_at = NULL, last_error = ${failure}, last_error_at = now()
    WHERE id = ${id}`.execute(db)
}

/** The station is not here any more: of a connection that it has elsewhere by now this says nothing. */
export async function markGone(db: Db, id: number, since: string): Promise<void> {
  await sql`
    UPDATE ocpp_relay SET connected_at = NULL
    WHERE id = ${id} AND connected_at = ${since}::timestamptz`.execute(db)
}
