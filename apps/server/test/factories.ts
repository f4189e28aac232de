// Factories for test rows: everything has a default, names are unique, and ids are returned.
import { createHash, randomUUID } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { sql } from 'kysely'
import type { Db } from '../src/platform/database/database.ts'

let count = 0
const unique = (prefix: string) => `${prefix}${++count}`

export const testPassword = 'Test-1234'
/** Cheap parameters: no test depends on the cost of a hash. */
const testPasswordHash = hash(testPassword, { memoryCost: 1024, timeCost: 1 })

export async function insertOrganization(
  db: Db,
  { parentId = 1 as number | null, name = unique('厂商') } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('organization')
    .values({ parent_id: parentId, name, code: unique('ORG') })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function insertOperator(
  db: Db,
  { organizationId = 1, name = unique('运营商') } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('operator')
    .values({ organization_id: organizationId, name, code: unique('OP') })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** A role with these function codes; a code that no menu has yet gets one. */
export async function insertRole(
  db: Db,
  { code = unique('ROLE'), functionCodes = [] as readonly string[] } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('role')
    .values({ name: code, code })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const remark of functionCodes) {
    const known = await db
      .selectFrom('menu')
      .select('id')
      .where('remark', '=', remark)
      .where('type', '=', 'F')
      .executeTakeFirst()
    const menu =
      known ??
      (await db
        .insertInto('menu')
        .values({ name: remark, type: 'F', path: remark, remark })
        .returning('id')
        .executeTakeFirstOrThrow())
    await db.insertInto('role_menu').values({ role_id: id, menu_id: menu.id }).execute()
  }
  return id
}

export interface TestUser {
  id: number
  loginName: string
  /** Always `testPassword`. */
  password: string
}

/** A user with the given function codes, through an own role. */
export async function insertUser(
  db: Db,
  {
    loginName = unique('user'),
    organizationId = 1,
    functionCodes = [] as readonly string[],
    roleIds = [] as readonly number[],
    phone = null as string | null,
    isEnabled = true,
    mustChangePassword = false,
    /** Data permissions, e.g. `[['O', '3']]`. */
    authorities = [] as readonly (readonly ['O' | 'ET' | 'R', string])[],
  } = {},
): Promise<TestUser> {
  const { id } = await db
    .insertInto('app_user')
    .values({
      organization_id: organizationId,
      user_name: loginName,
      login_name: loginName,
      password_hash: await testPasswordHash,
      phone,
      is_enabled: isEnabled,
      must_change_password: mustChangePassword,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const own = functionCodes.length > 0 ? [await insertRole(db, { functionCodes })] : []
  for (const role_id of [...roleIds, ...own]) {
    await db.insertInto('user_role').values({ user_id: id, role_id }).execute()
  }
  // In one statement: some users have ten thousand entries, which take ten seconds one by one.
  if (authorities.length > 0) {
    await sql`
      INSERT INTO user_authority (user_id, authority_type, value)
      SELECT ${id}, type, value FROM unnest(
        ${authorities.map(([type]) => type)}::text[], ${authorities.map(([, value]) => value)}::text[]
      ) AS entry (type, value)`.execute(db)
  }
  return { id, loginName, password: testPassword }
}

export async function insertRegion(
  db: Db,
  { code = unique('R'), name = unique('地区'), parentId = null as number | null } = {},
): Promise<number> {
  const parent = parentId
    ? await db
        .selectFrom('region')
        .select(['path', 'full_name'])
        .where('id', '=', parentId)
        .executeTakeFirstOrThrow()
    : { path: '/', full_name: '' }
  const { id } = await db
    .insertInto('region')
    .values({
      code,
      name,
      parent_id: parentId,
      path: '',
      full_name: parent.full_name === '' ? name : `${parent.full_name} / ${name}`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`UPDATE region SET path = ${parent.path} || ${id}::text || '/' WHERE id = ${id}`.execute(db)
  return id
}

/** A model and, unless one is given, its equipment type. */
export async function insertModel(
  db: Db,
  { equipTypeId = null as number | null, classify = 'EC' } = {},
): Promise<number> {
  const type =
    equipTypeId ??
    (
      await db
        .insertInto('equip_type')
        .values({ name: unique('设备类型'), code: unique('TYPE'), classify })
        .returning('id')
        .executeTakeFirstOrThrow()
    ).id
  const { id } = await db
    .insertInto('equip_model')
    .values({ equip_type_id: type, name: unique('型号'), code: unique('MODEL') })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface TestDevice {
  id: number
  code: string
  /** The password of the device's sign-in at the broker. */
  secret: string
}

/** A device in delivery; operator, model and region are created unless given. */
export async function insertDevice(
  db: Db,
  {
    code = unique('EC'),
    operatorId = null as number | null,
    modelId = null as number | null,
    regionId = null as number | null,
    businessStatus = 1 as 1 | 2 | 3,
    protocol = 'mqtt' as 'mqtt' | 'ddi' | 'ocpp16',
  } = {},
): Promise<TestDevice> {
  const secret = `secret-of-${code}`
  const { id } = await db
    .insertInto('device')
    .values({
      code,
      operator_id: operatorId ?? (await insertOperator(db)),
      model_id: modelId ?? (await insertModel(db)),
      region_id: regionId ?? (await insertRegion(db)),
      business_status: businessStatus,
      protocol,
      secret_hash: createHash('sha256').update(secret).digest(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.insertInto('device_state').values({ device_id: id }).execute()
  return { id, code, secret }
}

/** Batteries in the first compartment of each device, and its stock, as ingest writes them. Returns their codes. */
export async function insertBatteries(
  db: Db,
  deviceIds: readonly number[],
  codeOf: (deviceId: number) => string = (id) => `BAT${id}`,
): Promise<string[]> {
  const codes = deviceIds.map(codeOf)
  await sql`
    WITH put AS (
      SELECT device_id, code, date_trunc('second', now()) - interval '1 hour' AS at
      FROM unnest(${deviceIds}::int[], ${codes}::text[]) AS m(device_id, code)
    ), stay AS (
      INSERT INTO battery_stay (device_id, compartment, battery_code, started_at, seen_at, soc_in, soc_in_at, soc_out,
        soc_out_at)
      SELECT device_id, 1, code, at, at, 20, at, 20, at FROM put
    ), stock AS (
      INSERT INTO device_stock (device_id, full_count, charging_count, idle_count, empty_count, faulty_count,
        disabled_count)
      SELECT device_id, 0, 1, 0, 0, 0, 0 FROM put
    )
    INSERT INTO battery (code, device_id, compartment, started_at, claims, state, found_by)
    SELECT code, device_id, 1, at, 1, 'charging', device_id FROM put`.execute(db)
  return codes
}

/** A log extraction of a device that failed. */
export async function insertLogExtraction(
  db: Db,
  { deviceId, userId }: { deviceId: number; userId: number },
): Promise<string> {
  const now = new Date()
  const { id } = await db
    .insertInto('log_extraction')
    .values({
      device_id: deviceId,
      equip_classify: 'EC',
      level: 'RUN',
      level_name: '运行日志',
      file_type: 'txt',
      from_at: new Date(now.getTime() - 3_600_000),
      to_at: now,
      state: 'failed',
      deadline: now,
      ends_at: now,
      created_by: userId,
      created_by_name: unique('提取人'),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(id)
}

/** A remote action on a device that was confirmed. */
export async function insertRemoteAction(
  db: Db,
  { deviceId, userId }: { deviceId: number; userId: number },
): Promise<string> {
  const { id } = await db
    .insertInto('remote_action')
    .values({
      device_id: deviceId,
      action: 'restart',
      purpose: unique('原因'),
      state: 'confirmed',
      command_id: randomUUID(),
      created_by: userId,
      created_by_name: unique('操作人'),
      address: '127.0.0.1',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(id)
}

let alarmId = 1_000_000_000

/** Inserts an episode as ingest does: history, counter delta and, if it is active, the state. */
export async function insertAlarm(
  db: Db,
  device: TestDevice,
  code: string,
  minutesAgo: number,
  { value = 5, recovered = false, late = null as string | null } = {},
): Promise<string> {
  const id = String(++alarmId)
  await sql`
    WITH place AS (
      SELECT id AS device_id, operator_id, model_id, region_id,
        date_trunc('second', now()) - ${minutesAgo} * interval '1 minute' AS at
      FROM device WHERE id = ${device.id}
    ), history AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
        first_value, value, recovered_at, recovery_method, late_reports)
      SELECT ${id}::bigint, at, device_id, operator_id, model_id, region_id, ${code}, 1, ${value}::bigint,
        CASE WHEN ${recovered} THEN at + interval '30 seconds' END, CASE WHEN ${recovered} THEN 1 END, ${late}::jsonb
      FROM place
    ), delta AS (
      INSERT INTO history_delta SELECT 1, at::date, operator_id, model_id, region_id, ${code}, 1 FROM place
    )
    INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
      recovered_at, recovery_method, operator_id, model_id, region_id)
    SELECT device_id, ${code}, ${id}::bigint, NOT ${recovered}, CASE WHEN ${recovered} THEN 0 ELSE ${value}::bigint END,
      at, at, CASE WHEN ${recovered} THEN at + interval '30 seconds' END, CASE WHEN ${recovered} THEN 1 END,
      operator_id, model_id, region_id
    FROM place`.execute(db)
  return id
}
