// `npm run bench:reports [-- --alarms 10000000 --days 31 --devices 100000 --calls 20]`: how long the reports on alarms and
// on availability take over the last 30 whole days, over HTTP from the real server, by each grouping, for a SYSTEM user and
// for two with a data scope; how long their days take to be added up; and the same counts by one statement over the
// history, whose time is the yardstick and whose figures must be the report's.
//
// Filling takes longest: with --data-dir DIR the data are kept, and a later run with the same DIR reuses them.
// Smaller and quicker: --alarms 300000 --devices 5000 --calls 5
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type AlarmGroup,
  type AvailabilityGroup,
  alarmGroupNames,
  availabilityGroupNames,
  readAlarmReport,
  readAvailability,
} from '@voltkeep/contract'
import { dayOf, startOfDay } from '../apps/server/src/platform/process/clock.ts'
import {
  fillWorld,
  historyOptions,
  historySize,
  inWorld,
  signInAll,
  timesText,
  type World,
  worldUsers,
} from './world.ts'

const { values } = parseArgs({
  options: {
    ...historyOptions,
    days: { type: 'string', default: '31' },
    events: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '20' },
    /** Stretches without a connection, of each device. */
    breaks: { type: 'string', default: '10' },
  },
})
const size = historySize(values)
const calls = Number(values.calls)

await inWorld({ keptDataDir: values['data-dir'] }, async (world) => {
  await fillWorld(world, size)
  await fillConnections(world)
  await world.restart()
  const today = startOfDay(new Date())
  const days = Math.min(30, size.days - 1)
  const range = { startTime: dayOf(startOfDay(today, -days)), endTime: dayOf(startOfDay(today, -1)) }
  await untilAddedUp(world, days)

  const tokens = await signInAll(world)
  const plain = await plainCount(world, range)
  console.log(`\nthe history by one statement: ${plain.count} alarms in ${plain.ms.toFixed(0)} ms`)
  for (const user of worldUsers) {
    console.log(`\n${user}`)
    for (const groupBy of Object.keys(alarmGroupNames) as AlarmGroup[]) {
      const { times, last } = await timed(() =>
        world.server.client.call(readAlarmReport, { ...range, groupBy }, tokens[user]),
      )
      console.log(`  alarms ${groupBy.padEnd(9)} ${timesText(times)}  ${last.data.total.count} alarms`)
      if (user === 'admin' && last.data.total.count !== plain.count)
        throw new Error(`the report counts ${last.data.total.count} alarms, the history has ${plain.count}`)
    }
    for (const groupBy of Object.keys(availabilityGroupNames) as AvailabilityGroup[]) {
      const { times, last } = await timed(() =>
        world.server.client.call(readAvailability, { ...range, groupBy, pageSize: 100 }, tokens[user]),
      )
      console.log(
        `  availability ${groupBy.padEnd(9)} ${timesText(times)}  ${last.data.total.deviceCount} devices, ${last.data.total.failureCount} failures`,
      )
    }
  }
  const withToday = await timed(() =>
    world.server.client.call(readAlarmReport, { ...range, endTime: dayOf(today) }, tokens.admin),
  )
  console.log(`\nwith today: alarms ${timesText(withToday.times)}`)
})

/** Every device was away several times, for a minute to three hours. */
async function fillConnections({ database: { pool } }: World): Promise<void> {
  const { rows } = await pool.query('SELECT FROM device_connection LIMIT 1')
  if (rows.length > 0) return
  await pool.query(
    `INSERT INTO device_connection (device_id, at, is_online)
     SELECT d.id, now() - $1::int * interval '1 day', true FROM device d WHERE d.code LIKE 'BN%'`,
    [size.days],
  )
  await pool.query(
    `INSERT INTO device_connection (device_id, at, is_online)
     SELECT d.id, away.at + part.after, part.is_online
     FROM device d CROSS JOIN generate_series(1, $2::int) AS n
     CROSS JOIN LATERAL (
       -- Each in its own share of the time, so that none overlaps another.
       SELECT now() - $1::int * interval '1 day' + (n - 0.9 + 0.5 * random()) * ($1::float8 / $2 * interval '1 day') AS at,
         (60 + (10740 * power(random(), 3))::int) * interval '1 second' AS length
       WHERE d.id > 0
     ) AS away
     CROSS JOIN LATERAL (VALUES (interval '0', false), (away.length, true)) AS part (after, is_online)
     WHERE d.code LIKE 'BN%'`,
    [size.days, Number(values.breaks)],
  )
  await pool.query('VACUUM ANALYZE device_connection')
}

/** Waits for the server's own job. */
async function untilAddedUp({ database: { pool } }: World, days: number): Promise<void> {
  const beganAt = performance.now()
  for (;;) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM report_day
       WHERE part IN ('alarms', 'groups') AND day >= current_date - $1::int AND day < current_date`,
      [days],
    )
    if ((rows[0]?.n ?? 0) >= 2 * days) break
    await delay(500)
  }
  console.log(`${days} days added up, ${((performance.now() - beganAt) / 1000).toFixed(0)} s after the start`)
}

async function timed<T>(work: () => Promise<T & { status: number; message: string }>) {
  const times: number[] = []
  let last = await work()
  for (let n = 0; n < calls; n += 1) {
    const beganAt = performance.now()
    last = await work()
    times.push(performance.now() - beganAt)
    if (last.status !== 200) throw new Error(`${last.status} ${last.message}`)
  }
  return { times, last }
}

async function plainCount({ database: { pool } }: World, range: { startTime: string; endTime: string }) {
  const beganAt = performance.now()
  const { rows } = await pool.query<{ count: number }>(
    `SELECT sum(n)::int AS count FROM (
       SELECT operator_id, semaphore_code, count(*) AS n FROM alarm_history
       WHERE occurred_at >= $1::date AND occurred_at < $2::date + 1 GROUP BY operator_id, semaphore_code
     ) AS counted`,
    [range.startTime, range.endTime],
  )
  return { count: rows[0]?.count ?? 0, ms: performance.now() - beganAt }
}
