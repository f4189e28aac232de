import { describe, expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { plantSeeds } from '../../platform/database/seeds.ts'
import { regionSeeds } from './regions.seeds.ts'

const database = await databaseOfTests()
await plantSeeds(database.db, regionSeeds)

const one = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows[0]

describe('the planted regions', () => {
  test('reach from the country to every district, with complete paths', async () => {
    const { count, broken } = await one(`
      SELECT count(*)::int4 AS count,
        count(*) FILTER (WHERE r.code <> 'all' AND r.path <> coalesce(p.path, '/') || r.id || '/')::int4 AS broken
      FROM region r LEFT JOIN region p ON p.id = r.parent_id`)
    expect(count).toBeGreaterThan(3_200)
    expect(broken).toBe(0)
  })

  test('have full names, without repeating a municipality or a grouping level', async () => {
    const fullName = async (code: string) =>
      (await one('SELECT full_name FROM region WHERE code = $1', [code])).full_name
    expect(await fullName('440305')).toBe('中国 / 广东省 / 深圳市 / 南山区')
    expect(await fullName('110105')).toBe('中国 / 北京市 / 朝阳区')
    expect(await fullName('500229')).toBe('中国 / 重庆市 / 城口县')
    expect(await fullName('429004')).toBe('中国 / 湖北省 / 仙桃市')
  })

  test('are all below 全部, and districts below their province', async () => {
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
