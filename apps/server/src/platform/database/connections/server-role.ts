// The role of the server's own connections. It uses the tables and owns none: no statement of theirs can change or
// delete an entry of the operation log, or take away the triggers that keep it.

import type pg from 'pg'
import { spoken } from '../../process/sentences.ts'
import { withSchemaLock } from '../schema/schema-lock.ts'

/** The role's name in the embedded database; for an external one DATABASE_URL says it. */
export const serverRole = 'voltkeep_server'

/** Makes the role where it is missing, without a password: the embedded database asks for none. */
export async function makeServerRole(owner: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await owner.query(`
    DO $$ BEGIN
      IF to_regrole('${serverRole}') IS NULL THEN CREATE ROLE ${serverRole} LOGIN; END IF;
    END $$`)
}

/** A month of the log that is not attached, after a crash, is as closed as one that is. */
const wantedPrivileges = `
  CASE
    WHEN c.relkind = 'S' AND is_of_log THEN '{}'
    WHEN c.relkind = 'S' THEN '{USAGE,SELECT,UPDATE}'
    WHEN c.relname = 'operation_log' THEN '{SELECT,INSERT}'
    WHEN c.relname = 'schema_migrations' OR c.relname ~ '^operation_log_[0-9]' THEN '{SELECT}'
    ELSE '{SELECT,INSERT,UPDATE,DELETE,TRUNCATE}'
  END::text[]`

/**
 * The statements that grant what the role lacks or revoke what it should not have, and no others: a grant of what is
 * granted already makes every connection plan anew. Partitions need no grant, since rows are reached through their
 * table.
 */
const missingStatements = `
  WITH own AS (SELECT $1::regrole AS role, current_schema()::regnamespace AS schema), relation AS (
    SELECT c.oid, c.relname, c.relkind, ${wantedPrivileges} AS wanted,
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
  FROM change, own WHERE privileges <> '{}'`

/**
 * Gives `role` what the server needs at the tables of the owner's schema, and no more: all rows of all tables, but
 * entries of the operation log only to read and to add. Runs after the migrations of every start, so what they have
 * made is granted too. `owner` is a connection of the tables' owner. Throws PostgreSQL's own errors.
 */
export async function grantServerRole(owner: pg.Pool, role: string): Promise<void> {
  const client = await owner.connect()
  let failure: Error | undefined
  try {
    // Two processes that start at once, or a migration, would change the same rows of the catalog.
    await withSchemaLock(client, async () => {
      await client.query('BEGIN')
      const quoted = client.escapeIdentifier(role)
      const { rows } = await client.query<{ statement: string }>(missingStatements, [quoted])
      for (const { statement } of rows) await client.query(statement)
      await client.query('COMMIT')
    })
  } catch (error) {
    failure = error as Error
    throw error
  } finally {
    client.release(failure)
  }
}

const waysOut = `
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
  WHERE me.rolname = current_user`

const reasons = {
  seesNoTables: {
    zh: '查不到服务的表（检查两个地址是否为同一个库，以及 search_path）',
    en: "does not see the server's tables (are both addresses of one database? see also search_path)",
  },
  isSuperuser: {
    zh: '是超级用户',
    en: 'is a superuser',
  },
  makesRoles: {
    zh: '可以创建角色（CREATEROLE）',
    en: 'may create roles (CREATEROLE)',
  },
  ownsDatabase: {
    zh: '是数据库的所有者',
    en: 'owns the database',
  },
  ownsSchema: {
    zh: '是模式（schema）的所有者',
    en: 'owns the schema',
  },
  makesTables: {
    zh: '可以在模式中建表（请执行 REVOKE CREATE ON SCHEMA public FROM PUBLIC）',
    en: 'may create tables in the schema (run REVOKE CREATE ON SCHEMA public FROM PUBLIC)',
  },
  ownsLog: {
    zh: '拥有操作日志表，或是其所有者角色的成员',
    en: 'owns the table of the operation log, or is a member of its owner',
  },
  changesLog: {
    zh: '可以修改或删除操作日志',
    en: 'may change or delete entries of the operation log',
  },
  reachesFiles: {
    zh: '可以在数据库主机上执行程序或写文件',
    en: "may run programs or write files on the database's machine",
  },
} as const

/**
 * The ways in which the role of these connections could still change entries of the operation log; there should be
 * none. For the operator, after the word that names the role.
 */
export async function waysToChangeEntries(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<Record<keyof typeof reasons, boolean>>(
    `WITH log AS (
       SELECT oid, relowner FROM pg_class WHERE oid = to_regclass('operation_log')
       UNION ALL
       SELECT c.oid, c.relowner FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = to_regclass('operation_log')
     ) ${waysOut}`,
  )
  const [found] = rows
  return Object.entries(reasons).flatMap(([name, reason]) =>
    found?.[name as keyof typeof reasons] ? [spoken(reason)] : [],
  )
}

/**
 * The role of these connections, and whether it has to migrate the tables: because it owns them, or because there are
 * none and it may make some.
 */
export async function whoseTables(pool: pg.Pool): Promise<{ role: string; isOwner: boolean }> {
  const { rows } = await pool.query<{ role: string; isOwner: boolean }>(`
    SELECT current_user AS role, coalesce((
      SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('schema_migrations')
    ), has_schema_privilege(current_schema(), 'CREATE'), false) AS "isOwner"`)
  return rows[0] as { role: string; isOwner: boolean }
}
