import { sql } from 'kysely'
import type { Seed } from './seed.ts'

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

export const roles: Seed = {
  name: 'roles',
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
    // The functions, the pages they stand on, and the home page; what is above follows by itself.
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
