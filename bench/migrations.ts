// `npm run bench:migrations [-- --rows 1000000,100000000 --rate 500]`: how long each kind of step of a migration takes on
// a table of events of that many rows, and how long the slowest commit took of somebody who goes on writing to it. 100
// million rows are 20 GB and take about an hour to fill.
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

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000,100000000' },
    rate: { type: 'string', default: '500' },
  },
})
/** Rows that one statement fills. */
const portion = 1_000_000
/** As intake writes: what came in within some milliseconds. */
const batchesPerSecond = 50

/** The steps that a migration may have after the first release (docs/developing.md). */
const steps = {
  'column with a default': "ALTER TABLE report ADD COLUMN kind text NOT NULL DEFAULT '';",
  'constraint, not checked yet':
    'ALTER TABLE report ADD CONSTRAINT report_value CHECK (value >= 0) NOT VALID;',
  'constraint, all rows checked': '-- online\nALTER TABLE report VALIDATE CONSTRAINT report_value;',
  'index of all partitions':
    '-- online\nCREATE INDEX CONCURRENTLY report_code ON report (code, occurred_at);',
  'column filled, 10,000 rows a time': `-- online
-- repeat
UPDATE report r SET kind = 'E' FROM (
  SELECT occurred_at, id FROM report WHERE kind = '' LIMIT 10000
) AS part WHERE r.occurred_at = part.occurred_at AND r.id = part.id;`,
  'column dropped': '-- contract: since 0001\nALTER TABLE report DROP COLUMN kind;',
}

for (const text of (values.rows ?? '').split(',')) await measure(Number(text))

async function measure(rows: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-bench-migrations-'))
  const log = createLog({ level: 'warn' })
  const postgres = await startEmbeddedPostgres({ dataDir: directory, log, zone: 'UTC' })
  const open = (poolSize: number) =>
    openDatabase({ url: postgres.ownerUrl, zone: 'UTC', poolSize, queryLimitMs: 86_400_000 })
  const database = await open(2)
  const writer = await open(1)
  const migrations = join(directory, 'bench-migrations')
  try {
    await fill(database, rows)
    const { rows: sizes } = await database.pool.query<{ gb: string }>(`
      SELECT round(sum(pg_total_relation_size(inhrelid)) / 1e9, 2) AS gb FROM pg_inherits
      WHERE inhparent = 'report'::regclass`)
    console.log(
      `${rows.toLocaleString('en')} rows, ${sizes[0]?.gb} GB with indexes, ${values.rate} more a second`,
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
      console.log(
        `  ${what}: ${(tookMs / 1000).toFixed(1)} s, slowest of ${count} commits meanwhile ${slowestMs.toFixed(0)} ms`,
      )
    }
  } finally {
    await writer.close()
    await database.close()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A table as that of events: partitions by month, an index by id, two by what lists filter by. */
async function fill({ pool }: OpenDatabase, rows: number): Promise<void> {
  await pool.query(`
    CREATE TABLE report (
      id bigint NOT NULL, occurred_at timestamptz NOT NULL, device_id integer NOT NULL, operator_id integer NOT NULL,
      code text NOT NULL, value bigint NOT NULL, data jsonb, PRIMARY KEY (occurred_at, id)
    ) PARTITION BY RANGE (occurred_at);
    CREATE INDEX report_device ON report (device_id, occurred_at, id);
    CREATE INDEX report_operator ON report (operator_id, occurred_at, id);
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
