import { deleteFirmware, listFirmware, type PackageRow, updateFirmware } from '@voltkeep/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/app.ts'
import { insertOrganization, insertRole } from '../../../test/factories.ts'
import { insertBoard, insertPackage, remark } from '../../../test/packages.ts'

// Whose decisions a package carries, and who may end them.

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await createTestApp()
  admin = await app.asAdmin()
})
afterAll(() => app.close())

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
