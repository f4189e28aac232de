// A database with a synchronous standby: what is acknowledged while it fails over, and while the standby is cut off.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makePartitions } from '../src/domain/history/index.ts'
import { openDatabases } from '../src/platform/database/connections/open-databases.ts'
import { isDatabaseAway, type OpenDatabase, openDatabase } from '../src/platform/database/database.ts'
import { notice, openNotices } from '../src/platform/database/notices/notices.ts'
import { createWriteLanes } from '../src/platform/devices/ingest/write-lanes.ts'
import type { Outcome, Writer } from '../src/platform/devices/ingest/writer.ts'
import { createLog } from '../src/platform/process/log.ts'
import { eventually } from './eventually.ts'
import { freePort } from './proxy-examples.ts'
import { type Replicated, startReplicated } from './replication.ts'

const log = createLog({ level: 'silent' })

let servers: Replicated
let database: OpenDatabase
beforeAll(async () => {
  servers = await startReplicated(mkdtempSync(join(tmpdir(), 'voltkeep-replicated-')))
  const opened = await openDatabases({
    url: servers.url,
    ownerUrl: undefined,
    zone: 'Asia/Shanghai',
    poolSize: 4,
    applicationName: 'failover',
    waitForTablesMs: 0,
    log,
  })
  database = opened.database
  await makePartitions(database.pool, { at: [new Date()], retentionDays: 365 })
  await database.pool.query('CREATE TABLE taken (id text)')
})
afterAll(async () => {
  await database?.close()
  await servers?.remove()
})

/** Keeps messages in a table of the test's own. */
const writer: Writer<string> = {
  name: 'test',
  async write(connection, entries) {
    await connection.query('INSERT INTO taken SELECT unnest($1::text[])', [entries])
    return undefined
  },
}
/** Of the server's own: PostgreSQL's cleaning waits as well. */
const waitingForStandby = () =>
  servers.primary.ask<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'failover' AND state = 'active'`,
  )

test('the host that accepts writes is found wherever it stands in the address', async () => {
  const { rows } = await database.pool.query('SELECT inet_server_port() AS port')
  expect(rows[0].port).toBe(servers.primary.port)
})

test('a message whose wait for the standby was cancelled is acknowledged only when the standby has it', async () => {
  const goOn = await servers.standby.holdReceiver()
  const lanes = createWriteLanes({ pool: database.pool, log, laneCount: 1 })
  const done = vi.fn<(outcome: Outcome) => void>()
  try {
    lanes.put({ deviceId: 1, writer, entry: 'm1', messageId: 'm1', done })
    const [first] = await eventually(async () => {
      const waiting = await waitingForStandby()
      expect(waiting).toHaveLength(1)
      return waiting
    })
    await servers.primary.ask('SELECT pg_cancel_backend($1)', [first?.pid])
    // It is there, and is met again by the next try, which waits for the standby itself.
    await eventually(async () => {
      const [again] = await waitingForStandby()
      expect(again).toBeDefined()
      expect(again?.pid).not.toBe(first?.pid)
    })
    expect(await servers.primary.ask('SELECT id FROM taken')).toEqual([{ id: 'm1' }])
    expect(done).not.toHaveBeenCalled()
  } finally {
    goOn()
  }
  await eventually(() => expect(done.mock.calls).toEqual([['stored', undefined]]))
  expect(await servers.primary.ask('SELECT id FROM taken')).toEqual([{ id: 'm1' }])
  await lanes.drained()
})

test('a statement or a transaction of a service is not taken for done either', async () => {
  const goOn = await servers.standby.holdReceiver()
  const failures: unknown[] = []
  try {
    for (const write of [
      () => database.pool.query(`INSERT INTO taken VALUES ('alone')`),
      () =>
        database.db.transaction().execute((trx) =>
          trx
            .insertInto('platform_secret')
            .values({ name: 'test', secret: Buffer.alloc(1) })
            .execute(),
        ),
    ]) {
      const failed = write().catch((error: unknown) => failures.push(error))
      await eventually(async () => {
        const [waiting] = await waitingForStandby()
        expect(waiting).toBeDefined()
        await servers.primary.ask('SELECT pg_cancel_backend($1)', [waiting?.pid])
      })
      await failed
    }
  } finally {
    goOn()
  }
  expect(failures.map(isDatabaseAway)).toEqual([true, true])
})

describe('a pooler', () => {
  const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) }
  const has = spawnSync('pgbouncer', ['--version'], { env }).status === 0
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-pooler-'))
  let pooler: ChildProcess | undefined
  afterAll(() => {
    pooler?.kill()
    rmSync(directory, { recursive: true, force: true })
  })

  test.skipIf(!has).each([
    ['session', 0, undefined],
    ['transaction', 0, '事务方式'],
    ['transaction', 1, '事务方式'],
  ])('with pool_mode = %s, lending in turn: %i', async (mode, isInTurn, refusal) => {
    const port = await freePort()
    const path = join(directory, `${mode}-${isInTurn}.ini`)
    writeFileSync(join(directory, 'users'), '"voltkeep" ""\n')
    writeFileSync(
      path,
      `[databases]
voltkeep = host=127.0.0.1 port=${servers.primary.port} user=voltkeep
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = any
auth_file = ${directory}/users
unix_socket_dir =
pool_mode = ${mode}
server_round_robin = ${isInTurn}
`,
    )
    // It refuses to be root.
    const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []
    spawnSync('chmod', ['-R', 'a+rX', directory])
    const [command, ...args] = [...asNobody, 'pgbouncer', path]
    pooler = spawn(command, args, { env, stdio: 'ignore' })
    const url = `postgresql://voltkeep@127.0.0.1:${port}/voltkeep`
    await eventually(async () => (await openDatabase({ url, zone: 'UTC', poolSize: 1 })).close())
    const opening = openDatabases({
      url,
      ownerUrl: undefined,
      zone: 'Asia/Shanghai',
      poolSize: 4,
      applicationName: 'pooled',
      waitForTablesMs: 0,
      log,
    })
    if (refusal === undefined) await (await opening).close()
    else await expect(opening).rejects.toThrow(refusal)
    pooler.kill()
  })
})

// The last one: the primary does not come back.
test('after the primary was killed and the standby promoted, the same pool writes there, and what is due is read again', async () => {
  const notices = await openNotices({ pool: database.pool, log })
  const told: unknown[] = []
  notices.subscribe(notice<string>('doorsMoved'), (ids) => told.push(ids))
  await servers.primary.kill()
  await servers.standby.promote()
  await eventually(async () => {
    await database.pool.query(`INSERT INTO taken VALUES ('after')`)
  })
  const { rows } = await database.pool.query('SELECT inet_server_port() AS port')
  expect(rows[0].port).toBe(servers.standby.port)
  await eventually(() => expect(told).toEqual([null]))
  await notices.close()
})
