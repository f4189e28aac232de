import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { migrationsDir, numberOf, readMigrations } from './migration-files.ts'
import { faultsOf, type Release } from './steps.ts'

const releases = JSON.parse(readFileSync(join(migrationsDir, 'releases.json'), 'utf8')) as Release[]
const released = releases.flatMap(({ schema }) => schema ?? [])
const migrations = readMigrations(migrationsDir)

test('each release that is out is listed with its schema, and the one that is being made without', () => {
  expect(releases.at(-1)).toEqual({ release: packageJson.version })
  expect(released).toHaveLength(releases.length - 1)
  expect(released).toEqual([...released].sort())
  const numbers = migrations.map(({ name }) => numberOf(name))
  expect(released.filter((schema) => !numbers.includes(schema))).toEqual([])
})

test('migrations after the first release take away nothing that the release before uses, and keep nobody from writing', () => {
  const [first = '9999'] = released
  const later = migrations.filter(({ name }) => numberOf(name) > first)
  expect(later.flatMap((migration) => faultsOf(migration, released))).toEqual([])
})

const migrationOf = (sql: string) => ({
  name: '0200_next.sql',
  sql,
  checksum: '',
  worksFrom: /^-- contract: since (\d{4})$/m.exec(sql)?.[1] ?? '0000',
  isOnline: /^-- online$/m.test(sql),
})
const faultsIn = (sql: string) => faultsOf(migrationOf(sql), ['0100', '0150'])

test.each([
  'DROP TABLE alarm_cause;',
  'DROP VIEW a;',
  'DROP FUNCTION move_report() CASCADE;',
  'ALTER TABLE device DROP COLUMN name;',
  'alter table device\n  drop name;',
  'ALTER TABLE device ALTER COLUMN name DROP DEFAULT;',
  'ALTER TABLE device ALTER name DROP NOT NULL;',
  'ALTER TABLE device RENAME TO cabinet;',
  'ALTER TABLE device RENAME COLUMN name TO title;',
  'ALTER TABLE device ALTER COLUMN name TYPE varchar(30);',
  'ALTER TABLE device ALTER name SET DATA TYPE text;',
  'ALTER TABLE device ALTER COLUMN name SET NOT NULL;',
  'ALTER TABLE device ADD COLUMN kind text NOT NULL;',
  'ALTER TABLE device ADD COLUMN a int NOT NULL DEFAULT 1, ADD COLUMN kind text NOT NULL;',
  'ALTER TABLE device ADD CONSTRAINT kind_known CHECK (kind > 0) NOT VALID;',
  'ALTER TABLE device ADD UNIQUE (name);',
  'DELETE FROM device WHERE name IS NULL;',
  'TRUNCATE device_connection;',
  "DO $$ BEGIN EXECUTE 'DROP TABLE device'; END $$;",
  'CREATE TABLE a (id int); ALTER TABLE device DROP COLUMN name;',
])('%s is refused, but once no release needs what goes', (sql) => {
  expect(faultsIn(sql)).toHaveLength(1)
  expect(faultsIn(`-- contract: since 0150\n${sql}`)).toEqual([])
})

test.each([
  ['CREATE INDEX device_kind ON device (kind);', 'CONCURRENTLY'],
  ['CREATE INDEX CONCURRENTLY device_kind ON device (kind);', 'needs a file that is -- online'],
  ["UPDATE device SET name = '';", 'in portions'],
  ['-- contract: since 0150\nALTER TABLE device ADD CONSTRAINT k CHECK (k > 0);', 'NOT VALID'],
  ['LOCK TABLE device;', 'keeps everybody'],
  ['VACUUM FULL device;', 'keeps everybody'],
  ['-- online\nCREATE INDEX device_kind ON device (kind);', 'cannot be done again'],
  ['-- online\nALTER TABLE device ADD COLUMN kind text;', 'cannot be done again'],
  ["-- online\nUPDATE device SET name = '';", 'cannot be done again'],
  ['-- contract: since 0120\nDROP TABLE a;', 'no release that is out'],
  ['-- contract: since 0200\nDROP TABLE a;', 'no release that is out'],
])('%s is refused in any case', (sql, why) => {
  expect(faultsIn(sql).join('\n')).toContain(why)
})

test.each([
  'CREATE TABLE a (id int NOT NULL, name text NOT NULL CHECK (name > 0)); CREATE INDEX a_name ON a (name); ALTER TABLE a ADD UNIQUE (name); UPDATE a SET id = 1;',
  "ALTER TABLE device ADD COLUMN kind text NOT NULL DEFAULT '';",
  "ALTER TABLE device ADD COLUMN kind text DEFAULT '' NOT NULL;",
  'ALTER TABLE device ADD COLUMN kind text, ADD note text;',
  'ALTER TABLE device DROP CONSTRAINT kind_known;',
  'ALTER TABLE device DROP CONSTRAINT kind_known, ADD CONSTRAINT kind_known CHECK (kind > 0) NOT VALID;',
  'DROP INDEX device_kind;',
  "-- DROP TABLE device;\nINSERT INTO word VALUES ('DROP TABLE device; it''s');",
  'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM device; RETURN NULL; END $$;',
  '-- online\nCREATE INDEX CONCURRENTLY device_kind ON device (kind);\nALTER TABLE device VALIDATE CONSTRAINT kind_known;\n',
  "-- online\n-- repeat\nUPDATE device SET name = '' WHERE id IN (SELECT id FROM device WHERE name IS NULL LIMIT 1000);\n",
])('%s is a step that the release before can live with', (sql) => {
  expect(faultsIn(sql)).toEqual([])
})
