// Fills a database with devices and years of history, for the benches of lists.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { foldDeltas, recountLevels } from '../apps/server/src/domain/history/counters.ts'
import { recountGroups } from '../apps/server/src/domain/history/groups.ts'
import { settleAll } from '../apps/server/src/features/alarms/handling/handling.jobs.ts'
import type { OpenDatabase } from '../apps/server/src/platform/database/database.ts'
import { insertUser } from '../apps/server/test/factories.ts'

/**
 * A realistic history for bench/lists.ts: devices of sixty operators in an organization tree, each in a few districts;
 * some devices and some semaphores report far more than others; some days are storms.
 */
export interface FillSize {
  alarms: number
  events: number
  days: number
  devices: number
}

export const deviceSecret = 'bench-secret'
export const deviceCodeOf = (n: number) => `BN${String(n).padStart(6, '0')}`

/** Operators per organization: the users of the last two see 5 and 25 of the 60. */
const organizations = [
  ['BENCH-A', 30],
  ['BENCH-B', 25],
  ['BENCH-C', 5],
] as const
export const benchUsers = { five: 'bench5', twentyFive: 'bench25' } as const
const semaphoreCount = 200
const districtsPerOperator = 6

/** Whether an earlier run has filled this database completely. */
export async function isFilled({ pool }: OpenDatabase): Promise<boolean> {
  const { rows } = await pool.query(`SELECT to_regclass('bench_filled') IS NOT NULL AS is_filled`)
  return rows[0].is_filled
}

export async function fillRegistry({ db, pool }: OpenDatabase, size: FillSize): Promise<void> {
  const organizationIds: number[] = []
  for (const [code, operators] of organizations) {
    const { rows } = await pool.query(
      `INSERT INTO organization (parent_id, name, code) VALUES (1, $1, $1) RETURNING id`,
      [code],
    )
    organizationIds.push(rows[0].id)
    await pool.query(
      `INSERT INTO operator (organization_id, name, code)
       SELECT $1, $2 || '-' || n, $2 || '-' || n FROM generate_series(1, $3::int) n`,
      [rows[0].id, code, operators],
    )
  }
  const functionCodes = [
    'alarm:page',
    'alarm:history',
    'event:list',
    'equip:list',
    'report:alarm',
    'report:availability',
  ]
  const [, twentyFive, five] = organizationIds as [number, number, number]
  await insertUser(db, { loginName: benchUsers.twentyFive, organizationId: twentyFive, functionCodes })
  await insertUser(db, { loginName: benchUsers.five, organizationId: five, functionCodes })
  await pool.query(
    `INSERT INTO dictionary_entry (type, code, name, alarm_level, analysis_type, order_num)
     SELECT type, 'B' || to_char(n, 'FM000'), (ARRAY['过温','过压','欠压','通信中断','门锁异常','烟感','水浸','绝缘'])[1 + n % 8] || '测试' || n,
       CASE type WHEN 'ALARM' THEN 1 + (n * 7 % 4) END, CASE type WHEN 'ALARM' THEN 'BIT' END, n
     FROM generate_series(0, $1::int - 1) n, (VALUES ('ALARM'), ('EVENT')) AS t(type)`,
    [semaphoreCount],
  )
  // 48 districts in eight provinces and six models; each operator has a few of both.
  await pool.query(
    `CREATE TABLE bench_district AS
     SELECT row_number() OVER () - 1 AS n, id FROM (
       SELECT r.id, row_number() OVER (PARTITION BY split_part(r.path, '/', 3) ORDER BY r.code) AS nth,
         dense_rank() OVER (ORDER BY split_part(r.path, '/', 3)) AS province
       FROM region r
       WHERE NOT EXISTS (SELECT FROM region c WHERE c.parent_id = r.id) AND r.path LIKE '/%/%/%/'
     ) AS leaf WHERE nth <= 6 AND province <= 8`,
  )
  await pool.query(
    `WITH o AS (SELECT array_agg(id ORDER BY id) ids FROM operator WHERE code LIKE 'BENCH-%'),
       m AS (SELECT (array_agg(id ORDER BY id))[1:6] ids FROM equip_model),
       picked AS (
         SELECT n, (60 * power(random(), 1.3))::int % 60 AS o, (random() * 1000)::int AS d, (random() * 1000)::int AS m
         FROM generate_series(1, $1::int) n
       )
     INSERT INTO device (code, operator_id, model_id, region_id, secret_hash, business_status)
     SELECT 'BN' || to_char(n, 'FM000000'), o.ids[1 + p.o], m.ids[1 + (p.o + p.m % 3) % cardinality(m.ids)],
       (SELECT id FROM bench_district b WHERE b.n = (p.o * 5 + p.d % $2::int) % (SELECT count(*) FROM bench_district)), $3, 1
     FROM picked p, o, m`,
    [size.devices, districtsPerOperator, createHash('sha256').update(deviceSecret).digest()],
  )
  await recountLevels(db)
  await recountGroups(db)
  await pool.query('INSERT INTO device_state (device_id) SELECT id FROM device ON CONFLICT DO NOTHING')
  await pool.query('VACUUM ANALYZE')
}

/** Filled day by day, with the deltas of ingest, folded by the job's own code. */
export async function fillHistory(
  { db, pool }: OpenDatabase,
  size: FillSize,
  tell: (text: string) => void,
): Promise<void> {
  const { rows } = await pool.query(`SELECT min(id) AS first FROM device WHERE code LIKE 'BN%'`)
  const firstDevice = rows[0].first as number
  // Three days in a hundred are storms with five times the usual number.
  const weights = Array.from({ length: size.days }, (_, day) => (day % 33 === 7 ? 5 : 1 + (day % 7) / 10))
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let nextId = 1_000_000_000
  const indexes = await dropIndexes(pool)
  // All of it is late, and nothing is added up that it could touch.
  await pool.query('ALTER TABLE alarm_history DISABLE TRIGGER USER')
  for (let age = size.days - 1; age >= 0; age -= 1) {
    const share = (weights[age] as number) / whole
    for (const [table, source, total] of [
      ['alarm_history', 1, size.alarms],
      ['event_history', 2, size.events],
    ] as const) {
      const count = Math.round(total * share)
      await insertDay(db, { table, source, count, age, firstDevice, devices: size.devices, firstId: nextId })
      nextId += count
    }
    // A fold writes the whole month of a cell, whether it adds one day or five.
    if (age % 5 === 0) while ((await foldDeltas(db)) > 0);
    if (age % 10 === 0) tell(`${age} days to go`)
  }
  tell('indexes')
  for (const definition of indexes) await pool.query(definition)
  // Current alarms: the newest per device and semaphore, and those of the last days.
  await pool.query(`
    INSERT INTO alarm_state (device_id, semaphore_code, episode_id, is_active, value, occurred_at, reported_at,
      recovered_at, recovery_method, operator_id, model_id, region_id)
    SELECT DISTINCT ON (device_id, semaphore_code) device_id, semaphore_code, id, recovered_at IS NULL,
      CASE WHEN recovered_at IS NULL THEN value ELSE 0 END, occurred_at, coalesce(recovered_at, occurred_at),
      recovered_at, recovery_method, operator_id, model_id, region_id
    FROM alarm_history WHERE occurred_at >= current_date - 3
    ORDER BY device_id, semaphore_code, occurred_at DESC, id DESC`)
  await pool.query(`
    UPDATE alarm_history h SET recovered_at = occurred_at + interval '1 hour', recovery_method = 1
    WHERE recovered_at IS NULL AND NOT EXISTS (
      SELECT FROM alarm_state s WHERE s.is_active AND s.episode_id = h.id)`)
  await pool.query('ALTER TABLE alarm_history ENABLE TRIGGER USER')
  // Days that were added up meanwhile were added up half.
  await pool.query(`
    TRUNCATE report_day, report_touched, report_alarm_delta, report_window, report_device_alarms, report_chattering,
      report_device_day, report_device_month, report_place_day`)
  await pool.query('VACUUM ANALYZE')
  await pool.query('CREATE TABLE bench_filled ()')
  await pool.query('CHECKPOINT')
}

/**
 * What people have done with alarms, and what of them is folded: a tenth of the history was handled, a third of what stands,
 * of a twentieth it came again, and a tenth of what stands has a cause with others. Once for a kept world.
 */
export async function fillHandling({ pool }: OpenDatabase): Promise<void> {
  // The last of it: a run that was broken off is gone on with.
  const { rows } = await pool.query('SELECT FROM alarm_cause_member LIMIT 1')
  if (rows.length > 0) return
  const handled = (share: number, from: string) => `
    INSERT INTO alarm_handling (episode_id, occurred_at, device_id, version, acked_at, acked_by_name, seen_value, seen_level,
      lasts_until, assignee_id)
    SELECT h.id, h.occurred_at, h.device_id, 1, h.occurred_at + interval '3 minutes', 'bench', 255, 1,
      h.occurred_at + interval '4 hours', CASE WHEN h.id % 3 = 0 THEN (SELECT id FROM app_user WHERE login_name = 'bench25') END
    FROM (${from}) AS h WHERE h.id % 100 < ${share}
    ORDER BY h.id ON CONFLICT DO NOTHING`
  await pool.query(handled(10, 'SELECT id, occurred_at, device_id FROM alarm_history'))
  await pool.query(
    handled(33, 'SELECT episode_id AS id, occurred_at, device_id FROM alarm_state WHERE is_active'),
  )
  await pool.query(`
    INSERT INTO alarm_repeat (first_episode_id, device_id, semaphore_code, first_at, last_episode_id, last_at, occurrences,
      seen, recent, chatter)
    SELECT id, device_id, semaphore_code, occurred_at, id, occurred_at, 2 + (id % 11)::int, ARRAY[value], ARRAY[occurred_at],
      CASE WHEN id % 4 = 0 THEN 'chattering' END
    FROM alarm_history WHERE id % 20 = 0 ORDER BY id
    -- The server folds meanwhile.
    ON CONFLICT DO NOTHING`)
  await pool.query(`
    WITH site AS (
      SELECT row_number() OVER () AS n, operator_id, region_id FROM alarm_state WHERE is_active
      GROUP BY operator_id, region_id HAVING count(*) > 10
    ), cause AS (
      INSERT INTO alarm_cause (kind, operator_id, region_id, began_at, last_at)
      SELECT 'site', operator_id, region_id, now(), now() FROM site WHERE n <= 20 RETURNING id, operator_id, region_id
    )
    INSERT INTO alarm_cause_member (cause_id, device_id, episode_id, at)
    SELECT c.id, s.device_id, s.episode_id, s.occurred_at
    FROM cause c JOIN alarm_state s USING (operator_id, region_id) WHERE s.is_active AND s.episode_id % 10 < 3`)
  await pool.query('VACUUM ANALYZE alarm_handling, alarm_repeat, alarm_cause, alarm_cause_member')
}

/** Settles what is over, by the job's own code, until nothing is left; also in a world that an earlier release has filled. */
export async function settleHandling({ db, pool }: OpenDatabase): Promise<number> {
  let settled = 0
  // The server's job runs meanwhile, and each leaves to the other what it has locked.
  for (let n = -1; n !== 0; settled += n) n = await settleAll(db)
  if (settled > 0) {
    while ((await foldDeltas(db)) > 0);
    await pool.query('VACUUM ANALYZE alarm_handling, alarm_settled, history_count')
  }
  return settled
}

/**
 * Drops the indexes, since inserting is several times as fast without them. Returns the statements that create them
 * again.
 */
async function dropIndexes(pool: OpenDatabase['pool']): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index WHERE indrelid IN ('alarm_history'::regclass, 'event_history'::regclass) AND NOT indisprimary`)
  for (const { name } of rows) await pool.query(`DROP INDEX ${name}`)
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}

interface Day {
  table: 'alarm_history' | 'event_history'
  source: number
  count: number
  age: number
  firstDevice: number
  devices: number
  firstId: number
}

async function insertDay(db: OpenDatabase['db'], day: Day): Promise<void> {
  const isAlarm = day.table === 'alarm_history'
  await sql`
    WITH picked AS MATERIALIZED (
      SELECT n, current_date - ${day.age}::int + random() * least(interval '1 day', now() - (current_date - ${day.age}::int)) AS at,
        ${day.firstDevice}::int + (${day.devices - 1} * power(random(), 1.5))::int AS device_id,
        'B' || to_char((${semaphoreCount - 1} * power(random(), 3))::int, 'FM000') AS code, random() AS chance
      FROM generate_series(1, ${day.count}::int) n
    ), added AS (
      INSERT INTO ${sql.table(day.table)} (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, value,
        ${isAlarm ? sql`first_value, recovered_at, recovery_method` : sql`is_fault`})
      SELECT ${day.firstId}::bigint + row_number() OVER (ORDER BY at), date_trunc('milliseconds', at), d.id,
        d.operator_id, d.model_id, d.region_id, picked.code, 1 + (chance * 100)::int,
        ${isAlarm ? sql`1, CASE WHEN ${day.age} > 2 OR chance < 0.8 THEN at + interval '7 minutes' END, CASE WHEN ${day.age} > 2 OR chance < 0.8 THEN 1 END` : sql`chance < 0.1`}
      FROM picked JOIN device d ON d.id = picked.device_id ORDER BY at
      RETURNING occurred_at::date AS day, operator_id, model_id, region_id, semaphore_code
    )
    INSERT INTO history_delta SELECT ${day.source}::smallint, day, operator_id, model_id, region_id, semaphore_code, count(*)
    FROM added GROUP BY 2, 3, 4, 5, 6`.execute(db)
}
