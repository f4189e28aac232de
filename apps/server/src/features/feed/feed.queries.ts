// SQL of the feed: events get their places, one process at a time, and are read behind a place.
import type { FeedType } from '@voltkeep/contract'
import { sql } from 'kysely'
import { type DataScope, deviceWithinScope } from '../../domain/access/data-scope.ts'
import type { Db } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'

/** Of one transaction. */
export const placedAtOnce = 10_000

/**
 * Gives places to events that have none, up to `placedAtOnce`, behind all that have one; returns to how many. An event is
 * seen once its transaction has committed, so one that commits late gets a late place, and no reader has passed it.
 * Within what is seen at once the order is that of writing. Does nothing where another process is at it.
 */
export async function placeEvents(db: Db): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ last: string }>`
      SELECT last_seq AS last FROM feed_state FOR UPDATE SKIP LOCKED`.execute(trx)
    const last = rows[0]?.last
    if (last === undefined) return 0
    // A statement of its own: it sees what was committed before the lock was had.
    const { numAffectedRows } = await sql`
      WITH taken AS (
        DELETE FROM feed_pending WHERE id IN (SELECT id FROM feed_pending ORDER BY id LIMIT ${placedAtOnce})
        RETURNING *
      )
      INSERT INTO feed_event (seq, kind, device_id, moment, episode_id, began_at, semaphore_code, value, at)
      SELECT ${last}::bigint + row_number() OVER (ORDER BY id), kind, device_id, moment, episode_id, began_at,
        semaphore_code, value, at
      FROM taken`.execute(trx)
    const placed = Number(numAffectedRows ?? 0)
    if (placed > 0) await sql`UPDATE feed_state SET last_seq = last_seq + ${placed}`.execute(trx)
    return placed
  })
}

/**
 * Somebody reads: events are appended from now on. Where nobody has for longer than events are kept, none were appended
 * meanwhile: what is left of before goes, and the place that is left out shows every older cursor as passed.
 */
export async function noteReader(db: Db): Promise<void> {
  const { rows } = await sql<{ isNoted: boolean }>`
    SELECT coalesce(read_at > now() - interval '1 hour', false) AS "isNoted"
    FROM feed_reader`.execute(db)
  if (rows[0]?.isNoted) return
  await db.transaction().execute(async (trx) => {
    await sql`SELECT FROM feed_state FOR UPDATE`.execute(trx)
    const { rows: again } = await sql<{ isRead: boolean }>`SELECT feed_is_read() AS "isRead"`.execute(trx)
    if (!again[0]?.isRead) {
      await sql`DELETE FROM feed_pending`.execute(trx)
      await sql`DELETE FROM feed_event`.execute(trx)
      await sql`UPDATE feed_state SET last_seq = last_seq + 1`.execute(trx)
    }
    await sql`UPDATE feed_reader SET read_at = now()`.execute(trx)
  })
}

/** A place in the feed: behind the event of this number, which was written at this moment. */
export interface Place {
  seq: string
  /** Microseconds since 1970; null: of no event, at the very beginning. */
  atUs: string | null
}

const atUs = sql<string>`(extract(epoch FROM at) * 1000000)::bigint`

/** What is known of the feed beside a place: what is there at it, the first event that is kept, and the last place. */
export async function lookAround(db: Db, seq: string) {
  const { rows } = await sql<{
    atUs: string | null
    first: string | null
    last: string
    lastAtUs: string | null
  }>`
    SELECT (SELECT ${atUs} FROM feed_event WHERE seq = ${seq}::bigint) AS "atUs",
      (SELECT min(seq) FROM feed_event) AS first, last_seq AS last,
      (SELECT ${atUs} FROM feed_event WHERE seq = last_seq) AS "lastAtUs"
    FROM feed_state`.execute(db)
  const [found] = rows
  if (!found) throw new Error('the state of the feed is one row')
  return found
}

export interface FoundEvent {
  seq: string
  atUs: string
  kind: FeedType
  deviceId: number
  /** Null: not for this reader. */
  code: string | null
  operatorId: number | null
  moment: Date
  episodeId: string | null
  beganAt: Date | null
  semaphoreCode: string | null
  value: string | null
}

/**
 * The next events behind a place, `limit` at most, with those that are not for the reader as such: where the reader goes
 * on is behind them as well. A device is where it stands now.
 */
export async function listEvents(
  db: Db,
  scope: DataScope,
  kinds: readonly FeedType[],
  { after, limit }: { after: string; limit: number },
): Promise<FoundEvent[]> {
  const { rows } = await sql<FoundEvent>`
    SELECT f.seq, (extract(epoch FROM f.at) * 1000000)::bigint AS "atUs", f.kind, f.device_id AS "deviceId", d.code,
      d.operator_id AS "operatorId", f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
      f.semaphore_code AS "semaphoreCode", f.value
    FROM (SELECT * FROM feed_event WHERE seq > ${after}::bigint ORDER BY seq LIMIT ${limit}) AS f
    LEFT JOIN device d ON d.id = f.device_id AND f.kind = ANY(${kinds}::text[]) AND ${deviceWithinScope(scope)}
    ORDER BY f.seq`.execute(db)
  return rows
}

/** Forgets the oldest: never one behind another that is kept, which would look like a gap. */
export const deleteEvents = deletingOld(({ db, before, limit }) =>
  sql`
    WITH head AS (SELECT seq, at FROM feed_event ORDER BY seq LIMIT ${limit})
    DELETE FROM feed_event WHERE seq IN (
      SELECT seq FROM head WHERE seq < coalesce((SELECT min(seq) FROM head WHERE at >= ${before}), seq + 1))`.execute(
    db,
  ),
)
