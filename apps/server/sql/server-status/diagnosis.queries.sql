-- Written by `npm run docs:sql`.

-- readSettings
-- answers name text, setting text, unit text
SELECT name, setting, unit FROM pg_settings
WHERE name IN ('server_version', 'max_connections', 'shared_buffers', 'effective_cache_size', 'work_mem',
  'maintenance_work_mem', 'synchronous_commit', 'fsync', 'full_page_writes', 'wal_level', 'max_wal_size',
  'checkpoint_timeout', 'autovacuum', 'TimeZone', 'server_encoding', 'lc_collate', 'data_checksums',
  'transaction_read_only', 'idle_in_transaction_session_timeout', 'statement_timeout')
ORDER BY name;

-- listTableSizes
-- answers table text, bytes int8, rows int8, dead int8, partitions int4, analyzedTime timestamptz, vacuumedTime timestamptz
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
GROUP BY 1 ORDER BY 2 DESC LIMIT 60;

-- listActivity
-- answers application text, state text, waitsFor text, count int4, longestSeconds float8
SELECT application_name AS application, coalesce(state, backend_type) AS state, wait_event AS "waitsFor",
  count(*)::int AS count, max(extract(epoch FROM clock_timestamp() - xact_start))::float8 AS "longestSeconds"
FROM pg_stat_activity GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 100;

-- listReplication
-- answers name text, state text, syncState text, lagSeconds float8
SELECT application_name AS name, state, sync_state AS "syncState",
  extract(epoch FROM replay_lag)::float8 AS "lagSeconds"
FROM pg_stat_replication ORDER BY 1;

-- listMigrations
-- answers name text, appliedTime timestamptz, worksFrom text, release text
SELECT name, applied_at AS "appliedTime", to_jsonb(m) ->> 'works_from' AS "worksFrom",
  to_jsonb(m) ->> 'release' AS release
FROM schema_migrations m ORDER BY name;

-- listQueues
-- answers name text
SELECT c.relname::text AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE a.attname = 'next_at' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
ORDER BY 1;

-- listQueues
-- not shown: is of the tables that the catalog, or a backup, names
