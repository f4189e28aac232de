-- Written by `npm run docs:sql`.

-- migrate
-- answers pg_advisory_lock void
SELECT pg_advisory_lock($1);

-- migrate
-- answers pg_advisory_unlock bool
SELECT pg_advisory_unlock($1);

-- applyMigrations
CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

-- applyMigrations
-- not shown: defines what has its name, or its whole text, at run time only

-- applyMigrations
INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2);

-- findMissing
-- answers isMade bool, isReadable bool, isGranted bool
SELECT own.oid IS NOT NULL AS "isMade", has_table_privilege(own.oid, 'SELECT') AS "isReadable",
  NOT EXISTS (
    SELECT FROM pg_class c WHERE c.relnamespace = own.relnamespace AND c.relowner = own.relowner
      AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname !~ '^operation_log_[0-9]'
      AND NOT has_table_privilege(c.oid, 'SELECT')
  ) AS "isGranted"
FROM (SELECT to_regclass('schema_migrations') AS oid) AS named
LEFT JOIN pg_class own ON own.oid = named.oid;

-- findMissing
-- answers name text, checksum text
SELECT name, checksum FROM schema_migrations ORDER BY name;

-- applyPending
CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

-- applyPending
-- answers name text, checksum text
SELECT name, checksum FROM schema_migrations ORDER BY name;

-- applyOne
BEGIN;

-- applyOne
-- not shown: defines what has its name, or its whole text, at run time only

-- applyOne
INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2);

-- applyOne
COMMIT;

-- applyOne
ROLLBACK;
