// SQL of an import: what its cells may name, which names are taken, and the devices written in one statement.
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { ImportedDevice, Reference } from './import.rules.ts'

/** All that a device of the scope can refer to, in the order in which lists show it. */
export async function readReference(db: Db, scope: DataScope): Promise<Reference> {
  const operators = db.selectFrom('operator').select(['id', 'code', 'name']).orderBy('name').orderBy('id')
  const equipTypes = db
    .selectFrom('equip_type')
    .select(['id', 'code', 'name'])
    .orderBy('order_num')
    .orderBy('id')
  const equipModels = db
    .selectFrom('equip_model')
    .select(['id', 'code', 'name', 'equip_type_id as equipTypeId'])
    .orderBy('equip_type_id')
    .orderBy('id')
  const regions = db
    .selectFrom('region')
    .select((eb) => [
      'id',
      'code',
      'full_name as name',
      eb('path', '=', '/').as('isEverywhere'),
      sql<number>`length(path) - length(replace(path, '/', ''))`.as('depth'),
    ])
    .orderBy('code')
  const { operatorIds, equipTypeIds, regionIds } = scope
  const among = (column: string, ids: readonly number[]) =>
    sql<boolean>`${sql.ref(column)} = ANY(${ids}::int[])`
  return {
    operators: await operators
      .$if(operatorIds !== null, (q) => q.where(among('id', operatorIds ?? [])))
      .execute(),
    equipTypes: await equipTypes
      .$if(equipTypeIds !== null, (q) => q.where(among('id', equipTypeIds ?? [])))
      .execute(),
    equipModels: await equipModels
      .$if(equipTypeIds !== null, (q) => q.where(among('equip_type_id', equipTypeIds ?? [])))
      .execute(),
    regions: (await regions
      .$if(regionIds !== null, (q) => q.where(among('id', regionIds ?? [])))
      .execute()) as Reference['regions'],
  }
}

/** Until the transaction ends no model goes to another type, which could be out of the importing user's scope. */
export async function lockModelsShared(trx: Trx): Promise<void> {
  await sql`SELECT FROM equip_model ORDER BY id FOR KEY SHARE`.execute(trx)
}

/**
 * Those of the codes that a device has, or that one calls itself; with a scope, a device of the scope. Names are unique in
 * the installation.
 */
export async function listTakenCodes(
  db: Db,
  codes: readonly string[],
  scope?: DataScope,
): Promise<Set<string>> {
  const isSeen = scope === undefined ? sql`true` : deviceWithinScope(scope)
  const { rows } = await sql<{ name: string }>`
    SELECT d.code AS name FROM device d WHERE d.code = ANY(${codes}::text[]) AND ${isSeen}
    UNION
    SELECT d.protocol_identity FROM device d WHERE d.protocol_identity = ANY(${codes}::text[]) AND ${isSeen}`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}

/**
 * Writes them all in the order given, in one statement, and returns their ids. A code that another transaction took
 * meanwhile is left out: then there are fewer ids, and the caller has to roll back; one that a device calls itself since
 * then violates `device_code_taken`.
 */
export async function insertDevices(
  trx: Trx,
  devices: readonly (ImportedDevice & { secretHash: Buffer })[],
  by: number,
): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    WITH inserted AS (
      INSERT INTO device (code, name, operator_id, model_id, region_id, address, business_status, protocol,
        secret_hash, secret_by)
      SELECT code, name, operator_id, model_id, region_id, address, business_status, protocol, secret_hash, ${by}::int
      FROM unnest(
        ${devices.map(({ code }) => code)}::text[],
        ${devices.map(({ name }) => name)}::text[],
        ${devices.map(({ operator }) => operator.id)}::int[],
        ${devices.map(({ equipModel }) => equipModel.id)}::int[],
        ${devices.map(({ region }) => region.id)}::int[],
        ${devices.map(({ address }) => address)}::text[],
        ${devices.map(({ businessStatus }) => businessStatus)}::int[],
        ${devices.map(({ protocol }) => protocol)}::text[],
        ${devices.map(({ secretHash }) => `\\x${secretHash.toString('hex')}`)}::bytea[]
      ) WITH ORDINALITY AS
        t (code, name, operator_id, model_id, region_id, address, business_status, protocol, secret_hash, place)
      ORDER BY place
      ON CONFLICT (code) DO NOTHING
      RETURNING id
    ), states AS (
      INSERT INTO device_state (device_id) SELECT id FROM inserted RETURNING device_id
    )
    SELECT ARRAY(SELECT device_id FROM states) AS ids`.execute(trx)
  return rows[0]?.ids ?? []
}
