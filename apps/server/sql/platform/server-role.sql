-- Written by `npm run docs:sql`.

-- makeServerRole
DO $$ BEGIN
  IF to_regrole('voltkeep_server') IS NULL THEN CREATE ROLE voltkeep_server LOGIN; END IF;
END $$;

-- grantServerRole
BEGIN;

-- grantServerRole
-- answers statement text
WITH own AS (SELECT $1::regrole AS role, current_schema()::regnamespace AS schema), relation AS (
  SELECT c.oid, c.relname, c.relkind,
CASE
  WHEN c.relkind = 'S' AND is_of_log THEN '{}'
  WHEN c.relkind = 'S' THEN '{USAGE,SELECT,UPDATE}'
  WHEN c.relname = 'operation_log' THEN '{SELECT,INSERT}'
  WHEN c.relname = 'schema_migrations' OR c.relname ~ '^operation_log_[0-9]' THEN '{SELECT}'
  ELSE '{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'
END::text[] AS wanted,
    ARRAY(
      SELECT a.privilege_type FROM aclexplode(c.relacl) a WHERE a.grantee = own.role AND own.role <> c.relowner
    ) AS granted
  FROM own
  JOIN pg_class c ON c.relnamespace = own.schema AND c.relkind IN ('r', 'p', 'S') AND NOT c.relispartition
    AND pg_has_role(c.relowner, 'USAGE')
  CROSS JOIN LATERAL (
    SELECT EXISTS (
      SELECT FROM pg_depend d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refobjid = to_regclass('operation_log')
    )
  ) AS sequence (is_of_log)
), change AS (
  SELECT oid, relname, relkind, 'REVOKE' AS verb, 'FROM' AS side,
    ARRAY(SELECT unnest(granted) EXCEPT SELECT unnest(wanted) ORDER BY 1) AS privileges
  FROM relation
  UNION ALL
  SELECT oid, relname, relkind, 'GRANT', 'TO', ARRAY(SELECT unnest(wanted) EXCEPT SELECT unnest(granted) ORDER BY 1)
  FROM relation
)
SELECT format('GRANT USAGE ON SCHEMA %s TO %s', schema, role) AS statement
FROM own WHERE NOT has_schema_privilege(role, schema, 'USAGE')
UNION ALL
SELECT format('GRANT TEMPORARY ON DATABASE %I TO %s', current_database(), role)
FROM own WHERE NOT has_database_privilege(role, current_database(), 'TEMPORARY')
UNION ALL
SELECT format('%s %s ON %s %s %s %s', verb, array_to_string(privileges, ', '),
  CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, oid::regclass, side, role)
FROM change, own WHERE privileges <> '{}';

-- grantServerRole
-- not shown: defines what has its name, or its whole text, at run time only

-- grantServerRole
COMMIT;

-- waysToChangeEntries
-- answers seesNoTables bool, isSuperuser bool, makesRoles bool, ownsDatabase bool, ownsSchema bool, makesTables bool, ownsLog bool, changesLog bool, reachesFiles bool
WITH log AS (
     SELECT oid, relowner FROM pg_class WHERE oid = to_regclass('operation_log')
     UNION ALL
     SELECT c.oid, c.relowner FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = to_regclass('operation_log')
   )
SELECT
  to_regclass('operation_log') IS NULL AS "seesNoTables",
  me.rolsuper AS "isSuperuser",
  me.rolcreaterole AS "makesRoles",
  pg_has_role(d.datdba, 'MEMBER') AS "ownsDatabase",
  coalesce(pg_has_role(n.nspowner, 'MEMBER'), false) AS "ownsSchema",
  coalesce(has_schema_privilege(n.oid, 'CREATE'), false) AS "makesTables",
  EXISTS (SELECT FROM log WHERE pg_has_role(log.relowner, 'MEMBER')) AS "ownsLog",
  EXISTS (
    SELECT FROM log, unnest('{UPDATE,DELETE,TRUNCATE,TRIGGER}'::text[]) AS privilege
    WHERE has_table_privilege(log.oid, privilege) OR has_any_column_privilege(log.oid, 'UPDATE')
  ) AS "changesLog",
  EXISTS (
    SELECT FROM unnest('{pg_execute_server_program,pg_write_server_files}'::name[]) AS name
    WHERE pg_has_role(name, 'MEMBER')
  ) AS "reachesFiles"
FROM pg_roles me
JOIN pg_database d ON d.datname = current_database()
LEFT JOIN pg_class migrations ON migrations.oid = to_regclass('schema_migrations')
LEFT JOIN pg_namespace n ON n.oid = migrations.relnamespace
WHERE me.rolname = current_user;

-- whoseTables
-- answers role name, isOwner bool
SELECT current_user AS role, coalesce((
  SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('schema_migrations')
), has_schema_privilege(current_schema(), 'CREATE'), false) AS "isOwner";
