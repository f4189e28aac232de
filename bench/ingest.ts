/**
 * The rate at which alarm messages become durable: the real server with an empty data directory (embedded database and
 * broker) against COPY of the same rows into the same table, alternating, with the load generator on the same machine.
 * The ratio is the result; absolute figures depend on the machine's load.
 *
 *   npm run bench:ingest                     the ratios, the latency, the soak
 *   npm run bench:ingest -- --only ratio     or latency, or soak
 *   npm run bench:ingest -- --only ratio --before ../before --turns 3    in turns with a checkout of another commit
 *   npm run bench:ingest -- --seconds 8 --rounds 3 --mix opening --cpu-prof /tmp/profile
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { serverFlags } from '../scripts/server-flags.mjs'
import type { LoadOrder, LoadResult } from './ingest-load.ts'
import { noDeviceLimits } from './no-device-limits.ts'
import { cpuMs, residentBytes } from './process-cpu.ts'
import { runLoad } from './run-load.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    mix: { type: 'string' },
    connections: { type: 'string' },
    'cpu-prof': { type: 'string' },
    'soak-seconds': { type: 'string', default: '120' },
    before: { type: 'string' },
    turns: { type: 'string', default: '1' },
  },
})
const seconds = Number(options.seconds)
const rounds = Number(options.rounds)
const mixes = (options.mix ? [options.mix] : ['alternating', 'opening']) as LoadOrder['mix'][]
const connectionCounts = options.connections ? [Number(options.connections)] : [200, 10_000]
const deviceCount = 10_000
const secret = 'bench-secret'
/** For the latency: the devices have just connected, and the load generator has just started. */
const warmUpMs = 3_000
const httpPort = 18_790
const mqttPort = 18_791

const deviceCode = (n: number) => `BN${String(n).padStart(6, '0')}`
const codes = (count: number) => Array.from({ length: count }, (_, n) => deviceCode(n))
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const whole = (value: number) => Math.round(value).toLocaleString('en')

let runs = 0

const here = fileURLToPath(new URL('..', import.meta.url))

async function main(): Promise<void> {
  const installations = options.before === undefined ? [here] : [resolve(options.before), here]
  /** By installation: all ratios, by what was measured. */
  const all = new Map<string, Ratio[]>(installations.map((installation) => [installation, []]))
  for (let turn = 0; turn < Number(options.turns); turn += 1) {
    for (const installation of installations) {
      if (installations.length > 1) console.log(`— ${installation}`)
      all.get(installation)?.push(...(await measure(installation)))
    }
  }
  if (installations.length === 1) return
  for (const what of new Set([...all.values()].flat().map((one) => one.what))) {
    console.log(`${what}, all turns:`)
    for (const [installation, ratios] of all) {
      const some = ratios.filter((one) => one.what === what)
      const middle = (of: (one: Ratio) => number) => median(some.map(of))
      console.log(
        `  ${middle((one) => one.ratio).toFixed(3)} to COPY, ${whole(middle((one) => one.messages))} messages/s, CPU a message: ` +
          `server ${middle((one) => one.serverUs).toFixed(1)} µs, database ${middle((one) => one.databaseUs).toFixed(1)} µs, ` +
          `medians of ${some.length}  ${installation}`,
      )
    }
  }
}

interface Ratio {
  what: string
  ratio: number
  messages: number
  serverUs: number
  databaseUs: number
}

async function measure(installation: string): Promise<Ratio[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-bench-'))
  const server = await startServer(dataDir, installation)
  const pool = new pg.Pool({ connectionString: databaseUrlOf(dataDir), max: 2 })
  const ratios: Ratio[] = []
  try {
    await seedDevices(pool)
    const only = options.only
    if (only === undefined || only === 'ratio') ratios.push(...(await measureRatios(pool, server)))
    if (only === undefined || only === 'latency') await measureLatency(pool, server)
    if (only === undefined || only === 'soak') await soak(pool, server)
  } finally {
    await pool.end()
    server.kill('SIGTERM')
    await new Promise((resolve) => server.once('exit', resolve))
    rmSync(dataDir, { recursive: true, force: true })
  }
  return ratios
}

async function startServer(dataDir: string, installation: string): Promise<ChildProcess> {
  const profile = options['cpu-prof']
  const server = fork(join(installation, 'apps/server/src/main.ts'), {
    env: {
      ...process.env,
      ...noDeviceLimits,
      DATA_DIR: dataDir,
      HTTP_PORT: String(httpPort),
      MQTT_PORT: String(mqttPort),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
    },
    execArgv: [...serverFlags, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await new Promise<void>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    server.on('message', (message: { kind?: string }) => message.kind === 'ready' && resolve())
  })
  server.removeAllListeners('exit')
  return server
}

async function seedDevices(pool: pg.Pool): Promise<void> {
  await pool.query(`
    INSERT INTO organization (name, code) VALUES ('Bench', 'BENCH') ON CONFLICT DO NOTHING;
    INSERT INTO operator (organization_id, name, code)
    SELECT (SELECT id FROM organization WHERE code = 'BENCH'), 'Bench ' || n, 'BENCH' || n
    FROM generate_series(1, 20) n;`)
  await pool.query(
    `WITH o AS (SELECT array_agg(id) ids FROM operator), m AS (SELECT array_agg(id) ids FROM equip_model),
       r AS (SELECT array_agg(id) ids FROM (SELECT id FROM region ORDER BY id LIMIT 100) x)
     INSERT INTO device (code, operator_id, model_id, region_id, secret_hash)
     SELECT c, o.ids[1 + n % cardinality(o.ids)], m.ids[1 + n % cardinality(m.ids)], r.ids[1 + n % cardinality(r.ids)], $2
     FROM unnest($1::text[]) WITH ORDINALITY AS t(c, n), o, m, r`,
    [codes(deviceCount), createHash('sha256').update(secret).digest()],
  )
  await pool.query('INSERT INTO device_state (device_id) SELECT id FROM device ON CONFLICT DO NOTHING')
  await pool.query('ANALYZE')
}

function load(
  order: Omit<LoadOrder, 'port' | 'secret' | 'run'>,
  connected?: () => void,
): Promise<LoadResult> {
  runs += 1
  return runLoad({ ...order, port: mqttPort, secret, run: runs }, connected)
}

async function measureRatios(pool: pg.Pool, server: ChildProcess): Promise<Ratio[]> {
  const all: Ratio[] = []
  for (const connections of connectionCounts) {
    for (const mix of mixes) {
      const ratios: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        await pool.query('CHECKPOINT')
        const before = await receipts(pool)
        const cpu = new CpuMeter(server)
        const result = await load(
          {
            deviceCodes: codes(connections),
            window: connections > 1_000 ? 4 : 40,
            durationMs: seconds * 1000,
            mix,
          },
          () => cpu.start(),
        )
        const spent = cpu.perMessage(result)
        const stored = (await receipts(pool)) - before
        if (stored < result.sent) throw new Error(`${result.sent} acknowledged, ${stored} stored`)
        const messages = result.acknowledged / (result.elapsedMs / 1000)
        const { rows, cpuMsPerRow } = await copyRate(pool, server)
        ratios.push(messages / rows)
        const { serverUs, databaseUs } = cpu.spent(result)
        // The first round after a start compiles the code.
        if (round > 0 || rounds === 1)
          all.push({
            what: `${connections} connections, ${mix}`,
            ratio: messages / rows,
            messages,
            serverUs,
            databaseUs,
          })
        console.log(
          `${connections} connections, ${mix}: ${whole(messages)} messages/s, COPY ${whole(rows)} rows/s, ` +
            `ratio ${(messages / rows).toFixed(3)}; ack p50 ${whole(result.ack.p50)} ms, ` +
            `p99 ${whole(result.ack.p99)} ms; connected in ${whole(result.connectMs)} ms, broken ${result.broken}`,
        )
        console.log(`  ${spent}; a row of COPY: ${(cpuMsPerRow * 1000).toFixed(1)} µs`)
      }
      console.log(`  median ratio at ${connections} connections, ${mix}: ${median(ratios).toFixed(3)}\n`)
    }
  }
  return all
}

const receipts = async (pool: pg.Pool) =>
  Number((await pool.query('SELECT count(*) FROM message_receipt')).rows[0].count)

/** Rows per second of COPY, with rows that this run has stored, into a copy of their table. */
async function copyRate(pool: pg.Pool, server: ChildProcess): Promise<{ rows: number; cpuMsPerRow: number }> {
  const columns =
    'occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value, recovered_at, recovery_method'
  const client = await pool.connect()
  try {
    const chunks: Buffer[] = []
    const out = client.query(
      copyTo(
        `COPY (SELECT id + ${runs}000000000000, ${columns} FROM alarm_history WHERE id < 1000000000000
         ORDER BY id DESC LIMIT 300000) TO STDOUT`,
      ),
    )
    for await (const chunk of out) chunks.push(chunk as Buffer)
    await client.query('CHECKPOINT')
    const cpuBefore = cpuMs(server.pid as number).database
    const started = performance.now()
    const into = client.query(copyFrom(`COPY alarm_history (id, ${columns}) FROM STDIN`))
    await pipeline(Readable.from(chunks), into)
    const elapsedMs = performance.now() - started
    const spentMs = cpuMs(server.pid as number).database - cpuBefore
    return { rows: into.rowCount / (elapsedMs / 1000), cpuMsPerRow: spentMs / into.rowCount }
  } finally {
    client.release()
  }
}

async function measureLatency(pool: pg.Pool, server: ChildProcess): Promise<void> {
  const p99s: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await pool.query('CHECKPOINT')
    const cpu = new CpuMeter(server)
    const result = await load(
      {
        deviceCodes: codes(2_000),
        window: 100,
        durationMs: warmUpMs + seconds * 1000,
        warmUpMs,
        ratePerSecond: 5_000,
        mix: 'alternating',
      },
      () => cpu.start(),
    )
    const { ack, acknowledged, elapsedMs } = result
    p99s.push(ack.p99)
    console.log(
      `2000 connections at ${whole(acknowledged / (elapsedMs / 1000))} messages/s: PUBACK p50 ` +
        `${ack.p50.toFixed(1)} ms, p99 ${ack.p99.toFixed(1)} ms, max ${ack.max.toFixed(0)} ms`,
    )
    console.log(`  p99 by second: ${ack.p99BySecond.map((ms) => ms?.toFixed(0) ?? '–').join(' ')}`)
    console.log(`  ${cpu.perMessage(result)}`)
  }
  console.log(`  median p99: ${median(p99s).toFixed(1)} ms\n`)
}

async function soak(pool: pg.Pool, server: ChildProcess): Promise<void> {
  const soakSeconds = Number(options['soak-seconds'])
  const started = Date.now()
  const timer = setInterval(() => {
    console.log(
      `  after ${whole((Date.now() - started) / 1000)} s: server ${residentMb(server.pid as number)} MB`,
    )
  }, 10_000)
  const before = await receipts(pool)
  const result = await load({
    deviceCodes: codes(2_000),
    window: 20,
    durationMs: soakSeconds * 1000,
    mix: 'alternating',
  })
  clearInterval(timer)
  const stored = (await receipts(pool)) - before
  console.log(
    `soak: ${whole(result.sent)} acknowledged, ${whole(stored)} stored, ` +
      `${whole(result.acknowledged / (result.elapsedMs / 1000))} messages/s, server ${residentMb(server.pid as number)} MB`,
  )
  if (stored < result.sent) throw new Error('acknowledged messages are missing')
}

/** CPU time of each process per message: on a shared machine it varies less than rates. */
class CpuMeter {
  readonly #server: ChildProcess
  #before: ReturnType<typeof cpuMs>
  #after: ReturnType<typeof cpuMs> | null = null

  constructor(server: ChildProcess) {
    this.#server = server
    this.#before = cpuMs(server.pid as number)
  }

  start(): void {
    this.#before = cpuMs(this.#server.pid as number)
  }

  /** What was spent from the start to the end of the run, for each of its messages. */
  spent(result: LoadResult): { serverUs: number; databaseUs: number; loadUs: number } {
    this.#after ??= cpuMs(this.#server.pid as number)
    const each = (ms: number) => (ms * 1_000) / result.sent
    return {
      serverUs: each(this.#after.server - this.#before.server),
      databaseUs: each(this.#after.database - this.#before.database),
      loadUs: each(result.cpuMs),
    }
  }

  perMessage(result: LoadResult): string {
    const { serverUs, databaseUs, loadUs } = this.spent(result)
    return (
      `CPU a message: server ${serverUs.toFixed(1)} µs, ` +
      `database ${databaseUs.toFixed(1)} µs, load ${loadUs.toFixed(1)} µs`
    )
  }
}

const residentMb = (pid: number) => Math.round(residentBytes(pid) / 1024 / 1024)

await main()
