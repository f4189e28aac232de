import type { Compartment } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export interface NewestReport {
  status: Record<string, string | number | boolean> | null
  /** Null where the last report had none. */
  compartments: Compartment[] | null
  reportTime: Date | null
  /** Of the model; null where it does not say. */
  count: number | null
  columns: number | null
}

/** The last status report of a device, and the arrangement of its model. */
export async function readNewestReport(db: Db, deviceId: number): Promise<NewestReport | undefined> {
  const { rows } = await sql<NewestReport>`
    SELECT s.status, s.compartments, s.status_at AS "reportTime", m.compartment_count AS count,
      m.compartment_columns AS columns
    FROM device d
    JOIN equip_model m ON m.id = d.model_id
    LEFT JOIN device_state s ON s.device_id = d.id
    WHERE d.id = ${deviceId}`.execute(db)
  return rows[0]
}
