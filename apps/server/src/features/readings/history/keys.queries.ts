// SQL of the names of readings.
import { sql } from 'kysely'
import type pg from 'pg'
import { readBranches } from '../../../domain/access/organization-tree.ts'
import { roomOf } from '../../../domain/access/row-limits.ts'
import type { Db } from '../../../platform/database/database.ts'

/** How many names may be added; `readBranches` has what a branch is. */
export interface KeyLimits {
  /** By one device: those that it used first. */
  ofDevice: number
  /** No branch of organizations has more than half of what the others leave of these. */
  inAll: number
  /** What each branch has, whatever the others have. */
  ofEachBranch: number
  /** Of those that count for no organization. */
  ofNobody: number
}

/** The ids of those names that have any. */
export async function findKeyIds(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ key: string; id: number }>`
    SELECT key, id FROM reading_key WHERE key = ANY(${names}::text[])`.execute(db)
  return new Map(rows.map(({ key, id }) => [key, id]))
}

/** The same; that they are in use is written first, as names that are not go with their history. */
export async function useKeys(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  // In order, so that two processes that use the same do not wait for each other crosswise.
  await sql`
    UPDATE reading_key SET used_at = now() WHERE id IN (
      SELECT id FROM reading_key WHERE key = ANY(${names}::text[]) AND used_at < now() - interval '30 days'
      ORDER BY id FOR UPDATE)`.execute(db)
  return await findKeyIds(db, names)
}

/** The organization of each device; null of one that is gone. */
export async function readOrganizations(
  db: Db,
  deviceIds: readonly number[],
): Promise<Map<number, number | null>> {
  const { rows } = await sql<{ id: number; organizationId: number | null }>`
    SELECT w.id, o.organization_id AS "organizationId" FROM unnest(${deviceIds}::int[]) AS w(id)
    LEFT JOIN device d ON d.id = w.id LEFT JOIN operator o ON o.id = d.operator_id`.execute(db)
  return new Map(rows.map(({ id, organizationId }) => [id, organizationId]))
}

/** Adds those names of devices that there is room for. */
export async function addKeys(
  db: Db,
  wanted: ReadonlyMap<number, readonly string[]>,
  limits: KeyLimits,
): Promise<void> {
  // Who is over the limits goes on asking, and nobody waits for that.
  if ((await fitting(db, wanted, limits)).length === 0) return
  await db.transaction().execute(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended('reading_key made', 0))`.execute(trx)
    const rows = (await fitting(trx, wanted, limits)).toSorted((a, b) => (a.key < b.key ? -1 : 1))
    await sql`
      INSERT INTO reading_key (key, device_id, organization_id)
      SELECT * FROM unnest(${rows.map(({ key }) => key)}::text[], ${rows.map(({ deviceId }) => deviceId)}::int[],
        ${rows.map(({ organizationId }) => organizationId)}::int[])
      ON CONFLICT (key) DO NOTHING`.execute(trx)
  })
}

interface NewKey {
  key: string
  deviceId: number
  organizationId: number | null
}

async function fitting(
  db: Db,
  wanted: ReadonlyMap<number, readonly string[]>,
  limits: KeyLimits,
): Promise<NewKey[]> {
  const organizations = await readOrganizations(db, [...wanted.keys()])
  const { rows: own } = await sql<{ deviceId: number; count: number }>`
    SELECT device_id AS "deviceId", count(*)::int AS count FROM reading_key
    WHERE device_id = ANY(${[...wanted.keys()]}::int[]) GROUP BY device_id`.execute(db)
  const { rows: standing } = await sql<{ organizationId: number | null; count: number }>`
    SELECT o.id AS "organizationId", count(*)::int AS count
    FROM reading_key k LEFT JOIN organization o ON o.id = k.organization_id GROUP BY o.id`.execute(db)
  const { rows: definitions } = await sql<{ key: string }>`
    SELECT DISTINCT key FROM reading_definition WHERE key = ANY(${[...wanted.values()].flat()}::text[])`.execute(
    db,
  )
  const branchOf = await readBranches(db)
  const ofDevice = new Map(own.map(({ deviceId, count }) => [deviceId, count]))
  const defined = new Set(definitions.map(({ key }) => key))
  const counted = standing.flatMap(({ organizationId, count }) =>
    organizationId === null ? [] : [{ organizationId, count }],
  )
  let left = limits.ofNobody - (standing.find(({ organizationId }) => organizationId === null)?.count ?? 0)

  const added = new Map<string, NewKey>()
  for (const [deviceId, all] of wanted) {
    const organizationId = organizations.get(deviceId) ?? null
    const names = all.filter((name) => !added.has(name))
    const add = (some: readonly string[], room: number, ofOrganization: number | null) => {
      const fit = some.slice(0, Math.max(0, room))
      for (const key of fit) added.set(key, { key, deviceId, organizationId: ofOrganization })
      if (ofOrganization === null) left -= fit.length
      else counted.push({ organizationId: ofOrganization, count: fit.length })
    }
    add(
      names.filter((name) => defined.has(name)),
      left,
      null,
    )
    const room = organizationId === null ? left : roomOf(branchOf, organizationId, counted, limits)
    add(
      names.filter((name) => !added.has(name)),
      Math.min(limits.ofDevice - (ofDevice.get(deviceId) ?? 0), room),
      organizationId,
    )
  }
  return [...added.values()]
}

/**
 * Deletes names of which no history is left: all that is kept is of later years than they were used in, also where that was
 * not written yet. Ids are never given again, so that what a process still has of one means nothing else.
 */
export async function deleteUnusedKeys(db: pg.Pool): Promise<number> {
  const { rowCount } = await db.query(`
    DELETE FROM reading_key WHERE used_at < (
      SELECT make_timestamptz(min(substring(c.relname FROM '_([0-9]{4})')::int), 1, 1, 0, 0, 0) - interval '60 days'
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent IN (
        'reading_open'::regclass, 'reading_hour'::regclass, 'reading_day'::regclass, 'reading_month'::regclass))`)
  return rowCount ?? 0
}
