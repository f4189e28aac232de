import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export interface OnlineState {
  id: number
  isOnline: 0 | 1
  onlineChangedTime: Date
  operatorId: number
  equipTypeId: number
  regionId: number
}

/** Online states with what a data scope is checked against; of devices that were ever seen. */
export async function readOnlineStates(db: Db, deviceIds: readonly number[]): Promise<OnlineState[]> {
  const { rows } = await sql<OnlineState>`
    SELECT d.id, s.is_online::int AS "isOnline", s.online_changed_at AS "onlineChangedTime",
      d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId", d.region_id AS "regionId"
    FROM device_state s
    JOIN device d ON d.id = s.device_id
    JOIN equip_model m ON m.id = d.model_id
    WHERE s.device_id = ANY(${deviceIds}::int[]) AND s.online_changed_at IS NOT NULL
  `.execute(db)
  return rows
}
