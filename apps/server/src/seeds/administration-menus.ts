import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import { type MenuSeed, plantFunctions, plantMenus } from './menus.ts'
import type { Seed } from './seed.ts'

/** The pages of administration. They came after the first ones, so they are a seed of their own. */
export const systemMenus: readonly MenuSeed[] = [
  {
    name: '用户管理',
    type: 'C',
    path: 'user',
    remark: 'systemUser',
    icon: 'user',
    url: 'system/user',
    functions: {
      'user:list': '查看用户',
      'user:insert': '新增用户',
      'user:update': '修改用户',
      'user:delete': '删除用户',
      'user:password': '重置用户密码',
      'permission:select': '查看数据权限',
      'permission:update': '分配数据权限',
      'permission:delete': '重置数据权限',
    },
  },
  {
    name: '在线用户',
    type: 'C',
    path: 'session',
    remark: 'systemSession',
    icon: 'desktop',
    url: 'system/session',
    functions: { 'session:page': '查看在线用户', 'session:end': '强制下线' },
  },
  {
    name: '角色管理',
    type: 'C',
    path: 'role',
    remark: 'systemRole',
    icon: 'team',
    url: 'system/role',
    functions: {
      'role:list': '查看角色',
      'role:insert': '新增角色',
      'role:update': '修改角色',
      'role:delete': '删除角色',
    },
  },
  {
    name: '菜单管理',
    type: 'C',
    path: 'menu',
    remark: 'systemMenu',
    icon: 'menu',
    url: 'system/menu',
    functions: { 'menu:insert': '新增菜单', 'menu:update': '修改菜单', 'menu:delete': '删除菜单' },
  },
  {
    name: '字典管理',
    type: 'C',
    path: 'dictionary',
    remark: 'systemDictionary',
    icon: 'book',
    url: 'system/dictionary',
    functions: { 'enum:insert': '新增字典', 'enum:update': '修改字典', 'enum:delete': '删除字典' },
  },
  {
    name: '操作日志',
    type: 'C',
    path: 'operation',
    remark: 'systemOperation',
    icon: 'audit',
    url: 'system/operation',
    functions: { 'operation:page': '查看操作日志', 'operation:export': '导出操作日志' },
  },
  {
    name: '服务器',
    type: 'C',
    path: 'server',
    remark: 'systemServer',
    icon: 'hdd',
    url: 'system/server',
  },
]

export const referenceMenus: readonly MenuSeed[] = [
  {
    name: '基础资料',
    type: 'M',
    path: '/reference',
    remark: 'reference',
    icon: 'appstore',
    children: [
      {
        name: '组织管理',
        type: 'C',
        path: 'organization',
        remark: 'referenceOrganization',
        icon: 'apartment',
        url: 'reference/organization',
        functions: {
          'organization:insert': '新增组织',
          'organization:update': '修改组织',
          'organization:delete': '删除组织',
        },
      },
      {
        name: '运营商管理',
        type: 'C',
        path: 'operator',
        remark: 'referenceOperator',
        icon: 'shop',
        url: 'reference/operator',
        functions: {
          'operator:list': '查看运营商',
          'operator:insert': '新增运营商',
          'operator:update': '修改运营商',
          'operator:delete': '删除运营商',
        },
      },
      {
        name: '地区管理',
        type: 'C',
        path: 'region',
        remark: 'referenceRegion',
        icon: 'environment',
        url: 'reference/region',
        functions: {
          'region:insert': '新增地区',
          'region:update': '修改地区',
          'region:delete': '删除地区',
        },
      },
      {
        name: '设备类型',
        type: 'C',
        path: 'equipType',
        remark: 'referenceEquipType',
        icon: 'block',
        url: 'reference/equipType',
        functions: {
          'equipType:insert': '新增设备类型',
          'equipType:update': '修改设备类型',
          'equipType:delete': '删除设备类型',
          'model:insert': '新增设备型号',
          'model:update': '修改设备型号',
          'model:delete': '删除设备型号',
          'model:part': '维护型号部件',
          'partType:insert': '新增部件类型',
          'partType:update': '修改部件类型',
          'partType:delete': '删除部件类型',
        },
      },
    ],
  },
]

/** Functions that came later to pages that were there, by the page's route name. */
export const laterFunctions: Record<string, Record<string, string>> = {
  equipmentList: { 'equip:import': '导入设备', 'equip:export': '导出设备' },
}

export const administrationMenus: Seed = {
  name: 'administrationMenus',
  async plant(trx) {
    // Last in the sidebar, whatever an installation has added since.
    const { last } = await trx
      .selectFrom('menu')
      .select(sql<number>`coalesce(max(order_num), 0)::int`.as('last'))
      .where('parent_id', 'is', null)
      .where('remark', '<>', 'system')
      .executeTakeFirstOrThrow()
    await plantMenus(trx, referenceMenus, null, last)
    const systemId = await systemDirectory(trx, last + referenceMenus.length + 1)
    await plantMenus(trx, systemMenus, systemId)
    await moveFunction(trx, 'menu:list', 'systemMenu')
    await moveFunction(trx, 'enum:list', 'systemDictionary')
    for (const [page, functions] of Object.entries(laterFunctions)) {
      const menu = await trx
        .selectFrom('menu')
        .select('id')
        .where('remark', '=', page)
        .where('type', '=', 'C')
        .executeTakeFirst()
      // Somebody did away with the page: its functions have no place, and a SYSTEM user needs none.
      if (menu) await plantFunctions(trx, functions, menu.id, 100)
    }
  },
}

/** The directory that stood there without pages, or a new one where somebody deleted it. */
async function systemDirectory(trx: Db, orderNum: number): Promise<number> {
  const known = await trx
    .updateTable('menu')
    .set({ order_num: orderNum })
    .where('remark', '=', 'system')
    .where('type', '=', 'M')
    .returning('id')
    .executeTakeFirst()
  if (known) return known.id
  const { id } = await trx
    .insertInto('menu')
    .values({
      name: '系统管理',
      type: 'M',
      path: '/system',
      remark: 'system',
      icon: 'setting',
      order_num: orderNum,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** From the directory, where it stood for want of a page, to the page; roles that hold it keep it. */
async function moveFunction(trx: Db, code: string, page: string): Promise<void> {
  await sql`
    UPDATE menu SET parent_id = (SELECT id FROM menu WHERE remark = ${page} AND type = 'C'), order_num = 0
    WHERE type = 'F' AND remark = ${code}`.execute(trx)
}
