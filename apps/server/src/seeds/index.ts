import { sql } from 'kysely'
import type { Db } from '../platform/database/database.ts'
import { administrationMenus } from './administration-menus.ts'
import { enumerations } from './enumerations.ts'
import { equipTypes } from './equip-types.ts'
import { menus } from './menus.ts'
import { modelParts } from './model-parts.ts'
import { operators } from './operators.ts'
import { organizations } from './organizations.ts'
import { regions } from './regions.ts'
import { roles } from './roles.ts'
import type { Seed } from './seed.ts'
import { semaphores } from './semaphores.ts'

/**
 * In this order, each once in an installation's life: what an administrator renames or deletes stays so.
 * A later release that brings more appends a seed of a new name; a planted one is never changed.
 */
export const seeds: readonly Seed[] = [
  organizations,
  operators,
  menus,
  roles,
  enumerations,
  regions,
  equipTypes,
  semaphores,
  administrationMenus,
  modelParts,
]

/** Plants what this installation has not had yet; answers the names. Safe in several processes at once. */
export async function plantSeeds(db: Db): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('seeds', 0))`.execute(trx)
    const had = await trx.selectFrom('planted_seed').select('name').execute()
    const missing = seeds.filter((seed) => !had.some(({ name }) => name === seed.name))
    for (const { name, plant } of missing) {
      await plant(trx)
      await trx.insertInto('planted_seed').values({ name }).execute()
    }
    return missing.map(({ name }) => name)
  })
}
