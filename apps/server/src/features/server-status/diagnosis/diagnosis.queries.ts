import { sql } from 'kysely'
import type { Db } from '../../../platform/database/database.ts'

export async function readSettings(db: Db) {
  const { rows } = await sql<{ name: string; setting: string; unit: string | null }>`
    SELECT name, setting, unit FROM pg_settings
    WHERE name IN ('server_version', 'max_connections', 'shared_buffers', 'effective_cache_size', 'work_mem',
      'maintenance_work_mem', 'synchronous_commit', 'fsync', 'full_page_writes', 'wal_level', 'max_wal_size',
      'checkpoint_timeout', 'autovacuum', 'TimeZone', 'server_encoding', 'lc_collate', 'data_checksums',
      'transaction_read_only', 'idle_in_transaction_session_timeout', 'statement_timeout')
    ORDER BY name`.execute(db)
  return rows
}

/** The largest tables; partitions count for their table. */
export async function listTableSizes(db: Db) {
  const { rows } = await sql<{
    table: string
    bytes: string
    rows: string
    dead: string
    partitions: number
    analyzedTime: Date | null
    vacuumedTime: Date | null
  }>`
    SELECT coalesce(parent.relname, c.relname)::text AS "table", sum(pg_total_relation_size(c.oid))::bigint AS bytes,
      sum(greatest(c.reltuples, 0))::bigint AS "rows", coalesce(sum(s.n_dead_tup), 0)::bigint AS dead,
      (count(*) FILTER (WHERE parent.oid IS NOT NULL))::int AS partitions,
      max(greatest(s.last_analyze, s.last_autoanalyze)) AS "analyzedTime",
      max(greatest(s.last_vacuum, s.last_autovacuum)) AS "vacuumedTime"
    FROM pg_class c
    LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
    LEFT JOIN pg_class parent ON parent.oid = i.inhparent
    LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    GROUP BY 1 ORDER BY 2 DESC LIMIT 60`.execute(db)
  return rows
}

/** What connections do, without the texts of their statements: these may contain values. */
export async function listActivity(db: Db) {
  const { rows } = await sql<{
    application: string
    state: string
    waitsFor: string | null
    count: number
    longestSeconds: number | null
  }>`
    SELECT application_name AS application, coalesce(state, backend_type) AS state, wait_event AS "waitsFor",
      count(*)::int AS count, max(extract(epoch FROM clock_timestamp() - xact_start))::float8 AS "longestSeconds"
    FROM pg_stat_activity GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 100`.execute(db)
  return rows
}

export async function listReplication(db: Db) {
  const { rows } = await sql<{
    name: string
    state: string | null
    syncState: string | null
    lagSeconds: number | null
  }>`
    SELECT application_name AS name, state, sync_state AS "syncState",
      extract(epoch FROM replay_lag)::float8 AS "lagSeconds"
    FROM pg_stat_replication ORDER BY 1`.execute(db)
  return rows
}

export async function listMigrations(db: Db) {
  const { rows } = await sql<{
    name: string
    appliedTime: Date
    worksFrom: string | null
    release: string | null
  }>`
    SELECT name, applied_at AS "appliedTime", to_jsonb(m) ->> 'works_from' AS "worksFrom",
      to_jsonb(m) ->> 'release' AS release
    FROM schema_migrations m ORDER BY name`.execute(db)
  return rows
}

/** Tables whose rows are work: how many of them wait, and how late the latest is. */
export async function listQueues(db: Db) {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT c.relname::text AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attname = 'next_at' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    ORDER BY 1`.execute(db)
  const queues: { name: string; open: number; due: number; lateSeconds: number | null }[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ open: number; due: number; lateSeconds: number | null }>`
      SELECT count(*)::int AS open, (count(*) FILTER (WHERE next_at <= now()))::int AS due,
        extract(epoch FROM now() - min(next_at))::float8 AS "lateSeconds"
      FROM (SELECT next_at FROM ${sql.table(name)} WHERE next_at IS NOT NULL ORDER BY next_at LIMIT 100000) AS q`.execute(
      db,
    )
    for (const row of rows) queues.push({ name, ...row })
  }
  return queues
}
