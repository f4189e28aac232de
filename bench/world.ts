// The world of the benches that ask a server how long it takes: the server in a process of its own with its database,
// history in it, the users who ask, devices that report meanwhile, and the words for what was measured.
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type OpenDatabase, openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { testPassword } from '../apps/server/test/factories.ts'
import {
  type ServerProcess,
  type ServerProcessOptions,
  startServerProcess,
} from '../apps/server/test/server-process.ts'
import type { LoadOrder } from './ingest-load.ts'
import {
  benchUsers,
  deviceCodeOf,
  deviceSecret,
  type FillSize,
  fillHistory,
  fillRegistry,
  isFilled,
} from './lists-fill.ts'
import { noDeviceLimits } from './no-device-limits.ts'

export interface World {
  readonly server: ServerProcess
  /** As the owner of the tables. */
  readonly database: OpenDatabase
  /** A start counts everything, also rows that the server did not write. */
  restart(): Promise<void>
}

/** Does the work in a new world, or in one that `keptDataDir` has kept, and removes it whatever becomes of the work. */
export async function inWorld(
  { environment, ...options }: ServerProcessOptions,
  work: (world: World) => Promise<void>,
): Promise<void> {
  process.env.TZ = 'Asia/Shanghai'
  const server = await startServerProcess({
    ...options,
    environment: { ...noDeviceLimits, LOG_LEVEL: 'warn', ...environment },
  })
  // Filling takes minutes a statement.
  const open = () =>
    openDatabase({
      url: databaseUrlOf(server.dataDir),
      zone: 'Asia/Shanghai',
      poolSize: 3,
      queryLimitMs: 3_600_000,
    })
  let database = await open()
  try {
    await work({
      server,
      get database() {
        return database
      },
      restart: async () => {
        await database.close()
        await server.stop()
        await server.start()
        database = await open()
      },
    })
  } finally {
    await database.close()
    await server.remove()
  }
}

/** How much history there is; filling takes longest, so `--data-dir DIR` keeps it for later runs of any of these benches. */
export const historyOptions = {
  alarms: { type: 'string', default: '10000000' },
  events: { type: 'string', default: '2500000' },
  days: { type: 'string', default: '180' },
  devices: { type: 'string', default: '100000' },
  rate: { type: 'string', default: '1000' },
  'data-dir': { type: 'string' },
} as const

export const historySize = (values: Record<keyof FillSize, string>): FillSize => ({
  alarms: Number(values.alarms),
  events: Number(values.events),
  days: Number(values.days),
  devices: Number(values.devices),
})

/** Fills the world with devices and history, unless an earlier run has. */
export async function fillWorld({ database }: World, size: FillSize): Promise<void> {
  console.log(
    `${size.alarms} alarms and ${size.events} events of ${size.devices} devices over ${size.days} days`,
  )
  if (await isFilled(database)) {
    console.log('filled by an earlier run')
    return
  }
  const beganAt = performance.now()
  const since = () => `${((performance.now() - beganAt) / 1000).toFixed(0)} s`
  await fillRegistry(database, size)
  await fillHistory(database, size, (text) => console.log(`  filling: ${text}, ${since()}`))
  console.log(`filled in ${since()}`)
}

/** A SYSTEM user, and two with a data scope. */
export const worldUsers = ['admin', benchUsers.twentyFive, benchUsers.five] as const
export type WorldUser = (typeof worldUsers)[number]

export async function signInAll({ server }: World): Promise<Record<WorldUser, string>> {
  const [admin, twentyFive, five] = await Promise.all(
    worldUsers.map((user) =>
      server.client.signIn(user, user === 'admin' ? server.adminPassword : testPassword),
    ),
  )
  return { admin, [benchUsers.twentyFive]: twentyFive, [benchUsers.five]: five } as Record<WorldUser, string>
}

/** Devices that report all the time, until the process is ended. */
export function startReports(
  { server }: World,
  { devices, ratePerSecond }: { devices: number; ratePerSecond: number },
): ChildProcess {
  const child = fork(join(import.meta.dirname, 'ingest-load.ts'))
  child.send({
    port: server.mqttPort,
    deviceCodes: Array.from({ length: Math.min(500, devices) }, (_, n) => deviceCodeOf(n + 1)),
    secret: deviceSecret,
    window: 40,
    durationMs: 3_600_000,
    ratePerSecond,
    mix: 'alternating',
    run: 1,
  } satisfies LoadOrder)
  return child
}

/** The time that this share of the times does not exceed. */
export function timeAt(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}

/** `p50 12.3 ms  p95 …`, in columns. */
export function timesText(times: readonly number[]): string {
  const at = (share: number) => `${timeAt(times, share).toFixed(1).padStart(8)} ms`
  return `p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}  max ${at(1)}`
}
