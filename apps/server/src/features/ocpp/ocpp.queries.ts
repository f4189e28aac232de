// SQL of stations: what is known of one when it comes, and what it has said, many stations at once.
import { sql } from 'kysely'
import type pg from 'pg'
import { int4Array, int8Array, textArray, timestampArray } from '../../platform/database/arrays.ts'
import type { Db } from '../../platform/database/database.ts'
import { firstPartOf } from './matching.ts'

export interface Standing {
  /** The first part of its model: its version is the station's firmware. */
  firstPart: string | null
  /** Null: it has never said what it is. */
  station: { vendor: string; rebootKeys: string[]; commandId: string | null } | null
  connectors: {
    connectorId: number
    status: string
    semaphoreCode: string | null
    alarmValue: number | null
  }[]
  /** Charging sessions under way. */
  transactions: { id: number; connectorId: number }[]
}

export async function readStanding(db: Db, deviceId: number): Promise<Standing> {
  const { rows } = await sql<Standing>`
    SELECT
      (SELECT ${firstPartOf(sql.ref<number>('d.model_id'))} FROM device d WHERE d.id = ${deviceId}) AS "firstPart",
      (SELECT jsonb_build_object('vendor', vendor, 'rebootKeys', reboot_keys, 'commandId', command_id)
       FROM ocpp_station WHERE device_id = ${deviceId}) AS station,
      coalesce((SELECT jsonb_agg(jsonb_build_object('connectorId', connector_id, 'status', status,
        'semaphoreCode', semaphore_code, 'alarmValue', alarm_value))
       FROM ocpp_connector WHERE device_id = ${deviceId}), '[]') AS connectors,
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', t.id, 'connectorId', t.connector_id) ORDER BY t.id)
       FROM (SELECT id, connector_id FROM ocpp_transaction
         WHERE device_id = ${deviceId} AND stopped_at IS NULL ORDER BY id DESC LIMIT ${openAtMost}) t), '[]') AS transactions
  `.execute(db)
  return rows[0] as Standing
}

/** The upgrade that is open for a device, by its target. */
export async function findUpgrade(db: Db, deviceId: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id::text FROM upgrade_target
    WHERE device_id = ${deviceId} AND state IN ('sent', 'downloading', 'installing')
    ORDER BY started_at DESC NULLS LAST, id DESC LIMIT 1`.execute(db)
  return rows[0]?.id
}

/** Keys that take effect with the station's next start, and the last command that must not be carried out twice. */
export async function markStation(
  db: Db,
  deviceId: number,
  { rebootKeys, commandId }: { rebootKeys?: readonly string[]; commandId?: string },
): Promise<void> {
  await sql`
    INSERT INTO ocpp_station AS s (device_id, reboot_keys, command_id)
    SELECT id, ${rebootKeys ?? []}::text[], ${commandId ?? null}::uuid FROM device WHERE id = ${deviceId}
    ON CONFLICT (device_id) DO UPDATE
    SET reboot_keys = CASE WHEN ${rebootKeys === undefined} THEN s.reboot_keys ELSE excluded.reboot_keys END,
      command_id = coalesce(excluded.command_id, s.command_id)`.execute(db)
}

export interface Boot {
  deviceId: number
  vendor: string
  model: string
  serial: string | null
  firmware: string | null
  iccid: string | null
  imsi: string | null
  atMs: number
}

/** The stations have started: what waited for that has taken effect. Each station at most once in the list. */
export async function upsertBoots(db: pg.ClientBase, boots: readonly Boot[]): Promise<void> {
  await db.query({
    name: 'ocpp.upsertBoots',
    text: `
      INSERT INTO ocpp_station (device_id, vendor, model, serial, firmware, iccid, imsi, booted_at)
      SELECT m.* FROM unnest($1::int4[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::timestamptz[]) AS m(device_id, vendor, model, serial, firmware, iccid, imsi, booted_at)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id) DO UPDATE
      SET vendor = excluded.vendor, model = excluded.model, serial = excluded.serial, firmware = excluded.firmware,
        iccid = excluded.iccid, imsi = excluded.imsi, booted_at = excluded.booted_at, reboot_keys = '{}',
        changed_at = now()`,
    values: [
      int4Array(boots.map(({ deviceId }) => deviceId)),
      textArray(boots.map(({ vendor }) => vendor)),
      textArray(boots.map(({ model }) => model)),
      textArray(boots.map(({ serial }) => serial)),
      textArray(boots.map(({ firmware }) => firmware)),
      textArray(boots.map(({ iccid }) => iccid)),
      textArray(boots.map(({ imsi }) => imsi)),
      timestampArray(boots.map(({ atMs }) => atMs)),
    ],
  })
}

export interface ConnectorRow {
  deviceId: number
  connectorId: number
  status: string
  errorCode: string
  vendorErrorCode: string | null
  info: string | null
  semaphoreCode: string | null
  alarmValue: number | null
  atMs: number
}

/** Each connector at most once in the list. */
export async function upsertConnectors(db: pg.ClientBase, rows: readonly ConnectorRow[]): Promise<void> {
  await db.query({
    name: 'ocpp.upsertConnectors',
    text: `
      INSERT INTO ocpp_connector (device_id, connector_id, status, error_code, vendor_error_code, info,
        semaphore_code, alarm_value, reported_at)
      SELECT m.* FROM unnest($1::int4[], $2::int4[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::int8[], $9::timestamptz[]) AS m(device_id, connector_id, status, error_code, vendor_error_code, info,
        semaphore_code, alarm_value, reported_at)
      JOIN device d ON d.id = m.device_id
      ON CONFLICT (device_id, connector_id) DO UPDATE
      SET status = excluded.status, error_code = excluded.error_code,
        vendor_error_code = excluded.vendor_error_code, info = excluded.info,
        semaphore_code = excluded.semaphore_code, alarm_value = excluded.alarm_value,
        reported_at = excluded.reported_at`,
    values: [
      int4Array(rows.map(({ deviceId }) => deviceId)),
      int4Array(rows.map(({ connectorId }) => connectorId)),
      textArray(rows.map(({ status }) => status)),
      textArray(rows.map(({ errorCode }) => errorCode)),
      textArray(rows.map(({ vendorErrorCode }) => vendorErrorCode)),
      textArray(rows.map(({ info }) => info)),
      textArray(rows.map(({ semaphoreCode }) => semaphoreCode)),
      int8Array(rows.map(({ alarmValue }) => alarmValue)),
      timestampArray(rows.map(({ atMs }) => atMs)),
    ],
  })
}

export interface UnknownCode {
  vendor: string
  code: string
  info: string | null
  deviceId: number
  semaphoreCode: string
  count: number
  atMs: number
}

/** Codes are a station's own words: of one there are no more rows than this. */
const unknownCodesAtMost = 50

/** Each code of a station at most once in the list, and those of all processes in one order. */
export async function countUnknownCodes(db: pg.ClientBase, codes: readonly UnknownCode[]): Promise<void> {
  await db.query({
    name: 'ocpp.countUnknownCodes',
    text: `
      INSERT INTO ocpp_unknown_code AS u (vendor, code, info, device_id, semaphore_code, count, first_at, last_at)
      SELECT m.vendor, m.code, m.info, d.id, m.semaphore_code, m.count, m.at, m.at
      FROM unnest($1::text[], $2::text[], $3::text[], $4::int4[], $5::text[], $6::int8[], $7::timestamptz[])
        AS m(vendor, code, info, device_id, semaphore_code, count, at)
      JOIN device d ON d.id = m.device_id
      WHERE EXISTS (SELECT FROM ocpp_unknown_code k
          WHERE k.device_id = d.id AND k.vendor = m.vendor AND k.code = m.code)
        OR (SELECT count(*) FROM ocpp_unknown_code k WHERE k.device_id = d.id) < ${unknownCodesAtMost}
      ORDER BY d.id, m.vendor, m.code
      ON CONFLICT (device_id, vendor, code) DO UPDATE
      SET info = coalesce(excluded.info, u.info), semaphore_code = excluded.semaphore_code, count = u.count + excluded.count, last_at = excluded.last_at`,
    values: [
      textArray(codes.map(({ vendor }) => vendor)),
      textArray(codes.map(({ code }) => code)),
      textArray(codes.map(({ info }) => info)),
      int4Array(codes.map(({ deviceId }) => deviceId)),
      textArray(codes.map(({ semaphoreCode }) => semaphoreCode)),
      int8Array(codes.map(({ count }) => count)),
      timestampArray(codes.map(({ atMs }) => atMs)),
    ],
  })
}

/** Charging sessions under way of one station, and all that are kept of it: the number of each is a station's own claim. */
export const openAtMost = 64
const keptAtMost = 2_000

export interface Start {
  deviceId: number
  connectorId: number
  idTag: string
  meterStart: number
  startedAtMs: number
}

const keyOfStart = ({ deviceId, connectorId, idTag, meterStart, startedAtMs }: Start) =>
  JSON.stringify([deviceId, connectorId, idTag, meterStart, startedAtMs])

/** The number of each charging session by `keyOfStart`: the same one however often it is asked for. */
export async function insertStarts(
  db: pg.ClientBase,
  starts: readonly Start[],
): Promise<(start: Start) => number | undefined> {
  const distinct = [...new Map(starts.map((start) => [keyOfStart(start), start])).values()]
  const { rows } = await db.query<{ n: string; id: number }>({
    name: 'ocpp.insertStarts',
    text: `
      WITH m AS (
        SELECT * FROM unnest($1::int4[], $2::int4[], $3::text[], $4::int8[], $5::timestamptz[])
          WITH ORDINALITY AS m(device_id, connector_id, id_tag, meter_start, started_at, n)
      ), known AS (
        SELECT m.n, t.id FROM m JOIN ocpp_transaction t ON t.device_id = m.device_id
          AND t.connector_id = m.connector_id AND t.id_tag = m.id_tag AND t.meter_start = m.meter_start
          AND t.started_at = m.started_at
      ), added AS (
        -- A conflict takes a number of the sequence, too: it is left to sessions that another process adds meanwhile.
        INSERT INTO ocpp_transaction AS t (device_id, connector_id, id_tag, meter_start, started_at)
        SELECT m.device_id, m.connector_id, m.id_tag, m.meter_start, m.started_at
        FROM m JOIN device d ON d.id = m.device_id WHERE m.n NOT IN (SELECT n FROM known)
        ON CONFLICT ON CONSTRAINT ocpp_transaction_once DO UPDATE SET id_tag = excluded.id_tag
        RETURNING t.*
      )
      SELECT n, id FROM known
      UNION ALL
      SELECT m.n, a.id FROM m JOIN added a ON a.device_id = m.device_id AND a.connector_id = m.connector_id
        AND a.id_tag = m.id_tag AND a.meter_start = m.meter_start AND a.started_at = m.started_at`,
    values: [
      int4Array(distinct.map(({ deviceId }) => deviceId)),
      int4Array(distinct.map(({ connectorId }) => connectorId)),
      textArray(distinct.map(({ idTag }) => idTag)),
      int8Array(distinct.map(({ meterStart }) => meterStart)),
      timestampArray(distinct.map(({ startedAtMs }) => startedAtMs)),
    ],
  })
  await limitStarts(db, [...new Set(distinct.map(({ deviceId }) => deviceId))])
  const ids = new Map(rows.map(({ n, id }) => [keyOfStart(distinct[Number(n) - 1] as Start), id]))
  return (start) => ids.get(keyOfStart(start))
}

/**
 * A station has no more than so many connectors, and begins no session twice: of more that it says it has begun, and never
 * ends, the older ones have ended, and the oldest are forgotten.
 */
async function limitStarts(db: pg.ClientBase, deviceIds: readonly number[]): Promise<void> {
  await db.query({
    name: 'ocpp.limitStarts',
    text: `
      WITH ended AS (
        UPDATE ocpp_transaction t SET stopped_at = now()
        FROM unnest($1::int4[]) AS m(device_id) CROSS JOIN LATERAL (
          SELECT id FROM ocpp_transaction o WHERE o.device_id = m.device_id AND o.stopped_at IS NULL
          ORDER BY o.id DESC OFFSET ${openAtMost}
        ) AS o
        WHERE t.id = o.id AND t.stopped_at IS NULL
      )
      DELETE FROM ocpp_transaction t
      USING unnest($1::int4[]) AS m(device_id) CROSS JOIN LATERAL (
        SELECT id FROM ocpp_transaction o WHERE o.device_id = m.device_id ORDER BY o.id DESC OFFSET ${keptAtMost}
      ) AS o
      WHERE t.id = o.id AND t.stopped_at IS NOT NULL`,
    values: [int4Array(deviceIds)],
  })
}

export interface Stop {
  deviceId: number
  transactionId: number
  stoppedAtMs: number
}

export async function endTransactions(db: pg.ClientBase, stops: readonly Stop[]): Promise<void> {
  await db.query({
    name: 'ocpp.endTransactions',
    text: `
      UPDATE ocpp_transaction t SET stopped_at = m.at
      FROM unnest($1::int4[], $2::int4[], $3::timestamptz[]) AS m(device_id, id, at)
      WHERE t.id = m.id AND t.device_id = m.device_id AND t.stopped_at IS NULL`,
    values: [
      int4Array(stops.map(({ deviceId }) => deviceId)),
      int4Array(stops.map(({ transactionId }) => transactionId)),
      timestampArray(stops.map(({ stoppedAtMs }) => stoppedAtMs)),
    ],
  })
}

/** Forgets charging sessions that ended before, and those that began a good while before and never ended. */
export async function forgetTransactions(db: Db, before: Date, begunBefore: Date): Promise<void> {
  await sql`
    DELETE FROM ocpp_transaction
    WHERE stopped_at < ${before} OR (stopped_at IS NULL AND started_at < ${begunBefore})`.execute(db)
}

export async function forgetUnknownCodes(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM ocpp_unknown_code WHERE last_at < ${before}`.execute(db)
}

export interface KnownCode {
  vendor: string
  code: string
  semaphoreCode: string
  alarmValue: number | null
}

export async function readKnownCodes(db: Db): Promise<KnownCode[]> {
  const { rows } = await sql<KnownCode>`
    SELECT vendor, code, semaphore_code AS "semaphoreCode", alarm_value::float8 AS "alarmValue"
    FROM ocpp_error_code`.execute(db)
  return rows
}
