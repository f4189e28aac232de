import type { Db } from '../platform/database/database.ts'
import type { Seed } from './seed.ts'

/** A page or a directory, with the functions that stand on it as code and Chinese name. */
export interface MenuSeed {
  name: string
  type: 'M' | 'C'
  path: string
  /** The route's name. */
  remark: string
  icon: string
  /** The component's key in the web's page registry. */
  url?: string
  functions?: Record<string, string>
  children?: MenuSeed[]
}

/**
 * One entry of type F for every function code that the contract asks for, and none besides: a test holds
 * the two together.
 */
export const menuSeeds: readonly MenuSeed[] = [
  { name: '首页', type: 'C', path: '/dashboard', remark: 'dashboard', icon: 'dashboard', url: 'dashboard' },
  {
    name: '运维管理',
    type: 'M',
    path: '/maintenance',
    remark: 'maintenance',
    icon: 'tool',
    children: [
      {
        name: '告警管理',
        type: 'C',
        path: 'exitWarning',
        remark: 'exitWarning',
        icon: 'alert',
        url: 'maintenance/exitWarning',
        functions: {
          'alarm:page': '查看当前告警',
          'alarm:detail': '查看告警内容',
          'alarm:recover': '手动恢复告警',
          'alarm:history': '查看历史告警',
          'alarm:export': '导出告警',
        },
      },
      {
        name: '事件查询',
        type: 'C',
        path: 'eventsearch',
        remark: 'eventsearch',
        icon: 'search',
        url: 'maintenance/eventsearch',
        functions: { 'event:list': '查看事件', 'event:export': '导出事件' },
      },
    ],
  },
  {
    name: '设备管理',
    type: 'M',
    path: '/equipment',
    remark: 'equipment',
    icon: 'cluster',
    children: [
      {
        name: '设备列表',
        type: 'C',
        path: 'list',
        remark: 'equipmentList',
        icon: 'database',
        url: 'equipment/list',
        functions: {
          'equip:list': '查看设备',
          'equip:insert': '新增设备',
          'equip:update': '修改设备',
          'equip:secret': '重置设备密钥',
          'equip:delete': '删除设备',
        },
      },
      {
        name: '接入拒绝记录',
        type: 'C',
        path: 'intake',
        remark: 'equipmentIntake',
        icon: 'stop',
        url: 'equipment/intake',
        functions: { 'intake:page': '查看接入拒绝记录' },
      },
    ],
  },
  {
    // No page of its own yet: with functions alone it shows nothing in the sidebar.
    name: '系统管理',
    type: 'M',
    path: '/system',
    remark: 'system',
    icon: 'setting',
    functions: { 'menu:list': '查看菜单', 'enum:list': '查看字典' },
  },
]

export const menus: Seed = {
  name: 'menus',
  plant: (trx) => plantMenus(trx, menuSeeds, null),
}

/** Adds menus with all below them, after those that stand there already. */
export async function plantMenus(
  trx: Db,
  siblings: readonly MenuSeed[],
  parentId: number | null,
  after = 0,
): Promise<void> {
  for (const [index, { functions = {}, children = [], ...menu }] of siblings.entries()) {
    const { id } = await trx
      .insertInto('menu')
      .values({ ...menu, parent_id: parentId, order_num: after + index + 1 })
      .returning('id')
      .executeTakeFirstOrThrow()
    await plantMenus(trx, children, id)
    await plantFunctions(trx, functions, id)
  }
}

export async function plantFunctions(
  trx: Db,
  functions: Record<string, string>,
  parentId: number,
  after = 0,
): Promise<void> {
  const entries = Object.entries(functions).map(([code, name], order) => ({
    parent_id: parentId,
    name,
    type: 'F' as const,
    path: code,
    remark: code,
    order_num: after + order + 1,
  }))
  if (entries.length > 0) await trx.insertInto('menu').values(entries).execute()
}
