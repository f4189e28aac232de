// What migrations make of rows that are there: the files up to one, rows as that release had them, then the next file.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { migrate, migrationsDir } from './schema/migrate.ts'

let database: TestDatabase
let directory: string
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-backfill-'))
  database = await createTestDatabase()
  await database.owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
})
afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true })
})

/** Applies the files up to that number. */
async function upTo(number: string): Promise<void> {
  for (const name of readdirSync(migrationsDir))
    if (/^\d{4}_/.test(name) && name.slice(0, 4) <= number)
      copyFileSync(join(migrationsDir, name), join(directory, name))
  await migrate(database.owner, directory)
}
/** Inserts rows whose neighbours do not matter: no reference is checked. */
async function put(statements: string): Promise<void> {
  await database.owner.query(`
    BEGIN; SET LOCAL session_replication_role = replica; ${statements}; COMMIT`)
}
const rowsOf = async (query: string) => (await database.owner.query<Record<string, unknown>>(query)).rows

const fileId = (n: number) => `00000000-0000-0000-0000-00000000000${n}`
const nobody = { O: [], ET: [], R: [] }

describe('0045: who decided about the packages that are there', () => {
  const file = (n: number, uploadedBy: number | null) => `
    ('${fileId(n)}', 'f${n}', 1, '', '', '', '', ${uploadedBy}, '2026-01-0${n} 08:00+08')`
  /** The board is T1, the version 1.<id>. */
  const image = (id: number, { createdBy = 2, auto = false, version = 1 } = {}) => `
    (${id}, '${fileId(id)}', 'f${id}.bin', 1, 'PART', 1, ${id}, true, ${auto}, '{}', ${createdBy}, 'maker${createdBy}',
      '2026-02-01 08:00+08', ${version})`
  const entry = (id: number, userId: number | null, { auto = true, code = 200 } = {}) => `
    ('2026-03-01 08:00+08', ${userId}, ${userId === null ? 'NULL' : `'switcher${userId}'`}, '', '', '', '', '固件 T1 V1.${id}', ${code},
      '{"after": {"isAutoUpgrade": ${auto}}}')`

  beforeEach(async () => {
    await upTo('0044')
    await put(`
      INSERT INTO role (id, name, code) VALUES (900, 'system', 'SYSTEM');
      INSERT INTO app_user (id, organization_id, user_name, login_name, password_hash) VALUES
        (1, 1, 'root', 'root', ''), (2, 7, 'maker', 'maker', ''), (3, 8, 'supplier', 'supplier', '');
      INSERT INTO user_role (user_id, role_id) VALUES (1, 900);
      INSERT INTO user_authority (user_id, authority_type, value) VALUES
        (2, 'O', '12'), (2, 'O', '7'), (2, 'R', '4403'), (3, 'ET', '5');
      INSERT INTO part_type (code, name) VALUES ('PART', '');
      INSERT INTO pcb_board (id, pcb_code, pcb_name, part_type, equip_type_id) VALUES (1, 'T1', '', 'PART', 1);
      CREATE TABLE IF NOT EXISTS operation_log_all PARTITION OF operation_log DEFAULT`)
  })
  const packages = (columns: string) => rowsOf(`SELECT ${columns} FROM software_package ORDER BY id`)
  const insert = (files: string[], images: string[], entries: string[] = []) =>
    put(`
      INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type, uploaded_by, created_at)
      VALUES ${files.join()};
      INSERT INTO software_package (id, file_id, file_name, pcb_board_id, part_type, major, minor, is_release,
        is_auto_upgrade, remark, created_by, created_by_name, created_at, version)
      VALUES ${images.join()};
      ${
        entries.length === 0
          ? ''
          : `INSERT INTO operation_log (at, user_id, login_name, address, request_id, call, summary, target, result_code,
              changes) VALUES ${entries.join()}`
      }`)

  test('creator and supplier count with their present reach; of one who was deleted nothing is known', async () => {
    await insert(
      [file(1, 2), file(2, 3), file(3, null), file(4, 99)],
      [image(1), image(2), image(3, { createdBy: 1 }), image(4, { createdBy: 98 })],
    )
    await upTo('0045')
    const maker = {
      isSystem: false,
      organizationId: 7,
      authorities: { ...nobody, O: ['7', '12'], R: ['4403'] },
    }
    const supplier = { isSystem: false, organizationId: 8, authorities: { ...nobody, ET: ['5'] } }
    const root = { isSystem: true, organizationId: 1, authorities: nobody }
    expect(await packages('created_reach, file_by, file_by_name, file_reach, auto_by')).toEqual([
      { created_reach: maker, file_by: 2, file_by_name: 'maker', file_reach: maker, auto_by: null },
      { created_reach: maker, file_by: 3, file_by_name: 'supplier', file_reach: supplier, auto_by: null },
      // A file of no known uploader is its creator's.
      { created_reach: root, file_by: 1, file_by_name: 'maker1', file_reach: root, auto_by: null },
      { created_reach: null, file_by: 99, file_by_name: '已删除用户', file_reach: null, auto_by: null },
    ])
    expect(
      await packages(`file_at = '2026-01-01 08:00+08'::timestamptz + (id - 1) * interval '1 day' AS kept`),
    ).toEqual(Array.from({ length: 4 }, () => ({ kept: true })))
  })

  test('who switched automatic upgrades on is the creator, or the one whom the operation log names alone', async () => {
    await insert(
      [1, 2, 3, 4, 5, 6].map((n) => file(n, 2)),
      [
        image(1, { auto: true }),
        image(2, { auto: true, version: 3 }),
        image(3, { auto: true, version: 3 }),
        image(4, { auto: true, version: 3 }),
        image(5, { auto: true, version: 3 }),
        image(6, { version: 3 }),
      ],
      [
        entry(1, 3),
        ...[entry(2, 3), entry(2, 3), entry(2, 1, { auto: false }), entry(2, 1, { code: 403 })],
        ...[entry(3, 3), entry(3, 1)],
        ...[entry(4, 3), entry(4, null)],
        entry(6, 3),
      ],
    )
    await upTo('0045')
    expect(await packages('auto_by, auto_by_name, is_auto_upgrade AS auto')).toEqual([
      { auto_by: 2, auto_by_name: 'maker2', auto: true },
      { auto_by: 3, auto_by_name: 'switcher3', auto: true },
      // Two of them, one without a user, none: nobody is known, and the package stops.
      { auto_by: 0, auto_by_name: '未知用户', auto: true },
      { auto_by: 0, auto_by_name: '未知用户', auto: true },
      { auto_by: 0, auto_by_name: '未知用户', auto: true },
      { auto_by: null, auto_by_name: null, auto: false },
    ])
  })

  test('tasks keep the present bytes of their packages, and of those that a rollback brings', async () => {
    await insert([file(1, 2), file(2, 3)], [image(1), image(2)])
    await put(`
      INSERT INTO upgrade_task (id, type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
        organization_id)
      VALUES (51, 'SCHEDULE', 'running', now(), '{}', '{}', 1, 2, '', 1),
        (52, 'ROLLBACK', 'running', now(), '{}', '{}', 1, 2, '', 1);
      INSERT INTO upgrade_task_package (task_id, position, package_id) VALUES (51, 1, 1);
      INSERT INTO upgrade_target (task_id, device_id, part_type, package_id, position, stage, rank, state, from_versions)
      VALUES (51, 1, 'PART', 1, 1, 1, 1, 'waiting', '{}'), (52, 2, 'PART', 2, 1, 1, 1, 'waiting', '{}'),
        (52, 3, 'PART', 2, 1, 1, 1, 'waiting', '{}')`)
    await upTo('0045')
    expect(
      await rowsOf(`
        SELECT task_id AS task, position, package_id AS package, file_id AS file, file_name AS name, file_by_name AS by,
          file_reach ->> 'organizationId' AS organization
        FROM upgrade_task_package ORDER BY task_id, position`),
    ).toEqual([
      { task: 51, position: 1, package: 1, file: fileId(1), name: 'f1.bin', by: 'maker', organization: '7' },
      {
        task: 52,
        position: 1001,
        package: 2,
        file: fileId(2),
        name: 'f2.bin',
        by: 'supplier',
        organization: '8',
      },
    ])
  })
})

test('0055: tasks that are not over ignore the alarms that their rule does not count by the levels of now', async () => {
  await upTo('0054')
  const task = (id: number, state: string, levels: string) => `
    (${id}, 'SCHEDULE', '${state}', now(), '{"alarmLevels": ${levels}}', '{}', 1, 1, '', 1)`
  await put(`
    INSERT INTO dictionary_entry (type, code, name, alarm_level) VALUES
      ('ALARM', 'A1', '', 1), ('ALARM', 'A2', '', 2), ('ALARM', 'A4', '', 4), ('EVENT', 'E4', '', NULL);
    INSERT INTO upgrade_task (id, type, state, upgrade_at, rule, devices, equip_type_id, created_by, created_by_name,
      organization_id)
    VALUES ${[task(1, 'running', '[1, 2]'), task(2, 'planned', '[1]'), task(3, 'paused', '[]'), task(4, 'finished', '[1]')]}`)
  await upTo('0055')
  expect(await rowsOf('SELECT ignored_alarms AS codes FROM upgrade_task ORDER BY id')).toEqual([
    { codes: ['A4'] },
    { codes: ['A2', 'A4'] },
    { codes: ['A1', 'A2', 'A4'] },
    { codes: [] },
  ])
})
