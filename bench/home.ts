// `npm run bench:home [-- --alarms 10000000 --events 2500000 --devices 100000 --calls 200]`: how long the calls of the
// home page take over HTTP from the real server while devices keep reporting, for users who see all of the fleet or
// a part of it; what a count of the kept figures costs, whole and after a few devices; whether the answers are those
// of plain SQL; and what the plans read: neither history nor devices.
//
// Filling takes longest: with --data-dir DIR the data are kept, and a later run of this or of bench:lists reuses them.
// Smaller and quicker: --alarms 200000 --events 50000 --days 40 --devices 3000 --calls 40
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import {
  type DataFor,
  type Endpoint,
  listAlarms,
  listParameterBatches,
  listUpgradeTasks,
  readOverview,
} from '@voltkeep/contract'
import { Kysely, PostgresDialect } from 'kysely'
import { readQuiet } from '../apps/server/src/features/alarms/index.ts'
import { countFleet } from '../apps/server/src/features/overview/fleet.queries.ts'
import { figures } from '../apps/server/src/features/overview/fleet-figures.ts'
import { createOverview } from '../apps/server/src/features/overview/overview.service.ts'
import type { Actor } from '../apps/server/src/platform/calls/actor.ts'
import type { Database } from '../apps/server/src/platform/database/tables.ts'
import { benchUsers } from './lists-fill.ts'
import {
  fillWorld,
  historyOptions,
  historySize,
  inWorld,
  signInAll,
  startReports,
  timesText,
  type World,
  type WorldUser,
  worldUsers,
} from './world.ts'

const { values } = parseArgs({ options: { ...historyOptions, calls: { type: 'string', default: '200' } } })
const size = historySize(values)

await inWorld({ keptDataDir: values['data-dir'] }, async (world) => {
  await fill(world)
  await world.restart()
  await measureCounts(world)
  await measureCalls(world)
  await compare(world)
  await explain(world)
})

async function fill(world: World): Promise<void> {
  await fillWorld(world, size)
  const { pool } = world.database
  const { rows } = await pool.query('SELECT EXISTS (SELECT FROM device_version) AS "hasVersions"')
  if (!rows[0].hasVersions) {
    // Seventeen parts per device: twelve compartments, and one of each other part.
    await pool.query(`
      INSERT INTO device_version (device_id, part_type, addr_id, version, reported_at)
      SELECT d.id, p.type, n::text, '1.' || (10 + (d.id * 31 + length(p.type)) % 7), now()
      FROM device d CROSS JOIN (VALUES ('PART_TYPE_EC_BIN', 12), ('PART_TYPE_EC_MASTER', 1),
        ('PART_TYPE_EC_CABINET', 1), ('PART_TYPE_EC_POWER', 1), ('PART_TYPE_EC_FIRE', 1),
        ('PART_TYPE_EC_SYSTEM_CHECK', 1)) AS p(type, count), generate_series(1, p.count) n`)
    await pool.query(
      `UPDATE device_state SET is_online = device_id % 40 <> 0, online_changed_at = now() WHERE device_id % 100 <> 0`,
    )
    await pool.query('VACUUM ANALYZE')
  }
}

/** The job's work: a count of everything at a start and after a storm, otherwise of the places of some devices. */
async function measureCounts({ database: { db, pool } }: World): Promise<void> {
  const { rows } = await pool.query(
    'SELECT array_agg(id) AS ids FROM (SELECT id FROM device LIMIT 100) AS chosen',
  )
  const timed = async (work: () => Promise<number>) => {
    const at = performance.now()
    await work()
    return performance.now() - at
  }
  // The server's own first count runs two seconds after its start, before the measurement.
  await new Promise((resolve) => setTimeout(resolve, 5_000))
  for (const figure of figures) await countFleet(db, figure, null, readQuiet)
  for (const figure of figures) {
    const whole = await timed(() => countFleet(db, figure, null, readQuiet))
    const some = await timed(() => countFleet(db, figure, rows[0].ids, readQuiet))
    console.log(
      `count of ${figure.figure.padEnd(8)} whole ${whole.toFixed(0).padStart(6)} ms, after 100 devices ${some.toFixed(0)} ms`,
    )
  }
  const { rows: kept } = await pool.query(
    'SELECT figure, count(*)::int AS n FROM fleet_count GROUP BY 1 ORDER BY 1',
  )
  console.log(`rows kept: ${kept.map(({ figure, n }) => `${figure} ${n}`).join(', ')}`)
}

async function measureCalls(world: World): Promise<void> {
  const tokens = await signInAll(world)
  const load = startReports(world, { devices: size.devices, ratePerSecond: Number(values.rate) })
  const calls: [name: string, endpoint: Endpoint, input: object, users: readonly WorldUser[]][] = [
    ['/overview/summary', readOverview, {}, worldUsers],
    ['/alarm/page', listAlarms, { pageNum: 1, pageSize: 10 }, worldUsers],
    ['/equipUpgradeTask/list', listUpgradeTasks, { status: 1, type: 'ALL', pageSize: 5 }, ['admin']],
    ['/equip/param/batchSet/list', listParameterBatches, { state: 'running', pageSize: 5 }, ['admin']],
  ]
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  for (const [name, endpoint, input, by] of calls) {
    for (const user of by) {
      const times: number[] = []
      for (let n = 0; n < Number(values.calls) + 10; n += 1) {
        const at = performance.now()
        const answer = await world.server.client.call(endpoint, input as never, tokens[user])
        if (answer.code !== 200) throw new Error(`${name}: ${answer.code} ${answer.message}`)
        if (n >= 10) times.push(performance.now() - at)
      }
      console.log(`${name.padEnd(28)} ${user.padEnd(8)} ${timesText(times)}`)
    }
  }
  load.kill('SIGTERM')
}

/** After the last report, the kept figures must equal those of the tables. */
async function compare({ server, database }: World): Promise<void> {
  const token = await server.client.signIn('admin', server.adminPassword)
  const plain = async () => {
    const { rows } = await database.pool.query<{
      online: number
      offline: number
      alarms: number
      month: number
    }>(`
      SELECT (SELECT count(*)::int FROM device d JOIN device_state s ON s.device_id = d.id
          WHERE d.business_status = 1 AND s.is_online) AS online,
        (SELECT count(*)::int FROM device d JOIN device_state s ON s.device_id = d.id
          WHERE d.business_status = 1 AND NOT s.is_online AND s.online_changed_at IS NOT NULL) AS offline,
        (SELECT count(*)::int FROM alarm_state WHERE is_active) AS alarms,
        (SELECT count(*)::int FROM alarm_history WHERE occurred_at >= current_date - 29) AS month`)
    return JSON.stringify(rows[0])
  }
  const kept = async () => {
    const { data } = await server.client.call(readOverview, {}, token)
    const { onlineCount, offlineCount, activeAlarms, alarmsByDay }: DataFor<typeof readOverview> = data
    const sum = (list: readonly { count: number }[]) => list.reduce((all, { count }) => all + count, 0)
    return JSON.stringify({
      online: onlineCount,
      offline: offlineCount,
      alarms: sum(activeAlarms),
      month: sum(alarmsByDay),
    })
  }
  const end = Date.now() + 120_000
  while ((await kept()) !== (await plain()) && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  const [ours, theirs] = [await kept(), await plain()]
  console.log(ours === theirs ? `figures are those of plain SQL: ${ours}` : `DIFFERENT: ${ours} ${theirs}`)
  if (ours !== theirs) process.exitCode = 1
}

/** The relations in the plans of all queries of the home page, which should be its own figures. */
async function explain({ database }: World): Promise<void> {
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void asked.push(query),
  })
  const { rows } = await database.pool.query(
    `SELECT id AS "userId", organization_id AS "organizationId", login_name = 'admin' AS "isSystem" FROM app_user
     WHERE login_name = ANY($1)`,
    [['admin', benchUsers.five]],
  )
  for (const actor of rows) await createOverview({ db }).readOverview(actor as Actor)
  const read = new Map<string, number>()
  for (const { sql, parameters } of asked) {
    if (!/^\s*(with|select)/i.test(sql)) continue
    const plan = await database.pool.query(`EXPLAIN (FORMAT JSON) ${sql}`, [...parameters])
    for (const [, name = ''] of JSON.stringify(plan.rows).matchAll(/"Relation Name":"([^"]+)"/g)) {
      read.set(name, (read.get(name) ?? 0) + 1)
    }
  }
  const names = [...read.keys()].sort()
  const forbidden = names.filter((name) =>
    /^(device|device_.*|alarm_state|(alarm|event)_history.*)$/.test(name),
  )
  console.log(`plans read: ${names.join(', ')}`)
  console.log(forbidden.length === 0 ? 'no plan reads history or devices' : `READ: ${forbidden.join(', ')}`)
  if (forbidden.length > 0) process.exitCode = 1
}
