import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../../test/database.ts'
import { migrationsDir } from '../../../platform/database/schema/migrate.ts'
import { isNamed, isSpelledSo } from './login-names.ts'

const database = await databaseOfTests({ isSeeded: true })
// The table as it was before the migration.
await database.owner.query('ALTER TABLE app_user DROP COLUMN is_spelled_exactly')
await database.pool.query(`
  INSERT INTO app_user (organization_id, user_name, login_name, password_hash)
  SELECT 1, name, name, 'x' FROM unnest('{ADA,Ada,ada,Bo,BO,Only,ｗｉｄｅ}'::text[]) AS name`)
await database.owner.query(readFileSync(join(migrationsDir, '0028_login_names.sql'), 'utf8'))

const find = async (name: string) => {
  const row = await database.db
    .selectFrom('app_user')
    .select('login_name')
    .where(isNamed(name))
    .orderBy(isSpelledSo(name), 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.login_name
}

test.each([
  ['ADA', 'ADA'],
  ['Ada', 'Ada'],
  ['ada', 'ada'],
  ['aDA', 'ada'],
  ['Bo', 'Bo'],
  ['BO', 'BO'],
  ['bo', 'Bo'],
  ['ONLY', 'Only'],
  ['ｗｉｄｅ', 'ｗｉｄｅ'],
  ['nobody', undefined],
])('after the migration, the login name %s belongs to %s', async (given, found) => {
  expect(await find(given)).toBe(found)
})

test('a new name must not differ from another one by case alone', async () => {
  for (const name of ['aDa', 'ONLY', 'bO']) {
    await expect(
      database.pool.query(
        `INSERT INTO app_user (organization_id, user_name, login_name, password_hash) VALUES (1, 'x', $1, 'x')`,
        [name],
      ),
    ).rejects.toThrow('app_user_login_name_alike')
  }
})
