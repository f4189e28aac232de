-- Written by `npm run docs:sql`.

-- applyMigrations
-- not shown: defines what has its name, or its whole text, at run time only

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
-- answers name text, checksum text, worksFrom text, release text
SELECT name, checksum, to_jsonb(m) ->> 'works_from' AS "worksFrom", to_jsonb(m) ->> 'release' AS release
FROM schema_migrations m ORDER BY name;

-- listAhead
-- answers name text, checksum text, worksFrom text, release text
SELECT name, checksum, to_jsonb(m) ->> 'works_from' AS "worksFrom", to_jsonb(m) ->> 'release' AS release
FROM schema_migrations m ORDER BY name;

-- makeRecord
CREATE TABLE IF NOT EXISTS schema_migrations (
  name text PRIMARY KEY,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now(),
  works_from text,
  release text
);

-- makeRecord
SELECT FROM pg_attribute WHERE attrelid = 'schema_migrations'::regclass AND attname = 'release';

-- makeRecord
ALTER TABLE schema_migrations ADD COLUMN works_from text, ADD COLUMN release text;

-- record
INSERT INTO schema_migrations (name, checksum, works_from, release) VALUES ($1, $2, $3, $4);

-- applyPending
-- answers name text, checksum text, worksFrom text, release text
SELECT name, checksum, to_jsonb(m) ->> 'works_from' AS "worksFrom", to_jsonb(m) ->> 'release' AS release
FROM schema_migrations m ORDER BY name;

-- patiently
SET lock_timeout = 1000;

-- applyOne
RESET lock_timeout;

-- applyWhole
BEGIN;

-- applyWhole
-- not shown: defines what has its name, or its whole text, at run time only

-- applyWhole
COMMIT;

-- applyWhole
ROLLBACK;
