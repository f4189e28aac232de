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
