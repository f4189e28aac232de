import {
  listBatteries,
  listDevices,
  listFirmware,
  listParameterBatches,
  listUpgradeTasks,
  listUsers,
  searchConsole,
  searchOperators,
} from '@voltkeep/contract'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertBatteries,
  insertDevice,
  insertOperator,
  insertOrganization,
  insertRegion,
} from '../../../test/factories.ts'
import { insertPackage } from '../../../test/packages.ts'

const nearCodes = ['EC250200000300', 'BT250200000300', 'EC9000300X']

const app = await appOfTests()
const admin = await app.asAdmin()
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })
for (const code of nearCodes) await insertDevice(app.db, { code, operatorId })
await insertDevice(app.db, { code: 'FAR000300' })
await sql`UPDATE device SET name = '东门菜市场换电柜', address = '科技路1号' WHERE code = 'FAR000300'`.execute(
  app.db,
)
await sql`UPDATE device SET name = '东门换电柜', address = '创业街 A座' WHERE code = 'EC9000300X'`.execute(
  app.db,
)
// A region's name finds its devices, too: no part of a code may be in it.
await sql`UPDATE region SET name = translate(name, '0123456789', '零一二三四五六七八九'),
  full_name = translate(full_name, '0123456789', '零一二三四五六七八九')`.execute(app.db)
/** A user who sees near devices only. */
const near = (await app.asUser({ organizationId, functionCodes: [listDevices.access, listUsers.access] }))
  .token

const devicesFor = async (keyword: string, token = near) =>
  (await app.call(searchConsole, { keyword }, token)).data.devices.map(({ code }) => code)

test('devices are found by any part of code, name or address, the best match of the code first', async () => {
  expect(await devicesFor('000300', admin)).toEqual([
    'FAR000300',
    'BT250200000300',
    'EC250200000300',
    'EC9000300X',
  ])
  expect(await devicesFor('ec9000300x')).toEqual(['EC9000300X'])
  expect(await devicesFor('门')).toEqual(['EC9000300X'])
  expect(await devicesFor('东门 a座')).toEqual(['EC9000300X'])
  expect(await devicesFor('bt2502，ec9')).toEqual(['EC9000300X', 'BT250200000300'])
})

test('a device out of scope is not found, as if it did not exist', async () => {
  const parts = ['FAR000300', 'far', '菜市场', '科技路', 'F']
  for (const part of parts) expect(await devicesFor(part)).toEqual([])
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...nearCodes, 'FAR000300', '东门菜市场换电柜'),
      fc.nat(14),
      fc.integer({ min: 1, max: 6 }),
      async (text, from, length) => {
        const keyword = text.slice(from, from + length)
        if (keyword === '') return
        const listed = await app.call(listDevices, { keyword, pageSize: 500 }, near)
        const found = await devicesFor(keyword)
        expect([...found].sort()).toEqual(listed.data.map(({ code }) => code).sort())
        expect(found).not.toContain('FAR000300')
      },
    ),
    { numRuns: 40, seed: 11 },
  )
})

test('users are found by name within the caller’s organizations', async () => {
  const { loginName } = await app.asUser({ organizationId })
  const stranger = await app.asUser()
  const usersFor = async (keyword: string, token = near) =>
    (await app.call(searchConsole, { keyword }, token)).data.users.map((user) => user.loginName)
  expect(await usersFor(loginName)).toEqual([loginName])
  expect(await usersFor(stranger.loginName)).toEqual([])
  expect(await usersFor(stranger.loginName, admin)).toEqual([stranger.loginName])
})

test('a region’s name finds the region and its devices, within the scope', async () => {
  const parent = await insertRegion(app.db)
  await sql`UPDATE region SET name = '云溪区', full_name = '云溪区' WHERE id = ${parent}`.execute(app.db)
  const regionId = await insertRegion(app.db, { parentId: parent })
  const { code } = await insertDevice(app.db, { operatorId, regionId })
  const far = await insertDevice(app.db, { regionId })
  const found = (await app.call(searchConsole, { keyword: '云溪' }, near)).data
  expect(found.regions).toMatchObject([{ name: '云溪区', deviceCount: 1 }])
  expect(found.devices.map((device) => device.code)).toEqual([code])
  const all = (await app.call(searchConsole, { keyword: '云溪' }, admin)).data
  expect(all.regions).toMatchObject([{ deviceCount: 2 }])
  expect(all.devices.map((device) => device.code).sort()).toEqual([code, far.code].sort())
  const { token } = await app.asUser({ organizationId, functionCodes: [listUsers.access] })
  expect((await app.call(searchConsole, { keyword: '云溪' }, token)).data).toMatchObject({
    regions: [],
    devices: [],
  })
})

test('batteries, operators, packages and tasks are found by who may list them, within the scope', async () => {
  const { id } = await insertDevice(app.db, { operatorId })
  const other = await insertDevice(app.db)
  await insertBatteries(app.db, [id, other.id], (of) => `LUX${of}`)
  await sql`UPDATE operator SET name = '清源换电' WHERE id = ${operatorId}`.execute(app.db)
  const packageId = (await insertPackage(app.db, { version: '7.31' })).id
  const insertWork = async (of: number, author: string) => {
    await sql`
      INSERT INTO parameter_batch (code, kind, state, wanted, devices, max_attempts, interval_minutes, ends_at, created_by,
        created_by_name, organization_id)
      VALUES (${`CSLUX${of}`}, 'set', 'finished', '{}', '{}', 1, 1, now(), 1, ${author}, ${of})`.execute(
      app.db,
    )
  }
  await insertWork(organizationId, '清源')
  await insertWork(await insertOrganization(app.db), '清源')
  const codes = [
    listBatteries.access,
    listFirmware.access,
    listParameterBatches.access,
    listUpgradeTasks.access,
    searchOperators.access,
  ]
  const reader = (await app.asUser({ organizationId, functionCodes: codes })).token
  const nobody = (await app.asUser({ organizationId, functionCodes: [] })).token
  const find = async (keyword: string, token: string) =>
    (await app.call(searchConsole, { keyword }, token)).data
  expect((await find('lux', reader)).batteries).toMatchObject([{ code: `LUX${id}`, isAway: false }])
  expect((await find('lux', reader)).tasks).toMatchObject([
    { kind: 'batch', title: `CSLUX${organizationId}` },
  ])
  expect((await find('清源', reader)).operators).toMatchObject([{ id: String(operatorId), name: '清源换电' }])
  expect((await find('7.31', reader)).packages).toMatchObject([{ id: String(packageId), version: '7.31' }])
  expect((await find('lux', admin)).batteries).toHaveLength(2)
  expect((await find('lux', admin)).tasks).toHaveLength(2)
  for (const keyword of ['lux', '清源', '7.31']) {
    expect(await find(keyword, nobody)).toEqual({
      devices: [],
      users: [],
      batteries: [],
      operators: [],
      regions: [],
      tasks: [],
      packages: [],
    })
  }
})

test('a user who may list neither devices nor users finds none', async () => {
  const { token } = await app.asUser({ organizationId, functionCodes: [] })
  expect(await app.call(searchConsole, { keyword: '0' }, token)).toMatchObject({
    code: 200,
    data: { devices: [], users: [] },
  })
  expect(await app.call(searchConsole, { keyword: '  ' }, token)).toMatchObject({ status: 400 })
})
