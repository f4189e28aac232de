import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice, insertModel } from '../../../test/factories.ts'
import { equipTypeOf, insertBoard, insertPackage } from '../../../test/packages.ts'
import {
  isOlder,
  isOnVersion,
  lockPackagesShared,
  packageFitsDevice,
  packageMatches,
  packageVersion,
  packageVersionText,
  reportedVersion,
} from './index.ts'

const database = await databaseOfTests({ isSeeded: true })
const { db } = database
const modelId = await insertModel(db)
const equipTypeId = await equipTypeOf(db, modelId)
const otherModelId = await insertModel(db, { equipTypeId })
const deviceId = (await insertDevice(db, { modelId })).id

/** Reports a part of the device, in place of its former report. */
async function report({
  version = '1.0',
  hwVersion = null as string | null,
  partType = 'PART_TYPE_EC_MASTER',
  pcbCode = null as string | null,
}) {
  await sql`DELETE FROM device_version`.execute(database.db)
  await database.db
    .insertInto('device_version')
    .values({
      device_id: deviceId,
      part_type: partType,
      addr_id: '0',
      version,
      hw_version: hwVersion,
      pcb_code: pcbCode,
      reported_at: new Date(),
    })
    .execute()
}

async function answers(packageId: number) {
  const { rows } = await sql<{ fits: boolean; matches: boolean; older: boolean; on: boolean }>`
    SELECT ${packageFitsDevice} AS fits, ${packageMatches} AS matches, ${isOlder} AS older, ${isOnVersion} AS on
    FROM software_package k, device d JOIN device_version v ON v.device_id = d.id
    WHERE k.id = ${packageId} AND d.id = ${deviceId}`.execute(database.db)
  return rows[0]
}

describe('a package matches a part of a device', () => {
  test('of the board’s type and part, for any model, if the board is built into all of them', async () => {
    const { id } = await insertPackage(database.db, {
      board: await insertBoard(database.db, { equipTypeId }),
    })
    await report({})
    expect(await answers(id)).toMatchObject({ fits: true, matches: true })
    await report({ partType: 'WIFI' })
    expect(await answers(id)).toMatchObject({ fits: true, matches: false })
  })

  test('not of another type', async () => {
    const { id } = await insertPackage(database.db)
    await report({})
    expect(await answers(id)).toMatchObject({ fits: false, matches: false })
  })

  test('of the board’s models, where it has some', async () => {
    const of = async (modelIds: number[]) =>
      insertPackage(database.db, { board: await insertBoard(database.db, { equipTypeId, modelIds }) })
    await report({})
    expect(await answers((await of([modelId, otherModelId])).id)).toMatchObject({ matches: true })
    expect(await answers((await of([otherModelId])).id)).toMatchObject({ fits: false, matches: false })
  })

  test('of the board that the part reports; a part that reports none matches', async () => {
    const board = await insertBoard(database.db, { equipTypeId })
    const { id } = await insertPackage(database.db, { board })
    for (const [pcbCode, matches] of [
      [board.code, true],
      ['OTHER', false],
      [null, true],
    ] as const) {
      await report({ pcbCode })
      expect(await answers(id)).toMatchObject({ matches })
    }
  })

  test('of the package’s hardware version; a part that reports none does not match', async () => {
    const board = await insertBoard(database.db, { equipTypeId })
    const { id } = await insertPackage(database.db, { board, hwVersion: '2' })
    for (const [hwVersion, matches] of [
      ['2', true],
      ['3', false],
      [null, false],
    ] as const) {
      await report({ hwVersion })
      expect(await answers(id)).toMatchObject({ matches })
    }
  })
})

describe('versions', () => {
  test.each([
    ['1.3', true, false],
    ['1.4', false, true],
    ['1.5', false, false],
    ['1.10', false, false],
    ['0.99', true, false],
    ['2.0', false, false],
    ['1.4.0', false, false],
    ['1.3.9', true, false],
    ['01.04', false, true],
    ['V1.4', true, false],
    ['unknown', true, false],
    ['1', true, false],
    ['99999999999.1', true, false],
  ])('%s against 1.4', async (version, older, on) => {
    const board = await insertBoard(database.db, { equipTypeId })
    const { id } = await insertPackage(database.db, { board })
    await report({ version })
    expect(await answers(id)).toMatchObject({ older, on })
  })

  test('order packages and reports by number', async () => {
    const board = await insertBoard(database.db, { equipTypeId })
    for (const version of ['1.9', '1.10', '1.2']) await insertPackage(database.db, { board, version })
    await report({ version: '1.9' })
    const { rows } = await sql<{ text: string; isReached: boolean }>`
      SELECT ${packageVersionText} AS text, ${reportedVersion} >= ${packageVersion} AS "isReached"
      FROM software_package k, device_version v
      WHERE k.pcb_board_id = ${board.id} ORDER BY ${packageVersion} DESC`.execute(database.db)
    expect(rows).toEqual([
      { text: '1.10', isReached: false },
      { text: '1.9', isReached: true },
      { text: '1.2', isReached: true },
    ])
  })
})

test('packages in use are locked; deleted ones are not found', async () => {
  const kept = await insertPackage(database.db)
  const deleted = await insertPackage(database.db)
  await sql`UPDATE software_package SET deleted_at = now() WHERE id = ${deleted.id}`.execute(database.db)
  const found = await database.db
    .transaction()
    .execute((trx) => lockPackagesShared(trx, [deleted.id, kept.id]))
  expect(found).toMatchObject([
    { id: kept.id, fileId: kept.fileId, versionText: '1.4', pcbCode: kept.board.code, fileSize: 1024 },
  ])
})
