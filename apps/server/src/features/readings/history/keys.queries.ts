// SQL of the names of readings.
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../../../platform/database/database.ts'

/**
 * The ids of names; those that are new are added as far as the device and all together may. Names are sorted, so that
 * two processes that add the same do not wait for each other crosswise.
 */
export async function addKeys(
  pool: pg.Pool,
  {
    deviceId,
    names,
    limits,
  }: { deviceId: number; names: readonly string[]; limits: { ofDevice: number; inAll: number } },
): Promise<{ key: string; id: number }[]> {
  const find = async () =>
    (
      await pool.query<{ key: string; id: number }>({
        name: 'readings.findKeys',
        text: 'SELECT key, id FROM reading_key WHERE key = ANY($1::text[])',
        values: [names],
      })
    ).rows
  const known = await find()
  if (known.length === names.length) return known
  const missing = names.filter((name) => !known.some(({ key }) => key === name))
  await pool.query({
    name: 'readings.addKeys',
    text: `
      INSERT INTO reading_key (key, device_id)
      SELECT n.key, $2 FROM unnest($1::text[]) WITH ORDINALITY AS n(key, place)
      ORDER BY n.place
      LIMIT greatest(0, least(
        $3 - (SELECT count(*) FROM reading_key WHERE device_id = $2),
        $4 - (SELECT count(*) FROM reading_key)))
      ON CONFLICT (key) DO NOTHING`,
    values: [missing, deviceId, limits.ofDevice, limits.inAll],
  })
  return await find()
}

/** The ids of those names that have any. */
export async function findKeyIds(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map()
  const { rows } = await sql<{ key: string; id: number }>`
    SELECT key, id FROM reading_key WHERE key = ANY(${names}::text[])`.execute(db)
  return new Map(rows.map(({ key, id }) => [key, id]))
}
