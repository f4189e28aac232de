import { menuPage } from '../../domain/access/menu-seeds.ts'
import type { Seed } from '../../platform/database/seeds.ts'

/** A device needs an operator: without this one, a fresh installation could not register its first. */
const ownOperator: Seed = {
  name: 'operators',
  after: ['organizations'],
  async plant(trx) {
    const root = await trx
      .selectFrom('organization')
      .select('id')
      .where('parent_id', 'is', null)
      .orderBy('id')
      .executeTakeFirst()
    if (!root) return
    await trx
      .insertInto('operator')
      .values({ organization_id: root.id, name: '平台自营', code: 'SELF' })
      .onConflict((conflict) => conflict.column('code').doNothing())
      .execute()
  },
}

export const operatorSeeds: readonly Seed[] = [
  ownOperator,
  menuPage({
    directory: 'reference',
    order: 2,
    name: '运营商管理',
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
    partOf: 'administrationMenus',
  }),
]
