import { sql } from 'kysely'
import { menuPage, menuSeedOf } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** What someone needs who watches the fleet and deals with its alarms, but does not register devices. */
const monitoring = [
  'alarm:page',
  'alarm:detail',
  'alarm:recover',
  'alarm:history',
  'alarm:export',
  'event:list',
  'event:export',
  'equip:list',
  'intake:page',
]

const firstRoles: Seed = {
  name: 'roles',
  after: ['dashboard', 'exitWarning', 'eventsearch', 'equipmentList', 'equipmentIntake'].map(menuSeedOf),
  async plant(trx) {
    await trx
      .insertInto('role')
      .values([
        { id: 1, name: '系统管理员', code: 'SYSTEM', remark: '拥有全部权限，不受数据权限限制' },
        { id: 2, name: '运维人员', code: 'OPERATOR', remark: '查看设备与事件，处理告警' },
      ])
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await sql`SELECT setval(pg_get_serial_sequence('role', 'id'), (SELECT max(id) FROM role))`.execute(trx)
    // The functions, their pages, and the home page; menus above them need no grant.
    await sql`
      INSERT INTO role_menu (role_id, menu_id)
      SELECT r.id, m.id FROM role r, menu m
      WHERE r.code = 'OPERATOR' AND (
        m.remark = 'dashboard'
        OR m.type = 'F' AND m.remark = ANY (${monitoring})
        OR m.id IN (SELECT parent_id FROM menu WHERE type = 'F' AND remark = ANY (${monitoring}))
      )
      ON CONFLICT DO NOTHING`.execute(trx)
  },
}

export const roleSeeds: readonly Seed[] = [
  firstRoles,
  menuPage({
    directory: 'system',
    order: 3,
    name: '角色管理',
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
    partOf: 'administrationMenus',
  }),
]
