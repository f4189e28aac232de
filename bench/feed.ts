/**
 * What the feed of events brings to other systems: a backlog that one consumer catches up with and then ten at once, and
 * what one and ten are told while devices report. Beside it, in the same run, the same rows by COPY and by a plain SELECT
 * on a connection to the database, and what the intake takes with nobody reading and with a reader.
 *
 *   npm run bench:feed
 *   npm run bench:feed -- --events 200000 --devices 10000 --rate 5000 --seconds 15 --rounds 3
 */
import { type ChildProcess, fork } from 'node:child_process'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { insertApiKey, readFeed } from '@voltkeep/contract'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { ofOperators } from '../apps/server/test/api-keys.ts'
import type { LoadOrder, LoadResult } from './ingest-load.ts'
import { deviceCodeOf, deviceSecret, fillRegistry } from './lists-fill.ts'
import { inWorld, timeAt, type World } from './world.ts'

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '200000' },
    devices: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '3' },
  },
})
const count = Number(options.events)
const deviceCount = Number(options.devices)
const rate = Number(options.rate)
const seconds = Number(options.seconds)
const rounds = Number(options.rounds)
const consumersAtOnce = 10
const pageSize = 1_000
const whole = (value: number) => Math.round(value).toLocaleString('en')
const median = (values: readonly number[]) => timeAt(values, 0.5)

const columns =
  'f.seq, f.at, f.kind, f.moment, f.episode_id, f.began_at, f.semaphore_code, f.value, d.code, d.operator_id'
const newest = `SELECT ${columns} FROM feed_event f JOIN device d ON d.id = f.device_id
  WHERE f.seq > (SELECT max(seq) FROM feed_event) - ${count} ORDER BY f.seq`

let runs = 0
/** An alarm message adds a row of the history or changes one: either is an event. */
function report(world: World, durationMs: number, ratePerSecond?: number): Promise<LoadResult> {
  runs += 1
  const child: ChildProcess = fork(join(import.meta.dirname, 'ingest-load.ts'))
  child.send({
    port: world.server.mqttPort,
    deviceCodes: Array.from({ length: Math.min(500, deviceCount) }, (_, n) => deviceCodeOf(n + 1)),
    secret: deviceSecret,
    window: 40,
    durationMs,
    ...(ratePerSecond !== undefined && { ratePerSecond }),
    mix: 'alternating',
    run: runs,
  } satisfies LoadOrder)
  return new Promise((resolve, reject) => {
    child.on('message', (message) => message !== 'connected' && resolve(message as LoadResult))
    child.once('exit', (code) => code !== 0 && reject(new Error(`the load generator ended with ${code}`)))
  })
}

let firstId = 5_000_000_000
/** Alarms as the intake writes them, a thousand at a time. */
async function addBacklog({ database: { pool } }: World): Promise<void> {
  for (let done = 0; done < count; done += 1_000) {
    await pool.query(
      `INSERT INTO alarm_history (id, occurred_at, device_id, operator_id, model_id, region_id, semaphore_code, first_value, value)
       SELECT $1::bigint + n, now(), d.id, d.operator_id, d.model_id, d.region_id, 'B' || n % 200, 1, 1
       FROM generate_series(0, 999) n
       JOIN (SELECT *, row_number() OVER (ORDER BY id) - 1 AS at FROM device WHERE code LIKE 'BN%') d
         ON d.at = ($1::bigint + n) % $2`,
      [firstId, deviceCount],
    )
    firstId += 1_000
  }
}

await inWorld({}, async (world) => {
  const { server, database } = world
  await fillRegistry(database, { alarms: 0, events: 0, days: 1, devices: deviceCount })
  const admin = await server.client.signIn('admin', server.adminPassword)
  const { rows: companies } = await database.pool.query(
    `SELECT o.id, array_agg(p.id) AS operators FROM organization o JOIN operator p ON p.organization_id = o.id
     WHERE o.code LIKE 'BENCH-%' GROUP BY o.id ORDER BY count(*) DESC`,
  )
  const keyOf = async (company: { id: number; operators: number[] }, name: string) => {
    const { code, message, data } = await server.client.call(
      insertApiKey,
      {
        name,
        functionCodes: ['alarm:page', 'equip:list'],
        organizationId: String(company.id),
        ...ofOperators(...company.operators),
      },
      admin,
    )
    if (code !== 200) throw new Error(message)
    return data.secret
  }
  const [large] = companies
  const keys: string[] = []
  for (let n = 0; n < consumersAtOnce; n += 1) keys.push(await keyOf(large, `bench ${n}`))
  // A SYSTEM user sees every event, so that its rate is that of the feed.
  const readers = (n: number) => Array.from({ length: n }, (_, at) => (at === 0 ? admin : (keys[at] ?? '')))

  /** Calls that were told to come again, as a consumer does. */
  let refused = 0
  const ask = async (token: string, after: string, waitSeconds = 0) => {
    for (;;) {
      const answer = await server.client.call(readFeed, { after, limit: pageSize, waitSeconds }, token)
      if (answer.code === 200) return answer.data
      if (answer.status !== 503 && answer.status !== 429) throw new Error(answer.message)
      refused += 1
      await setTimeout(100)
    }
  }
  const latest = async () => (await ask(admin, 'latest')).next
  /** Everything behind the cursor; returns how many events, and for how many this reader's cursor went on. */
  async function catchUp(token: string, from: string): Promise<number> {
    let told = 0
    for (let after = from; ; ) {
      const { events, next, hasMore } = await ask(token, after)
      told += events.length
      after = next
      if (!hasMore) return told
    }
  }
  /** Told a second, to all readers together. */
  async function timed(tokens: readonly string[], from: string): Promise<number> {
    const beganMs = performance.now()
    const told = await Promise.all(tokens.map((token) => catchUp(token, from)))
    return (told.reduce((sum, n) => sum + n, 0) * 1_000) / (performance.now() - beganMs)
  }
  const load = () => `load ${loadavg()[0]?.toFixed(1)}`

  const idle: number[] = []
  const read: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await database.pool.query('UPDATE feed_reader SET read_at = NULL')
    idle.push(perSecond(await report(world, 5_000)))
    await latest()
    read.push(perSecond(await report(world, 5_000)))
  }
  console.log(
    `intake as fast as it goes: ${whole(median(idle))} messages/s with no reader, ${whole(median(read))} with one ` +
      `(appending to the feed), ratio ${(median(read) / median(idle)).toFixed(2)}; ${load()}`,
  )

  await catchUp(admin, await latest())
  for (let round = 1; round <= rounds; round += 1) {
    const from = await latest()
    await addBacklog(world)
    const fresh = await timed([admin], from)
    const again = await timed([admin], from)
    const narrow = await timed([keys[0] ?? ''], from)
    const many = await timed(readers(consumersAtOnce), from)
    const client = await database.pool.connect()
    try {
      const selected = await plainRate(client)
      const copied = await copyRate(client)
      console.log(
        `round ${round}, ${whole(count)} events that have waited: one consumer ${whole(fresh)}/s with the places given meanwhile, ` +
          `${whole(again)}/s once they have them, half of the devices ${whole(narrow)}/s; ` +
          `ten ${whole(many)}/s together\n` +
          `  the same rows by COPY ${whole(copied)}/s, by SELECT ${whole(selected)}/s: one consumer is ` +
          `${(again / copied).toFixed(3)} and ${(again / selected).toFixed(3)} of it; ${load()}`,
      )
    } finally {
      client.release()
    }
  }

  for (const consumers of [1, consumersAtOnce]) {
    const from = await latest()
    let isOver = false
    const lagsMs: number[] = []
    const following = readers(consumers).map(async (token) => {
      let told = 0
      for (let after = from, wasOver = false; ; ) {
        const { events, next, hasMore } = await ask(token, after, isOver ? 0 : 5)
        const newest = events.at(-1)
        if (newest && !hasMore && newest.type === 'alarm.changed')
          lagsMs.push(Date.now() - Date.parse(newest.time))
        told += events.length
        after = next
        if (wasOver && !hasMore && events.length === 0) return told
        wasOver = isOver
      }
    })
    const beganMs = performance.now()
    const result = await report(world, seconds * 1_000, rate)
    const reportedMs = performance.now() - beganMs
    isOver = true
    const told = await Promise.all(following)
    const behindMs = performance.now() - beganMs - reportedMs
    console.log(
      `${consumers} consumer${consumers > 1 ? 's' : ''} while devices report ${whole(perSecond(result))} messages/s ` +
        `(asked for ${whole(rate)}): ${whole(((told[0] ?? 0) * 1_000) / result.elapsedMs)} events/s to the one that sees all, ` +
        `${whole((told.reduce((sum, n) => sum + n, 0) * 1_000) / result.elapsedMs)}/s in all; everything told ` +
        `${whole(behindMs)} ms after the last report; PUBACK p50 ${result.ack.p50.toFixed(1)} ms, p99 ${result.ack.p99.toFixed(1)} ms; ${load()}`,
    )
    if (refused > 0) console.log(`  ${refused} calls were told to come again`)
    refused = 0
    if (lagsMs.length > 0) console.log(`  behind what changed: p50 ${whole(median(lagsMs))} ms`)
  }
})

function perSecond({ acknowledged, elapsedMs }: LoadResult): number {
  return (acknowledged * 1_000) / elapsedMs
}

async function plainRate(client: pg.PoolClient): Promise<number> {
  const beganMs = performance.now()
  const { rowCount } = await client.query(newest)
  return ((rowCount ?? 0) * 1_000) / (performance.now() - beganMs)
}

async function copyRate(client: pg.PoolClient): Promise<number> {
  const beganMs = performance.now()
  let lines = 0
  for await (const chunk of client.query(copyTo(`COPY (${newest}) TO STDOUT`)))
    for (const byte of chunk as Buffer) if (byte === 10) lines += 1
  return (lines * 1_000) / (performance.now() - beganMs)
}
