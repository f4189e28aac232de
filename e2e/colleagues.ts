// Accounts of different people: who has made an account is no second person beside it for setterDays.
import { setterDays } from '@voltkeep/contract'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import type { Stage } from './harness.ts'

/** All accounts of the stage are as if they had been made so long ago that each counts as a person. */
export async function asIfMadeLongAgo({ server }: Pick<Stage, 'server'>): Promise<void> {
  const { pool, close } = await openDatabase({ url: databaseUrlOf(server.dataDir), zone: 'UTC', poolSize: 1 })
  try {
    await pool.query(`UPDATE user_set_by SET at = at - ${setterDays + 1} * interval '1 day'`)
  } finally {
    await close()
  }
}
