import { sql } from 'kysely'
import { type PlaceFilter, passes } from '../../domain/history/index.ts'
import type { Db } from '../../platform/database/database.ts'

export async function countDevices(
  db: Db,
  places: PlaceFilter,
): Promise<{ deviceCount: number; onlineCount: number }> {
  const { rows } = await sql<{ deviceCount: number; onlineCount: number }>`
    SELECT count(*)::int AS "deviceCount", count(*) FILTER (WHERE s.is_online)::int AS "onlineCount"
    FROM device d LEFT JOIN device_state s ON s.device_id = d.id
    WHERE ${passes({ ...places, codes: null })}
  `.execute(db)
  return rows[0] ?? { deviceCount: 0, onlineCount: 0 }
}

export interface SemaphoreCount {
  semaphoreCode: string
  semaphoreName: string
  alarmLevel: number | null
  count: number
}

/** Active alarms by semaphore, the most frequent first. */
export async function countActiveAlarms(db: Db, places: PlaceFilter): Promise<SemaphoreCount[]> {
  const { rows } = await sql<SemaphoreCount>`
    SELECT a.semaphore_code AS "semaphoreCode", coalesce(e.name, a.semaphore_code) AS "semaphoreName",
      e.alarm_level AS "alarmLevel", a.count
    FROM (
      SELECT semaphore_code, count(*)::int AS count FROM alarm_state
      WHERE is_active AND ${passes({ ...places, codes: null })}
      GROUP BY semaphore_code
    ) AS a
    LEFT JOIN dictionary_entry e ON e.type = 'ALARM' AND e.code = a.semaphore_code
    ORDER BY a.count DESC, e.alarm_level, a.semaphore_code
  `.execute(db)
  return rows
}

export async function countDevicesWithAlarm(db: Db, places: PlaceFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT device_id)::int AS count FROM alarm_state
    WHERE is_active AND ${passes({ ...places, codes: null })}
  `.execute(db)
  return rows[0]?.count ?? 0
}
