// `npm run bench:migrations [-- --rows 1000000,10000000 --rate 500]`: how long each kind of step of a migration takes on
// a table of events of that many rows, and how long the slowest commit took of somebody who goes on writing to it; then
// the same at `--scale-to` rows (100 million), as much longer as there are more of them. Measured rather than scaled, 100
// million rows are 20 GB and take an hour to fill and hours to change: `-- --rows 100000000`.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { type OpenDatabase, openDatabase } from '../apps/server/src/platform/database/database.ts'
import { startEmbeddedPostgres } from '../apps/server/src/platform/database/embedded/embedded.ts'
import { migrate } from '../apps/server/src/platform/database/schema/migrate.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'
import { currentLoad, describeMachine, machineText } from './machine.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000,10000000' },
    'scale-to': { type: 'string', default: '100000000' },
    rate: { type: 'string', default: '500' },
  },
})
/** Rows that one statement fills. */
const portion = 1_000_000
/** As intake writes: what came in within some milliseconds. */
const batchesPerSecond = 50

/** The steps that a migration may have after the first release (docs/developing.md). */
const steps = {
  // What is written from then on is filled, or filling would never end.
  'column with a default': `ALTER TABLE report ADD COLUMN kind text NOT NULL DEFAULT '';
ALTER TABLE report ALTER COLUMN kind SET DEFAULT 'E';`,
  'constraint, not checked yet':
    'ALTER TABLE report ADD CONSTRAINT report_value CHECK (value >= 0) NOT VALID;',
  'constraint, all rows checked': '-- online\nALTER TABLE report VALIDATE CONSTRAINT report_value;',
  'index of all partitions':
    '-- online\nCREATE INDEX CONCURRENTLY report_code ON report (code, occurred_at);',
  // Without it each portion would pass over all rows that are filled already.
  'index of what is to be filled': `-- online
CREATE INDEX CONCURRENTLY report_unfilled ON report (occurred_at, id) WHERE kind = '';`,
  'column filled, 10,000 rows a time': `-- online
-- repeat
UPDATE report r SET kind = 'E' FROM (
  SELECT occurred_at, id FROM report WHERE kind = '' ORDER BY occurred_at, id LIMIT 10000
) AS part WHERE r.occurred_at = part.occurred_at AND r.id = part.id;`,
  'column dropped': '-- contract: since 0001\nALTER TABLE report DROP COLUMN kind;',
}

/** A lock and a row of the catalogue, whatever the size. */
const ofAnySize = new Set<string>(['column with a default', 'constraint, not checked yet', 'column dropped'])

console.log(machineText(describeMachine()))
/** Of the largest size that was measured, ms. */
let largest: { rows: number; times: Map<string, number> } | undefined
for (const text of (values.rows ?? '').split(',')) {
  const rows = Number(text)
  const times = await measure(rows)
  if (!largest || rows > largest.rows) largest = { rows, times }
}
const scaleTo = Number(values['scale-to'])
if (largest && scaleTo > largest.rows) {
  console.log(`${scaleTo.toLocaleString('en')} rows, not measured but scaled by the number of rows:`)
  for (const [what, ms] of largest.times) {
    const scaledMs = ofAnySize.has(what) ? ms : (ms * scaleTo) / largest.rows
    console.log(`  ${what}: ${durationText(scaledMs)}`)
  }
}

async function measure(rows: number): Promise<Map<string, number>> {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-bench-migrations-'))
  const log = createLog({ level: 'warn' })
  const postgres = await startEmbeddedPostgres({ dataDir: directory, log, zone: 'UTC' })
  const open = (poolSize: number) =>
    openDatabase({ url: postgres.ownerUrl, zone: 'UTC', poolSize, queryLimitMs: 86_400_000 })
  const database = await open(2)
  const writer = await open(1)
  const migrations = join(directory, 'bench-migrations')
  const times = new Map<string, number>()
  try {
    const filledFrom = performance.now()
    await fill(database, rows)
    const filledMs = performance.now() - filledFrom
    const { rows: sizes } = await database.pool.query<{ gb: string }>(`
      SELECT round(sum(pg_total_relation_size(inhrelid)) / 1e9, 2) AS gb FROM pg_inherits
      WHERE inhparent = 'report'::regclass`)
    console.log(
      `${rows.toLocaleString('en')} rows, ${sizes[0]?.gb} GB with indexes, filled in ${durationText(filledMs)}; ` +
        `${values.rate} more a second`,
    )
    mkdirSync(migrations)
    for (const [at, [what, sql]] of Object.entries(steps).entries()) {
      writeFileSync(join(migrations, `${String(at + 1).padStart(4, '0')}_step.sql`), `${sql}\n`)
      const ending = new AbortController()
      const writing = write(writer.pool, ending.signal)
      const beganAt = performance.now()
      await migrate(database.pool, migrations).finally(() => ending.abort())
      const tookMs = performance.now() - beganAt
      const { slowestMs, count } = await writing
      times.set(what, tookMs)
      console.log(
        `  ${what}: ${durationText(tookMs)}, slowest of ${count} commits meanwhile ${slowestMs.toFixed(0)} ms, ` +
          `load ${currentLoad()[0]}`,
      )
    }
    return times
  } finally {
    await writer.close()
    await database.close()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

function durationText(ms: number): string {
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`
  return ms < 7_200_000 ? `${Math.round(ms / 60_000)} min` : `${(ms / 3_600_000).toFixed(1)} h`
}

/** A table as that of events: partitions by month, an index by id, two by what lists filter by. */
async function fill({ pool }: OpenDatabase, rows: number): Promise<void> {
  await pool.query(`
    CREATE TABLE report (
      id bigint NOT NULL, occurred_at timestamptz NOT NULL, device_id integer NOT NULL, operator_id integer NOT NULL,
      code text NOT NULL, value bigint NOT NULL, data jsonb
    ) PARTITION BY RANGE (occurred_at);
    CREATE SEQUENCE report_number;`)
  for (let month = 1; month <= 12; month += 1) {
    const from = `2026-${String(month).padStart(2, '0')}-01`
    await pool.query(`
      CREATE TABLE report_${month} PARTITION OF report
      FOR VALUES FROM ('${from}') TO ('${from}'::date + interval '1 month')`)
  }
  for (let done = 0; done < rows; done += portion) {
    const count = Math.min(portion, rows - done)
    await pool.query(
      `INSERT INTO report
       SELECT nextval('report_number'), '2026-01-01'::timestamptz + interval '1 year' * ((n + $1::float8) / $2 * 0.9999),
         n % 100000, n % 50, lpad((n % 300)::text, 8, '0'), n % 7, NULL
       FROM generate_series(0, $3::int - 1) AS n`,
      [done, rows, count],
    )
  }
  // After the rows: several times as fast.
  await pool.query(`
    ALTER TABLE report ADD PRIMARY KEY (occurred_at, id);
    CREATE INDEX report_device ON report (device_id, occurred_at, id);
    CREATE INDEX report_operator ON report (operator_id, occurred_at, id);`)
  await pool.query('VACUUM ANALYZE report')
}

/** Rows of now at the rate that was asked for, until the signal; how long the slowest commit took. */
async function write(pool: pg.Pool, signal: AbortSignal): Promise<{ slowestMs: number; count: number }> {
  let slowestMs = 0
  let count = 0
  const perBatch = Math.max(1, Math.round(Number(values.rate) / batchesPerSecond))
  while (!signal.aborted) {
    const beganAt = performance.now()
    await pool.query(
      `INSERT INTO report (id, occurred_at, device_id, operator_id, code, value)
       SELECT nextval('report_number'), '2026-12-31 12:00', n, n % 50, '00000001', 1 FROM generate_series(1, $1::int) AS n`,
      [perBatch],
    )
    const tookMs = performance.now() - beganAt
    slowestMs = Math.max(slowestMs, tookMs)
    count += 1
    await delay(Math.max(0, 1000 / batchesPerSecond - tookMs))
  }
  return { slowestMs, count }
}
