import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { businessStatusNames, lamps } from '@voltkeep/contract'
import { describe, expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { migrationsDir } from '../../platform/database/schema/migrate.ts'
import { alarmSemaphores } from './alarm-semaphores.ts'
import { enumerations } from './enumerations.seeds.ts'
import { semaphores } from './semaphores.seeds.ts'

const database = await databaseOfTests()
await semaphores.plant(database.db)
await enumerations.plant(database.db)

const one = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows[0]

describe('the planted dictionary', () => {
  // proves: rule business status
  test('uses the same words for business statuses as devices, sheets and the operation log', async () => {
    const { rows } = await database.pool.query(
      `SELECT code, name FROM dictionary_entry WHERE type = 'BUSINESS_STATUS'`,
    )
    expect(Object.fromEntries(rows.map(({ code, name }) => [code, name]))).toEqual(businessStatusNames)
    expect(businessStatusNames[2]).toBe('未交付')
  })

  test('names lamp states as the panel does, also where it was planted before; an edited name stays', async () => {
    const nameOfOff = async () =>
      (await one(`SELECT name FROM dictionary_entry WHERE type = 'LAMP_CODE' AND code = '0'`)).name
    const { rows } = await database.pool.query(
      `SELECT code, name FROM dictionary_entry WHERE type = 'LAMP_CODE' ORDER BY code`,
    )
    expect(rows.map(({ name }) => name)).toEqual(lamps.map(({ name }) => name))
    const migration = readFileSync(join(migrationsDir, '0050_lamp_words.sql'), 'utf8')
    for (const [before, after] of [
      ['灭', '熄灭'],
      ['关灯', '关灯'],
    ]) {
      await one(`UPDATE dictionary_entry SET name = $1 WHERE type = 'LAMP_CODE' AND code = '0'`, [before])
      await database.owner.query(migration)
      expect(await nameOfOff()).toBe(after)
    }
  })

  test('has codes of at most eight characters and bits within a safe integer', () => {
    for (const { code, analysisType, definitions } of alarmSemaphores) {
      expect(code).toMatch(/^\w{1,8}$/)
      for (const names of Object.values(definitions)) {
        const positions = Object.keys(names).map(Number)
        expect(Math.max(...positions), code).toBeLessThan(analysisType === 'BIT' ? 53 : 1_000)
      }
    }
    expect(new Set(alarmSemaphores.map(({ code }) => code)).size).toBe(alarmSemaphores.length)
  })

  test('has the meaning of every alarm for at least one family of devices', async () => {
    const { alarms, silent } = await one(`
      SELECT count(*)::int4 AS alarms, count(*) FILTER (WHERE NOT EXISTS (
        SELECT FROM semaphore_definition WHERE entry_id = e.id))::int4 AS silent
      FROM dictionary_entry e WHERE type = 'ALARM'`)
    expect(alarms).toBe(alarmSemaphores.length)
    expect(silent).toBe(0)
  })

  test('does not change an entry that exists', async () => {
    await database.pool.query(`UPDATE dictionary_entry SET name = '改过' WHERE code = '01110002'`)
    await semaphores.plant(database.db)
    expect((await one(`SELECT name FROM dictionary_entry WHERE code = '01110002'`)).name).toBe('改过')
  })
})
