/**
 * What bench:capacity measures of a way to run the server, one part each. The pieces are those of the other benches:
 * connections.ts, ingest.ts, commands.ts, upgrades.ts.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { cabinetsAmong } from '../apps/server/test/fleets.ts'
import {
  type CampaignFigures,
  type CommandFigures,
  type ConnectionFigures,
  kneeMs,
  type PartSizes,
  type RateFigures,
  type RestoreFigures,
} from './capacity-raw.ts'
import { type CapacityWorld, startExternalPostgres, type WayName } from './capacity-worlds.ts'
import { measureCommands } from './command-rate.ts'
import { type BenchFleet, forkFleet } from './fleet.ts'
import type { LoadOrder } from './ingest-load.ts'
import { currentLoad } from './machine.ts'
import { runLoad } from './run-load.ts'
import { dispatchUpgrade } from './upgrade-dispatch.ts'
import { createUpgradeWorld, startFleet, whenReported } from './upgrade-world.ts'
import { fillWorld, inWorld } from './world.ts'

const restMs = 5_000
const connectsPerSecond = 2_000
/** Of one process and one address. */
const devicesOfFleet = 15_000
const limitMinutes = 5

// ── Connections ──────────────────────────────────────────────────────────────────────────────

export async function measureConnections(
  world: CapacityWorld,
  { devices, isTls, staysUp = false }: { devices: number; isTls: boolean; staysUp?: boolean },
): Promise<ConnectionFigures> {
  // What was done before has left its garbage.
  await world.restart()
  await delay(restMs)
  const idleBytes = world.memoryBytes()
  const before = world.cpu()
  const beganAt = performance.now()
  const fleets = await connectAll(world, devices, isTls)
  try {
    const connectMs = performance.now() - beganAt
    const after = world.cpu()
    await delay(restMs)
    const fullBytes = world.memoryBytes()
    const figures = {
      devices,
      isTls,
      connectMs,
      serverUs: ((after.server - before.server) * 1_000) / devices,
      databaseUs: ((after.database - before.database) * 1_000) / devices,
      idleBytes,
      fullBytes,
      bytesPerDevice: (fullBytes - idleBytes) / devices,
    }
    if (staysUp) return figures
    const failover = world.nodes.length > 1 ? await failOver(world, fleets) : {}
    const gone = askAll(fleets, 'whenOffline')
    const startMs = await world.restart()
    await gone
    const readyAt = performance.now()
    await askAll(fleets, 'whenOnline')
    return { ...figures, ...failover, startMs, returnMs: performance.now() - readyAt }
  } finally {
    for (const fleet of fleets) fleet.end()
  }
}

/** kill -9 of the process that has more devices, and a start when they are all at the other one. */
async function failOver(world: CapacityWorld, fleets: readonly BenchFleet[]) {
  const held = await world.heldBy()
  const [[name, moved]] = [...held].toSorted(([, a], [, b]) => b - a) as [[string, number]]
  const lost = world.nodes[['one', 'two'].indexOf(name)] as CapacityWorld['nodes'][number]
  const someGone = Promise.race(fleets.map((fleet) => fleet.ask({ kind: 'whenSomeOffline' })))
  const killedAt = performance.now()
  await lost.kill()
  await someGone
  await askAll(fleets, 'whenOnline')
  const failoverMs = performance.now() - killedAt
  await lost.start()
  return { failoverMs, moved }
}

async function connectAll(
  { address, secretsPath, authorityPath }: CapacityWorld,
  devices: number,
  isTls: boolean,
): Promise<BenchFleet[]> {
  const count = Math.ceil(devices / devicesOfFleet)
  const fleets = Array.from({ length: count }, () => forkFleet({ NODE_EXTRA_CA_CERTS: authorityPath }))
  try {
    await Promise.all(
      fleets.map((fleet, at) =>
        fleet.ask({
          kind: 'connect',
          mqtt: address(isTls),
          secretsPath,
          from: at * devicesOfFleet,
          devices: Math.min(devicesOfFleet, devices - at * devicesOfFleet),
          ...(count > 1 && { localAddress: `127.0.0.${at + 2}` }),
          connectsPerSecond: connectsPerSecond / count,
          hasScreens: true,
        }),
      ),
    )
  } catch (error) {
    for (const fleet of fleets) fleet.end()
    throw error
  }
  return fleets
}

const askAll = (fleets: readonly BenchFleet[], kind: 'whenOnline' | 'whenOffline') =>
  Promise.all(fleets.map((fleet) => fleet.ask({ kind })))

// ── Messages ─────────────────────────────────────────────────────────────────────────────────

let runs = 0

/** One rate after the other, each for some seconds, until the knee: where p99 passes a second, or less is acknowledged. */
export async function measureMessages(
  world: CapacityWorld,
  { reporting, seconds }: PartSizes,
  rates: readonly number[],
  mix: LoadOrder['mix'],
): Promise<RateFigures[]> {
  const devices = cabinetsAmong(world.nodes[0].devices(), reporting)
  const figures: RateFigures[] = []
  // Anew, and with a first run that is not counted: thousands of devices that have just left are written down meanwhile, and
  // code is compiled as it is first called (a second and more at 500 a second).
  await world.restart()
  await delay(restMs)
  await loadAt(rates[0] as number)
  for (const rate of rates) {
    let before = world.cpu()
    const { ack, acknowledged, sent, elapsedMs } = await loadAt(rate, () => {
      before = world.cpu()
    })
    const after = world.cpu()
    const one = {
      rate,
      acknowledged: acknowledged / (elapsedMs / 1_000),
      ...{ p50: ack.p50, p99: ack.p99, p999: ack.p999, max: ack.max },
      serverUs: ((after.server - before.server) * 1_000) / sent,
      databaseUs: ((after.database - before.database) * 1_000) / sent,
      load: currentLoad()[0] ?? 0,
    }
    figures.push(one)
    console.log(
      `    ${rate}/s: ${one.acknowledged.toFixed(0)} acknowledged, p50 ${ack.p50.toFixed(0)}, p99 ${ack.p99.toFixed(0)}, ` +
        `p99.9 ${ack.p999.toFixed(0)} ms; load ${one.load}`,
    )
    if (ack.p99 > kneeMs || one.acknowledged < rate * 0.9) break
  }
  return figures

  function loadAt(ratePerSecond: number, connected?: () => void) {
    runs += 1
    return runLoad(
      {
        port: world.port(),
        deviceCodes: devices.map(({ code }) => code),
        secret: devices.map(({ secret }) => secret),
        window: 100,
        warmUpMs: 2_000,
        durationMs: 2_000 + seconds * 1_000,
        ratePerSecond,
        mix,
        run: runs,
      },
      connected,
    )
  }
}

// ── Commands and campaigns ───────────────────────────────────────────────────────────────────

export async function measureCommandsOf(
  world: CapacityWorld,
  { devices, commands }: PartSizes,
): Promise<CommandFigures> {
  await world.restart()
  const fleets = await connectAll(world, devices, false)
  try {
    await delay(restMs)
    const { rate, count, cpu } = await measureCommands({
      databaseUrl: world.databaseUrl(),
      devices,
      commands,
      cpu: () => world.cpu(),
    })
    return {
      commands: count,
      rate,
      serverUs: (cpu.server * 1_000) / count,
      databaseUs: (cpu.database * 1_000) / count,
    }
  } finally {
    for (const fleet of fleets) fleet.end()
  }
}

export async function measureCampaign(
  world: CapacityWorld,
  { devices }: PartSizes,
): Promise<CampaignFigures> {
  const upgrades = await createUpgradeWorld({
    devices,
    isReported: true,
    existing: { server: world.nodes[0], databaseUrl: () => world.databaseUrl() },
  })
  let fleet: BenchFleet | undefined
  try {
    fleet = await startFleet(upgrades, { devices, port: world.port(), troubles: { 'goes-silent': 1 } })
    await whenReported(upgrades, devices)
    const { plannedMs, rate, cpu, end } = await dispatchUpgrade(upgrades, devices, {
      limitMinutes,
      cpu: () => world.cpu(),
    })
    await end()
    return {
      devices,
      plannedMs,
      rate,
      serverUs: (cpu.server * 1_000) / devices,
      databaseUs: (cpu.database * 1_000) / devices,
    }
  } finally {
    fleet?.end()
    await upgrades.remove()
  }
}

// ── Backup and restore ───────────────────────────────────────────────────────────────────────

const entry = join(import.meta.dirname, '../apps/server/src/main.ts')

/** A backup of an installation with history, put into an empty one of this way. */
export async function measureRestore(
  { alarms }: PartSizes,
  ways: readonly WayName[],
  found: (way: WayName, figures: RestoreFigures) => void,
): Promise<void> {
  await inWorld({}, async (world) => {
    await fillWorld(world, { alarms, events: alarms / 4, days: 30, devices: 20_000 })
    await world.restart()
    // No tables of the product, so no part of its backups.
    await world.database.pool.query('DROP TABLE IF EXISTS bench_filled, bench_district')
    const { rows } = await world.database.pool.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    )
    const directory = mkdtempSync(join(tmpdir(), 'voltkeep-capacity-backup-'))
    const file = join(directory, 'backup.tar.zst')
    const run = async (environment: NodeJS.ProcessEnv, ...args: string[]) => {
      const beganAt = performance.now()
      await promisify(execFile)(process.execPath, [entry, ...args], {
        env: { ...process.env, DATABASE_URL: '', LC_ALL: 'C.UTF-8', ...environment },
      })
      return performance.now() - beganAt
    }
    try {
      const backupMs = await run({ DATA_DIR: world.server.dataDir }, '--backup', file)
      const verifyMs = await run({ DATA_DIR: join(directory, 'any') }, '--verify-backup', file)
      const common = {
        databaseBytes: Number(rows[0]?.bytes),
        fileBytes: statSync(file).size,
        backupMs,
        verifyMs,
      }
      if (ways.includes('embedded'))
        found('embedded', {
          ...common,
          restoreMs: await run({ DATA_DIR: join(directory, 'data') }, '--restore', file),
        })
      if (ways.includes('external')) {
        const postgres = await startExternalPostgres()
        try {
          const restoreMs = await run(
            { DATA_DIR: join(directory, 'beside'), DATABASE_URL: postgres.ownerUrl },
            '--restore',
            file,
          )
          found('external', { ...common, restoreMs })
        } finally {
          await postgres.stop()
        }
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
}

/** Which PostgreSQL it is, as it says itself. */
export async function postgresVersion({ databaseUrl }: CapacityWorld): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version')
    return rows[0]?.server_version ?? ''
  } finally {
    await client.end()
  }
}
