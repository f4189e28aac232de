import {
  deleteRole,
  insertRole,
  insertSignInProvider,
  listMenus,
  listRoleNames,
  listRoles,
  readCurrentUser,
  readRole as readRoleDetail,
  searchRoles,
  updateRole,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import {
  insertOperator,
  insertOrganization,
  insertRegion,
  insertUser,
  insertRole as plantRole,
} from '../../../test/factories.ts'

const app = await appOfTests()
const admin = await app.asAdmin()

const roleAdministrator = ['role:list', 'role:insert', 'role:update', 'role:delete']

/** The id of the menu with this route name or function code. */
async function menuId(remark: string): Promise<string> {
  const { id } = await app.db
    .selectFrom('menu')
    .select('id')
    .where('remark', '=', remark)
    .executeTakeFirstOrThrow()
  return String(id)
}
const menuIds = (...remarks: string[]) => Promise.all(remarks.map(menuId))

const readRole = async (id: string | number) =>
  (await app.call(readRoleDetail, { id: String(id) }, admin)).data

let count = 0
const fresh = () => ({ name: `角色${++count}`, code: `TEST_${count}` })
async function made(remarks: string[] = [], token = admin) {
  const form = { ...fresh(), menuIds: await menuIds(...remarks) }
  const answer = await app.call(insertRole, form, token)
  if (answer.code !== 200) throw new Error(answer.message)
  return { ...form, id: answer.data.id }
}

const lastOperation = () =>
  app.db
    .selectFrom('operation_log')
    .select(['call', 'target', 'result_code as code', 'changes'])
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()

describe('a role', () => {
  // proves: rule role.name; rule role.code; message 请输入角色名称; message 请输入角色编码
  test('requires its name and code, in the words of the form', async () => {
    expect(await app.call(insertRole, {}, admin)).toMatchObject({
      status: 400,
      message: '请输入角色名称',
      data: [
        { field: 'name', message: '请输入角色名称' },
        { field: 'code', message: '请输入角色编码' },
      ],
    })
    expect(await app.call(updateRole, { id: '2', name: ' ', code: '' }, admin)).toMatchObject({
      status: 400,
      message: '请输入角色名称',
    })
    expect(await app.call(insertRole, { name: '有空格', code: 'A B' }, admin)).toMatchObject({
      message: '角色编码只能由汉字、字母、数字和 . _ : - 组成',
    })
    for (const code of ['\u0405YSTEM', 'SYS\u200bTEM', 'ＳＹＳＴＥＭ', 'system']) {
      expect((await app.call(insertRole, { name: '像系统', code }, admin)).status).toBe(400)
    }
    expect((await app.call(insertRole, { name: '甲', code: 'Night-Watch' }, admin)).code).toBe(200)
    expect(await app.call(insertRole, { name: '乙', code: 'night-watch' }, admin)).toMatchObject({
      code: 409,
      message: '角色编码已存在',
    })
  })

  // proves: call POST /role/insert
  test('is returned as it was saved: each menu by itself, with or without parents', async () => {
    const page = await menuId('exitWarning')
    const [oneFunction, directory] = await menuIds('alarm:page', 'maintenance')
    for (const granted of [[page], [oneFunction], [directory, page, oneFunction], [directory], []]) {
      const answer = await app.call(insertRole, { ...fresh(), remark: '说明', menuIds: granted }, admin)
      expect(answer.code).toBe(200)
      const role = await readRole(answer.data.id)
      expect(role.menuIds.toSorted()).toEqual(granted.toSorted())
      expect(role).toMatchObject({ remark: '说明', userCount: 0, version: 1, isEditable: true })
    }
  })

  test('shows its user the ancestors of its menus, whether their ids were sent or not', async () => {
    const trees = []
    for (const remarks of [['alarm:page'], ['alarm:page', 'exitWarning', 'maintenance']]) {
      const { id } = await made(remarks)
      const { token } = await app.asUser({ roleIds: [Number(id)] })
      const { data } = await app.call(readCurrentUser, {}, token)
      expect(data.functionCodes).toEqual(['alarm:page'])
      trees.push(data.tree)
    }
    expect(trees[0]).toEqual(trees[1])
    expect(trees[0]).toMatchObject([
      { remark: 'maintenance', children: [{ remark: 'exitWarning', children: [{ remark: 'alarm:page' }] }] },
    ])
  })

  test('with a page without its functions shows the page and permits nothing', async () => {
    const { id } = await made(['equipmentList'])
    const { token } = await app.asUser({ roleIds: [Number(id)] })
    const { data } = await app.call(readCurrentUser, {}, token)
    expect(data.functionCodes).toEqual([])
    expect(data.tree).toMatchObject([{ remark: 'equipment', children: [{ remark: 'equipmentList' }] }])
  })

  test('accepts menus as comma-joined text too, and stores each once', async () => {
    const [a, b] = await menuIds('alarm:page', 'event:list')
    const answer = await app.call(insertRole, { ...fresh(), menuIds: `${a},${b},${a}` }, admin)
    expect((await readRole(answer.data.id)).menuIds.toSorted()).toEqual([a, b].toSorted())
  })

  test('keeps its menus where a change leaves them out, and loses them with an empty list', async () => {
    const { id, name, code, menuIds: granted } = await made(['alarm:page'])
    await app.call(updateRole, { id, name: `${name}改`, code }, admin)
    expect(await readRole(id)).toMatchObject({ name: `${name}改`, menuIds: granted, version: 2 })
    await app.call(updateRole, { id, name, code, menuIds: [] }, admin)
    expect(await readRole(id)).toMatchObject({ menuIds: [], version: 3 })
  })

  test('refuses a menu that does not exist', async () => {
    const answer = await app.call(insertRole, { ...fresh(), menuIds: ['999999'] }, admin)
    expect(answer).toMatchObject({ status: 400, data: [{ field: 'menuIds', message: '菜单不存在' }] })
  })

  test('needs a unique code', async () => {
    const { code } = await made()
    const other = await made()
    expect(await app.call(insertRole, { name: '重复', code }, admin)).toMatchObject({
      status: 409,
      message: '角色编码已存在',
    })
    expect((await app.call(updateRole, { id: other.id, name: '重复', code }, admin)).status).toBe(409)
  })

  // proves: call GET /role/list
  test('is found by a part of its name, page by page', async () => {
    for (const name of ['夜班甲', '夜班乙', '夜班丙']) {
      await app.call(insertRole, { name, code: `NIGHT_${name}` }, admin)
    }
    const answer = await app.call(searchRoles, { name: '夜班', pageNum: 2, pageSize: 2 }, admin)
    expect(answer).toMatchObject({ total: 3, data: [{ name: '夜班丙' }] })
    expect((await app.call(searchRoles, { name: '%' }, admin)).total).toBe(0)
  })

  test('that does not exist is 404', async () => {
    expect(await app.call(updateRole, { id: '999999', ...fresh() }, admin)).toMatchObject({
      status: 404,
      message: '角色不存在',
    })
    expect((await app.call(deleteRole, { id: '999999' }, admin)).status).toBe(404)
    expect((await app.call(readRoleDetail, { id: '999999' }, admin)).status).toBe(404)
  })

  // proves: call POST /role/delete/{id}
  test('of users cannot be deleted, and the answer says how many', async () => {
    const { id, name, code } = await made(['alarm:page'])
    const user = await insertUser(app.db, { roleIds: [Number(id)] })
    await insertUser(app.db, { roleIds: [Number(id)] })
    expect((await readRole(id)).userCount).toBe(2)
    expect(await app.call(deleteRole, { id }, admin)).toMatchObject({
      status: 409,
      code: 409,
      message: '角色已分配给 2 个用户，不能删除',
      data: null,
    })
    await app.db.deleteFrom('user_role').where('role_id', '=', Number(id)).execute()
    expect((await app.call(deleteRole, { id }, admin)).code).toBe(200)
    expect(await lastOperation()).toMatchObject({
      call: '/role/delete/:id',
      target: `角色 ${name}（${code}）`,
      changes: { before: { name, code, menus: ['查看当前告警'] } },
    })
    expect(user.id).toBeGreaterThan(0)
  })

  // proves: call POST /role/update
  test('is recorded with its changes only', async () => {
    const { id, name, code } = await made(['alarm:page', 'event:list'])
    const granted = await menuIds('event:list', 'equip:list')
    await app.call(updateRole, { id, name: `${name}改`, code, menuIds: granted }, admin)
    expect((await lastOperation()).changes).toEqual({
      before: { name, menus: ['查看当前告警'] },
      after: { name: `${name}改`, menus: ['查看设备'] },
    })
  })
})

describe('two administrators with the same role', () => {
  test('the later one gets a conflict, and the first change is kept', async () => {
    const { id, code } = await made(['alarm:page'])
    const { version } = await readRole(id)
    const [first, second] = [
      { id, code, version, name: '甲的名称', menuIds: await menuIds('alarm:page', 'event:list') },
      { id, code, version, name: '乙的名称', menuIds: [] },
    ]
    expect((await app.call(updateRole, first, admin)).code).toBe(200)
    expect(await app.call(updateRole, second, admin)).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    const role = await readRole(id)
    expect(role).toMatchObject({ name: '甲的名称', version: version + 1 })
    expect(role.menuIds.toSorted()).toEqual(first?.menuIds.toSorted())
    expect((await app.call(updateRole, { ...second, version: role.version }, admin)).code).toBe(200)
  })

  test('who save at the same moment do not both succeed', async () => {
    const { id, code } = await made()
    const answers = await Promise.all(
      ['一', '二', '三', '四'].map((name) => app.call(updateRole, { id, name, code, version: 1 }, admin)),
    )
    expect(answers.map(({ code: number }) => number).sort()).toEqual([200, 409, 409, 409])
  })
})

describe('a change of a role', () => {
  test('takes effect at the next call of its users, in both directions', async () => {
    const { id, name, code } = await made(['role:list'])
    const { token } = await app.asUser({ roleIds: [Number(id)] })
    expect((await app.call(searchRoles, {}, token)).code).toBe(200)
    await app.call(updateRole, { id, name, code, menuIds: await menuIds('menu:list') }, admin)
    expect((await app.call(searchRoles, {}, token)).code).toBe(403)
    expect((await app.call(listMenus, {}, token)).code).toBe(200)
    expect((await app.call(readCurrentUser, {}, token)).data.functionCodes).toEqual(['menu:list'])
  })
})

describe('the role SYSTEM', () => {
  test('cannot be changed or deleted', async () => {
    const { token } = await app.asUser({ functionCodes: roleAdministrator })
    for (const caller of [admin, token]) {
      for (const answer of [
        await app.call(updateRole, { id: '1', name: '改名', code: 'SYSTEM' }, caller),
        await app.call(updateRole, { id: '1', name: '系统管理员', code: 'OTHER' }, caller),
        await app.call(deleteRole, { id: '1' }, caller),
      ]) {
        expect(answer).toMatchObject({ status: 403, message: '系统管理员角色不能修改或删除' })
      }
    }
    expect(await readRole(1)).toMatchObject({ code: 'SYSTEM', isEditable: false })
  })

  test.each(['SYSTEM', 'system', ' SYSTEM ', 'System', 'ＳＹＳＴＥＭ', 'SYS\u200bTEM', 'SYSTEM\u00a0'])(
    'is unique: the code %j is refused to everybody',
    async (code) => {
      const { id } = await made()
      const { token } = await app.asUser({ functionCodes: roleAdministrator })
      for (const caller of [admin, token]) {
        const status = caller === admin ? [400, 400] : [403, 403]
        const answers = [
          await app.call(insertRole, { name: '冒充', code }, caller),
          await app.call(updateRole, { id, name: '冒充', code }, caller),
        ]
        // A code with a space or an invisible character is invalid anyway.
        for (const [at, answer] of answers.entries()) expect([status[at], 400]).toContain(answer.status)
      }
      const { data } = await app.call(searchRoles, { pageSize: 500 }, admin)
      expect(data.filter((role) => /^system$/i.test(role.code))).toHaveLength(1)
    },
  )
})

describe('an administrator of roles who is not SYSTEM', () => {
  test('grants only what they hold', async () => {
    const { token } = await app.asUser({ functionCodes: [...roleAdministrator, 'alarm:page'] })
    expect(
      (await app.call(insertRole, { ...fresh(), menuIds: await menuIds('alarm:page') }, token)).code,
    ).toBe(200)
    for (const remarks of [['equip:delete'], ['alarm:page', 'user:insert'], ['systemServer']]) {
      const answer = await app.call(insertRole, { ...fresh(), menuIds: await menuIds(...remarks) }, token)
      expect(answer).toMatchObject({ status: 403, code: 403, message: '不能授予自己没有的权限' })
    }
  })

  test('cannot widen their own role, nor any other', async () => {
    const own = await made([...roleAdministrator, 'alarm:page'])
    const { token } = await app.asUser({ roleIds: [Number(own.id)] })
    const other = await made(['alarm:page'], token)
    const wider = await menuIds(...roleAdministrator, 'alarm:page', 'equip:delete')
    for (const role of [own, other]) {
      const answer = await app.call(updateRole, { ...role, menuIds: wider }, token)
      expect(answer).toMatchObject({ status: 403, message: '不能授予自己没有的权限' })
      expect((await readRole(role.id)).menuIds.toSorted()).toEqual(role.menuIds.toSorted())
    }
    expect((await app.call(readCurrentUser, {}, token)).data.functionCodes).not.toContain('equip:delete')
  })

  test('cannot rename, narrow or delete a role that holds more', async () => {
    const strong = await made(['alarm:page', 'equip:delete'])
    const { token } = await app.asUser({ functionCodes: [...roleAdministrator, 'alarm:page'] })
    const answers = [
      await app.call(updateRole, { ...strong, name: '改名' }, token),
      await app.call(updateRole, { ...strong, menuIds: await menuIds('alarm:page') }, token),
      await app.call(updateRole, { ...strong, menuIds: [] }, token),
      await app.call(deleteRole, { id: strong.id }, token),
    ]
    for (const answer of answers) {
      expect(answer).toMatchObject({
        status: 403,
        message:
          '角色含有自己没有的权限，或已分配给（或由企业登录授予）其他组织或数据权限更大的用户，不能修改',
      })
    }
    const seen = (await app.call(searchRoles, { pageSize: 500 }, token)).data
    expect(seen.find(({ id }) => id === strong.id)).toMatchObject({ isEditable: false })
  })

  test('cannot change what users outside their organization may do', async () => {
    const organizationId = await insertOrganization(app.db)
    const below = await insertOrganization(app.db, { parentId: organizationId })
    const role = await made(['alarm:page'])
    const { token } = await app.asUser({
      organizationId,
      functionCodes: [...roleAdministrator, 'alarm:page'],
    })
    await insertUser(app.db, { organizationId: below, roleIds: [Number(role.id)] })
    expect((await app.call(updateRole, { ...role, menuIds: [] }, token)).code).toBe(200)
    await insertUser(app.db, { organizationId: 1, roleIds: [Number(role.id)] })
    expect((await app.call(updateRole, { ...role, name: '改名' }, token)).status).toBe(403)
    expect((await app.call(updateRole, { ...role, name: '改名' }, admin)).code).toBe(200)
  })

  test('cannot change what users with wider data permissions may do: what they have decided would end', async () => {
    const [own, other] = [await insertOperator(app.db), await insertOperator(app.db)]
    const region = await insertRegion(app.db, { code: 'WIDER' })
    await insertRegion(app.db, { code: 'NARROWER', parentId: region })
    const limited = async (authorities: (readonly ['O' | 'ET' | 'R', string])[]) =>
      (await app.asUser({ functionCodes: [...roleAdministrator, 'notifyRule:insert'], authorities })).token
    const held = async (authorities: (readonly ['O' | 'ET' | 'R', string])[]) => {
      const role = await made(['notifyRule:insert'])
      await insertUser(app.db, { roleIds: [Number(role.id)], authorities })
      return role
    }
    const renamed = async (role: Awaited<ReturnType<typeof held>>, token: string) =>
      (await app.call(updateRole, { ...role, menuIds: [] }, token)).refusal ?? null
    const byOperator = await limited([['O', String(own)]])
    const byRegion = await limited([['R', 'WIDER']])
    const refused = 'cannotChangeRole'
    expect(await renamed(await held([]), byOperator)).toBe(refused)
    expect(await renamed(await held([['O', String(other)]]), byOperator)).toBe(refused)
    expect(await renamed(await held([['O', String(own)]]), byOperator)).toBeNull()
    expect(await renamed(await held([['O', String(own)]]), byRegion)).toBe(refused)
    expect(await renamed(await held([['R', 'NARROWER']]), byRegion)).toBeNull()
    expect(await renamed(await held([['R', 'WIDER']]), await limited([['R', 'NARROWER']]))).toBe(refused)
    expect(await renamed(await held([['ET', '1']]), await limited([]))).toBeNull()
    const wider = await held([])
    const [shown] = (await app.call(searchRoles, { name: wider.name }, byOperator)).data
    expect(shown).toMatchObject({ id: wider.id, isEditable: false })
  })

  test('cannot change or delete what a company’s sign-in gives to people beyond, before the first of them has come', async () => {
    const organizationId = await insertOrganization(app.db)
    const below = await insertOrganization(app.db, { parentId: organizationId })
    const manager = async (authorities: (readonly ['O', string])[] = []) =>
      (await app.asUser({ organizationId, functionCodes: [...roleAdministrator, 'alarm:page'], authorities }))
        .token
    const givenIn = async (id: number) => {
      const role = await made(['alarm:page'])
      const rules = [{ claim: 'groups', value: 'ops', roleIds: [role.id], organizationId: String(id) }]
      const provider = {
        name: role.name,
        issuer: `https://id.example.com/${role.code}`,
        clientId: 'x',
        rules,
      }
      expect(await app.call(insertSignInProvider, provider, admin)).toMatchObject({ code: 200 })
      return role
    }
    const [elsewhere, inside] = [await givenIn(1), await givenIn(below)]
    const refused = { status: 403, refusal: 'cannotChangeRole' }
    const token = await manager()
    for (const change of [
      { ...elsewhere, name: '改名' },
      { ...elsewhere, menuIds: [] },
    ])
      expect(await app.call(updateRole, change, token)).toMatchObject(refused)
    expect(await app.call(deleteRole, { id: elsewhere.id }, token)).toMatchObject(refused)
    expect((await app.call(searchRoles, { name: elsewhere.name }, token)).data).toMatchObject([
      { isEditable: false },
    ])
    // Whom a rule lets in comes without data permissions.
    const limited = await manager([['O', String(await insertOperator(app.db, { organizationId }))]])
    expect(await app.call(updateRole, { ...inside, menuIds: [] }, limited)).toMatchObject(refused)
    expect(await app.call(updateRole, { ...inside, menuIds: [] }, token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteRole, { id: elsewhere.id }, admin)).toMatchObject({ code: 200 })
  })

  test('loses the right to grant a function together with the function, at once', async () => {
    const own = await made([...roleAdministrator, 'alarm:page'])
    const { token } = await app.asUser({ roleIds: [Number(own.id)] })
    const granted = await menuIds('alarm:page')
    expect((await app.call(insertRole, { ...fresh(), menuIds: granted }, token)).code).toBe(200)
    await app.call(updateRole, { ...own, menuIds: await menuIds(...roleAdministrator) }, admin)
    expect((await app.call(insertRole, { ...fresh(), menuIds: granted }, token)).status).toBe(403)
  })

  test('cannot win a race: a role is not widened between its check and its save', async () => {
    const own = await made([...roleAdministrator, 'alarm:page'])
    const { token } = await app.asUser({ roleIds: [Number(own.id)] })
    const narrowed = await menuIds(...roleAdministrator)
    const granted = await menuIds('alarm:page')
    const [taken, ...attempts] = await Promise.all([
      app.call(updateRole, { ...own, menuIds: narrowed }, admin),
      ...Array.from({ length: 8 }, () => app.call(insertRole, { ...fresh(), menuIds: granted }, token)),
    ])
    expect(taken?.code).toBe(200)
    for (const { code } of attempts) expect([200, 403]).toContain(code)
    expect((await app.call(insertRole, { ...fresh(), menuIds: granted }, token)).code).toBe(403)
  })
})

describe('pickers', () => {
  // proves: call GET /role/all
  test('mark the roles that the caller may grant', async () => {
    const weak = await made(['alarm:page'])
    const strong = await plantRole(app.db, { functionCodes: ['equip:delete'] })
    const { token } = await app.asUser({ functionCodes: ['alarm:page'] })
    const assignable = (await app.call(listRoles, {}, token)).data
      .filter(({ isAssignable }) => isAssignable)
      .map(({ id }) => id)
    expect(assignable).toContain(weak.id)
    expect(assignable).not.toContain(String(strong))
    expect(assignable).not.toContain('1')
    const forAdmin = (await app.call(listRoles, {}, admin)).data
    expect(forAdmin.filter(({ isAssignable }) => !isAssignable).map(({ id }) => id)).toEqual(['1'])
  })

  // proves: call GET /role/selecAll
  test('answer id and name by the other spelling', async () => {
    const { data } = await app.call(listRoleNames, {}, admin)
    expect(data[0]).toEqual({ id: '1', name: '系统管理员' })
  })
})
