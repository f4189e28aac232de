import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from './database.ts'

/**
 * The installation's own secret of that name, 32 random bytes: made by the process that asks first, and the same for
 * every process and start on this database from then on.
 */
export async function readSecret(db: Db, name: string): Promise<Buffer> {
  const find = async () => {
    const found = db.selectFrom('platform_secret').select('secret').where('name', '=', name)
    return (await found.executeTakeFirst())?.secret
  }
  const there = await find()
  if (there) return there
  await sql`
    INSERT INTO platform_secret (name, secret) VALUES (${name}, ${randomBytes(32)})
    ON CONFLICT (name) DO NOTHING`.execute(db)
  return (await find()) as Buffer
}
