import { sql } from 'kysely'
import { hashSecret } from '../features/devices/index.ts'
import type { Db, Trx } from '../platform/database/database.ts'
import type { DemoDevice } from './fleet.ts'

/** Rows a statement: large enough to be quick, small enough to stay some megabytes. */
const rowsAtOnce = 5_000

/** Which of these codes are registered, in whatever way they got there. */
export async function findRegistered(db: Db, codes: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ code: string }>`
    SELECT code FROM device WHERE code = ANY(${codes}::text[])`.execute(db)
  return new Set(rows.map(({ code }) => code))
}

/** Registers devices in the districts of their operators' cities; a code that is taken is left alone. */
export async function insertDevices(
  trx: Trx,
  devices: readonly DemoDevice[],
  secretOf: (code: string) => string,
): Promise<void> {
  for (let at = 0; at < devices.length; at += rowsAtOnce) {
    const some = devices.slice(at, at + rowsAtOnce)
    const column = <Key extends keyof DemoDevice>(key: Key) => some.map((device) => device[key])
    await sql`
      WITH district AS (
        -- A city without districts (Dongguan, say) is its own.
        SELECT c.code AS city_code, r.id,
          row_number() OVER (PARTITION BY c.code ORDER BY r.code) - 1 AS place,
          count(*) OVER (PARTITION BY c.code) AS places
        FROM region c
        JOIN region r ON r.parent_id = c.id
          OR r.id = c.id AND NOT EXISTS (SELECT FROM region below WHERE below.parent_id = c.id)
        WHERE c.code = ANY(${[...new Set(column('cityCode'))]}::text[])
      ), planted AS (
        INSERT INTO device (code, name, operator_id, model_id, region_id, address, business_status, secret_hash)
        SELECT d.code, d.name, p.id, m.id, district.id, d.address, d.business_status, decode(d.secret_hash, 'hex')
        FROM unnest(
          ${column('code')}::text[], ${column('name')}::text[], ${column('operatorCode')}::text[],
          ${column('modelCode')}::text[], ${column('cityCode')}::text[], ${column('districtNumber')}::int[],
          ${column('address')}::text[], ${column('businessStatus')}::int[],
          ${some.map(({ code }) => hashSecret(secretOf(code)).toString('hex'))}::text[]
        ) WITH ORDINALITY AS d(
          code, name, operator_code, model_code, city_code, district_number, address, business_status,
          secret_hash, number)
        JOIN operator p ON p.code = d.operator_code
        JOIN equip_model m ON m.code = d.model_code
        JOIN district ON district.city_code = d.city_code AND district.place = d.district_number % district.places
        ORDER BY d.number
        ON CONFLICT (code) DO NOTHING
        RETURNING id
      )
      INSERT INTO device_state (device_id) SELECT id FROM planted`.execute(trx)
  }
}

/** Gives registered devices these secrets. */
export async function renewSecrets(
  trx: Trx,
  codes: readonly string[],
  secretOf: (code: string) => string,
): Promise<void> {
  const hashes = codes.map((code) => hashSecret(secretOf(code)).toString('hex'))
  await sql`
    UPDATE device d SET secret_hash = decode(renewed.secret_hash, 'hex'), updated_at = now()
    FROM unnest(${codes}::text[], ${hashes}::text[]) AS renewed(code, secret_hash)
    WHERE d.code = renewed.code`.execute(trx)
}

interface DemoModel {
  typeCode: string
  classify: string
  partTypes: string[]
  /** Null: the model does not say, or has none. */
  compartments: number | null
}

/** What a device of each model is, and what it is made of. */
export async function readModels(db: Db): Promise<Map<string, DemoModel>> {
  const { rows } = await sql<DemoModel & { code: string }>`
    SELECT m.code, t.code AS "typeCode", t.classify, m.compartment_count AS compartments, ARRAY(
      SELECT p.code FROM equip_type_part tp JOIN part_type p ON p.code = tp.part_type
      WHERE tp.equip_type_id = t.id ORDER BY p.order_num
    ) AS "partTypes"
    FROM equip_model m JOIN equip_type t ON t.id = m.equip_type_id`.execute(db)
  return new Map(rows.map(({ code, ...model }) => [code, model]))
}
