import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { plantSeeds } from '../../platform/database/seeds.ts'
import { equipTypeSeeds } from './equip-types.seeds.ts'

const database = await databaseOfTests()
await plantSeeds(database.db, equipTypeSeeds)

// proves: constant part types
test('every equipment type has models, and parts with names', async () => {
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

// proves: constant part types
test('the seeds contain the parts of the specification, in its order', async () => {
  const { rows } = await database.pool.query(
    `SELECT code FROM part_type WHERE code IN ('WIFI', 'MPPT', 'BMS', 'SC', 'ADS') ORDER BY order_num`,
  )
  expect(rows.map(({ code }) => code)).toEqual(['WIFI', 'MPPT', 'BMS', 'SC', 'ADS'])
})
