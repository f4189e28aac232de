import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, databaseOfTests, type TestDatabase } from '../../../../test/database.ts'
import { asServer, withDatabase } from '../../../../test/postgres.ts'
import { createApp } from '../../../app.ts'
import { dropPartitions, makePartitions } from '../../../domain/history/index.ts'
import { readConfig } from '../../process/config.ts'
import { createLog } from '../../process/log.ts'
import { type DatabasesOptions, openDatabases } from './open-databases.ts'
import { serverRole, waysToChangeEntries } from './server-role.ts'

const denied = /permission denied|must be owner|must be superuser|must be able to SET ROLE/

const database = await databaseOfTests({ isSeeded: true })

const addEntry = (target: string) =>
  database.pool.query(
    `INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code)
     VALUES (now(), '127.0.0.1', '1', '/x', 'x', $1, 200)`,
    [target],
  )
await addEntry('kept')

const entries = async () =>
  (await database.owner.query('SELECT target FROM operation_log ORDER BY id')).rows.map(
    ({ target }) => target,
  )
const thisMonth = async () =>
  (
    await database.pool.query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM operation_log LIMIT 1',
    )
  ).rows[0]?.name ?? ''

describe('the role of the server’s connections', () => {
  test.each([
    "UPDATE operation_log SET target = 'another'",
    'UPDATE operation_log SET target = target WHERE false',
    'DELETE FROM operation_log',
    'TRUNCATE operation_log',
    'TRUNCATE app_user, operation_log CASCADE',
    'SELECT FROM operation_log FOR UPDATE',
    "INSERT INTO operation_log OVERRIDING SYSTEM VALUE SELECT * FROM operation_log ON CONFLICT (at, id) DO UPDATE SET target = 'another'",
    "UPDATE THIS_MONTH SET target = 'another'",
    'DELETE FROM THIS_MONTH',
    'TRUNCATE THIS_MONTH',
    'ALTER TABLE operation_log DISABLE TRIGGER ALL',
    'ALTER TABLE operation_log DISABLE TRIGGER operation_log_kept',
    'ALTER TABLE THIS_MONTH DISABLE TRIGGER ALL',
    'DROP TRIGGER operation_log_kept ON operation_log',
    'ALTER TRIGGER operation_log_kept ON operation_log RENAME TO other',
    'CREATE TRIGGER other BEFORE INSERT ON operation_log FOR EACH ROW EXECUTE FUNCTION keep_operation_log()',
    'CREATE OR REPLACE FUNCTION keep_operation_log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'DROP FUNCTION keep_operation_log() CASCADE',
    'CREATE RULE other AS ON INSERT TO operation_log DO INSTEAD NOTHING',
    "SET session_replication_role = 'replica'",
    'ALTER TABLE operation_log DETACH PARTITION THIS_MONTH',
    'ALTER TABLE operation_log ALTER COLUMN target TYPE integer USING 1',
    'ALTER TABLE operation_log DROP COLUMN target',
    `ALTER TABLE operation_log OWNER TO ${serverRole}`,
    'DROP TABLE operation_log',
    'DROP TABLE THIS_MONTH',
    'DROP SCHEMA public CASCADE',
    'CREATE TABLE other (n int)',
    'CREATE FUNCTION other() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE EXTENSION dblink',
    'SET ROLE THE_OWNER',
    'SET SESSION AUTHORIZATION THE_OWNER',
    `GRANT THE_OWNER TO ${serverRole}`,
    `ALTER ROLE ${serverRole} SUPERUSER`,
    `ALTER ROLE ${serverRole} CREATEROLE`,
    'CREATE ROLE another SUPERUSER',
    `ALTER DATABASE THIS_DATABASE OWNER TO ${serverRole}`,
    "COPY operation_log TO PROGRAM 'true'",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT lo_export(1, '/tmp/voltkeep-exported')",
    'DELETE FROM pg_trigger',
    "UPDATE schema_migrations SET checksum = ''",
    'DELETE FROM schema_migrations',
  ])('is refused %s', async (text) => {
    const { username, pathname } = new URL(database.ownerUrl)
    const statement = text
      .replace('THIS_MONTH', await thisMonth())
      .replace('THE_OWNER', username)
      .replace('THIS_DATABASE', pathname.slice(1))
    await expect(database.pool.query(statement)).rejects.toThrow(denied)
    expect(await entries()).toEqual(['kept'])
  })

  test('cannot grant itself anything: PostgreSQL only warns and changes nothing', async () => {
    await database.pool.query(`GRANT ALL ON operation_log TO ${serverRole}`)
    await expect(database.pool.query('DELETE FROM operation_log')).rejects.toThrow(denied)
  })

  test('is the role of the connection itself: RESET ROLE changes nothing', async () => {
    const client = await database.pool.connect()
    try {
      await client.query('RESET ROLE')
      await client.query('RESET SESSION AUTHORIZATION')
      const { rows } = await client.query('SELECT current_user AS now, session_user AS signed_in')
      expect(rows).toEqual([{ now: serverRole, signed_in: serverRole }])
    } finally {
      client.release()
    }
    expect(await waysToChangeEntries(database.pool)).toEqual([])
  })

  test('can add and read entries, and do what the server needs besides rows', async () => {
    const client = await database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('CREATE TEMPORARY TABLE counted ON COMMIT DROP AS SELECT target FROM operation_log')
      expect((await client.query('SELECT target FROM counted')).rows).toEqual([{ target: 'kept' }])
      await client.query('LOCK TABLE history_delta IN ACCESS EXCLUSIVE MODE')
      await client.query('TRUNCATE history_delta, history_count')
      await client.query("SELECT pg_advisory_xact_lock(1), nextval('episode_id'), pg_notify('other', '')")
      await client.query('LISTEN other')
      await client.query("SELECT setval(pg_get_serial_sequence('role', 'id'), (SELECT max(id) FROM role))")
      await client.query('ROLLBACK')
    } finally {
      client.release()
    }
  })

  test('has a right on every table and sequence, so that no grant was forgotten', async () => {
    const { rows } = await database.pool.query<{ name: string }>(`
      SELECT relname AS name FROM pg_class c
      WHERE relnamespace = 'public'::regnamespace AND NOT relispartition
        AND CASE relkind
          WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE')
          ELSE relkind IN ('r', 'p') AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT'))
        END
      ORDER BY 1`)
    expect(rows.map(({ name }) => name)).toEqual(['operation_log_id_seq', 'schema_migrations'])
  })

  test('may use tables of later migrations, without a grant in them', async () => {
    await database.define(
      'CREATE TABLE later (id int GENERATED BY DEFAULT AS IDENTITY, name text); CREATE SEQUENCE steps',
    )
    await database.pool.query("INSERT INTO later (name) VALUES ('new')")
    await database.pool.query("UPDATE later SET name = 'newer' WHERE id = 1")
    expect((await database.pool.query('DELETE FROM later RETURNING name')).rows).toEqual([{ name: 'newer' }])
    await database.pool.query("SELECT nextval('steps')")
  })

  test('can write into partitions that the owner creates later, which only the owner can drop', async () => {
    const nextYear = new Date(Date.now() + 400 * 86_400_000)
    await makePartitions(database.owner, { at: [nextYear], retentionDays: 500 })
    await database.pool.query(
      `INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code)
       VALUES ($1, '127.0.0.1', '1', '/x', 'x', 'next year', 200)`,
      [nextYear],
    )
    await expect(database.pool.query("DELETE FROM operation_log WHERE target = 'next year'")).rejects.toThrow(
      denied,
    )
    const dropped = await dropPartitions(database.owner, { now: nextYear, retentionDays: 60 })
    expect(dropped.some((name) => name.startsWith('operation_log_'))).toBe(true)
    expect(await entries()).toEqual(['next year'])
  })
})

describe('a start', () => {
  const lines: string[] = []
  const open = (options: Partial<DatabasesOptions>) =>
    openDatabases({
      url: database.url,
      ownerUrl: undefined,
      zone: 'Asia/Shanghai',
      poolSize: 2,
      applicationName: 'voltkeep',
      waitForTablesMs: 0,
      log: createLog({ level: 'warn', console: { write: (line) => lines.push(line) } }),
      ...options,
    })
  let external: TestDatabase
  beforeEach(async () => {
    lines.length = 0
    external = await createTestDatabase()
  })
  afterEach(() => external.close())
  const separated = () => open({ url: external.url, ownerUrl: external.ownerUrl })

  test('needs two ordinary users and no superuser, as docs/operating.md creates them', async () => {
    const name = `plain_${process.pid}`
    await external.owner.query(`CREATE ROLE ${name}_owner LOGIN PASSWORD 'plain'`)
    await external.owner.query(`CREATE ROLE ${name}_server LOGIN PASSWORD 'plain'`)
    await external.owner.query(`CREATE DATABASE ${name} OWNER ${name}_owner TEMPLATE template0`)
    const urlOf = (username: string) =>
      Object.assign(new URL(withDatabase(external.ownerUrl, name)), { username, password: 'plain' }).href
    for (const which of ['first', 'second']) {
      const {
        database: opened,
        owner,
        close,
      } = await open({
        url: urlOf(`${name}_server`),
        ownerUrl: urlOf(`${name}_owner`),
      })
      if (owner) await makePartitions(owner, { at: [new Date()], retentionDays: 60 })
      await opened.pool.query(
        `INSERT INTO operation_log (at, address, request_id, call, summary, target, result_code)
         VALUES (now(), '127.0.0.1', '1', '/x', 'x', $1, 200)`,
        [which],
      )
      await expect(opened.pool.query('DELETE FROM operation_log')).rejects.toThrow(denied)
      await close()
    }
    expect(lines).toEqual([])
    await external.owner.query(`DROP DATABASE ${name}`)
    await external.owner.query(`DROP ROLE ${name}_owner; DROP ROLE ${name}_server`)
  })

  test('grants the role its rights in a database of an earlier release, and revokes others', async () => {
    await external.owner.query(`
      REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${serverRole};
      REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${serverRole};
      GRANT UPDATE, DELETE, TRUNCATE ON operation_log TO ${serverRole}`)
    const { database: opened, owner, close } = await separated()
    await opened.pool.query("INSERT INTO history_delta VALUES (1, current_date, 1, 1, 1, 'A', 1)")
    await expect(opened.pool.query('DELETE FROM operation_log')).rejects.toThrow(denied)
    await owner?.query('VACUUM history_delta')
    await close()
    expect(lines).toEqual([])
  })

  test('changes no correct rights, which would invalidate the plans of all connections', async () => {
    const versions = async () =>
      (await external.owner.query('SELECT oid, xmin::text FROM pg_class ORDER BY oid')).rows
    const before = await versions()
    await (await separated()).close()
    expect(await versions()).toEqual(before)
  })

  test('is refused if both roles are the same', async () => {
    await expect(open({ url: external.ownerUrl, ownerUrl: external.ownerUrl })).rejects.toThrow(
      '是数据库的所有者',
    )
  })

  test.each([
    ['is a superuser', '超级用户', () => 'ALTER ROLE other SUPERUSER'],
    ['may make roles', 'CREATEROLE', () => 'ALTER ROLE other CREATEROLE'],
    ['is a member of the owner', '所有者', () => `GRANT ${new URL(external.ownerUrl).username} TO other`],
    ['may write everything', '修改或删除', () => 'GRANT pg_write_all_data TO other'],
    ['may write files', '写文件', () => 'GRANT pg_write_server_files TO other'],
    ['may make tables', 'REVOKE CREATE', () => 'GRANT CREATE ON SCHEMA public TO other'],
    ['may update one column', '修改或删除', () => 'GRANT UPDATE (target) ON operation_log TO other'],
  ])('is refused where the role that calls work as %s', async (_how, reason, grant) => {
    await external.owner.query("DROP ROLE IF EXISTS other; CREATE ROLE other LOGIN PASSWORD 'other'")
    await external.owner.query(grant())
    const { href: url } = Object.assign(new URL(external.ownerUrl), { username: 'other', password: 'other' })
    await expect(open({ url, ownerUrl: external.ownerUrl })).rejects.toThrow(reason)
    await external.owner.query('DROP OWNED BY other; DROP ROLE other')
  })

  test('with only the owner works as before, and warns that the operation log is writable', async () => {
    const { database: opened, owner, close } = await open({ url: external.ownerUrl })
    expect(owner).toBe(opened.pool)
    await close()
    expect(lines.join()).toContain('能够更改操作日志')
  })

  test('without the owner requires the newest schema, which another process creates', async () => {
    const { owner, close } = await open({ url: external.url })
    expect(owner).toBeNull()
    await close()
    await external.owner.query(
      'DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)',
    )
    await expect(open({ url: external.url })).rejects.toThrow('请先启动一个设置了 DATABASE_OWNER_URL 的进程')
    const config = readConfig({ ROLES: 'api,jobs' })
    const log = createLog({ level: 'silent' })
    await expect(createApp({ config, log, database: external, owner: null })).rejects.toThrow(
      '从 ROLES 中去掉 jobs',
    )
    expect(lines).toEqual([])
  })

  test('without the owner waits while tables and rights are being made, and then goes on', async () => {
    const name = `late_${process.pid}`
    await external.owner.query(`CREATE DATABASE ${name} TEMPLATE template0`)
    const ownerUrl = withDatabase(external.ownerUrl, name)
    const url = asServer(ownerUrl)
    await expect(open({ url })).rejects.toThrow('数据库中还没有服务的表')
    const waiting = open({ url, waitForTablesMs: 60_000 })
    const migrating = await open({ url, ownerUrl })
    const waited = await waiting
    expect(waited.owner).toBeNull()
    await waited.database.pool.query('SELECT FROM app_user')
    await waited.close()
    await migrating.close()
    expect(lines).toEqual([])
  })
})
