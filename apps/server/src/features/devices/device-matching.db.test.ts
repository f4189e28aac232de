import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import { insertDevice, insertOperator } from '../../../test/factories.ts'
import { everything } from '../../domain/access/data-scope.ts'
import { devicesMatching } from './device-matching.ts'

const database = await databaseOfTests({ isSeeded: true })

interface PlanNode {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** How many rows of device_listing were read. */
const rowsRead = (node: PlanNode): number =>
  (node['Relation Name'] === 'device_listing'
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0) + (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0)

test('a keyword is searched in devices of the scope alone', async () => {
  const { db } = database
  const operatorId = await insertOperator(db)
  const { id } = await insertDevice(db, { operatorId, code: 'MINE01' })
  const { id: foreign } = await insertDevice(db, { code: 'THEIRS01' })
  await sql`
    INSERT INTO device (code, operator_id, model_id, region_id, secret_hash)
    SELECT 'FOREIGN' || n, operator_id, model_id, region_id, secret_hash
    FROM device, generate_series(1, 5000) n WHERE id = ${foreign}`.execute(db)
  await database.owner.query('ANALYZE device, device_listing, operator')
  const words = Array.from({ length: 100 }, (_, n) => `no${n}`).join(' ')
  const scope = { ...everything, operatorIds: [operatorId] }
  const matching = await devicesMatching(db, scope, { keyword: `${words} mine` })
  const { rows: found } = await sql`SELECT d.id FROM device d WHERE ${matching}`.execute(db)
  expect(found).toEqual([{ id }])
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    EXPLAIN (ANALYZE, FORMAT JSON) SELECT d.id FROM device d WHERE ${matching}`.execute(db)
  expect(rowsRead(rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)).toBeLessThan(10)
})
