import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createLog } from '../../platform/process/log.ts'
import { insertRefusals } from './intake.queries.ts'
import { createRefusals, type IntakeRefusal, type Refusals } from './intake-refusals.ts'

let database: TestDatabase
let metrics: Registry
let refusals: Refusals
beforeEach(async () => {
  database = await createTestDatabase()
  metrics = new Registry()
  refusals = createRefusals({ db: database.db, log: createLog({ level: 'silent' }), metrics })
})
afterEach(async () => {
  await refusals.close()
  await database.close()
})

const refusal = (deviceCode: string, more: Partial<IntakeRefusal> = {}): IntakeRefusal => ({
  deviceCode,
  deviceId: null,
  reason: 'unknownDevice',
  topic: null,
  detail: null,
  payload: null,
  address: '192.0.2.7',
  ...more,
})
const rows = () => database.db.selectFrom('intake_refusal').selectAll().orderBy('id').execute()

test('equal refusals are one row with a count, also across several flushes', async () => {
  refusals.record(refusal('A'))
  refusals.record(refusal('A'))
  await refusals.flush()
  refusals.record(refusal('A'))
  refusals.record(refusal('A', { reason: 'wrongSecret' }))
  await refusals.flush()
  expect(await rows()).toMatchObject([
    { device_code: 'A', reason: 'unknownDevice', count: '3' },
    { device_code: 'A', reason: 'wrongSecret', count: '1' },
  ])
})

test('refusals that differ in their place alone are one row, which names the first place beside its payload', async () => {
  const broken = (payload: string, place: string) =>
    refusal('A', { reason: 'notJson', detail: 'JSON 语法错误', payload, place: () => place })
  refusals.record(broken('{x', '第 2 个字符处'))
  refusals.record(broken('{"a":x', '第 6 个字符处'))
  await refusals.flush()
  expect(await rows()).toMatchObject([{ detail: 'JSON 语法错误：第 2 个字符处', payload: '{x', count: '2' }])
})

test('a flood of random codes costs a bounded number of rows, and all are counted', async () => {
  for (let n = 0; n < 20_000; n += 1) refusals.record(refusal(`R${n}`))
  await refusals.flush()
  for (let n = 0; n < 20_000; n += 1) refusals.record(refusal(`S${n}`))
  await refusals.flush()
  const kept = await rows()
  expect(kept.length).toBeLessThan(250)
  expect(kept.reduce((sum, { count }) => sum + Number(count), 0)).toBe(40_000)
  expect(kept.find(({ device_code }) => device_code === '*')?.detail).toContain('只计数')
  expect(await metrics.getSingleMetricAsString('voltkeep_intake_refusals_total')).toContain(
    'voltkeep_intake_refusals_total{reason="unknownDevice"} 40000',
  )
})

test('a flood of random codes leaves rows for the refusals of a registered device', async () => {
  for (let n = 0; n < 5_000; n += 1) {
    refusals.record(refusal(`R${n}`))
    if (n % 100 === 99) await refusals.flush()
  }
  refusals.record(refusal('EC1', { deviceId: 7, reason: 'wrongSecret' }))
  await refusals.flush()
  expect((await rows()).at(-1)).toMatchObject({ device_code: 'EC1', reason: 'wrongSecret', device_id: 7 })
})

test('one device has a limited share of the rows, and the rest is counted under its code', async () => {
  for (let n = 0; n < 80; n += 1) {
    refusals.record(refusal('EC1', { deviceId: 7, reason: 'unknownTopic', topic: `t${n}` }))
  }
  refusals.record(refusal('EC2', { deviceId: 8, reason: 'wrongSecret' }))
  await refusals.flush()
  const kept = await rows()
  expect(kept.filter(({ device_code }) => device_code === 'EC1')).toHaveLength(61)
  expect(kept.find(({ detail }) => detail?.includes('只计数'))).toMatchObject({
    device_code: 'EC1',
    count: '20',
  })
  expect(kept.at(-1)).toMatchObject({ device_code: 'EC2' })
})

test('a failed flush is repeated later', async () => {
  await database.owner.query('ALTER TABLE intake_refusal RENAME TO mislaid')
  refusals.record(refusal('A'))
  await refusals.flush()
  refusals.record(refusal('A'))
  await database.owner.query('ALTER TABLE mislaid RENAME TO intake_refusal')
  await refusals.flush()
  expect(await rows()).toMatchObject([{ device_code: 'A', count: '2' }])
})

test('more refusals than one statement has parameters for are written at once, each with its fields', async () => {
  const { db } = database
  const many = Array.from({ length: 7_000 }, (_, n) => {
    const at = new Date(1_767_225_600_000 + n)
    const more = { topic: n % 2 ? `t${n}` : null, deviceId: n % 3 ? n : null, detail: `{"${n}",\\}` }
    return { ...refusal(`M${n}`, more), count: n + 1, firstAt: at, lastAt: at }
  })
  const ids = await insertRefusals(db, many)
  const written = await rows()
  expect(written.map(({ id }) => id)).toEqual(ids)
  expect(
    written.map(({ device_code, topic, device_id, detail, count, last_at }) => ({
      deviceCode: device_code,
      topic,
      deviceId: device_id,
      detail,
      count: Number(count),
      lastAt: last_at,
    })),
  ).toEqual(
    many.map(({ deviceCode, topic, deviceId, detail, count, lastAt }) => ({
      deviceCode,
      topic,
      deviceId,
      detail,
      count,
      lastAt,
    })),
  )
})

test('a character that database text cannot contain does not prevent other refusals', async () => {
  refusals.record(refusal('A', { topic: 'voltkeep/A/up/a\u0000b', detail: 'data.\u0000应为文本' }))
  refusals.record(refusal('B'))
  await refusals.flush()
  expect(await rows()).toMatchObject([
    { device_code: 'A', topic: 'voltkeep/A/up/a·b', detail: 'data.·应为文本' },
    { device_code: 'B' },
  ])
})

test('of long topics only the displayed part is kept', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 1_500; n += 1) {
    // Built by concatenation, like a topic in a packet: a slice of it would keep the whole string in memory.
    refusals.record(refusal('A', { reason: 'unknownTopic', topic: Buffer.alloc(65_000, `${n} `).toString() }))
    if (n % 100 === 99) await refusals.flush()
  }
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 1024 * 1024)
})
