import type { Seed } from './seed.ts'

/** A device needs an operator: without this one, a fresh installation could not register its first. */
export const operators: Seed = {
  name: 'operators',
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
