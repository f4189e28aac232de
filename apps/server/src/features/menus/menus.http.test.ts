import {
  deleteMenu,
  insertMenu,
  insertRole,
  listMenus,
  type MenuRecord,
  readCurrentUser,
  searchRoles,
  updateMenu,
  updateRole,
} from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { makeKey } from '../../../test/api-keys.ts'
import { appOfTests, type TestApp } from '../../../test/app.ts'
import { insertOrganization, insertUser } from '../../../test/factories.ts'

const app = await appOfTests()
const admin = await app.asAdmin()

const menuAdministrator = ['menu:list', 'menu:insert', 'menu:update', 'menu:delete']

async function all(): Promise<MenuRecord[]> {
  const { data } = await app.call(listMenus, {}, admin)
  const flat = (menus: readonly MenuRecord[]): MenuRecord[] =>
    menus.flatMap((menu) => [menu, ...flat(menu.children)])
  return flat(data)
}
async function menuOf(remark: string): Promise<MenuRecord> {
  const menu = (await all()).find((each) => each.remark === remark)
  if (!menu) throw new Error(`no menu ${remark}`)
  return menu
}
/** The values that the form of a menu sends. */
const formOf = ({ children: _, roleCount: __, ...menu }: MenuRecord) =>
  Object.fromEntries(Object.entries(menu).filter(([, value]) => value !== null)) as never as Omit<
    MenuRecord,
    'children' | 'roleCount'
  >

let count = 0
type Form = Parameters<typeof app.call<typeof insertMenu>>[1]
const form = (part: Partial<MenuRecord> = {}): Form => {
  const name = `menu${++count}`
  return { parentId: '0', name, type: 'C', path: name, remark: name, openType: 0, ...part } as Form
}
async function made(part: Partial<MenuRecord> = {}, token = admin): Promise<string> {
  const answer = await app.call(insertMenu, form(part), token)
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data.id
}
async function roleWith(...menuIds: string[]): Promise<string> {
  const code = `ROLE_${++count}`
  const answer = await app.call(insertRole, { name: code, code, menuIds }, admin)
  return answer.data.id
}

describe('a menu', () => {
  // proves: rule menu.name; rule menu.type; rule menu.path; rule menu.remark; rule menu.openType
  test('reports every missing field', async () => {
    const answer = await app.call(insertMenu, {}, admin)
    expect(answer.status).toBe(400)
    expect(answer.data).toEqual([
      { field: 'name', message: '请输入菜单名称' },
      { field: 'type', message: '请选择菜单类型' },
      { field: 'path', message: '请输入路由地址' },
      { field: 'remark', message: '请输入路由名称' },
      { field: 'openType', message: '请选择打开方式' },
    ])
  })

  test('reports problems between fields together with problems of single fields', async () => {
    const wrong = { type: 'M', parentId: '3', openType: 1, path: 'a', remark: 'x' }
    const answer = await app.call(insertMenu, wrong as never, admin)
    expect(answer.status).toBe(400)
    expect(answer.data).toEqual([
      { field: 'name', message: '请输入菜单名称' },
      { field: 'type', message: '目录只能位于顶级' },
      { field: 'openType', message: '只有页面可以设为外部链接' },
    ])
  })

  // proves: call POST /menu/all; call POST /menu/insert; call POST /menu{path}
  test('is returned in the tree as it was saved', async () => {
    const directory = await made({ type: 'M', path: '/tools', name: '工具', icon: 'tool' })
    const page = await made({ parentId: directory, path: 'one', url: 'tools/one', orderNum: 7 })
    const code = await made({ parentId: page, type: 'F', path: 'x', remark: 'tool:use' })
    const tree = (await app.call(listMenus, {}, admin)).data
    expect(tree.find(({ id }) => id === directory)).toMatchObject({
      name: '工具',
      parentId: '0',
      icon: 'tool',
      url: null,
      version: 1,
      roleCount: 0,
      children: [
        {
          id: page,
          parentId: directory,
          url: 'tools/one',
          orderNum: 7,
          openType: 0,
          children: [{ id: code, type: 'F', remark: 'tool:use', orderNum: 1, children: [] }],
        },
      ],
    })
  })

  test.each([
    ['M', 'system', 'type', '目录只能位于顶级'],
    ['C', 'systemMenu', 'parentId', '页面只能位于顶级或目录下'],
    ['C', 'menu:list', 'parentId', '页面只能位于顶级或目录下'],
    ['F', null, 'parentId', '功能只能位于页面下'],
    ['F', 'system', 'parentId', '功能只能位于页面下'],
    ['F', 'menu:list', 'parentId', '功能只能位于页面下'],
  ] as const)('of type %s is refused below %s', async (type, parent, field, message) => {
    const parentId = parent ? (await menuOf(parent)).id : '0'
    const remark = type === 'F' ? 'a:b' : 'ab'
    const answer = await app.call(insertMenu, form({ type, parentId, remark }), admin)
    expect(answer).toMatchObject({ status: 400, message, data: [{ field, message }] })
  })

  test.each([
    [{ openType: 1, url: 'javascript:alert(1)' }, 'url', '请输入以 http:// 或 https:// 开头的链接地址'],
    [{ openType: 1, url: ' JavaScript:alert(1)' }, 'url', '请输入以 http:// 或 https:// 开头的链接地址'],
    [{ openType: 1, url: 'data:text/html,x' }, 'url', '请输入以 http:// 或 https:// 开头的链接地址'],
    [{ openType: 1 }, 'url', '请输入以 http:// 或 https:// 开头的链接地址'],
    [{ url: 'https://example.com' }, 'url', '组件地址只能由字母、数字、-、_、.和/组成'],
    [{ type: 'M', openType: 1, url: 'https://example.com' }, 'openType', '只有页面可以设为外部链接'],
    [{ path: 'a b' }, 'path', '路由地址只能由字母、数字、-、_、.和/组成'],
    [{ path: '/a/../login' }, 'path', '路由地址只能由字母、数字、-、_、.和/组成'],
    [{ path: '//evil.com' }, 'path', '路由地址只能由字母、数字、-、_、.和/组成'],
    [{ type: 'F', remark: 'nocolon' }, 'remark', '功能编码应为“名词:动词”，例如 user:insert'],
    [{ path: '/login' }, 'path', '该路由地址为系统保留'],
    [{ path: '/api/x' }, 'path', '该路由地址为系统保留'],
    [{ type: 'X' }, 'type', '菜单类型只能是 M、C、F'],
    [{ openType: 2 }, 'openType', '打开方式只能是 0、1'],
    [{ parentId: '999999' }, 'parentId', '上级菜单不存在'],
    [{ icon: '<svg>' }, 'icon', '图标无效'],
  ])('is refused with %j', async (part, field, message) => {
    const answer = await app.call(insertMenu, form(part as never), admin)
    expect(answer).toMatchObject({ status: 400, message, data: [{ field, message }] })
  })

  // proves: rule openType
  test('that is external has the fixed path, and a component is for pages only', async () => {
    const link = await made({ openType: 1, path: 'anything', url: 'https://example.com/help' })
    const directory = await made({ type: 'M', url: 'ignored' })
    const menus = await all()
    expect(menus.find(({ id }) => id === link)).toMatchObject({
      path: '/iframe',
      url: 'https://example.com/help',
    })
    expect(menus.find(({ id }) => id === directory)).toMatchObject({ url: null })
  })

  test('cannot have the path of another page, neither by an edit nor by a move', async () => {
    await made({ path: '/one/two' })
    const directory = await made({ type: 'M', path: 'one' })
    expect(await app.call(insertMenu, form({ parentId: directory, path: 'two' }), admin)).toMatchObject({
      status: 409,
      message: '路由地址已被其他页面使用',
    })
    const elsewhere = await made({ type: 'M' })
    const page = await made({ parentId: elsewhere, path: 'two' })
    const record = (await all()).find(({ id }) => id === page) as MenuRecord
    expect((await app.call(updateMenu, { ...formOf(record), parentId: directory }, admin)).status).toBe(409)
    const other = (await all()).find(({ id }) => id === elsewhere) as MenuRecord
    expect((await app.call(updateMenu, { ...formOf(other), path: '/one' }, admin)).status).toBe(409)
    expect((await app.call(updateMenu, { ...formOf(other), path: '/three' }, admin)).code).toBe(200)
  })

  test('of type F has a unique code on its page, which another page may use too', async () => {
    const [one, two] = [await made(), await made()]
    await made({ parentId: one, type: 'F', remark: 'twin:code' })
    const again = form({ parentId: one, type: 'F', remark: 'twin:code' })
    expect(await app.call(insertMenu, again, admin)).toMatchObject({
      status: 409,
      message: '该页面下已存在相同的功能编码',
    })
    expect((await app.call(insertMenu, { ...again, parentId: two }, admin)).code).toBe(200)
  })

  test('keeps its place and order where a change names neither', async () => {
    const directory = await made({ type: 'M' })
    const id = await made({ parentId: directory, orderNum: 5, icon: 'tool' })
    const answer = await app.call(
      updateMenu,
      { id, name: '改名', type: 'C', path: 'p', remark: 'r', openType: 0 },
      admin,
    )
    expect(answer.code).toBe(200)
    const record = (await all()).find((each) => each.id === id)
    expect(record).toMatchObject({ parentId: directory, orderNum: 5, icon: null, name: '改名', version: 2 })
  })

  test('cannot be moved below itself', async () => {
    const page = await menuOf('systemRole')
    const answer = await app.call(updateMenu, { ...formOf(page), parentId: page.id }, admin)
    expect(answer).toMatchObject({ status: 400, message: '不能移动到自身或其下级' })
  })

  test('refuses the later one of two concurrent changes', async () => {
    const id = await made()
    const record = (await all()).find((each) => each.id === id) as MenuRecord
    expect((await app.call(updateMenu, { ...formOf(record), name: '甲' }, admin)).code).toBe(200)
    expect(await app.call(updateMenu, { ...formOf(record), name: '乙' }, admin)).toMatchObject({
      status: 409,
      refusal: 'conflict',
    })
    expect((await all()).find((each) => each.id === id)?.name).toBe('甲')
  })

  test('that does not exist is 404', async () => {
    expect((await app.call(updateMenu, { ...form(), id: '999999' } as never, admin)).status).toBe(404)
    expect(await app.call(deleteMenu, { id: '999999' }, admin)).toMatchObject({
      status: 404,
      message: '菜单不存在',
    })
  })

  // proves: call POST /menu/update; call POST /menu{path}
  test('is recorded with its changes', async () => {
    const id = await made({ name: '旧名', path: 'logged' })
    const record = (await all()).find((each) => each.id === id) as MenuRecord
    await app.call(updateMenu, { ...formOf(record), name: '新名', path: 'moved' }, admin)
    const row = await app.db
      .selectFrom('operation_log')
      .select(['target', 'changes'])
      .where('call', '=', '/menu/update')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(row).toEqual({
      target: `菜单 旧名（${record.remark}）`,
      changes: { before: { name: '旧名', path: 'logged' }, after: { name: '新名', path: 'moved' } },
    })
  })
})

describe('deleting a menu', () => {
  // proves: call POST /menu/delete/{id}
  test('is refused while it has children', async () => {
    const page = await made()
    const child = await made({ parentId: page, type: 'F', remark: 'gone:soon' })
    expect(await app.call(deleteMenu, { id: page }, admin)).toMatchObject({
      status: 409,
      message: '菜单下存在子菜单，不能删除',
    })
    expect((await app.call(deleteMenu, { id: child }, admin)).code).toBe(200)
    expect((await app.call(deleteMenu, { id: page }, admin)).code).toBe(200)
  })

  test('removes it from roles only after a confirmation that names how many', async () => {
    const page = await made()
    const roles = [await roleWith(page), await roleWith(page)]
    for (const roleCount of [undefined, 0, 1]) {
      const input = roleCount === undefined ? { id: page } : { id: page, roleCount }
      expect(await app.call(deleteMenu, input, admin)).toMatchObject({
        status: 409,
        message: '菜单已分配给 2 个角色，确认后将同时从这些角色中移除',
      })
    }
    expect((await all()).find(({ id }) => id === page)?.roleCount).toBe(2)
    expect((await app.call(deleteMenu, { id: page, roleCount: 2 }, admin)).code).toBe(200)
    const { data } = await app.call(searchRoles, { pageSize: 500 }, admin)
    for (const role of data.filter(({ id }) => roles.includes(id))) expect(role.menuIds).toEqual([])
  })
})

describe('the page of menu management', () => {
  test('cannot be removed, nor its functions, by anybody', async () => {
    const page = await menuOf('systemMenu')
    const [code, other] = [await menuOf('menu:insert'), await menuOf('systemRole')]
    const attempts = [
      { ...formOf(page), url: 'system/role' },
      { ...formOf(page), openType: 1 as const, url: 'https://example.com' },
      { ...formOf(code), remark: 'menu:create' },
      { ...formOf(code), parentId: other.id },
    ]
    for (const attempt of attempts) {
      expect(await app.call(updateMenu, attempt, admin)).toMatchObject({
        status: 409,
        message: '菜单管理页面及其功能是修复菜单的入口，不能删除、移走或改为其他页面',
      })
    }
    expect((await app.call(deleteMenu, { id: code.id, roleCount: code.roleCount }, admin)).status).toBe(409)
    expect((await app.call(deleteMenu, { id: page.id }, admin)).status).toBe(409)
  })

  test('may be renamed and moved', async () => {
    const page = await menuOf('systemMenu')
    const moved = { ...formOf(page), name: '菜单', path: '/menus', parentId: '0' }
    expect((await app.call(updateMenu, moved, admin)).code).toBe(200)
    const { version } = await menuOf('systemMenu')
    expect((await app.call(updateMenu, { ...formOf(page), version }, admin)).code).toBe(200)
  })
})

describe('in effect without signing in again', () => {
  test('a moved page, and a removed and an added function', async () => {
    const page = await made({ url: 'equipment/list' })
    const code = await made({ parentId: page, type: 'F', remark: 'equip:list' })
    const { token } = await app.asUser({ roleIds: [Number(await roleWith(page, code))] })
    const seen = async () => (await app.call(readCurrentUser, {}, token)).data
    expect((await seen()).tree).toMatchObject([{ id: page, children: [{ remark: 'equip:list' }] }])
    const record = (await all()).find(({ id }) => id === page) as MenuRecord
    await app.call(updateMenu, { ...formOf(record), name: '新的名称' }, admin)
    await app.call(deleteMenu, { id: code, roleCount: 1 }, admin)
    expect(await seen()).toMatchObject({ functionCodes: [], tree: [{ name: '新的名称', children: [] }] })
  })
})

describe('an administrator of menus who is not SYSTEM', () => {
  const tokenOf = async (codes: string[] = [], more: Parameters<TestApp['asUser']>[0] = {}) =>
    (await app.asUser({ functionCodes: [...menuAdministrator, ...codes], ...more })).token

  test('gains no function by a code that they lack: new, renamed, or another menu turned into one', async () => {
    const token = await tokenOf(['alarm:page'])
    const page = await made({}, token)
    const own = await made({ parentId: page, type: 'F', remark: 'alarm:page' }, token)
    const refused = { status: 403, code: 403, message: '不能授予自己没有的权限' }
    expect(
      await app.call(insertMenu, form({ parentId: page, type: 'F', remark: 'user:insert' }), token),
    ).toMatchObject(refused)
    const record = (await all()).find(({ id }) => id === own) as MenuRecord
    expect(await app.call(updateMenu, { ...formOf(record), remark: 'user:insert' }, token)).toMatchObject(
      refused,
    )
    // A page that a role holds is turned into a function below another page: the role would hold its code.
    const plain = await made({ remark: 'innocent' }, token)
    const turned = (await all()).find(({ id }) => id === plain) as MenuRecord
    expect(
      await app.call(
        updateMenu,
        { ...formOf(turned), parentId: page, type: 'F', remark: 'user:insert' },
        token,
      ),
    ).toMatchObject(refused)
    // Only SYSTEM holds a code that no menu has.
    expect(
      (await app.call(insertMenu, form({ parentId: page, type: 'F', remark: 'brand:new' }), token)).status,
    ).toBe(403)
  })

  test('cannot change a menu that has functions at or below it that they lack', async () => {
    const token = await tokenOf(['alarm:page'])
    const refused = { status: 403, message: '菜单含有自己没有的功能，不能修改' }
    const directory = await menuOf('equipment')
    const page = await menuOf('equipmentList')
    const code = await menuOf('equip:delete')
    for (const menu of [directory, page, code]) {
      expect(await app.call(updateMenu, { ...formOf(menu), name: '改名' }, token)).toMatchObject(refused)
      expect(await app.call(deleteMenu, { id: menu.id, roleCount: menu.roleCount }, token)).toMatchObject(
        refused,
      )
    }
    // Nor by changing the code of a foreign function's menu to an own one.
    expect(await app.call(updateMenu, { ...formOf(code), remark: 'alarm:page' }, token)).toMatchObject(
      refused,
    )
  })

  test('cannot widen, by a rename, a role that they could not assign', async () => {
    const organizationId = await insertOrganization(app.db)
    const token = await tokenOf(['alarm:page', 'event:list'], { organizationId })
    const page = await made()
    const code = await made({ parentId: page, type: 'F', remark: 'alarm:page' })
    const role = await roleWith(code)
    await insertUser(app.db, { organizationId: 1, roleIds: [Number(role)] })
    const record = (await all()).find(({ id }) => id === code) as MenuRecord
    const renamed = { ...formOf(record), remark: 'event:list' }
    expect(await app.call(updateMenu, renamed, token)).toMatchObject({
      status: 403,
      message: '角色含有自己没有的权限，或已分配给（或由企业登录授予）其他组织或数据权限更大的用户，不能修改',
    })
    expect((await app.call(deleteMenu, { id: code, roleCount: 1 }, token)).status).toBe(403)
    expect((await app.call(updateMenu, { ...formOf(record), name: '只改名称' }, token)).code).toBe(200)
    await app.db.deleteFrom('user_role').where('role_id', '=', Number(role)).execute()
    const { version } = (await all()).find(({ id }) => id === code) as MenuRecord
    expect((await app.call(updateMenu, { ...renamed, version }, token)).code).toBe(200)
  })

  test('cannot change the addresses of users whom they do not manage', async () => {
    const organizationId = await insertOrganization(app.db)
    const token = await tokenOf(['alarm:page'], { organizationId })
    const directory = await made({ type: 'M' })
    const page = await made({ parentId: directory, url: 'maintenance/exitWarning' })
    const role = await roleWith(page)
    await insertUser(app.db, { organizationId: 1, roleIds: [Number(role)] })
    const records = await all()
    const [above, below] = [directory, page].map((id) => records.find((each) => each.id === id) as MenuRecord)
    const attempts = [
      { ...formOf(below as MenuRecord), openType: 1 as const, url: 'https://example.com/sign-in' },
      { ...formOf(below as MenuRecord), url: 'equipment/list' },
      { ...formOf(above as MenuRecord), path: 'elsewhere' },
    ]
    for (const attempt of attempts) expect((await app.call(updateMenu, attempt, token)).status).toBe(403)
    const renamed = { ...formOf(below as MenuRecord), name: '只改名称', icon: 'tool' }
    expect((await app.call(updateMenu, renamed, token)).code).toBe(200)
  })

  test('who also manages roles gains nothing in two steps', async () => {
    const codes = [...menuAdministrator, 'role:list', 'role:insert', 'role:update', 'alarm:page']
    const own = await roleWith(...(await Promise.all(codes.map(async (code) => (await menuOf(code)).id))))
    const user = await app.asUser({ roleIds: [Number(own)] })
    const { token } = user
    const codesOfUser = async () => (await app.call(readCurrentUser, {}, token)).data.functionCodes
    const before = await codesOfUser()

    // 1. An own page, granted to the own role, then turned into a function.
    const page = await made({}, token)
    const role = (await app.call(searchRoles, { pageSize: 500 }, admin)).data.find(({ id }) => id === own)
    if (!role) throw new Error('no role')
    const widened = { id: own, name: role.name, code: role.code, menuIds: [...role.menuIds, page] }
    // The user does not see the new page: it belongs to no role.
    expect((await app.call(updateRole, widened, token)).status).toBe(403)
    await app.call(updateRole, widened, admin)
    const host = await made({}, token)
    const record = (await all()).find(({ id }) => id === page) as MenuRecord
    const turned = { ...formOf(record), type: 'F' as const, parentId: host, remark: 'user:delete' }
    expect((await app.call(updateMenu, turned, token)).status).toBe(403)

    // 2. An own function, which the own role holds, is renamed.
    const mine = await menuOf('alarm:page')
    expect((await app.call(updateMenu, { ...formOf(mine), remark: 'user:delete' }, token)).status).toBe(403)

    // 3. A foreign function is moved below an own page: a page shows its buttons, but the server checks the role.
    const strange = await menuOf('equip:delete')
    expect((await app.call(updateMenu, { ...formOf(strange), parentId: host }, token)).status).toBe(403)

    // 4. A foreign function is granted by id in an otherwise harmless form.
    expect(
      (await app.call(insertRole, { name: '壳', code: `SHELL${++count}`, menuIds: [strange.id] }, token))
        .status,
    ).toBe(403)

    expect(await codesOfUser()).toEqual(before)
  })

  test('takes no function from the keys of SYSTEM users by its last menu', async () => {
    const code = 'lonely:list'
    const id = await made({ parentId: await made(), type: 'F', remark: code })
    const organizationId = await insertOrganization(app.db)
    const token = await tokenOf(['alarm:page', code], { organizationId })
    await makeKey(app, admin, { functionCodes: [code] })
    const refused = { status: 403, refusal: 'menuReachesBeyond' }
    const record = async () => (await all()).find((each) => each.id === id) as MenuRecord
    const recoded = { ...formOf(await record()), remark: 'alarm:page' }
    expect(await app.call(deleteMenu, { id, roleCount: 1 }, token)).toMatchObject(refused)
    expect(await app.call(updateMenu, recoded, token)).toMatchObject(refused)
    const renamed = { ...formOf(await record()), name: '只改名称' }
    expect(await app.call(updateMenu, renamed, token)).toMatchObject({ code: 200 })
    // While another menu keeps it, it may be recoded.
    const other = await made({ parentId: await made(), type: 'F', remark: code })
    const { version } = await record()
    expect(await app.call(updateMenu, { ...recoded, version }, token)).toMatchObject({ code: 200 })
    await app.call(updateMenu, { ...formOf(await record()), remark: code }, admin)
    expect(await app.call(deleteMenu, { id: other }, token)).toMatchObject({ code: 200 })
    expect(await app.call(deleteMenu, { id, roleCount: 1 }, token)).toMatchObject(refused)
    expect(await app.call(deleteMenu, { id, roleCount: 1 }, admin)).toMatchObject({ code: 200 })
  })

  test('manages what they hold', async () => {
    const token = await tokenOf(['alarm:page'])
    const directory = await made({ type: 'M' }, token)
    const page = await made({ parentId: directory }, token)
    const code = await made({ parentId: page, type: 'F', remark: 'alarm:page' }, token)
    for (const id of [code, page, directory]) {
      const record = (await all()).find((each) => each.id === id) as MenuRecord
      expect((await app.call(updateMenu, { ...formOf(record), name: '改名' }, token)).code).toBe(200)
      expect((await app.call(deleteMenu, { id }, token)).code).toBe(200)
    }
  })
})
