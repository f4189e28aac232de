// SQL of the feed: events get their places, one process at a time, and are read behind a place.
import type { FeedType } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type DataScope, deviceWithinScope, withinScope } from '../../domain/access/data-scope.ts'
import { inOwnTree } from '../../domain/access/organization-tree.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import type { Db } from '../../platform/database/database.ts'
import { deletingOld } from '../../platform/database/jobs/retention.ts'

/** Of one transaction. */
export const placedAtOnce = 10_000

/**
 * Gives places to events that have none, up to `placedAtOnce`, behind all that have one; returns to how many. An event is
 * seen once its transaction has committed, so one that commits late gets a late place, and no reader has passed it.
 * Within what is seen at once the order is that of writing. Waits for another process that is at it: who goes on before
 * would find nothing and wait for the next news.
 */
export async function placeEvents(db: Db): Promise<number> {
  const { rows } = await sql<{
    isThere: boolean
  }>`SELECT EXISTS (SELECT FROM feed_pending) AS "isThere"`.execute(db)
  if (!rows[0]?.isThere) return 0
  return db.transaction().execute(async (trx) => {
    const { rows: states } = await sql<{ last: string }>`
      SELECT last_seq AS last FROM feed_state FOR UPDATE`.execute(trx)
    const last = states[0]?.last
    if (last === undefined) throw new Error('the state of the feed is one row')
    // A statement of its own: it sees what was committed before the lock was had.
    const { numAffectedRows } = await sql`
      WITH taken AS (
        DELETE FROM feed_pending WHERE id IN (SELECT id FROM feed_pending ORDER BY id LIMIT ${placedAtOnce})
        RETURNING *
      )
      INSERT INTO feed_event (seq, kind, device_id, moment, episode_id, began_at, semaphore_code, value, at, detail, code,
        operator_id, model_id, region_id)
      SELECT ${last}::bigint + row_number() OVER (ORDER BY id), kind, device_id, moment, episode_id, began_at,
        semaphore_code, value, at, detail, code, operator_id, model_id, region_id
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

/** The last place, and of each kind the newest behind a place; null where more than `span` are behind it. */
export async function newestOfKinds(
  db: Db,
  after: string,
  span: number,
): Promise<{ last: string; newest: Map<FeedType, string> | null }> {
  const { rows } = await sql<{ last: string; kind: FeedType | null; seq: string; isAll: boolean }>`
    SELECT s.last_seq AS last, f.kind, max(f.seq) AS seq, s.last_seq - ${after}::bigint <= ${span} AS "isAll"
    FROM feed_state s
    LEFT JOIN feed_event f ON f.seq > ${after}::bigint AND f.seq <= ${after}::bigint + ${span}
    GROUP BY s.last_seq, f.kind`.execute(db)
  const [first] = rows
  if (!first) throw new Error('the state of the feed is one row')
  const newest = new Map(rows.flatMap(({ kind, seq }) => (kind === null ? [] : [[kind, seq] as const])))
  return { last: first.last, newest: first.isAll ? newest : null }
}

export interface FoundEvent {
  seq: string
  atUs: string
  kind: FeedType
  deviceId: number
  code: string
  operatorId: number
  moment: Date
  episodeId: string | null
  beganAt: Date | null
  semaphoreCode: string | null
  value: string | null
  detail: Record<string, unknown> | null
}

/** Told by the place in the row: the device stands elsewhere, or nowhere. */
const ofPlaces = sql`('device.deleted', 'device.left', 'device.arrived')`
const ofTasks = sql`('upgrade.finished', 'batch.finished', 'advertisement.finished')`

/** Who reads, and what. */
export interface Reader {
  actor: Pick<Actor, 'isSystem' | 'organizationId'>
  scope: DataScope
  kinds: readonly FeedType[]
}

/**
 * Of the next `span` places behind a place, the events for the reader, the first `limit` of them (or the last), and the last
 * place that was looked at. A device is where it stands now, and one that was deleted where it stood last. Places are given without
 * gaps, so the span is a stretch of numbers and the walk along them ends with the page. A task is counted once a page,
 * however often it finished: the counts are those of now, and a batch that is tried again finishes each time.
 */
export async function listEvents(
  db: Db,
  { actor, scope, kinds }: Reader,
  {
    after,
    span,
    limit,
    isFromEnd = false,
  }: { after: string; span: number; limit: number; isFromEnd?: boolean },
): Promise<{ events: FoundEvent[]; last: { seq: string; atUs: string } | null }> {
  const isNext = sql<SqlBool>`f.seq > ${after}::bigint AND f.seq <= ${after}::bigint + ${span}
    AND f.kind = ANY(${kinds}::text[])`
  const columns = sql`f.moment, f.episode_id AS "episodeId", f.began_at AS "beganAt",
    f.semaphore_code AS "semaphoreCode", f.value`
  const order = isFromEnd ? sql`f.seq DESC` : sql`f.seq`
  const { rows } = await sql<FoundEvent & { isEdge: boolean }>`
    WITH finished AS MATERIALIZED (
      SELECT f.*, ${taskId} AS task_id FROM feed_event f
      WHERE ${isNext} AND f.kind IN ${ofTasks} AND ${inOwnTree(actor, ownerOfTask)}
      ORDER BY ${order} LIMIT ${limit}
    ),
    counted AS MATERIALIZED (
      SELECT f.kind, f.task_id, n.counts FROM (SELECT DISTINCT kind, task_id FROM finished) f
      CROSS JOIN LATERAL (${countsWithin(scope)}) n
    )
    (SELECT f.seq, ${atUs} AS "atUs", f.kind, f.device_id AS "deviceId", d.code,
      d.operator_id AS "operatorId", ${columns}, f.detail, false AS "isEdge"
    FROM feed_event f JOIN device d ON d.id = f.device_id
    WHERE ${isNext} AND f.kind NOT IN ${ofPlaces} AND ${deviceWithinScope(scope)}
    ORDER BY ${order} LIMIT ${limit})
    UNION ALL
    (SELECT f.seq, ${atUs}, f.kind, f.device_id, f.code, f.operator_id, ${columns},
      NULL::jsonb, false
    FROM feed_event f
    WHERE ${isNext} AND f.kind IN ${ofPlaces} AND ${withinScope(scope, here)}
      AND (f.kind = 'device.deleted' OR NOT ${withinScope(scope, elsewhere)})
    ORDER BY ${order} LIMIT ${limit})
    UNION ALL
    (SELECT f.seq, ${atUs}, f.kind, f.device_id, f.task_id::text, 0, ${columns},
      f.detail || jsonb_build_object('counts', coalesce(n.counts, '{}')), false
    FROM finished f JOIN counted n ON n.kind = f.kind AND n.task_id = f.task_id)
    UNION ALL
    (SELECT f.seq, ${atUs}, f.kind, f.device_id, '', 0, ${columns}, NULL::jsonb, true
    FROM feed_event f WHERE f.seq > ${after}::bigint AND f.seq <= ${after}::bigint + ${span}
    ORDER BY f.seq DESC LIMIT 1)
    ORDER BY "isEdge", seq`.execute(db)
  const edge = rows.at(-1)
  if (!edge?.isEdge) return { events: [], last: null }
  const events = rows.slice(0, -1)
  return { events: isFromEnd ? events.slice(-limit) : events.slice(0, limit), last: edge }
}

const here = {
  operatorId: sql.ref<number>('f.operator_id'),
  modelId: sql.ref<number>('f.model_id'),
  regionId: sql.ref<number>('f.region_id'),
}
/** Of a device that has moved: where it went, or where it came from. It decides who is told, and is told to nobody. */
const elsewhere = {
  operatorId: sql<number>`(f.detail->>'operatorId')::int`,
  modelId: sql<number>`(f.detail->>'modelId')::int`,
  regionId: sql<number>`(f.detail->>'regionId')::int`,
}

/** Of a task as a whole. Each kind names its own. */
const taskId = sql<number>`coalesce(f.detail->>'taskId', f.detail->>'batchId', f.detail->>'advertisementId')::int`

/** As lists of tasks have it: a task is seen by its organization and those above it. */
const ownerOfTask = sql<number>`CASE f.kind
  WHEN 'upgrade.finished' THEN (SELECT organization_id FROM upgrade_task WHERE id = ${taskId})
  WHEN 'batch.finished' THEN (SELECT organization_id FROM parameter_batch WHERE id = ${taskId})
  ELSE (SELECT organization_id FROM advertisement WHERE id = ${taskId}) END`

/** Devices of the task `f` by state, of upgrades their parts, as far as the scope reaches. */
const countsWithin = (scope: DataScope): RawBuilder<unknown> => sql`
  SELECT jsonb_object_agg(state, count) AS counts FROM (
    SELECT y.state, sum(y.count) AS count FROM upgrade_tally y
    WHERE f.kind = 'upgrade.finished' AND y.task_id = f.task_id AND y.count > 0 AND ${withinScope(scope, {
      operatorId: sql.ref<number>('y.operator_id'),
      modelId: sql.ref<number>('y.model_id'),
      regionId: sql.ref<number>('y.region_id'),
    })} GROUP BY 1
    UNION ALL
    SELECT t.state, count(*) FROM parameter_target t JOIN device d ON d.id = t.device_id
    WHERE f.kind = 'batch.finished' AND t.batch_id = f.task_id AND ${deviceWithinScope(scope)} GROUP BY 1
    UNION ALL
    SELECT v.state, count(*) FROM advertisement_delivery v JOIN device d ON d.id = v.device_id
    WHERE f.kind = 'advertisement.finished' AND v.advertisement_id = f.task_id AND ${deviceWithinScope(scope)}
    GROUP BY 1) c`

/** Forgets the oldest: never one behind another that is kept, which would look like a gap. */
export const deleteEvents = deletingOld(({ db, before, limit }) =>
  sql`
    WITH head AS (SELECT seq, at FROM feed_event ORDER BY seq LIMIT ${limit})
    DELETE FROM feed_event WHERE seq IN (
      SELECT seq FROM head WHERE seq < coalesce((SELECT min(seq) FROM head WHERE at >= ${before}), seq + 1))`.execute(
    db,
  ),
)
