import type { Db } from '../platform/database/database.ts'

/** Something that every installation starts with. */
export interface Seed {
  /** Never changes: by it an installation knows what it has had. */
  name: string
  plant(trx: Db): Promise<void>
}
