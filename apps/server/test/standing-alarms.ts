import type { Pool } from 'pg'

/** Active alarms of one device, each of a code of its own: as many reports would take minutes. */
export async function insertStandingAlarms(pool: Pool, deviceCode: string, count: number): Promise<void> {
  await pool.query(
    `WITH place AS (
      SELECT d.id AS device_id, d.operator_id, d.model_id, d.region_id, n, now() - n * interval '10 ms' AS at
      FROM device d, generate_series(1, $2::int) n WHERE d.code = $1
    ), history AS (
      INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
        first_value, value)
      SELECT 5000000000::bigint + n, at, device_id, operator_id, model_id, region_id, 'M' || n, 1, 1 FROM place
    )
    INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
      operator_id, model_id, region_id)
    SELECT device_id, 'M' || n, 5000000000::bigint + n, true, 1, at, at, operator_id, model_id, region_id
    FROM place`,
    [deviceCode, count],
  )
  await pool.query('ANALYZE alarm_state, alarm_history')
}
