// SQL of whom shelves reached on days that are kept.
import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { dayOf } from '../../../platform/process/clock.ts'

/** Device ids by shelf. */
export type Reach = ReadonlyMap<number, readonly number[]>

/** Of these shelves, those whose reach on the day is written down. */
export async function readKeptReach(db: Db, day: Date, shelfIds: readonly number[]): Promise<Reach> {
  if (shelfIds.length === 0) return new Map()
  const { rows } = await sql<{ shelfId: number; deviceIds: number[] }>`
    SELECT shelf_id AS "shelfId", device_ids AS "deviceIds" FROM report_plan
    WHERE day = ${dayOf(day)}::date AND shelf_id = ANY(${shelfIds}::int[])`.execute(db)
  return new Map(rows.map(({ shelfId, deviceIds }) => [shelfId, deviceIds]))
}

export async function keepReach(trx: Trx, day: Date, reach: Reach): Promise<void> {
  for (const [shelfId, deviceIds] of reach)
    await sql`
      INSERT INTO report_plan (day, shelf_id, device_ids)
      VALUES (${dayOf(day)}::date, ${shelfId}, ${deviceIds}::int[])`.execute(trx)
}
