// SQL of the registry: one device as it is locked, changed and deleted.
import type { DeviceProtocol } from '@voltkeep/contract'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db, Trx } from '../../platform/database/database.ts'

/** A device in the registry: the fields that a write changes and the operation log shows. */
export interface RegistryEntry {
  id: number
  code: string
  name: string | null
  operatorId: number
  operatorName: string
  modelId: number
  modelName: string
  regionId: number
  regionName: string
  address: string | null
  protocolIdentity: string | null
  businessStatus: 1 | 2 | 3
  protocol: DeviceProtocol
  version: number
}

/** The columns of a device that are written. */
export interface RegistryValues {
  name: string | null
  operatorId: number
  modelId: number
  regionId: number
  address: string | null
  protocolIdentity: string | null
  businessStatus: 1 | 2 | 3
  protocol: DeviceProtocol
}

/**
 * Reads a device of the scope and locks it against changes until the transaction ends; undefined where the scope
 * has none. Reports of the device do not wait for the lock, since they only refer to the row.
 */
export async function lockDevice(trx: Trx, scope: DataScope, id: number): Promise<RegistryEntry | undefined> {
  return trx
    .selectFrom('device as d')
    .innerJoin('operator as p', 'p.id', 'd.operator_id')
    .innerJoin('equip_model as m', 'm.id', 'd.model_id')
    .innerJoin('region as r', 'r.id', 'd.region_id')
    .select([
      'd.id',
      'd.code',
      'd.name',
      'd.operator_id as operatorId',
      'p.name as operatorName',
      'd.model_id as modelId',
      'm.name as modelName',
      'd.region_id as regionId',
      'r.full_name as regionName',
      'd.address',
      'd.protocol_identity as protocolIdentity',
      'd.business_status as businessStatus',
      'd.protocol',
      'd.version',
    ])
    .where('d.id', '=', id)
    .where(deviceWithinScope(scope))
    .forNoKeyUpdate('d')
    .executeTakeFirst()
}

// Shared key locks: rows that a device will refer to cannot be deleted before the commit.

export async function findOperator(trx: Trx, id: number) {
  return trx
    .selectFrom('operator')
    .select(['id', 'name'])
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}

export async function findModel(trx: Trx, id: number) {
  return trx
    .selectFrom('equip_model')
    .select(['id', 'name', 'equip_type_id as equipTypeId'])
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
}

export async function findRegion(trx: Trx, code: string) {
  return (
    trx
      .selectFrom('region')
      // The region 全部 is the prefix of every other, and no device can be in it.
      .select((eb) => ['id', 'full_name as name', eb('path', '=', '/').as('isEverywhere')])
      .where('code', '=', code)
      .forKeyShare()
      .executeTakeFirst()
  )
}

/**
 * Returns the new id; undefined where the code is taken, also by one that is being inserted just now. What another device
 * calls itself violates `device_code_taken`.
 */
export async function insertDevice(
  trx: Trx,
  code: string,
  secret: HandedSecret,
  values: RegistryValues,
): Promise<number | undefined> {
  const row = await trx
    .insertInto('device')
    .values({ code, ...secretColumns(secret), ...columnsOf(values) })
    .onConflict((conflict) => conflict.column('code').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row) await trx.insertInto('device_state').values({ device_id: row.id }).execute()
  return row?.id
}

export async function updateDevice(trx: Trx, id: number, values: RegistryValues): Promise<void> {
  await trx
    .updateTable('device')
    .set((eb) => ({ ...columnsOf(values), updated_at: new Date(), version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** A secret, and the user who was shown it: null where nobody was. */
export interface HandedSecret {
  hash: Buffer
  by: number | null
}

const secretColumns = ({ hash, by }: HandedSecret) => ({ secret_hash: hash, secret_by: by })

export async function updateSecret(trx: Trx, id: number, secret: HandedSecret): Promise<void> {
  await trx
    .updateTable('device')
    .set({ ...secretColumns(secret), updated_at: new Date() })
    .where('id', '=', id)
    .execute()
}

/** Whether an upgrade of the device is under way. */
export async function isUpgrading(trx: Trx, id: number): Promise<boolean> {
  const row = await trx
    .selectFrom('upgrade_target')
    .select('id')
    .where('device_id', '=', id)
    .where('state', 'in', ['sent', 'downloading', 'installing'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function findProtocolIdentity(db: Db, id: number): Promise<string | null> {
  const row = await db
    .selectFrom('device')
    .select('protocol_identity as protocolIdentity')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.protocolIdentity ?? null
}

/** By the unique index of the codes. */
export async function isRegistered(db: Db, code: string): Promise<boolean> {
  const row = await db.selectFrom('device').select('id').where('code', '=', code).executeTakeFirst()
  return row !== undefined
}

/** Its state, versions, parameters and current alarms are deleted by cascade. */
export async function deleteDevice(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('device').where('id', '=', id).execute()
}

const columnsOf = ({
  name,
  operatorId,
  modelId,
  regionId,
  address,
  protocolIdentity,
  businessStatus,
  protocol,
}: RegistryValues) => ({
  protocol,
  name,
  operator_id: operatorId,
  model_id: modelId,
  region_id: regionId,
  address,
  protocol_identity: protocolIdentity,
  business_status: businessStatus,
})
