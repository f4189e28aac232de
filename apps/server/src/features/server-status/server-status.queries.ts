import type { NodeRow } from '@voltkeep/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'

export async function readDatabase(db: Db) {
  const { rows } = await sql<{ version: string; sizeBytes: string; connectionCount: number }>`
    SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS "sizeBytes",
      (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS "connectionCount"
  `.execute(db)
  return rows[0] ?? null
}

/** How each periodic job last went, whichever process did it. */
export async function listJobs(db: Db) {
  const rows = await db
    .selectFrom('job_run')
    .select([
      'name',
      'last_started_at as lastStartTime',
      'last_finished_at as lastFinishTime',
      'last_duration_ms as lastDurationMs',
      'run_count as runCount',
      'failed_count as failedCount',
      'last_failed_at as lastFailTime',
      'last_error as lastError',
    ])
    .orderBy('name')
    .execute()
  return rows.map((row) => ({
    ...row,
    runCount: Number(row.runCount),
    failedCount: Number(row.failedCount),
    // A failure is noted at the end of its run, both at the same moment.
    isOk: row.lastFailTime === null || (row.lastFinishTime !== null && row.lastFailTime < row.lastFinishTime),
  }))
}

/** The processes on this database whose lease lasts or ended within a day, those with a lease first. */
export async function listNodes(db: Db) {
  const { rows } = await sql<Omit<NodeRow, 'startTime' | 'leaseTime'> & { startTime: Date; leaseTime: Date }>`
    SELECT n.id::text AS id, n.name, n.address, n.roles, n.version, n.started_at AS "startTime",
      n.lease_until AS "leaseTime",
      CASE
        WHEN n.stopped_at IS NOT NULL THEN 'stopped'
        WHEN n.lease_until <= clock_timestamp() THEN 'lost'
        WHEN n.is_draining THEN 'draining'
        ELSE 'serving'
      END AS state,
      CASE WHEN n.lease_until > clock_timestamp() THEN n.device_count END AS "deviceCount",
      CASE WHEN n.lease_until > clock_timestamp() THEN n.lag_ms END AS "lagMs"
    FROM node n
    WHERE n.succeeded_by IS NULL AND n.lease_until > clock_timestamp() - interval '1 day'
    ORDER BY n.lease_until <= clock_timestamp(), n.name, n.id LIMIT 500`.execute(db)
  return rows
}
