import {
  countFirmwareReach,
  deleteBoard,
  deleteFirmware,
  deleteUser,
  insertFirmware,
  listFirmware,
  type PackageRow,
  saveBoard,
  updateFirmware,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertDevice,
  insertModel,
  insertOperator,
  insertOrganization,
  insertRole,
} from '../../../test/factories.ts'
import { equipTypeOf, insertBoard, insertPackage, remark, uploadPackage } from '../../../test/packages.ts'

// Whose decisions a package carries, and who may end them.

const app = await appOfTests()
const admin = await app.asAdmin()

const functionCodes = ['list', 'upload', 'insert', 'update', 'delete'].map((code) => `firmware:${code}`)
/** A user of an organization of its own. */
const userElsewhere = async () =>
  app.asUser({ organizationId: await insertOrganization(app.db), functionCodes })

async function rowOf(id: number): Promise<PackageRow> {
  const [row] = (await app.call(listFirmware, { ids: [String(id)] }, admin)).data
  if (!row) throw new Error(`no package ${id}`)
  return row
}

async function switchTo(isAutoUpgrade: 0 | 1, id: number, token: string) {
  const { filePath, pcbCode, partType, version } = await rowOf(id)
  const form = { id: String(id), filePath, pcbCode, partType, version, remark, isAutoUpgrade }
  return app.call(updateFirmware, form, token)
}

test('who made a package switches it off and deletes it, whoever of others switched it on', async () => {
  const [owner, stranger, third] = [await userElsewhere(), await userElsewhere(), await userElsewhere()]
  const { id } = await insertPackage(app.db, { by: owner })
  expect(await switchTo(1, id, stranger.token)).toMatchObject({ code: 200 })
  const beyond = { status: 403, refusal: 'packageReachesBeyond' }
  expect(await switchTo(0, id, third.token)).toMatchObject(beyond)
  expect(await switchTo(0, id, owner.token)).toMatchObject({ code: 200 })
  expect(await switchTo(1, id, owner.token)).toMatchObject({ code: 200 })
  expect((await rowOf(id)).autoUpgradeBy).toBe(owner.loginName)
  expect(await switchTo(0, id, owner.token)).toMatchObject({ code: 200 })
  expect(await switchTo(1, id, stranger.token)).toMatchObject({ code: 200 })
  expect(await app.call(deleteFirmware, { id: String(id) }, stranger.token)).toMatchObject(beyond)
  expect(await app.call(deleteFirmware, { id: String(id) }, owner.token)).toMatchObject({ code: 200 })
})

test('who switched on by changing the package needs that function still; who did as it was made, the one for adding', async () => {
  const by = await app.asUser({
    organizationId: await insertOrganization(app.db),
    functionCodes: functionCodes.filter((code) => code !== 'firmware:insert'),
    roleIds: [await insertRole(app.db, { functionCodes: ['firmware:insert'] })],
  })
  const board = await insertBoard(app.db)
  const made = await insertPackage(app.db, { by, board, isAutoUpgrade: true })
  const changed = await insertPackage(app.db, { by, board, version: '1.5' })
  expect(await switchTo(1, changed.id, by.token)).toMatchObject({ code: 200 })
  expect((await rowOf(changed.id)).autoUpgradeStop).toBeNull()
  const own = app.db.deleteFrom('role_menu').where(({ exists, selectFrom }) =>
    exists(
      selectFrom('menu')
        .innerJoin('user_role', (join) => join.on('user_role.user_id', '=', by.id))
        .select('menu.id')
        .where('menu.remark', '=', 'firmware:update')
        .whereRef('menu.id', '=', 'role_menu.menu_id')
        .whereRef('user_role.role_id', '=', 'role_menu.role_id'),
    ),
  )
  expect((await own.executeTakeFirst()).numDeletedRows).toBe(1n)
  expect((await rowOf(changed.id)).autoUpgradeStop).toBe(`自动升级开启人 ${by.loginName} 已没有所需的权限`)
  expect((await rowOf(made.id)).autoUpgradeStop).toBeNull()
})

test('what a deleted user made reaches as far as the user did last, not as far as when it was made', async () => {
  const organizationId = await insertOrganization(app.db)
  const modelId = await insertModel(app.db)
  const board = await insertBoard(app.db, { equipTypeId: await equipTypeOf(app.db, modelId) })
  const [kept, lost] = [
    await insertOperator(app.db, { organizationId }),
    await insertOperator(app.db, { organizationId }),
  ]
  for (const operatorId of [kept, lost]) {
    const { id } = await insertDevice(app.db, { modelId, operatorId })
    await sql`
      INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
      VALUES (${id}, ${board.partType}, '0', '1.0', now())`.execute(app.db)
  }
  const authorities = [['O', String(kept)]] as const
  const leaver = await app.asUser({ organizationId, functionCodes, authorities })
  // Made when the user reached all devices.
  const { id } = await insertPackage(app.db, { by: leaver, board })
  const { filePath } = await rowOf(id)
  const devices = async () =>
    (await app.call(countFirmwareReach, { id: String(id), filePath }, admin)).data.devices
  expect(await devices()).toBe(1)
  expect(await app.call(deleteUser, { id: String(leaver.id) }, admin)).toMatchObject({ code: 200 })
  expect(await devices()).toBe(1)
  const colleague = await app.asUser({ organizationId, functionCodes, authorities })
  const elsewhere = [['O', String(lost)]] as const
  const other = await app.asUser({ organizationId, functionCodes, authorities: elsewhere })
  const remove = (token: string) => app.call(deleteFirmware, { id: String(id) }, token)
  expect(await remove(other.token)).toMatchObject({ status: 403 })
  expect(await remove(colleague.token)).toMatchObject({ code: 200 })
})

test('a package is not saved where its board was deleted after the upload and made anew, for other models', async () => {
  const board = await insertBoard(app.db)
  const modelId = await insertModel(app.db, { equipTypeId: board.equipTypeId })
  const form = {
    pcbCode: board.code,
    pcbName: '主控板',
    partType: board.partType,
    equipTypeId: String(board.equipTypeId),
  }
  expect(
    await app.call(saveBoard, { ...form, id: String(board.id), equipModelIds: [String(modelId)] }, admin),
  ).toMatchObject({ code: 200 })
  const early = await uploadPackage(app, admin, `${board.code}_EC_MASTER_V1.4_R.bin`)
  expect(await app.call(deleteBoard, { id: String(board.id) }, admin)).toMatchObject({ code: 200 })
  expect(await app.call(saveBoard, { ...form, equipModelIds: [] }, admin)).toMatchObject({ code: 200 })
  const { id } = await app.db
    .selectFrom('pcb_board')
    .select('id')
    .where('pcb_code', '=', board.code)
    .executeTakeFirstOrThrow()
  // As often as the first one was saved.
  expect(await app.call(saveBoard, { ...form, id: String(id), equipModelIds: [] }, admin)).toMatchObject({
    code: 200,
  })
  const saved = await app.call(insertFirmware, { ...early, remark }, admin)
  expect(saved).toMatchObject({ status: 409, refusal: 'conflict' })
})

test('a package is not saved where its board was changed after the upload, which said for which models it is', async () => {
  const board = await insertBoard(app.db)
  const changeBoard = async () =>
    app.call(
      saveBoard,
      {
        id: String(board.id),
        pcbCode: board.code,
        pcbName: '主控板',
        partType: board.partType,
        equipTypeId: String(board.equipTypeId),
        equipModelIds: [String(await insertModel(app.db, { equipTypeId: board.equipTypeId }))],
      },
      admin,
    )
  const name = `${board.code}_EC_MASTER_V1.4_R.bin`
  const early = await uploadPackage(app, admin, name)
  expect(await changeBoard()).toMatchObject({ code: 200 })
  const conflict = { status: 409, refusal: 'conflict' }
  expect(await app.call(insertFirmware, { ...early, remark }, admin)).toMatchObject(conflict)
  const { data } = await app.call(
    insertFirmware,
    { ...(await uploadPackage(app, admin, name)), remark },
    admin,
  )
  const replacing = { bytes: new TextEncoder().encode('another file'), fields: { type: 'update' } }
  const again = await uploadPackage(app, admin, name, replacing)
  expect(await changeBoard()).toMatchObject({ code: 200 })
  expect(await app.call(updateFirmware, { ...again, remark, id: data.id }, admin)).toMatchObject(conflict)
})
