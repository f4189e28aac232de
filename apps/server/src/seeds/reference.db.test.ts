import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { alarmSemaphores } from './alarm-semaphores.ts'
import { equipTypes } from './equip-types.ts'
import { regions } from './regions.ts'
import { semaphores } from './semaphores.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  for (const seed of [regions, equipTypes, semaphores]) await seed.plant(database.db)
})
afterAll(() => database.close())

const one = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows[0]

describe('the planted regions', () => {
  test('reach from the country to every district, each path through its parents', async () => {
    const { count, broken } = await one(`
      SELECT count(*)::int4 AS count,
        count(*) FILTER (WHERE r.code <> 'all' AND r.path <> coalesce(p.path, '/') || r.id || '/')::int4 AS broken
      FROM region r LEFT JOIN region p ON p.id = r.parent_id`)
    expect(count).toBeGreaterThan(3_200)
    expect(broken).toBe(0)
  })

  test('are named in full, without repeating a municipality or a collecting level', async () => {
    const fullName = async (code: string) =>
      (await one('SELECT full_name FROM region WHERE code = $1', [code])).full_name
    expect(await fullName('440305')).toBe('中国 / 广东省 / 深圳市 / 南山区')
    expect(await fullName('110105')).toBe('中国 / 北京市 / 朝阳区')
    expect(await fullName('500229')).toBe('中国 / 重庆市 / 城口县')
    expect(await fullName('429004')).toBe('中国 / 湖北省 / 仙桃市')
  })

  test('are all covered by 全部, and districts by their province', async () => {
    const covered = async (code: string) =>
      one(
        `SELECT count(*)::int4 AS count, count(*) FILTER (WHERE r.code = '440305')::int4 AS nanshan
         FROM region g JOIN region r ON r.path LIKE g.path || '%' WHERE g.code = $1`,
        [code],
      )
    const { count } = await one('SELECT count(*)::int4 AS count FROM region')
    expect(await covered('all')).toEqual({ count, nanshan: 1 })
    expect((await covered('440000')).nanshan).toBe(1)
    expect(await covered('49')).toEqual({ count: 1, nanshan: 0 })
  })
})

describe('the planted dictionary', () => {
  test('keeps every code within eight characters and every bit within a safe integer', () => {
    for (const { code, analysisType, definitions } of alarmSemaphores) {
      expect(code).toMatch(/^\w{1,8}$/)
      for (const names of Object.values(definitions)) {
        const positions = Object.keys(names).map(Number)
        expect(Math.max(...positions), code).toBeLessThan(analysisType === 'BIT' ? 53 : 1_000)
      }
    }
    expect(new Set(alarmSemaphores.map(({ code }) => code)).size).toBe(alarmSemaphores.length)
  })

  test('says what every alarm means to at least one family of devices', async () => {
    const { alarms, silent } = await one(`
      SELECT count(*)::int4 AS alarms, count(*) FILTER (WHERE NOT EXISTS (
        SELECT FROM semaphore_definition WHERE entry_id = e.id))::int4 AS silent
      FROM dictionary_entry e WHERE type = 'ALARM'`)
    expect(alarms).toBe(alarmSemaphores.length)
    expect(silent).toBe(0)
  })

  test('leaves an entry that is there already to its administrator', async () => {
    await database.pool.query(`UPDATE dictionary_entry SET name = '改过' WHERE code = '01110002'`)
    await semaphores.plant(database.db)
    await equipTypes.plant(database.db)
    expect((await one(`SELECT name FROM dictionary_entry WHERE code = '01110002'`)).name).toBe('改过')
  })
})

test('every equipment type has models, and parts that are named', async () => {
  const { rows } = await database.pool.query(`
    SELECT t.code, count(DISTINCT m.id)::int4 AS models, count(DISTINCT p.part_type)::int4 AS parts
    FROM equip_type t
    LEFT JOIN equip_model m ON m.equip_type_id = t.id
    LEFT JOIN equip_type_part p ON p.equip_type_id = t.id
    GROUP BY t.id ORDER BY t.order_num`)
  expect(rows).toEqual([
    { code: 'EC', models: 3, parts: 7 },
    { code: 'CC', models: 1, parts: 7 },
    { code: 'BAT', models: 3, parts: 1 },
    { code: 'ESS', models: 3, parts: 4 },
  ])
})
