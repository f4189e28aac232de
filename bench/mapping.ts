/**
 * What a mapping costs: the time of one message beside that of one of our own protocol, in one process; and the rate at
 * which alarms of mapped devices become durable beside that of native ones, in turns at the same server. The ratios are
 * the result.
 *
 *   npm run bench:mapping
 *   npm run bench:mapping -- --seconds 3 --rounds 2 --connections 100
 *   npm run bench:mapping -- --only engine      or rate
 */
import { type ChildProcess, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MappingDocument } from '@voltkeep/contract/mappings'
import pg from 'pg'
import * as z from 'zod/mini'
import { decode } from '../apps/server/src/features/intake/message-decoding.ts'
import { compileMapping, Memory } from '../apps/server/src/features/mappings/engine/index.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { serverFlags } from '../scripts/server-flags.mjs'
import type { LoadOrder, LoadResult } from './ingest-load.ts'
import { noDeviceLimits } from './no-device-limits.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '200' },
  },
})
const connections = Number(options.connections)
const rounds = Number(options.rounds)
const secret = 'bench-secret'
const httpPort = 18_796
const mqttPort = 18_797
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** A condition, a pointer two deep, a time and an id: what an alarm of a maker has. */
const document = z.parse(MappingDocument, {
  topic: 'acme/{code}/alarm',
  format: 'json',
  time: { path: '/ts', timeUnit: 'ms' },
  messageId: { path: '/seq' },
  rules: [
    {
      when: 'msg.cmd == "alarm"',
      target: 'alarm',
      fields: { code: { path: '/data/no' }, value: { path: '/data/lv', bits: [0, 7] } },
    },
    { when: 'msg.cmd == "state"', target: 'reading', fields: { 柜内温度: { path: '/data/t', scale: 0.1 } } },
  ],
})

function measureEngine(): void {
  const mapping = compileMapping(document)
  if ('problems' in mapping) throw new Error(mapping.problems.join())
  const device = { code: 'BN1', protocolIdentity: null }
  const memory = new Memory()
  const count = 2_000
  const foreign = Array.from({ length: count }, (_, at) =>
    Buffer.from(
      `{"cmd":"alarm","seq":"1-${at}","ts":${1_767_225_600_000 + at},"data":{"no":"A${at % 16}","lv":${(at % 7) + 1}}}`,
    ),
  )
  const native = Array.from({ length: count }, (_, at) =>
    Buffer.from(
      `{"id":"1-${at}","time":${1_767_225_600_000 + at},"code":"A${at % 16}","value":${(at % 7) + 1}}`,
    ),
  )
  const timed = (act: (at: number) => void) => {
    const began = performance.now()
    for (let time = 0; time < 20; time += 1) for (let at = 0; at < count; at += 1) act(at)
    return ((performance.now() - began) * 1_000) / (20 * count)
  }
  const mappedUs: number[] = []
  const nativeUs: number[] = []
  for (let turn = 0; turn < 12; turn += 1) {
    mappedUs.push(
      timed((at) =>
        mapping.understand('acme/BN1/alarm', foreign[at] as Buffer, device, memory, 1_767_225_600_000),
      ),
    )
    nativeUs.push(timed((at) => decode('alarm', native[at] as Buffer)))
  }
  // The first turns compile.
  const [mapped, ours] = [median(mappedUs.slice(2)), median(nativeUs.slice(2))]
  console.log(`a message: mapped ${mapped.toFixed(2)} µs, native ${ours.toFixed(2)} µs (at most 7 µs)`)
}

async function measureRate(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-bench-'))
  const environment = {
    ...process.env,
    ...noDeviceLimits,
    DATA_DIR: dataDir,
    HTTP_PORT: String(httpPort),
    MQTT_PORT: String(mqttPort),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  }
  const start = async (): Promise<ChildProcess> => {
    const child = fork(fileURLToPath(new URL('../apps/server/src/main.ts', import.meta.url)), {
      env: environment,
      execArgv: [...serverFlags],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    await new Promise<void>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
      child.on('message', (message: { kind?: string }) => message.kind === 'ready' && resolve())
    })
    child.removeAllListeners('exit')
    return child
  }
  const stop = async (child: ChildProcess) => {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.once('exit', resolve))
  }
  let server = await start()
  const pool = new pg.Pool({ connectionString: databaseUrlOf(dataDir), max: 1 })
  try {
    await seed(pool)
    await pool.end()
    // The mapping was written behind the server's back.
    await stop(server)
    server = await start()
    const ratios: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const rates = []
      for (const isMapped of [false, true]) {
        const { acknowledged, elapsedMs, broken } = await load(isMapped, round)
        if (broken > 0) throw new Error(`${broken} connections ended`)
        rates.push((acknowledged * 1_000) / elapsedMs)
      }
      const [native = 0, mapped = 0] = rates
      ratios.push(mapped / native)
      console.log(`round ${round + 1}: native ${native.toFixed(0)}/s, mapped ${mapped.toFixed(0)}/s`)
    }
    console.log(`alarms of mapped devices: ${median(ratios).toFixed(3)} of the native rate (at least 0.8)`)
  } finally {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function seed(pool: pg.Pool): Promise<void> {
  await pool.query(`
    INSERT INTO organization (name, code) VALUES ('Bench', 'BENCH');
    INSERT INTO operator (organization_id, name, code) SELECT id, 'Bench', 'BENCH' FROM organization WHERE code = 'BENCH';
    INSERT INTO equip_model (equip_type_id, name, code) SELECT min(id), 'Mapped', 'BENCHMAP' FROM equip_type;
    INSERT INTO equip_model (equip_type_id, name, code) SELECT min(id), 'Native', 'BENCHNAT' FROM equip_type`)
  await pool.query(
    `INSERT INTO device (code, operator_id, model_id, region_id, secret_hash)
     SELECT m.code || n, o.id, m.id, (SELECT min(id) FROM region WHERE parent_id IS NOT NULL), $1
     FROM operator o, equip_model m, generate_series(1, $2::int) n
     WHERE o.code = 'BENCH' AND m.code IN ('BENCHMAP', 'BENCHNAT')`,
    [createHash('sha256').update(secret).digest(), connections],
  )
  await pool.query('INSERT INTO device_state (device_id) SELECT id FROM device ON CONFLICT DO NOTHING')
  await pool.query(
    `WITH p AS (INSERT INTO mapping (name, draft) VALUES ('Bench', $1) RETURNING id),
       m AS (INSERT INTO mapping_model SELECT e.id, p.id FROM p, equip_model e WHERE e.code = 'BENCHMAP')
     INSERT INTO mapping_version (mapping_id, no, document, is_active, created_by_name) SELECT id, 1, $1, true, 'bench' FROM p`,
    [JSON.stringify(document)],
  )
  await pool.query('ANALYZE')
}

function load(isMapped: boolean, round: number): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL('./ingest-load.ts', import.meta.url)))
  const model = isMapped ? 'BENCHMAP' : 'BENCHNAT'
  child.send({
    port: mqttPort,
    secret,
    run: round + 1,
    deviceCodes: Array.from({ length: connections }, (_, at) => `${model}${at + 1}`),
    window: 40,
    durationMs: Number(options.seconds) * 1_000,
    mix: 'alternating',
    isMapped,
  } satisfies LoadOrder)
  return new Promise((resolve, reject) => {
    child.on('message', (message) => message !== 'connected' && resolve(message as LoadResult))
    child.once('exit', (code) => code !== 0 && reject(new Error(`the load generator ended with ${code}`)))
  })
}

if (options.only !== 'rate') measureEngine()
if (options.only !== 'engine') await measureRate()
