// `npm run docs:plans` writes apps/server/sql/<feature>/plans.txt: how PostgreSQL reads the first page of every list,
// for somebody who sees everything and for somebody with a narrow scope, and how the queues take what is due. The
// statements are those that the calls send, on a database that plans.fill.ts fills. It is run by hand: a plan changes
// with PostgreSQL's version as well.
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { functionCodesOf } from '@voltkeep/contract'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import type pg from 'pg'
import { createApp } from '../../src/app.ts'
import {
  countReach,
  listHappenings,
  listOpenCauses,
} from '../../src/features/alarms/causes/causes.queries.ts'
import {
  keysOfHandled,
  listRecurred,
  listSuccessions,
  readKnown,
} from '../../src/features/alarms/repeats/repeats.queries.ts'
import { type OpenDatabase, openDatabase } from '../../src/platform/database/database.ts'
import { migrate } from '../../src/platform/database/schema/migrate.ts'
import type { Database } from '../../src/platform/database/tables.ts'
import { queueStatements } from '../../src/platform/database/work/lease-queue.ts'
import { readConfig } from '../../src/platform/process/config.ts'
import { createLog } from '../../src/platform/process/log.ts'
import { clientOf } from '../../test/client.ts'
import { endpoints } from '../../test/endpoints.ts'
import { insertUser, testPassword } from '../../test/factories.ts'
import { startScratchPostgres } from '../../test/postgres.ts'
import { factsOf } from '../../test/proofs.check.ts'
import { owners } from '../tables.ts'
import { fill } from './plans.fill.ts'
import { inputOf } from './plans.inputs.ts'
import { shownPlan } from './shown-plan.ts'

interface Sent {
  sql: string
  parameters: readonly unknown[]
}

const target = join(import.meta.dirname, '../../sql')
const adminPassword = 'Admin-1234'
const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-plans-'))
const featureOf = new Map(factsOf().mounted.map(({ endpoint, feature }) => [endpoint, feature]))
const ownerOf = new Map(
  [...owners].flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const)),
)

/** Feature → the parts of its file. */
const parts = new Map<string, string[]>()
const postgres = await startScratchPostgres()
try {
  const database = await openDatabase({ url: postgres.url, zone: 'Asia/Shanghai', poolSize: 4 })
  await migrate(database.pool)
  await explainLists(database)
  await explainFolding(database)
  await explainQueues(database.pool)
  await database.close()
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
for (const path of globSync('*/plans.txt', { cwd: target })) rmSync(join(target, path))
for (const [feature, texts] of parts) {
  const path = join(target, feature, 'plans.txt')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `Written by \`npm run docs:plans\`.\n\n${texts.join('\n\n')}\n`)
}
console.log(`plans of ${parts.size} features`)

/** The role api alone, so that no job and no queue changes a row. */
async function explainLists(database: OpenDatabase): Promise<void> {
  const sent: Sent[] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: database.pool }),
    log: ({ query }) => void sent.push(query),
  })
  const config = readConfig({
    HOST: '127.0.0.1',
    HTTP_PORT: '0',
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: adminPassword,
    ROLES: 'api',
    DISK_WARN_PERCENT: '100',
    DISK_STOP_PERCENT: '100',
  })
  const log = createLog({ level: 'error' })
  const app = await createApp({ config, log, database: { ...database, db }, owner: database.pool })
  await fill(database)
  const lists = endpoints.filter(({ endpoint }) => endpoint.reply.kind === 'page')
  const narrow = await insertUser(database.db, {
    functionCodes: [...new Set(lists.flatMap(({ endpoint }) => functionCodesOf(endpoint)))],
    authorities: [
      ['O', '1'],
      ['O', '2'],
    ],
  })
  await database.pool.query('ANALYZE')
  const { httpPort } = await app.listen()
  const client = clientOf(`http://127.0.0.1:${httpPort}`)
  const readers = {
    everything: await client.signIn('admin', adminPassword),
    'two operators': await client.signIn(narrow.loginName, testPassword),
  }
  for (const { name, endpoint } of lists) {
    for (const [reader, token] of Object.entries(readers)) {
      sent.length = 0
      const answer = await client.call(endpoint, inputOf(name, endpoint), token)
      if (answer.code !== 200) throw new Error(`${name}: ${answer.code} ${answer.message}`)
      await explain(database.pool, featureOf.get(name) ?? 'platform', `${name}, ${reader}`, own(sent))
    }
  }
  await app.close()
}

/** Each once, in an order of their own: some are sent at the same time. */
function own(sent: readonly Sent[]): Sent[] {
  const byText = new Map(sent.filter(isOfList).map((one) => [one.sql, one]))
  return [...byText.values()].sort((a, b) => (a.sql < b.sql ? -1 : 1))
}

/** Reads alone, and not those of the caller's session and rights, which each call sends. */
function isOfList({ sql }: Sent): boolean {
  return /^\s*(with|select)\b/i.test(sql) && !/token_hash|user_authority|set_config/.test(sql)
}

/** What the workers ask that fold repeats and find causes. */
async function explainFolding({ pool }: OpenDatabase): Promise<void> {
  const sent: Sent[] = []
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push(query),
  })
  const keys = [
    { deviceId: 5, code: 'B5' },
    { deviceId: 10, code: 'B10' },
  ]
  const asks: Record<string, (trx: Transaction<Database>) => Promise<unknown>> = {
    'what is known of an alarm that has come again': (trx) => readKnown(trx, keys, [null, null]),
    'whose handling goes on': (trx) => listSuccessions(trx, keys),
    'what has recurred unnoticed': (trx) =>
      listRecurred(trx, true, { at: new Date(0).toISOString(), id: '0' }, 500),
    'handled alarms that have come again': (trx) => keysOfHandled(trx, ['5', '10']),
    'what has begun lately and has no cause': (trx) => listHappenings(trx, new Date(Date.now() - 600_000)),
    'causes that may grow': (trx) => listOpenCauses(trx, new Date(Date.now() - 120_000)),
    'how much of a site and a network there is': (trx) =>
      countReach(trx, [
        { deviceId: 5, operatorId: 1, regionId: 1, network: '10.0.0', episodeId: null, atMs: 0 },
      ]),
  }
  for (const [title, ask] of Object.entries(asks)) {
    sent.length = 0
    await db.transaction().execute(ask)
    await explain(pool, 'alarms', title, own(sent))
  }
}

async function explainQueues(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ table: string; key: string[] }>(`
    SELECT c.relname AS table, array_agg(k.attname::text ORDER BY k.attnum) AS key
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'next_at'
    JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
    JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY(i.indkey)
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 1`)
  for (const { table, key } of rows) {
    const columns = key.map((column) => `t.${column}`).join(', ')
    const { claimText, lockText, earliestText } = queueStatements({ table, key, columns })
    await explain(pool, ownerOf.get(table) ?? 'platform', `the queue ${table}`, [
      { sql: claimText, parameters: [500, 60_000] },
      { sql: lockText, parameters: [500] },
      { sql: earliestText, parameters: [] },
    ])
  }
}

async function explain(
  pool: pg.Pool,
  area: string,
  title: string,
  statements: readonly Sent[],
): Promise<void> {
  const texts: string[] = []
  for (const { sql, parameters } of statements) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${sql}`, [...parameters])
    texts.push(`${headOf(sql)}\n${shownPlan(rows.map((row) => row['QUERY PLAN']))}`)
  }
  parts.set(area, [...(parts.get(area) ?? []), `── ${title}\n\n${texts.join('\n\n')}`])
}

function headOf(sql: string): string {
  const line = sql.replaceAll(/\s+/g, ' ').trim()
  return line.length > 110 ? `${line.slice(0, 110)}…` : line
}
