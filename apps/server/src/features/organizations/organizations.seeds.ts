import { sql } from 'kysely'
import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** The root that the first administrator belongs to; manufacturers stand under it. */
const rootOrganization: Seed = {
  name: 'organizations',
  async plant(trx) {
    await trx
      .insertInto('organization')
      .values({ id: 1, name: '平台', code: 'PLATFORM' })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // An id given by hand leaves the sequence behind.
    await sql`SELECT setval(pg_get_serial_sequence('organization', 'id'), (SELECT max(id) FROM organization))`.execute(
      trx,
    )
  },
}

export const organizationSeeds: readonly Seed[] = [
  rootOrganization,
  menuPage({
    directory: 'reference',
    order: 1,
    name: '组织管理',
    path: 'organization',
    remark: 'referenceOrganization',
    icon: 'apartment',
    url: 'reference/organization',
    functions: {
      'organization:insert': '新增组织',
      'organization:update': '修改组织',
      'organization:delete': '删除组织',
    },
    partOf: 'administrationMenus',
  }),
]
