// A random installation and a reference model of the access rules, written as simply as possible: sets and loops over
// everything, without SQL. The server's answers are compared with it.
import { createRandom } from '@voltkeep/simulator/random'
import { sql } from 'kysely'
import { foldDeltas } from '../src/domain/history/counters.ts'
import type { Db } from '../src/platform/database/database.ts'
import {
  insertBatteries,
  insertModel,
  insertOrganization,
  insertRegion,
  insertRole,
  insertUser,
} from './factories.ts'

interface Organization {
  id: number
  parentId: number | null
}
interface Region {
  id: number
  code: string
  parentId: number | null
}
export interface WorldDevice {
  id: number
  code: string
  operatorId: number
  modelId: number
  regionId: number
}
export interface WorldUser {
  id: number
  loginName: string
  organizationId: number
  isSystem: boolean
  authorities: (readonly ['O' | 'ET' | 'R', string])[]
}

export interface World {
  organizations: Organization[]
  operators: { id: number; organizationId: number }[]
  equipTypeIds: number[]
  models: { id: number; equipTypeId: number }[]
  regions: Region[]
  devices: WorldDevice[]
  users: WorldUser[]
  below(n: number): number
  oneOf<T>(list: readonly T[]): T
  /** The organization and everything below it. */
  organizationsUnder(id: number): Set<number>
  /** The region with this code and everything below it. */
  regionsUnder(code: string): Set<number>
  sees(user: WorldUser, device: WorldDevice): boolean
  /** Whether the operation log shows the user the other user's entries. */
  seesEntriesOf(user: WorldUser, other: WorldUser): boolean
}

const dangling = '999999999'

export async function makeWorld(
  db: Db,
  size: { seed: number; devices: number; users: number; functionCodes: readonly string[] },
): Promise<World> {
  const random = createRandom(size.seed)
  const below = (n: number) => Math.floor(random.next() * n)
  const oneOf = <T>(list: readonly T[]) => list[below(list.length)] as T
  const some = <T>(list: readonly T[], count: number) => Array.from({ length: count }, () => oneOf(list))

  const organizations: Organization[] = []
  for (let n = 0; n < 30; n += 1) {
    const parentId = n < 3 || below(8) === 0 ? null : oneOf(organizations).id
    organizations.push({ id: await insertOrganization(db, { parentId }), parentId })
  }
  const operators = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const organizationId = oneOf(organizations).id
      const { id } = await db
        .insertInto('operator')
        .values({ organization_id: organizationId, name: `世界运营商${n}`, code: `WORLD${size.seed}-${n}` })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id, organizationId }
    }),
  )
  const models: World['models'] = []
  const equipTypeIds: number[] = []
  for (let n = 0; n < 14; n += 1) {
    const known = n < 5 ? null : oneOf(equipTypeIds)
    const id = await insertModel(db, { equipTypeId: known })
    const { equip_type_id: equipTypeId } = await db
      .selectFrom('equip_model')
      .select('equip_type_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (!known) equipTypeIds.push(equipTypeId)
    models.push({ id, equipTypeId })
  }
  const regions: Region[] = []
  for (let n = 0; n < 60; n += 1) {
    const parentId = n < 4 ? null : oneOf(regions).id
    const code = `W${size.seed}_${n}`
    regions.push({ id: await insertRegion(db, { parentId, code }), code, parentId })
  }

  const devices = await insertDevices(
    db,
    Array.from({ length: size.devices }, (_, n) => ({
      code: `WD${size.seed}X${String(n).padStart(4, '0')}`,
      operatorId: oneOf(operators).id,
      modelId: oneOf(models).id,
      regionId: oneOf(regions).id,
    })),
  )
  await insertReports(db, devices.slice(0, Math.floor(devices.length / 2)))
  // Half of the reports are in the counters' cells, half in deltas.
  while ((await foldDeltas(db)) > 0);
  await insertReports(db, devices.slice(Math.floor(devices.length / 2)))

  const roleId = await insertRole(db, { functionCodes: size.functionCodes })
  const users: WorldUser[] = []
  for (let n = 0; n < size.users; n += 1) {
    const authorities: WorldUser['authorities'] = []
    const add = (type: 'O' | 'ET' | 'R', values: string[]) => {
      for (const value of new Set(values)) authorities.push([type, value] as const)
    }
    if (below(2) === 0)
      add(
        'O',
        some(operators, 1 + below(25)).map(({ id }) => String(id)),
      )
    if (below(3) === 0) add('ET', some(equipTypeIds, 1 + below(3)).map(String))
    if (below(2) === 0)
      add(
        'R',
        some(regions, 1 + below(3)).map(({ code }) => code),
      )
    if (below(12) === 0) add(oneOf(['O', 'ET', 'R'] as const), [dangling])
    const isSystem = below(25) === 0
    const organizationId = oneOf(organizations).id
    const { id, loginName } = await insertUser(db, {
      organizationId,
      authorities,
      roleIds: [isSystem ? 1 : roleId],
    })
    users.push({ id, loginName, organizationId, isSystem, authorities })
  }

  const organizationsUnder = remembered((id: number) => withChildren(organizations, id))
  const regionsUnder = remembered((code: string) => {
    const top = regions.find((region) => region.code === code)
    return top ? withChildren(regions, top.id) : new Set<number>()
  })
  return {
    organizations,
    operators,
    equipTypeIds,
    models,
    regions,
    devices,
    users,
    below,
    oneOf,
    organizationsUnder,
    regionsUnder,
    sees(user, device) {
      if (user.isSystem) return true
      const operator = operators.find(({ id }) => id === device.operatorId)
      const model = models.find(({ id }) => id === device.modelId)
      if (!operator || !model) return false
      const granted = (type: string) =>
        user.authorities.filter(([one]) => one === type).map(([, value]) => value)
      const passes = (type: string, matches: (value: string) => boolean) =>
        granted(type).length === 0 || granted(type).some(matches)
      return (
        organizationsUnder(user.organizationId).has(operator.organizationId) &&
        passes('O', (value) => value === String(operator.id)) &&
        passes('ET', (value) => value === String(model.equipTypeId)) &&
        passes('R', (value) => regionsUnder(value).has(device.regionId))
      )
    },
    seesEntriesOf(user, other) {
      if (user.isSystem || user.id === other.id) return true
      if (other.isSystem || !organizationsUnder(user.organizationId).has(other.organizationId)) return false
      const granted = (of: WorldUser, type: string) =>
        of.authorities.filter(([one]) => one === type).map(([, value]) => value)
      // A user without limits of a kind reaches every value. A limited user reaches only another limited user, with
      // narrower limits.
      const reaches = (type: string, isWithin: (own: string, value: string) => boolean) => {
        const own = granted(user, type)
        const others = granted(other, type)
        if (own.length === 0) return true
        return others.length > 0 && others.every((value) => own.some((one) => isWithin(one, value)))
      }
      const isSame = (one: string, value: string) => one === value
      return (
        reaches('O', isSame) &&
        reaches('ET', isSame) &&
        // A missing region matches nothing, so it is within any other region.
        reaches('R', (one, value) => {
          const region = regions.find(({ code }) => code === value)
          return !region || regionsUnder(one).has(region.id)
        })
      )
    },
  }
}

function remembered<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? find(key)
    known.set(key, value)
    return value
  }
}

function withChildren(nodes: readonly { id: number; parentId: number | null }[], top: number): Set<number> {
  const found = new Set([top])
  for (;;) {
    const more = nodes.filter(
      ({ id, parentId }) => parentId !== null && found.has(parentId) && !found.has(id),
    )
    if (more.length === 0) return found
    for (const { id } of more) found.add(id)
  }
}

async function insertDevices(db: Db, devices: Omit<WorldDevice, 'id'>[]): Promise<WorldDevice[]> {
  const rows = await db
    .insertInto('device')
    .values(
      devices.map(({ code, operatorId, modelId, regionId }) => ({
        code,
        operator_id: operatorId,
        model_id: modelId,
        region_id: regionId,
        business_status: 1,
        secret_hash: Buffer.alloc(32),
      })),
    )
    .returning(['id', 'code'])
    .execute()
  const ids = new Map(rows.map(({ id, code }) => [code, id]))
  await sql`INSERT INTO device_state (device_id) SELECT unnest(${[...ids.values()]}::int[])`.execute(db)
  await insertBatteries(db, [...ids.values()])
  return devices.map((device) => ({ ...device, id: ids.get(device.code) as number }))
}

/** An active alarm, an event and a refusal per device, with the deltas that ingest appends. */
async function insertReports(db: Db, devices: readonly WorldDevice[]): Promise<void> {
  const ids = devices.map(({ id }) => id)
  await sql`
    WITH d AS (
      SELECT d.*, nextval('episode_id') AS row_id, now() - d.id % 5000 * interval '7 minutes' AS at
      FROM device d WHERE d.id = ANY(${ids}::int[])
    ), state AS (
      INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
        operator_id, model_id, region_id)
      SELECT id, 'W' || id % 7, row_id, true, 1, at, at, operator_id, model_id, region_id FROM d
    ), history AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
        first_value, value)
      SELECT row_id, at, id, operator_id, model_id, region_id, 'W' || id % 7, 1, 1 FROM d
    ), event AS (
      INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
        value, is_fault)
      SELECT row_id, at, id, operator_id, model_id, region_id, 'W' || id % 7, 1, false FROM d
    ), refusal AS (
      INSERT INTO intake_refusal (device_code, device_id, reason) SELECT code, id, 'badPayload' FROM d
    )
    INSERT INTO history_delta (source, day, operator_id, model_id, region_id, semaphore_code, n)
    SELECT source, at::date, operator_id, model_id, region_id, 'W' || id % 7, 1
    FROM d CROSS JOIN (VALUES (1), (2)) AS of_source (source)`.execute(db)
}
