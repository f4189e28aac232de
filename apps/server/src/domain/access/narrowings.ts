// What users' data permissions were before they were narrowed: what they did then is judged by it.
import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/database/database.ts'
import type { Authorities } from './data-scope.ts'
import { type Holdings, reachesAllOf } from './holdings.ts'

type Reach = Pick<Holdings, 'isSystem' | 'authorities' | 'regionPaths'>

/**
 * After a user's entries were changed: keeps those of before where they reached further. A call under way goes on with
 * the scope that it began with, hence the minute.
 */
export async function keepNarrowed(
  trx: Trx,
  userId: number,
  { before, after }: { before: Reach; after: Omit<Reach, 'isSystem'> },
): Promise<void> {
  // The user may be SYSTEM now, and have been limited by these entries earlier.
  if (reachesAllOf({ ...after, isSystem: false }, before)) return
  const authorities = JSON.stringify(before.authorities)
  await sql`
    INSERT INTO narrowed_reach (user_id, until, authorities)
    VALUES (${userId}, clock_timestamp() + interval '1 minute', ${authorities}::jsonb)`.execute(trx)
  // Nothing is left of that time.
  await sql`
    DELETE FROM narrowed_reach
    WHERE user_id = ${userId} AND until < (SELECT min(at) FROM operation_log)`.execute(trx)
}

/**
 * Of these users, those who reached further than the reader before some time after `since`, with the last such time:
 * what they did earlier is not for the reader.
 */
export async function readHiddenBefore(
  db: Db,
  reader: Reach,
  userIds: readonly number[],
  since: Date,
): Promise<Map<number, Date>> {
  // A region that was deleted has no path and is below none.
  const { rows } = await sql<{
    userId: number
    until: Date
    authorities: Authorities
    regionPaths: string[]
  }>`
    SELECT n.user_id AS "userId", n.until, n.authorities,
      ARRAY(
        SELECT coalesce(g.path, '') FROM jsonb_array_elements_text(n.authorities -> 'R') AS e(code)
        LEFT JOIN region g ON g.code = e.code
      ) AS "regionPaths"
    FROM narrowed_reach n
    WHERE n.user_id = ANY(${userIds}::int[]) AND n.until > ${since}
    ORDER BY n.until`.execute(db)
  return new Map(rows.flatMap((row) => (reachesAllOf(reader, row) ? [] : [[row.userId, row.until] as const])))
}
