import {
  type Endpoint,
  listAlarmHistory,
  listAlarms,
  listDevices,
  listEvents,
  listOperations,
  listUsers,
} from '@voltkeep/contract'
import { Kysely, PostgresDialect } from 'kysely'
import { expect, test } from 'vitest'
import { createAlarms } from '../src/features/alarms/alarms.service.ts'
import { createDevices } from '../src/features/devices/devices.service.ts'
import { createEvents } from '../src/features/events/events.service.ts'
import { createSpokenProtocols } from '../src/features/mappings/index.ts'
import { createOperations } from '../src/features/operations/operations.service.ts'
import { listUsers as listUserRows, usersMatching } from '../src/features/users/users.queries.ts'
import type { Actor } from '../src/platform/calls/actor.ts'
import type { Database } from '../src/platform/database/tables.ts'
import { createLog } from '../src/platform/process/log.ts'
import { databaseOfTests } from './database.ts'
import { endpoints } from './endpoints.ts'
import { insertDevice, insertUser } from './factories.ts'

interface Plan {
  'Node Type': string
  'Index Name'?: string
  'Parent Relationship'?: string
  Plans?: Plan[]
}

let asked: { sql: string; parameters: readonly unknown[] }[] = []

/** Enough rows that the planner avoids sorting them. */
const rowCount = 20_000

const database = await databaseOfTests({ isSeeded: true })
const actor = { userId: (await insertUser(database.db)).id, organizationId: 1, isSystem: true } as Actor
const { id } = await insertDevice(database.db)
await database.owner.query(`
  INSERT INTO device (code, operator_id, model_id, region_id, business_status, secret_hash)
  SELECT 'N' || n, operator_id, model_id, region_id, 1, secret_hash
  FROM device, generate_series(1, ${rowCount}) n WHERE id = ${id};
  INSERT INTO app_user (organization_id, user_name, login_name, password_hash)
  SELECT 1, 'n' || n, 'n' || n, '' FROM generate_series(1, ${rowCount}) n;
  INSERT INTO operation_log (at, address, request_id, call, summary, result_code)
  SELECT now() - n * interval '1 minute', '::1', '', '/x', 'x', 200 FROM generate_series(1, ${rowCount}) n;
  INSERT INTO alarm_state (device_id, semaphore_code, value, is_active, occurred_at, reported_at, episode_id,
    operator_id, model_id, region_id)
  SELECT id, 'A', 1, true, now() - id * interval '1 second', now(), id, operator_id, model_id, region_id
  FROM device;
  INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
    first_value, value)
  SELECT episode_id, occurred_at, device_id, operator_id, model_id, region_id, 'A', 1, 1 FROM alarm_state;
  INSERT INTO event_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code,
    value, is_fault)
  SELECT episode_id, occurred_at, device_id, operator_id, model_id, region_id, 'E', 1, false FROM alarm_state;
  INSERT INTO history_delta
  SELECT kind, occurred_at::date, operator_id, model_id, region_id, code, count(*)
  FROM alarm_state, (VALUES (1, 'A'), (2, 'E')) AS source (kind, code) GROUP BY 1, 2, 3, 4, 5, 6;
  ANALYZE`)
const logged = new Kysely<Database>({
  dialect: new PostgresDialect({ pool: database.pool }),
  log: ({ query }) => void asked.push(query),
})

/** The index that each order is read along. */
const orders: {
  of: Endpoint
  by: string
  index: RegExp
  read: (page: { sortBy: never; sortOrder: 'asc' | 'desc'; pageNum: number; pageSize: number }) => unknown
}[] = [
  {
    of: listAlarms,
    by: 'occurrenceTime',
    index: /^alarm_state_order$/,
    read: (page) => alarms().listAlarms(actor, { ...page, status: '1' }),
  },
  {
    // The index has each level's rows in order of time; the counts tell at which level a page begins.
    of: listAlarms,
    by: 'level',
    index: /^alarm_state_order$/,
    read: (page) => alarms().listAlarms(actor, { ...page, status: '1' }),
  },
  {
    of: listAlarmHistory,
    by: 'occurrenceTime',
    index: /^alarm_history_.*pkey$/,
    read: (page) => alarms().listAlarmHistory(actor, page),
  },
  {
    of: listEvents,
    by: 'occurrenceTime',
    index: /^event_history_.*pkey$/,
    read: (page) => createEvents({ db: logged }).listEvents(actor, page),
  },
  {
    of: listOperations,
    by: 'time',
    index: /^operation_log_.*pkey$/,
    read: (page) =>
      createOperations({ db: logged, log: createLog({ level: 'error' }) }).listOperations(actor, page),
  },
  {
    of: listDevices,
    by: 'code',
    index: /^device_listing_code$/,
    read: (page) =>
      createDevices({
        db: logged,
        notices: {} as never,
        ports: {} as never,
        ...createSpokenProtocols({ isShared: false }),
      }).listDevices(actor, page),
  },
  {
    of: listUsers,
    by: 'loginName',
    index: /^app_user_login_name_taken$/,
    read: ({ sortOrder, pageSize }) =>
      listUserRows(logged, usersMatching(actor, {}), { limit: pageSize, offset: 0 }, sortOrder),
  },
]
const alarms = () => createAlarms({ db: logged, notices: { publish: () => {} } })

for (const { of, by, index, read } of orders) {
  test(`${of.summary} by ${by}, in both directions, is read along its index without sorting`, async () => {
    for (const sortOrder of ['asc', 'desc'] as const) {
      asked = []
      await read({ sortBy: by as never, sortOrder, pageNum: 1, pageSize: 20 })
      const pages: Plan[] = []
      for (const { sql, parameters } of asked) {
        if (!/^\s*(with|select)/i.test(sql)) continue
        const { rows } = await database.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          `EXPLAIN (FORMAT JSON) ${sql}`,
          [...parameters],
        )
        for (const { Plan: plan } of rows[0]?.['QUERY PLAN'] ?? []) pages.push(...limitsOf(plan))
      }
      const along = pages.filter((plan) => nodesOf(plan).some((node) => index.test(node['Index Name'] ?? '')))
      expect([sortOrder, along.length]).toEqual([sortOrder, 1])
      const sorts = along.flatMap(nodesOf).filter((node) => /Sort/.test(node['Node Type']))
      expect([sortOrder, sorts]).toEqual([sortOrder, []])
    }
  })
}

test('no other list offers an order', () => {
  const offered = endpoints.flatMap(({ endpoint }) => {
    const { sortBy } = (endpoint.input as { shape?: Record<string, unknown> }).shape ?? {}
    const names = (sortBy as { def: { innerType: { options: string[] } } } | undefined)?.def.innerType.options
    return (names ?? []).map((by) => `${endpoint.path} ${by}`)
  })
  expect(offered.sort()).toEqual(orders.map(({ of, by }) => `${of.path} ${by}`).sort())
})

/** All Limit nodes of a plan. */
const limitsOf = (plan: Plan): Plan[] =>
  plan['Node Type'] === 'Limit' ? [plan] : (plan.Plans ?? []).flatMap(limitsOf)

/** A node and its inputs, without the lookups per row, which do not affect the order. */
const nodesOf = (plan: Plan): Plan[] => [
  plan,
  ...(plan.Plans ?? []).filter((node) => node['Parent Relationship'] !== 'SubPlan').flatMap(nodesOf),
]
