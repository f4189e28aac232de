// Which accounts may be one person's, where two people are wanted.
import { setterDays } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

/**
 * Whether two accounts may be one person's: one has set the other of late, itself or by accounts that it could sign in as; or
 * a user who could sign in as both. Who was SYSTEM then, and sets everybody's, makes nobody one person with others. Of an API key
 * its maker is asked about (`personOf`).
 */
export async function areOnePerson(db: Db, one: number, other: number): Promise<boolean> {
  if (one === other) return true
  const isRecent = sql`s.at > now() - ${setterDays} * interval '1 day'`
  const { rows } = await sql<{ areOne: boolean }>`
    WITH RECURSIVE held (account, holder, signs_in, by_system) AS (
      SELECT s.user_id, s.by_user_id, s.signs_in, s.by_system FROM user_set_by s
      WHERE s.user_id = ANY(${[one, other]}::int[]) AND ${isRecent}
      UNION
      SELECT h.account, s.by_user_id, h.signs_in, s.by_system
      FROM held h JOIN user_set_by s ON s.user_id = h.holder AND s.signs_in WHERE ${isRecent}
    )
    SELECT EXISTS (
      SELECT FROM held WHERE (account, holder) IN ((${one}::int, ${other}::int), (${other}::int, ${one}::int))
    ) OR EXISTS (
      SELECT FROM held x JOIN held y USING (holder)
      WHERE x.account = ${one} AND y.account = ${other} AND x.signs_in AND y.signs_in
        AND NOT x.by_system AND NOT y.by_system
    ) AS "areOne"`.execute(db)
  return rows[0]?.areOne ?? false
}
