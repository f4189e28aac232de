-- Written by `npm run docs:sql`.

-- beginSnapshot
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
SET LOCAL TimeZone = 'UTC';

-- beginSnapshot
-- not shown: is of the tables that the catalog, or a backup, names

-- beginSnapshot
ROLLBACK;

-- readSituation
-- answers takenAt timestamptz, database text
SELECT now() AS "takenAt", current_setting('server_version') AS database;

-- readMigrations
-- answers isThere bool
SELECT to_regclass('schema_migrations') IS NOT NULL AS "isThere";

-- readMigrations
-- answers name text, checksum text
SELECT name, checksum FROM schema_migrations ORDER BY name;

-- listTables
-- answers name name, columns _text, partition jsonb
SELECT c.relname AS name,
  ARRAY(SELECT a.attname::text FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    ORDER BY a.attnum) AS columns,
  CASE WHEN parent.oid IS NOT NULL THEN jsonb_build_object(
    'of', parent.relname, 'bound', pg_get_expr(c.relpartbound, c.oid),
    'options', to_jsonb(coalesce(c.reloptions, '{}'))) END AS partition
FROM pg_class c
LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
LEFT JOIN pg_class parent ON parent.relkind = 'p' AND parent.relnamespace = c.relnamespace AND (
  parent.oid = i.inhparent
  OR i.inhparent IS NULL AND parent.relname = regexp_replace(c.relname, '(_[0-9]+){1,4}$', ''))
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence <> 't'
ORDER BY c.relname;

-- listSequences
-- answers name name
SELECT c.relname AS name FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'S' ORDER BY c.relname;

-- listSequences
-- not shown: is of the tables that the catalog, or a backup, names

-- listFileIds
-- answers id text
SELECT id::text FROM stored_file ORDER BY id;

-- readInstallation
-- answers secret bytea
SELECT secret FROM platform_secret WHERE name = 'installation';

-- isEmpty
-- answers isEmpty bool
SELECT NOT EXISTS (SELECT FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'S')) AS "isEmpty";

-- listForeignKeys
-- answers table name, name name, definition text
SELECT c.relname AS "table", k.conname AS name, pg_get_constraintdef(k.oid) AS definition
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = current_schema()::regnamespace
ORDER BY c.relname, k.conname;

-- listTriggers
-- answers table name, name name, enabled char
SELECT c.relname AS "table", t.tgname AS name, t.tgenabled AS enabled
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND c.relnamespace = current_schema()::regnamespace
ORDER BY c.relname, t.tgname;

-- countRows
-- not shown: is of the tables that the catalog, or a backup, names
