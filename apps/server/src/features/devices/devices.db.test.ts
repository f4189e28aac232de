import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRegion,
  insertUser,
} from '../../../test/factories.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { type Notices, openNotices } from '../../platform/database/notices/notices.ts'
import { plantSeeds } from '../../platform/database/seeds.ts'
import { createLog } from '../../platform/process/log.ts'
import { createSpokenProtocols } from '../mappings/index.ts'
import { organizations } from '../organizations/index.ts'
import { createDevices, type Devices } from './devices.service.ts'

/** The reference model's device: parents, owners and places by id. */
interface Device {
  id: number
  code: string
  operatorId: number
  modelId: number
  regionId: number
  businessStatus: 1 | 2 | 3
  /** Null: never connected. */
  isOnline: boolean | null
  changedHoursAgo: number
  hasAlarm: boolean
  address: string
}
const world = {
  organizationParent: new Map<number, number | null>(),
  operatorOrganization: new Map<number, number>(),
  modelType: new Map<number, number>(),
  regionParent: new Map<number, number | null>(),
  regionCode: new Map<number, string>(),
  devices: [] as Device[],
}

let database: TestDatabase
let notices: Notices
let devices: Devices
let userId: number

/** The same in every run, so that a failure can be reproduced. */
let state = 7
const random = (below: number) => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
  return Math.floor((state / 0x80000000) * below)
}
const pickKey = (map: Map<number, unknown>) => [...map.keys()][random(map.size)] as number

beforeAll(async () => {
  database = await createTestDatabase()
  const { db } = database
  await plantSeeds(db, organizations.seeds)
  const log = createLog({ level: 'error' })
  notices = await openNotices({ pool: database.pool, log })
  devices = createDevices({
    db,
    notices,
    ports: { mqttPort: null, mqttTlsPort: null },
    ...createSpokenProtocols({ isShared: false }),
  })
  world.organizationParent.set(1, null)
  for (let n = 0; n < 8; n += 1) {
    const parentId = pickKey(world.organizationParent)
    world.organizationParent.set(await insertOrganization(db, { parentId }), parentId)
  }
  for (let n = 0; n < 12; n += 1) {
    const organizationId = pickKey(world.organizationParent)
    world.operatorOrganization.set(await insertOperator(db, { organizationId }), organizationId)
  }
  for (let n = 0; n < 6; n += 1) {
    const known = [...new Set(world.modelType.values())]
    const equipTypeId = n < 3 ? null : (known[random(known.length)] as number)
    const modelId = await insertModel(db, { equipTypeId, classify: n === 0 ? 'BAT' : 'EC' })
    const { rows } = await sql<{ type: number }>`
      SELECT equip_type_id AS type FROM equip_model WHERE id = ${modelId}`.execute(db)
    world.modelType.set(modelId, rows[0]?.type as number)
  }
  for (let n = 0; n < 14; n += 1) {
    const parentId = n < 2 ? null : pickKey(world.regionParent)
    const id = await insertRegion(db, { parentId, code: `r${n}` })
    world.regionParent.set(id, parentId)
    world.regionCode.set(id, `r${n}`)
  }
  for (let n = 0; n < 80; n += 1) {
    const operatorId = pickKey(world.operatorOrganization)
    const modelId = pickKey(world.modelType)
    const regionId = pickKey(world.regionParent)
    const businessStatus = (1 + random(3)) as 1 | 2 | 3
    const code = `D${random(4)}X${n}`
    const { id } = await insertDevice(db, { code, operatorId, modelId, regionId, businessStatus })
    const address = ['人民路1号', '科技路100%', '科技路1000'][random(3)] as string
    const isOnline = [true, false, null][random(3)] as boolean | null
    const changedHoursAgo = [0, 30, 80, 200][random(4)] as number
    const hasAlarm = random(3) === 0
    await sql`UPDATE device SET address = ${address} WHERE id = ${id}`.execute(db)
    await sql`
      UPDATE device_state SET is_online = ${isOnline === true},
        online_changed_at = CASE WHEN ${isOnline !== null} THEN now() - ${changedHoursAgo} * interval '1 hour' END
      WHERE device_id = ${id}`.execute(db)
    if (random(2) === 0 || hasAlarm) {
      await sql`
        INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at,
          reported_at, operator_id, model_id, region_id)
        VALUES (${id}, '01110001', ${n}, ${hasAlarm}, 1, now(), now(), ${operatorId}, ${modelId}, ${regionId})
      `.execute(db)
    }
    world.devices.push({
      id,
      code,
      operatorId,
      modelId,
      regionId,
      businessStatus,
      isOnline,
      changedHoursAgo,
      hasAlarm,
      address,
    })
  }
  userId = (await insertUser(db)).id
})
afterAll(async () => {
  await notices.close()
  await database.close()
})

const actorOf = (organizationId: number, isSystem = false): Actor => ({
  userId,
  loginName: 'user',
  organizationId,
  isSystem,
  makerId: null,
  functionCodes: new Set(),
  mustChangePassword: false,
  tokenHash: Buffer.alloc(32),
  client: { address: '::1', userAgent: null, requestId: '', call: '', summary: '' },
})
const paging = { pageNum: 1, pageSize: 500 }

/** Whether `id` is the ancestor or below it. */
function isBelow(
  parents: Map<number, number | null>,
  id: number | null | undefined,
  ancestor: number,
): boolean {
  for (let at = id; at; at = parents.get(at)) if (at === ancestor) return true
  return false
}

interface Entries {
  O: number[]
  ET: number[]
  R: number[]
}
interface Asked {
  organizationId?: number | undefined
  operatorId?: number | undefined
  equipTypeId?: number | undefined
  equipModelId?: number | undefined
  regionId?: number | undefined
  isOnline?: 0 | 1 | 2 | undefined
  offlineHours?: 1 | 24 | 72 | 168 | undefined
  hasConnected?: 0 | 1 | undefined
  hasAlarm?: 0 | 1 | undefined
  statuses?: (1 | 2 | 3)[] | undefined
  part?: string | undefined
  keyword?: string | undefined
  address?: string | undefined
}

function expectedCodes(organizationId: number, isSystem: boolean, entries: Entries, asked: Asked): string[] {
  const mayStand = (device: Device) =>
    isSystem ||
    (isBelow(world.organizationParent, world.operatorOrganization.get(device.operatorId), organizationId) &&
      (entries.O.length === 0 || entries.O.includes(device.operatorId)) &&
      (entries.ET.length === 0 || entries.ET.includes(world.modelType.get(device.modelId) as number)) &&
      (entries.R.length === 0 || entries.R.some((id) => isBelow(world.regionParent, device.regionId, id))))
  const isAsked = (device: Device) =>
    (asked.organizationId === undefined ||
      isBelow(
        world.organizationParent,
        world.operatorOrganization.get(device.operatorId),
        asked.organizationId,
      )) &&
    (asked.operatorId === undefined || device.operatorId === asked.operatorId) &&
    (asked.equipTypeId === undefined || world.modelType.get(device.modelId) === asked.equipTypeId) &&
    (asked.equipModelId === undefined || device.modelId === asked.equipModelId) &&
    (asked.regionId === undefined || isBelow(world.regionParent, device.regionId, asked.regionId)) &&
    (asked.isOnline === undefined || device.isOnline === [false, true, null][asked.isOnline]) &&
    (asked.offlineHours === undefined ||
      (device.isOnline === false && device.changedHoursAgo > asked.offlineHours)) &&
    (asked.hasConnected === undefined || (device.isOnline !== null) === (asked.hasConnected === 1)) &&
    (asked.hasAlarm === undefined || device.hasAlarm === (asked.hasAlarm === 1)) &&
    (asked.statuses === undefined || asked.statuses.includes(device.businessStatus)) &&
    (asked.part === undefined || device.code.toLowerCase().includes(asked.part.toLowerCase())) &&
    (asked.keyword === undefined || isFoundBy(device, asked.keyword)) &&
    (asked.address === undefined || device.address.includes(asked.address))
  return world.devices.filter((device) => mayStand(device) && isAsked(device)).map(({ code }) => code)
}

/** Any of the codes, and all of the other words; nothing where there is neither. */
function isFoundBy(device: Device, keyword: string): boolean {
  const has = (part: string) => `${device.code}\n${device.address}`.toLowerCase().includes(part.toLowerCase())
  const parts = keyword.split(/[ ，]/).filter((part) => part !== '')
  const codes = parts.filter((part) => /^[A-Za-z0-9]+$/.test(part))
  const words = parts.filter((part) => !codes.includes(part))
  return parts.length > 0 && words.every(has) && (codes.length === 0 || codes.some(has))
}

test('a list contains exactly the devices that scope and filters allow', async () => {
  const someOf = (map: Map<number, unknown>) => fc.constantFrom(...map.keys())
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
  const equipTypes = new Map([...world.modelType.values()].map((type) => [type, null]))
  await fc.assert(
    fc.asyncProperty(
      someOf(world.organizationParent),
      fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
      fc.record({
        O: fc.uniqueArray(someOf(world.operatorOrganization), { maxLength: 4 }),
        ET: fc.uniqueArray(someOf(equipTypes), { maxLength: 2 }),
        R: fc.uniqueArray(someOf(world.regionParent), { maxLength: 3 }),
      }),
      fc.record({
        organizationId: maybe(someOf(world.organizationParent)),
        operatorId: fc.option(someOf(world.operatorOrganization), { nil: undefined, freq: 1 }),
        equipTypeId: fc.option(someOf(equipTypes), { nil: undefined, freq: 1 }),
        equipModelId: fc.option(someOf(world.modelType), { nil: undefined, freq: 1 }),
        regionId: maybe(someOf(world.regionParent)),
        isOnline: maybe(fc.constantFrom(0 as const, 1 as const, 2 as const)),
        offlineHours: maybe(fc.constantFrom(1 as const, 24 as const, 72 as const, 168 as const)),
        hasConnected: maybe(fc.constantFrom(0 as const, 1 as const)),
        hasAlarm: maybe(fc.constantFrom(0 as const, 1 as const)),
        statuses: maybe(
          fc.uniqueArray(fc.constantFrom(1 as const, 2 as const, 3 as const), { minLength: 1 }),
        ),
        part: maybe(fc.constantFrom('D', 'D1', '1x2', 'd', 'NOWHERE')),
        keyword: maybe(fc.constantFrom('路', '科技', 'd1 d2', '科技，路', '1', '0%', '_', '路 1x', ' ')),
        address: maybe(fc.constantFrom('路', '科技', '100%', '_')),
      }),
      async (organizationId, isSystem, entries, asked) => {
        await sql`DELETE FROM user_authority WHERE user_id = ${userId}`.execute(database.db)
        const types = [
          ...entries.O.map(() => 'O'),
          ...entries.ET.map(() => 'ET'),
          ...entries.R.map(() => 'R'),
        ]
        const ids = [...entries.O, ...entries.ET].map(String)
        const regions = entries.R.map((id) => world.regionCode.get(id))
        await sql`
          INSERT INTO user_authority
          SELECT ${userId}, type, value FROM unnest(${types}::text[], ${[...ids, ...regions]}::text[]) AS e(type, value)
        `.execute(database.db)
        const text = (id: number | undefined) => (id === undefined ? undefined : String(id))
        const { regionId, part, organizationId: organization, ...plain } = asked
        const { rows: found, total } = await devices.listDevices(actorOf(organizationId, isSystem), {
          ...paging,
          ...plain,
          organizationId: text(organization),
          operatorId: text(plain.operatorId),
          equipTypeId: text(plain.equipTypeId),
          equipModelId: text(plain.equipModelId),
          regionCode: regionId === undefined ? undefined : world.regionCode.get(regionId),
          code: part === undefined ? undefined : [part],
        })
        const expected = expectedCodes(organizationId, isSystem, entries, asked)
        expect(found.map(({ code }) => code).sort()).toEqual(expected.sort())
        expect(total).toBe(expected.length)
      },
    ),
    { numRuns: 150, seed: 20_261 },
  )
})

describe('a list', () => {
  const asSystem = () => actorOf(1, true)

  test('is sorted newest first, and its pages join without gap or repetition', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((pageNum) => devices.listDevices(asSystem(), { pageNum, pageSize: 30 })),
    )
    expect(pages.map(({ rows }) => rows.length)).toEqual([30, 30, 20, 0])
    expect(pages.map(({ total }) => total)).toEqual([80, 80, 80, 80])
    const ids = pages.flatMap(({ rows }) => rows.map(({ id }) => id))
    expect(ids).toEqual(world.devices.map(({ id }) => id).reverse())
  })

  test('is sorted by code in both directions, with any other filters', async () => {
    const codes = world.devices.map(({ code }) => code).sort()
    const codesOf = async (input: object) =>
      (await devices.listDevices(asSystem(), { ...paging, ...input })).rows.map(({ code }) => code)
    const upwards = { sortBy: 'code', sortOrder: 'asc' } as const
    expect((await codesOf(upwards)).toSorted()).toEqual(codes)
    expect((await codesOf({ sortBy: 'code' })).reverse()).toEqual(await codesOf(upwards))
    const inOrder = await codesOf(upwards)
    const ofPart = inOrder.filter((code) => code.includes('1'))
    expect(await codesOf({ ...upwards, code: ['1'] })).toEqual(ofPart)
    expect(await codesOf({ ...upwards, code: ['1'], pageNum: 2, pageSize: 5 })).toEqual(ofPart.slice(5, 10))
    const { rows } = await sql<{ code: string }>`SELECT code FROM device ORDER BY code`.execute(database.db)
    expect(inOrder).toEqual(rows.map(({ code }) => code))
  })

  test('treats a complete code as its device only, in any case, and anything else as a part of codes', async () => {
    const [first, second] = world.devices as [Device, Device]
    const list = async (code: string[]) =>
      (await devices.listDevices(asSystem(), { ...paging, code })).rows.map((row) => row.code)
    expect(await list([first.code, second.code.toLowerCase()])).toEqual([second.code, first.code])
    const partly = (part: string) =>
      world.devices.map(({ code }) => code).filter((code) => code.includes(part) && code !== first.code)
    expect(await list([first.code, 'x7'])).toEqual([...partly('X7').reverse(), first.code])
    // A whole column of parts is looked up in another way.
    const many = Array.from({ length: 12 }, (_, n) => `n${n}`)
    expect(await list(['X7', ...many])).toEqual(partly('X7').reverse())
  })

  test('treats a code out of scope as one that does not exist', async () => {
    const scoped = async (code: string) => {
      await sql`DELETE FROM user_authority WHERE user_id = ${userId}`.execute(database.db)
      const mine = world.devices.find((device) => device.code === 'D0X11') ?? (world.devices[0] as Device)
      await sql`INSERT INTO user_authority VALUES (${userId}, 'O', ${String(mine.operatorId)})`.execute(
        database.db,
      )
      return (await devices.listDevices(actorOf(1), { ...paging, code: [code] })).rows
    }
    const hidden = world.devices.filter(
      (device) => device.operatorId !== world.devices.find(({ code }) => code === 'D0X11')?.operatorId,
    )
    for (const { code } of hidden.slice(0, 10)) {
      for (const row of await scoped(code)) expect(row.code).toContain(code)
      expect((await scoped(code)).some((row) => row.code === code)).toBe(false)
    }
  })

  test('follows a device that is renamed, moved, connected or deleted', async () => {
    const { db } = database
    const [operatorId] = world.operatorOrganization.keys()
    const { id } = await insertDevice(db, { code: 'Fresh1', operatorId: operatorId as number })
    const found = async (filter: object) =>
      (await devices.listDevices(asSystem(), { ...paging, ids: [String(id)], ...filter })).total
    expect(await found({ isOnline: 2, keyword: 'fresh' })).toBe(1)
    await sql`UPDATE device SET name = '东门', address = 'A座', business_status = 3 WHERE id = ${id}`.execute(
      db,
    )
    expect(await found({ keyword: '东门 a座', statuses: [3] })).toBe(1)
    expect(await found({ address: '东门' })).toBe(0)
    await sql`UPDATE device_state SET is_online = true, online_changed_at = now() WHERE device_id = ${id}`.execute(
      db,
    )
    expect([await found({ isOnline: 1 }), await found({ isOnline: 2 })]).toEqual([1, 0])
    await sql`UPDATE device_state SET is_online = false WHERE device_id = ${id}`.execute(db)
    expect([await found({ isOnline: 0 }), await found({ hasConnected: 1 })]).toEqual([1, 1])
    await sql`DELETE FROM device WHERE id = ${id}`.execute(db)
    expect(await found({})).toBe(0)
  })

  test('contains the number of active alarms and the most severe known level', async () => {
    const device = world.devices.find(({ hasAlarm }) => hasAlarm) as Device
    await sql`
      INSERT INTO dictionary_entry (type, code, name, alarm_level)
      VALUES ('ALARM', '01110001', '甲', 3), ('ALARM', 'A2', '乙', 2), ('EVENT', 'A9', '丙', NULL)`.execute(
      database.db,
    )
    for (const [code, isActive] of [
      ['A2', true],
      ['A9', true],
      ['A1', false],
    ]) {
      await sql`
        INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at,
          reported_at, operator_id, model_id, region_id)
        VALUES (${device.id}, ${code}, 1, ${isActive}, 1, now(), now(), 1, 1, 1)`.execute(database.db)
    }
    const { rows } = await devices.listDevices(asSystem(), { ...paging, code: [device.code, 'none'] })
    expect(rows[0]).toMatchObject({ code: device.code, alarmCount: 3, worstAlarmLevel: 2 })
  })
})

test('a detail contains parts in the order of their list, parameters by name, and the last reports', async () => {
  const { id } = world.devices[0] as Device
  const { db } = database
  await sql`INSERT INTO part_type (code, name, order_num) VALUES ('BIN', '仓控', 2), ('MASTER', '主控', 1)`.execute(
    db,
  )
  await sql`
    INSERT INTO device_version (device_id, part_type, addr_id, version, pcb_code, reported_at) VALUES
      (${id}, 'BIN', '10', '1.2', 'SLB-BIN-02', now()), (${id}, 'BIN', '2', '1.1', null, now()),
      (${id}, 'MASTER', '0', '2.0', null, now()), (${id}, 'OTHER', '0', '9.9', null, now())`.execute(db)
  await sql`INSERT INTO dictionary_entry (type, code, name) VALUES ('PARAM', '02121006', '过温点')`.execute(
    db,
  )
  await sql`
    INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
    VALUES (${id}, '02121006', '65', now()), (${id}, 'X1', '1', now())`.execute(db)
  await sql`
    UPDATE device_state SET connected_from = '10.0.0.9', clock_offset_ms = -1500,
      status = '{"soc": 81, "door": false}', status_at = now() WHERE device_id = ${id}`.execute(db)

  const detail = await devices.readDevice(actorOf(1, true), { id: String(id) })
  expect(detail.equipSoftwareVersions.map(({ partTypeName, addrId }) => `${partTypeName} ${addrId}`)).toEqual(
    ['主控 0', '仓控 2', '仓控 10', 'OTHER 0'],
  )
  expect(detail.equipSoftwareVersions.map(({ pcbCode }) => pcbCode)).toEqual([null, null, 'SLB-BIN-02', null])
  expect(detail.parameters.map(({ id, name, value }) => [id, name, value])).toEqual([
    ['02121006', '过温点', '65'],
    ['X1', 'X1', '1'],
  ])
  expect(detail).toMatchObject({ connectedFrom: '10.0.0.9', clockOffsetMs: -1500 })
  expect(detail.status).toEqual([
    { key: 'soc', value: '81' },
    { key: 'door', value: 'false' },
  ])
})
