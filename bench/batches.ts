/**
 * Batch settings from end to end: the production server, and simulated devices that report their parameters.
 *
 *   npm run bench:batches                        10,000 connected devices: the time until all of them have reported the
 *                                                new values, and dispatch as a ratio to the bare broker in the same run
 *   npm run bench:batches -- --only troubles     the same devices, one in twenty with troubles, to the last one
 *   npm run bench:batches -- --only plan         a batch for 100,000 devices: its creation, its preview and its lists
 *
 * `--devices N` makes any of them smaller, `--rounds N` has more or fewer batches (3). `--installation DIR` measures the
 * server of another checkout, to compare the two in turns.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  insertParameterBatch,
  listBatchDevices,
  listParameterBatches,
  parameterCatalogue,
  previewParameterBatch,
  readParameterBatch,
} from '@voltkeep/contract'
import type { SettingTroubleName, TroubleShares } from '@voltkeep/simulator/commands/trouble'
import { type OpenDatabase, openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'
import { barePort, startBareBroker } from './bare-broker.ts'
import type { FleetAnswer, FleetOrder } from './fleet-process.ts'
import { noDeviceLimits } from './no-device-limits.ts'
import { cpuMs } from './process-cpu.ts'

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'rate' },
    devices: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    limit: { type: 'string', default: '15' },
    installation: { type: 'string' },
  },
})
const rounds = Number(options.rounds)
const limitMs = Number(options.limit) * 60_000
const devicesOr = (usual: number) => Number(options.devices ?? usual)

const soc = '02121005'
const overTemperature = '02121006'
/** The devices' initial values. */
const initial = { [soc]: 95, [overTemperature]: 60, '02121009': 500, '02121010': '2222220' }

const whole = (value: number) => Math.round(value).toLocaleString('en')
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
const median = (list: readonly number[]) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0

interface World {
  server: ServerProcess
  token: string
  database: OpenDatabase
}

async function createWorld(devices: number): Promise<World> {
  const server = await startServerProcess({
    demoDevices: devices,
    installation: options.installation,
    environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
  })
  const token = await server.client.signIn('admin', server.adminPassword)
  const database = await openDatabase({ url: databaseUrlOf(server.dataDir), zone: 'UTC', poolSize: 2 })
  return { server, token, database }
}

async function endWorld({ server, database }: World): Promise<void> {
  await database.close()
  await server.remove()
}

/** Creates a batch for all devices; returns its id and the number of devices that it sets. */
async function startBatch({ server, token }: World, values: Record<string, number>) {
  const answer = await server.client.call(
    insertParameterBatch,
    {
      paramSetRule: { upgradeCount: 5, interval: 3 },
      entitys: Object.entries(values).map(([id, value]) => ({ id, value })),
      queryParam: { isAll: 1 },
    },
    token,
  )
  if (answer.code !== 200) throw new Error(answer.message)
  return answer.data
}

/** Polls until the statement returns 0. */
async function untilNone({ database }: World, text: string, values: unknown[]): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    const { rows } = await database.pool.query<{ n: number }>(text, values)
    const left = rows[0]?.n ?? 0
    if (left === 0) return
    if (performance.now() - startedAt > limitMs)
      throw new Error(`devices are open after ${options.limit} min: ${text} is ${left}`)
    await delay(50)
  }
}

const untilAnswered = (world: World, batchId: string) =>
  untilNone(
    world,
    `SELECT EXISTS (SELECT FROM parameter_target WHERE batch_id = $1 AND (state = 'waiting' OR state = 'sent'))::int
       AS n`,
    [batchId],
  )
const untilReported = (world: World, batchId: string) =>
  untilNone(
    world,
    `SELECT EXISTS (SELECT FROM parameter_target
       WHERE batch_id = $1 AND state IN ('waiting', 'sent', 'confirming'))::int AS n`,
    [batchId],
  )

async function statesOf({ database }: World, batchId: string): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ state: string; n: number }>(
    'SELECT state, count(*)::int AS n FROM parameter_target WHERE batch_id = $1 GROUP BY 1 ORDER BY 1',
    [batchId],
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

async function connect(
  fleet: ChildProcess,
  { server }: World,
  devices: number,
  more: { port?: number; troubles?: TroubleShares<SettingTroubleName> } = {},
): Promise<void> {
  const order: FleetOrder = {
    kind: 'connect',
    mqtt: `mqtt://127.0.0.1:${more.port ?? server.mqttPort}`,
    secretsPath: join(server.dataDir, 'demo-devices.json'),
    connectsPerSecond: 2_000,
    devices,
    settings: {
      parameters: Object.entries(initial).map(([id, value]) => ({ id, value })),
      troubles: more.troubles ?? {},
    },
  }
  const answer = once(fleet, 'message')
  fleet.send(order)
  const [{ onlineCount }] = (await answer) as [FleetAnswer]
  if (onlineCount < devices) throw new Error(`${onlineCount} of ${devices} devices are online`)
}

/** Resolves when all devices have reported their parameters. */
const whenIntroduced = (world: World, devices: number) =>
  untilNone(
    world,
    `SELECT $1::int - count(*)::int AS n FROM device_parameter WHERE parameter_id = '${soc}'`,
    [devices],
  )

const startFleetProcess = () => fork(join(import.meta.dirname, 'fleet-process.ts'), { stdio: 'inherit' })

async function measureRate(): Promise<void> {
  const devices = devicesOr(10_000)
  const world = await createWorld(devices)
  const bare = await startBareBroker()
  const fleets = [startFleetProcess(), startFleetProcess()] as const
  try {
    await connect(fleets[0], world, devices)
    await whenIntroduced(world, devices)
    await connect(fleets[1], world, devices, { port: barePort })
    const ratios: number[] = []
    const took: number[] = []
    for (let round = 1; round <= rounds; round += 1) {
      const bareRate = await bare.measure(devices * 3, 220)
      const before = cpuMs(world.server.pid)
      const startedAt = performance.now()
      const { id, deviceCount } = await startBatch(world, {
        [soc]: 60 + round,
        [overTemperature]: 40 + round,
      })
      const madeMs = performance.now() - startedAt
      if (deviceCount !== devices) throw new Error(`the batch sets ${deviceCount} of ${devices} devices`)
      await untilAnswered(world, id)
      const answeredMs = performance.now() - startedAt
      await untilReported(world, id)
      const reportedMs = performance.now() - startedAt
      const after = cpuMs(world.server.pid)
      const states = await statesOf(world, id)
      if (states.succeeded !== devices) throw new Error(`not all have the values: ${JSON.stringify(states)}`)
      const rate = devices / ((answeredMs - madeMs) / 1000)
      ratios.push(rate / bareRate)
      took.push(reportedMs)
      const each = (ms: number) => `${Math.round((ms * 1000) / devices)} µs`
      console.log(
        `${whole(devices)} devices: the batch is made in ${Math.round(madeMs)} ms, all have answered after ` +
          `${seconds(answeredMs)} and reported the values after ${seconds(reportedMs)}; ${whole(rate)} commands/s sent ` +
          `and answered, bare broker ${whole(bareRate)} messages/s, ratio ${(rate / bareRate).toFixed(2)}; CPU a device: ` +
          `server ${each(after.server - before.server)}, database ${each(after.database - before.database)}`,
      )
    }
    console.log(
      `  median: all have reported after ${seconds(median(took))}, ratio ${median(ratios).toFixed(2)}`,
    )
  } finally {
    for (const fleet of fleets) fleet.kill('SIGKILL')
    bare.broker.close()
    await endWorld(world)
  }
}

/** Troubles that end within the attempts, and others that do not. */
async function measureTroubles(): Promise<void> {
  const devices = devicesOr(10_000)
  const world = await createWorld(devices)
  const fleet = startFleetProcess()
  try {
    await connect(fleet, world, devices, {
      troubles: { refuses: 0.01, fails: 0.01, silent: 0.01, 'never-applies': 0.01, 'applies-some': 0.01 },
    })
    await whenIntroduced(world, devices)
    const startedAt = performance.now()
    const { id } = await startBatch(world, { [soc]: 70, [overTemperature]: 45 })
    await untilReported(world, id)
    const states = await statesOf(world, id)
    const sum = Object.values(states).reduce((a, b) => a + b, 0)
    console.log(
      `${whole(devices)} devices, one in twenty with troubles, attempts 3 min apart: all have a result after ` +
        `${seconds(performance.now() - startedAt)}: ${JSON.stringify(states)}`,
    )
    if (sum !== devices) process.exitCode = 1
  } finally {
    fleet.kill('SIGKILL')
    await endWorld(world)
  }
}

async function measurePlan(): Promise<void> {
  const devices = devicesOr(100_000)
  const world = await createWorld(devices)
  const { server, token, database } = world
  try {
    await database.pool.query(
      `INSERT INTO device_parameter (device_id, parameter_id, value, reported_at)
       SELECT d.id, p, (d.id % 7)::text, now() FROM device d, unnest($1::text[]) AS p`,
      [parameterCatalogue.map(({ id }) => id)],
    )
    await database.pool.query('VACUUM ANALYZE device_parameter')
    const timed = async (name: string, act: () => Promise<{ code: number; message: string }>) => {
      const took: number[] = []
      for (let n = 0; n < 5; n += 1) {
        const startedAt = performance.now()
        const answer = await act()
        if (answer.code !== 200) throw new Error(answer.message)
        took.push(performance.now() - startedAt)
      }
      console.log(`  ${name}: median ${Math.round(median(took))} ms`)
    }
    const form = {
      entitys: [
        { id: soc, value: 88 },
        { id: overTemperature, value: 61 },
      ],
      queryParam: { isAll: 1 },
    }
    await timed('preview', () => server.client.call(previewParameterBatch, form, token))
    const startedAt = performance.now()
    const { id, deviceCount } = await startBatch(world, { [soc]: 88, [overTemperature]: 61 })
    console.log(
      `${whole(deviceCount)} devices: the batch is made in ${seconds(performance.now() - startedAt)}`,
    )
    await timed('list', () => server.client.call(listParameterBatches, {}, token))
    await timed('details', () => server.client.call(readParameterBatch, { id }, token))
    await timed('devices', () => server.client.call(listBatchDevices, { id, pageSize: 20 }, token))
    await timed('devices, page 1,000', () =>
      server.client.call(listBatchDevices, { id, pageSize: 20, pageNum: Math.ceil(devices / 100) }, token),
    )
  } finally {
    await endWorld(world)
  }
}

switch (options.only) {
  case 'plan':
    await measurePlan()
    break
  case 'troubles':
    await measureTroubles()
    break
  default:
    await measureRate()
}
