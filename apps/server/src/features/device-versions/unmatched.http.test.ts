import { exportUnmatchedVersions, listDeviceVersions, readPartVersions } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertOrganization, type TestDevice } from '../../../test/factories.ts'
import { insertBoard, insertPackage } from '../../../test/packages.ts'
import { rowsOfSheet } from '../../../test/sheets.ts'
import { bin, type Fleet, insertFleet, master, reportVersions } from '../../../test/upgrades.ts'

let app: TestApp
let admin: string
/** Sees the devices of `own` alone. */
let narrow: string
let own: Fleet
let other: Fleet
let behind: TestDevice
let current: TestDevice
let odd: TestDevice
let foreign: TestDevice

beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
  const organizationId = await insertOrganization(app.db)
  own = await insertFleet(app.db, 3, { organizationId, versions: {} })
  other = await insertFleet(app.db, 1, {
    organizationId: await insertOrganization(app.db),
    modelId: own.modelId,
    versions: { [`${bin} 1`]: '1.0' },
  })
  ;[behind, current, odd] = own.devices as [TestDevice, TestDevice, TestDevice]
  ;[foreign] = other.devices as [TestDevice]
  await reportVersions(app.db, behind, {
    [`${master} 0`]: '1.0',
    [`${bin} 10`]: '1.9',
    [`${bin} 2`]: '1.9',
    [`${bin} 3`]: '1.8',
    [`${bin} 4`]: '1.10',
  })
  // On the release, newer than it, and a part that no release is for.
  await reportVersions(app.db, current, {
    [`${bin} 1`]: '1.10',
    [`${bin} 2`]: '2.0',
    'OF_ITS_OWN 1': '0.1',
  })
  await reportVersions(app.db, odd, { [`${bin} 1`]: '=1+1' })
  await app.db
    .updateTable('device')
    .set({ name: '=HYPERLINK("http://x")' })
    .where('id', '=', odd.id)
    .execute()
  const board = await insertBoard(app.db, { equipTypeId: own.equipTypeId, partType: bin })
  await insertPackage(app.db, { board, version: '1.9' })
  await insertPackage(app.db, { board, version: '1.10' })
  await insertPackage(app.db, { board, version: '3.0', isRelease: false })
  const functionCodes = [exportUnmatchedVersions.access, listDeviceVersions.access]
  narrow = (await app.asUser({ organizationId, functionCodes })).token
})
afterAll(async () => {
  await app.close()
})

const requested = (input: Record<string, string>, token: string) =>
  fetch(`${app.url}/api${exportUnmatchedVersions.path}?${new URLSearchParams(input)}`, {
    headers: { authorization: token },
  })

/** The rows by the titles of their columns. */
async function exported(input: Record<string, string> = {}, token = admin) {
  const response = await requested(input, token)
  expect(response.status).toBe(200)
  const said = decodeURIComponent(response.headers.get('content-disposition') ?? '')
  expect(said).toMatch(/版本不符的设备_\d{14}\.xlsx/)
  const [titles = [], ...of] = await rowsOfSheet(response)
  return of.map((cells) => Object.fromEntries(titles.map((title, at) => [title, cells[at]])))
}
const shortly = (rows: Awaited<ReturnType<typeof exported>>) =>
  rows.map((row) => [row.设备编号, row.部件编号, row.软件版本, row.最新版本])

describe('an export of the devices whose version does not match', () => {
  test('has the parts that are older than the newest release for them, by device and version', async () => {
    expect(shortly(await exported())).toEqual([
      [foreign.code, '1', '1.0', '1.10'],
      [odd.code, '1', '=1+1', '1.10'],
      [behind.code, '3', '1.8', '1.10'],
      [behind.code, '2、10', '1.9', '1.10'],
    ])
    const [row] = await exported({ code: behind.code, version: '1.9' })
    expect(row).toMatchObject({ 在线状态: '未接入', 部件: '仓控', 部件数: '2' })
  })

  test('agrees with what the devices’ own versions say', async () => {
    for (const { id, code } of own.devices) {
      const { data } = await app.call(readPartVersions, { equipId: String(id) }, admin)
      const outdated = data.reduce((sum, { outdatedCount }) => sum + outdatedCount, 0)
      const rows = await exported({ code })
      expect(rows.reduce((sum, row) => sum + Number(row.部件数), 0)).toBe(outdated)
    }
  })

  test('follows the filters of the list, a part and a version too', async () => {
    expect(shortly(await exported({ code: behind.code }))).toHaveLength(2)
    expect(await exported({ code: current.code })).toEqual([])
    expect(await exported({ isOnline: '1' })).toEqual([])
    expect(await exported({ partType: master })).toEqual([])
    expect(shortly(await exported({ version: '1.8', partType: bin }))).toEqual([
      [behind.code, '3', '1.8', '1.10'],
    ])
  })

  test('writes a name and a version that look like a formula as text', async () => {
    const [row] = await exported({ code: odd.code })
    expect(row).toMatchObject({ 设备名称: '=HYPERLINK("http://x")', 软件版本: '=1+1' })
  })

  test('is limited to the scope, and to users who may export', async () => {
    const codes = (await exported({}, narrow)).map((row) => row.设备编号)
    expect(new Set(codes)).toEqual(new Set([odd.code, behind.code]))
    expect(await exported({ code: foreign.code }, narrow)).toEqual([])
    const organizationId = await insertOrganization(app.db)
    const { token } = await app.asUser({ organizationId, functionCodes: [listDeviceVersions.access] })
    expect((await requested({}, token)).status).toBe(403)
  })

  test('has every device once, across its batches, the newest first', async () => {
    const codes = Array.from({ length: 1_001 }, (_, n) => `MANY${n}`)
    const { operatorId } = other
    await sql`
      WITH made AS (
        INSERT INTO device (code, operator_id, model_id, region_id, secret_hash)
        SELECT c, operator_id, model_id, region_id, '' FROM device, unnest(${codes}::text[]) AS c
        WHERE id = ${foreign.id}
        RETURNING id)
      INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
      SELECT id, ${bin}, '1', '1.0', now() FROM made`.execute(app.db)
    const rows = await exported({ operatorId: String(operatorId) })
    expect(rows.map((row) => row.设备编号)).toEqual([...codes.toReversed(), foreign.code])
  })
})
