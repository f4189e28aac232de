import { sql } from 'kysely'
import type { Seed } from './seed.ts'

/** The root that the first administrator belongs to; manufacturers stand under it. */
export const organizations: Seed = {
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
