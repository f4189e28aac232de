import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { lineTo } from '../../../../test/database-line.ts'
import { eventually } from '../../../../test/eventually.ts'
import { createLog } from '../../process/log.ts'
import { openDatabase } from '../database.ts'
import { type Nodes, openNodes } from './nodes.ts'

const log = createLog({ level: 'silent' })

let database: TestDatabase
let opened: Nodes[]
beforeEach(async () => {
  database = await createTestDatabase()
  opened = []
})
afterEach(async () => {
  vi.useRealTimers()
  for (const nodes of opened) await nodes.close()
  await database.close()
})

async function open({
  name = 'a',
  pool = database.pool,
  ...times
}: {
  name?: string
  pool?: TestDatabase['pool']
  leaseMs?: number
  freeAfterMs?: number
} = {}) {
  const nodes = await openNodes({
    pool,
    log,
    facts: () => ({ name, address: `${name}.example.com`, roles: ['ingest'], version: '1.2.3' }),
    renewMs: 20,
    ...times,
  })
  opened.push(nodes)
  return nodes
}
const endLease = (id: number, by = '1 millisecond') =>
  database.owner.query(
    `UPDATE node SET lease_until = clock_timestamp() - $2::interval, leased_at = leased_at - $2::interval WHERE id = $1`,
    [id, by],
  )
const rowOf = async (id: number) =>
  (
    await database.owner.query(
      'SELECT *, lease_until > clock_timestamp() AS "isHeld" FROM node WHERE id = $1',
      [id],
    )
  ).rows[0]

test('a process says what it is, renews its lease and gives it back', async () => {
  const nodes = await open()
  nodes.tell(() => ({ deviceCount: 7, lagMs: 1.4 }))
  await eventually(async () => expect((await rowOf(nodes.id)).device_count).toBe(7))
  expect(nodes.isHeld).toBe(true)
  expect(await rowOf(nodes.id)).toMatchObject({
    name: 'a',
    address: 'a.example.com',
    roles: ['ingest'],
    version: '1.2.3',
    lag_ms: 1,
    isHeld: true,
    stopped_at: null,
  })
  await opened.pop()?.close()
  expect(nodes.isHeld).toBe(false)
  expect(await rowOf(nodes.id)).toMatchObject({ isHeld: false, stopped_at: expect.any(Date) })
})

test('a process whose lease has ended takes another one, and holds it only once it knows what is still its own', async () => {
  const nodes = await open()
  const former = nodes.id
  const told: [number, number, boolean][] = []
  let isAnswered = false
  nodes.onSucceeded(async (formerId, id) => {
    told.push([formerId, id, nodes.isHeld])
    if (!isAnswered) throw new Error('away')
  })
  await endLease(former)
  await eventually(() => expect(told.length).toBeGreaterThan(2))
  expect(nodes.isHeld).toBe(false)
  isAnswered = true
  await eventually(() => expect(nodes.isHeld).toBe(true))
  expect(nodes.id).not.toBe(former)
  // Each try tells of the same lease, although it failed.
  expect(new Set(told.map(([formerId]) => formerId))).toEqual(new Set([former]))
  expect(told.every(([, , isHeld]) => !isHeld)).toBe(true)
  expect(await rowOf(former)).toMatchObject({ succeeded_by: nodes.id, isHeld: false })
  const [first, second] = [await rowOf(former), await rowOf(nodes.id)]
  expect(second.started_at).toEqual(first.started_at)
})

test('a process that cannot reach the database knows that its lease has ended, and needs nobody to tell it', async () => {
  const line = await lineTo(database.url)
  const { pool, close } = await openDatabase({ url: line.url, zone: 'UTC', poolSize: 1 })
  try {
    const nodes = await open({ pool, leaseMs: 400 })
    expect(nodes.isHeld).toBe(true)
    line.hang()
    await eventually(() => expect(nodes.isHeld).toBe(false))
    await line.restore()
    await eventually(() => expect(nodes.isHeld).toBe(true))
    await opened.pop()?.close()
  } finally {
    await close()
    await line.cut()
  }
})

test('processes know of each other while they hold their leases and stay', async () => {
  const [a, b] = [await open({ name: 'a' }), await open({ name: 'b' })]
  await eventually(() => expect([...a.others]).toEqual([b.id]))
  await eventually(() => expect([...b.others]).toEqual([a.id]))
  await b.leave()
  await eventually(() => expect([...a.others]).toEqual([]))
  expect([...b.others]).toEqual([a.id])
})

test('what a process held is free some time after its lease has ended, for one that was there all the while', async () => {
  const gone = await open({ name: 'gone', freeAfterMs: 50_000 })
  await opened.pop()?.close()
  await endLease(gone.id, '1 minute')
  const newcomer = await open({ name: 'newcomer', freeAfterMs: 50_000 })
  const told: string[] = []
  newcomer.onFreed(async () => void told.push('newcomer'))
  const witness = await open({ name: 'witness', freeAfterMs: 50_000 })
  witness.onFreed(async () => void told.push('witness'))
  await database.owner.query(`UPDATE node SET leased_at = leased_at - interval '1 minute' WHERE id = $1`, [
    witness.id,
  ])
  await eventually(async () => expect((await rowOf(gone.id)).swept_at).not.toBeNull())
  expect(new Set(told)).toEqual(new Set(['witness']))
})

test('the clock is the database’s, whatever the process’s own shows', async () => {
  const nodes = await open()
  const read = async () =>
    (await database.pool.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms')).rows[0]
      .ms
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 })
  const before = await read()
  const told = nodes.now()
  const after = await read()
  expect(told).toBeGreaterThan(before - 50)
  expect(told).toBeLessThan(after + 50)
})
