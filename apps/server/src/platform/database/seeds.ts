// What every installation starts with. A seed is planted once in an installation's life: what an administrator
// renames or deletes afterwards stays so. A later release that brings more declares a seed of a new name; a
// planted one is never changed.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface Seed {
  /** Unique and never changed: an installation remembers by it what it has had. */
  name: string
  /** Names of the seeds whose rows this one refers to. */
  after?: readonly string[]
  /** A seed of earlier releases that planted this one's rows among others: an installation that had it has had this. */
  partOf?: string
  plant(trx: Db): Promise<void>
}

/**
 * Those that others come after first, otherwise in the order given. Throws where a name is unknown or used
 * twice, or where seeds come after each other.
 */
export function orderSeeds(seeds: readonly Seed[]): Seed[] {
  const byName = new Map(seeds.map((seed) => [seed.name, seed]))
  if (byName.size < seeds.length) throw new Error('two seeds have the same name')
  const ordered = new Set<Seed>()
  const add = (seed: Seed, path: readonly string[]) => {
    if (ordered.has(seed)) return
    if (path.includes(seed.name))
      throw new Error(`seeds come after each other: ${[...path, seed.name].join(' → ')}`)
    for (const name of seed.after ?? []) {
      const before = byName.get(name)
      if (!before) throw new Error(`the seed ${seed.name} comes after ${name}, which there is not`)
      add(before, [...path, seed.name])
    }
    ordered.add(seed)
  }
  for (const seed of seeds) add(seed, [])
  return [...ordered]
}

/** Plants what this installation has not had yet; returns the names. Safe in several processes at once. */
export async function plantSeeds(db: Db, seeds: readonly Seed[]): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('seeds', 0))`.execute(trx)
    const had = new Set(
      (await trx.selectFrom('planted_seed').select('name').execute()).map(({ name }) => name),
    )
    const missing = orderSeeds(seeds).filter(
      ({ name, partOf }) => !had.has(name) && (partOf === undefined || !had.has(partOf)),
    )
    for (const { name, plant } of missing) {
      await plant(trx)
      await trx.insertInto('planted_seed').values({ name }).execute()
    }
    return missing.map(({ name }) => name)
  })
}
