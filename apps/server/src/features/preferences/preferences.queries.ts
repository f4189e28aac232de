import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export interface Preference {
  key: string
  value: unknown
}

export async function listPreferences(db: Db, userId: number): Promise<Preference[]> {
  return db.selectFrom('user_preference').select(['key', 'value']).where('user_id', '=', userId).execute()
}

/** Returns false where the user has `most` others already: a known key can always be set again. */
export async function keepPreference(
  db: Db,
  userId: number,
  { key, value }: Preference,
  most: number,
): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO user_preference (user_id, key, value)
    SELECT u.id, ${key}, ${JSON.stringify(value)}::jsonb FROM app_user u
    WHERE u.id = ${userId} AND (
      SELECT count(*) FROM user_preference p WHERE p.user_id = u.id AND p.key <> ${key}
    ) < ${most}
    ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value, updated_at = now()
    RETURNING key`.execute(db)
  return rows.length > 0
}

export async function deletePreference(db: Db, userId: number, key: string): Promise<void> {
  await db.deleteFrom('user_preference').where('user_id', '=', userId).where('key', '=', key).execute()
}
