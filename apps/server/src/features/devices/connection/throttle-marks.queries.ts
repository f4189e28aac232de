import type { ThrottleReason } from '@voltkeep/contract/devices'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'

/**
 * Marks the device as throttled, from now on where it is not yet; for another reason the time stays. Returns whether
 * the row changed.
 */
export async function markThrottled(db: Db, deviceId: number, reason: ThrottleReason): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO device_state (device_id, throttled_since, throttle_reason)
    SELECT id, now(), ${reason} FROM device WHERE id = ${deviceId}
    ON CONFLICT (device_id) DO UPDATE SET
      throttled_since = coalesce(device_state.throttled_since, excluded.throttled_since),
      throttle_reason = excluded.throttle_reason
    WHERE device_state.throttle_reason IS DISTINCT FROM excluded.throttle_reason`.execute(db)
  return Number(numAffectedRows ?? 0) > 0
}

/** Removes the mark; from all devices where none is named. Returns those that had it. */
export async function clearThrottled(db: Db, deviceId: number | null): Promise<number[]> {
  const { rows } = await sql<{ deviceId: number }>`
    UPDATE device_state SET throttled_since = NULL, throttle_reason = NULL
    WHERE throttled_since IS NOT NULL AND (${deviceId}::int4 IS NULL OR device_id = ${deviceId})
    RETURNING device_id AS "deviceId"`.execute(db)
  return rows.map((row) => row.deviceId)
}
