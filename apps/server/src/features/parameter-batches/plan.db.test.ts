import { normalParameterValue } from '@voltkeep/contract'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertFleet, lampCode, reportValues, soc } from '../../../test/batches.ts'
import { databaseOfTests } from '../../../test/database.ts'
import type { TestDevice } from '../../../test/factories.ts'
import { insertBatch } from './batches.queries.ts'
import { normalForm } from './targets/normal-form.ts'
import { insertTargets, planOfValues } from './targets/plan.queries.ts'
import { ofBatch } from './targets/targets.queries.ts'
import { targets } from './targets/targets.work.ts'

const database = await databaseOfTests({ isSeeded: true })

test('the database normalizes values as the contract does', async () => {
  const values = [
    ...[
      '85',
      '085',
      '85.0',
      '85.',
      '85.50',
      '-0',
      '-0.0',
      '0',
      '000',
      '-007.10',
      '100',
      '1e3',
      '+5',
      '.5',
      '-',
    ],
    ...[
      'true',
      'TRUE',
      'false',
      ' 85 ',
      '\t85\n',
      '',
      ' ',
      '0222220',
      '222220',
      '8.8.8.8:80',
      'Host.CN:1883',
    ],
    ...['9'.repeat(40), `0.${'0'.repeat(30)}1`, '８５', 'NaN', 'Infinity', '满', '1 2'],
  ]
  const { rows } = await sql<{ value: string; normal: string }>`
    SELECT v AS value, ${normalForm(sql`v`)} AS normal FROM unnest(${values}::text[]) AS v`.execute(
    database.db,
  )
  expect(Object.fromEntries(rows.map(({ value, normal }) => [value, normal]))).toEqual(
    Object.fromEntries(values.map((value) => [value, normalParameterValue(value)])),
  )
})

test('a plan stores each device’s former values, including missing ones', async () => {
  const { db } = database
  const fleet = await insertFleet(db, 3, { values: {} })
  const [one, two, three] = fleet.devices as [TestDevice, TestDevice, TestDevice]
  await reportValues(db, one, { [soc]: 90, [lampCode]: '1111111' })
  await reportValues(db, two, { [soc]: 80 })
  const { organization_id: organizationId } = await db
    .selectFrom('operator')
    .select('organization_id')
    .where('id', '=', fleet.operatorId)
    .executeTakeFirstOrThrow()
  const { rows } = await db.transaction().execute(async (trx) => {
    const wanted = { [soc]: '80', [lampCode]: '1111111' }
    const { id, code } = await insertBatch(trx, '20261122', {
      kind: 'set',
      originId: null,
      wanted,
      devices: { isAll: 1 },
      maxAttempts: 3,
      intervalMinutes: 3,
      endsAt: new Date(Date.now() + 60_000),
      createdBy: 1,
      createdByName: 'admin',
      approvedBy: null,
      organizationId,
      name: null,
      remark: null,
    })
    expect(code).toBe(`CS20261122${String(id).padStart(5, '0')}`)
    const matching = sql<boolean>`d.id = ANY(${fleet.devices.map((device) => device.id)}::int[])`
    expect(await insertTargets(trx, id, planOfValues(matching, wanted), null)).toEqual({
      total: 3,
      waiting: 3,
      trial: 0,
    })
    expect((await targets.lock(trx, ofBatch(id))).map(({ state, rule }) => [state, rule])).toEqual(
      Array(3).fill(['waiting', { attempts: 3, intervalMs: 180_000, isStopping: false }]),
    )
    return sql<{ device_id: number; former: object }>`
      SELECT device_id, former FROM parameter_target WHERE batch_id = ${id} ORDER BY device_id`.execute(trx)
  })
  expect(rows).toEqual([
    { device_id: one.id, former: { [soc]: '90', [lampCode]: '1111111' } },
    { device_id: two.id, former: { [soc]: '80' } },
    { device_id: three.id, former: {} },
  ])
})
