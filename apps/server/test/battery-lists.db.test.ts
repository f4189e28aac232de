import { Kysely, PostgresDialect } from 'kysely'
import { expect, test } from 'vitest'
import { createBatteries } from '../src/features/batteries/batteries.service.ts'
import { createDevices } from '../src/features/devices/devices.service.ts'
import { createSpokenProtocols } from '../src/features/mappings/index.ts'
import type { Actor } from '../src/platform/calls/actor.ts'
import type { Database } from '../src/platform/database/tables.ts'
import { databaseOfTests } from './database.ts'
import { insertDevice, insertUser } from './factories.ts'

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}

/** Enough that the planner avoids sorting or reading all of them. */
const deviceCount = 5_000
const perDevice = 8

const database = await databaseOfTests({ isSeeded: true })
const { id } = await insertDevice(database.db)
await database.owner.query(`
  INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
  SELECT 'N' || n, operator_id, model_id, region_id, 1, secret_hash
  FROM device, generate_series(1, ${deviceCount}) n WHERE id = ${id};
  INSERT INTO device_state (device_id) SELECT id FROM device ON CONFLICT DO NOTHING;
  INSERT INTO device_stock SELECT id, id % 7, 1, 0, 1, 0, 0 FROM device;
  INSERT INTO battery_stay (device_id, compartment, battery_code, started_at, seen_at, ended_at)
  SELECT d.id, c, 'B' || d.id || 'C' || c || 'V' || v, now() - v * interval '1 day', now() - v * interval '1 day',
    CASE WHEN v > 1 THEN now() - (v - 1) * interval '1 day' END
  FROM device d, generate_series(1, ${perDevice}) c, generate_series(1, 2) v;
  INSERT INTO battery (code, device_id, compartment, started_at, ended_at, claims, found_by)
  SELECT battery_code, device_id, compartment, started_at, ended_at, (ended_at IS NULL)::int, device_id FROM battery_stay;
  ANALYZE`)
let asked: { sql: string; parameters: readonly unknown[] }[] = []
const logged = new Kysely<Database>({
  dialect: new PostgresDialect({ pool: database.pool }),
  log: ({ query }) => void asked.push(query),
})
const actor = { userId: (await insertUser(database.db)).id, organizationId: 1, isSystem: true } as Actor
const batteries = createBatteries({
  db: logged,
  devices: createDevices({
    db: logged,
    notices: {} as never,
    ports: {} as never,
    ...createSpokenProtocols({ isShared: false }),
  }),
  alarms: {} as never,
  statusConsumer: {} as never,
})

/** All nodes of the plans of what a call asks. */
async function nodesOf(call: () => Promise<unknown>): Promise<Plan[]> {
  asked = []
  await call()
  const nodes: Plan[] = []
  const walk = (plan: Plan) => {
    nodes.push(plan)
    for (const below of plan.Plans ?? []) walk(below)
  }
  for (const { sql, parameters } of asked) {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (FORMAT JSON) ${sql}`,
      [...parameters],
    )
    for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) walk(plan)
  }
  return nodes
}
const indexes = (nodes: readonly Plan[]) => nodes.map((node) => node['Index Name'])
const readWhole = (nodes: readonly Plan[]) =>
  nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])

test('a page of batteries is read along their codes, and each stay by its key', async () => {
  const page = { pageNum: 3, pageSize: 20 }
  const nodes = await nodesOf(() => batteries.listBatteries(actor, page))
  expect(indexes(nodes)).toContain('battery_pkey')
  expect(indexes(nodes).some((name) => name?.startsWith('battery_stay'))).toBe(true)
  // The total counts the batteries; the page reads neither them nor their stays as a whole.
  expect(readWhole(nodes).filter((name) => name === 'battery_stay')).toEqual([])
  const { rows, total } = await batteries.listBatteries(actor, page)
  expect([rows.length, total]).toEqual([20, (deviceCount + 1) * perDevice * 2])
})

test('one battery, its way and its conflicts are read by index', async () => {
  const code = `B${id}C1V1`
  for (const call of [
    () => batteries.readBattery(actor, { code }),
    () => batteries.trackBattery(actor, { code, pageNum: 1, pageSize: 20 }),
    () => batteries.listBatteries(actor, { state: 'conflict', pageNum: 1, pageSize: 20 }),
  ]) {
    const nodes = await nodesOf(call)
    expect(readWhole(nodes).filter((name) => /^battery|^device/.test(name ?? ''))).toEqual([])
  }
})

test('cabinets with the fewest full batteries are read along their number', async () => {
  const page = { groupBy: 'device', pageNum: 1, pageSize: 20 } as const
  const nodes = await nodesOf(() => batteries.listStock(actor, page))
  expect(indexes(nodes)).toContain('device_stock_full')
  const { rows } = await batteries.listStock(actor, page)
  expect(rows.every(({ full, lowCount }) => full === 0 && lowCount === 1)).toBe(true)
})
