import { sql } from 'kysely'
import type { PlacedRow } from '../../platform/calls/live-noun.ts'
import type { Db } from '../../platform/database/database.ts'

export async function readPlacesOfDevices(db: Db, ids: readonly string[]): Promise<PlacedRow[]> {
  const { rows } = await sql<PlacedRow>`
    SELECT d.id::text AS id, d.operator_id AS "operatorId", m.equip_type_id AS "equipTypeId",
      d.region_id AS "regionId"
    FROM device d JOIN equip_model m ON m.id = d.model_id
    WHERE d.id = ANY(${ids}::bigint[])
  `.execute(db)
  return rows
}

/** The devices of these alarms. An alarm that a newer one has replaced is left out: the newer one is told of too. */
export async function readDevicesOfEpisodes(db: Db, episodeIds: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT DISTINCT device_id AS id FROM alarm_state WHERE episode_id = ANY(${episodeIds}::bigint[])
  `.execute(db)
  return rows.map(({ id }) => id)
}

export async function readDevicesByCode(db: Db, codes: readonly string[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT id FROM device WHERE code = ANY(${codes}::text[])
  `.execute(db)
  return rows.map(({ id }) => id)
}
