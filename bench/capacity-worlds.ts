/**
 * The three ways to run a server that bench:capacity compares, each with a fleet's devices: one process with the embedded
 * database, one on a PostgreSQL of its own, and two on that PostgreSQL behind HAProxy as docs/operating.md has it. All on
 * this machine, with TLS beside plain MQTT.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../apps/server/src/platform/database/embedded/embedded.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'
import { createAuthority, trustAuthority } from '../apps/server/test/certificates.ts'
import { startBalancer } from '../apps/server/test/drill/world.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'
import { noDeviceLimits } from './no-device-limits.ts'
import { cpuMs, residentBytes } from './process-cpu.ts'

export const wayNames = ['embedded', 'external', 'two'] as const
export type WayName = (typeof wayNames)[number]

export interface CapacityWorld {
  readonly nodes: readonly [ServerProcess, ...ServerProcess[]]
  /** Where devices connect. */
  address(isTls: boolean): string
  /** The same for what speaks no TLS. */
  port(): number
  readonly secretsPath: string
  /** Trusted by who connects by TLS. */
  readonly authorityPath: string
  databaseUrl(): string
  /** So far, of all processes. */
  cpu(): { server: number; database: number }
  memoryBytes(): number
  /** How many devices each process has, by its name. */
  heldBy(): Promise<Map<string, number>>
  /** kill -9 of all processes of the server at once, and a start; resolves with how long the start took, ms. */
  restart(): Promise<number>
  remove(): Promise<void>
}

export interface ExternalPostgres {
  url: string
  ownerUrl: string
  dataDir: string
  stop(): Promise<void>
}

/** Another program's in the eyes of the server: it has an address, and stays when the server ends. */
export async function startExternalPostgres(): Promise<ExternalPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'voltkeep-capacity-database-'))
  const postgres = await startEmbeddedPostgres({
    dataDir,
    log: createLog({ level: 'warn' }),
    zone: 'Asia/Shanghai',
  })
  return {
    url: postgres.url,
    ownerUrl: postgres.ownerUrl,
    dataDir,
    async stop() {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export async function createCapacityWorld(way: WayName, devices: number): Promise<CapacityWorld> {
  const ends: (() => unknown)[] = []
  const remove = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    const directory = mkdtempSync(join(tmpdir(), 'voltkeep-capacity-'))
    ends.push(() => rmSync(directory, { recursive: true, force: true }))
    const authority = createAuthority(join(directory, 'tls'))
    trustAuthority(authority)
    const pair = authority.issue('localhost')
    const postgres = way === 'embedded' ? undefined : await startExternalPostgres()
    if (postgres) ends.push(() => postgres.stop())
    const environment = {
      ...noDeviceLimits,
      LOG_LEVEL: 'warn',
      TLS_CERT: pair.cert,
      TLS_KEY: pair.key,
      ...(postgres && { DATABASE_URL: postgres.url, DATABASE_OWNER_URL: postgres.ownerUrl }),
      ...(way === 'two' && { MQTT_PROXY_PROTOCOL: 'true', TRUSTED_PROXIES: '127.0.0.1' }),
    }
    const first = await startServerProcess({
      demoDevices: devices,
      environment: { ...environment, NODE_NAME: 'one' },
    })
    ends.push(() => first.remove())
    const nodes: [ServerProcess, ...ServerProcess[]] = [first]
    if (way === 'two') {
      const other = await startServerProcess({ environment: { ...environment, NODE_NAME: 'two' } })
      ends.push(() => other.remove())
      nodes.push(other)
    }
    const balancers =
      way === 'two'
        ? {
            plain: await startBalancer(directory, nodes),
            tls: await startBalancer(directory, nodes, (node) => node.mqttTlsPort),
          }
        : undefined
    if (balancers)
      ends.push(
        () => balancers.plain.stop(),
        () => balancers.tls.stop(),
      )
    const port = (isTls: boolean) => {
      if (balancers) return isTls ? balancers.tls.port : balancers.plain.port
      return isTls ? first.mqttTlsPort : first.mqttPort
    }
    return {
      nodes,
      address: (isTls) => `${isTls ? 'mqtts' : 'mqtt'}://127.0.0.1:${port(isTls)}`,
      port: () => port(false),
      secretsPath: join(first.dataDir, 'demo-devices.json'),
      authorityPath: authority.cert,
      databaseUrl: () => postgres?.ownerUrl ?? databaseUrlOf(first.dataDir),
      cpu() {
        const all = nodes.map(({ pid }) => cpuMs(pid))
        const server = all.reduce((sum, one) => sum + one.server, 0)
        if (!postgres) return { server, database: all[0]?.database ?? 0 }
        const own = cpuMs(postmasterOf(postgres.dataDir))
        return { server, database: own.server + own.database }
      },
      async heldBy() {
        const client = new pg.Client({ connectionString: postgres?.ownerUrl ?? databaseUrlOf(first.dataDir) })
        await client.connect()
        try {
          const { rows } = await client.query<{ name: string; devices: number }>(
            `SELECT n.name, count(*)::int AS devices FROM device_state s JOIN node n ON n.id = s.held_by
             WHERE s.is_online GROUP BY n.name`,
          )
          return new Map(rows.map(({ name, devices: count }) => [name, count]))
        } finally {
          await client.end()
        }
      },
      memoryBytes: () => nodes.reduce((sum, { pid }) => sum + residentBytes(pid), 0),
      async restart() {
        await Promise.all(nodes.map((node) => node.kill()))
        const beganAt = performance.now()
        await Promise.all(nodes.map((node) => node.start()))
        return performance.now() - beganAt
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function postmasterOf(dataDir: string): number {
  const cluster = readdirSync(dataDir).find((name) => /^postgres-\d+$/.test(name)) as string
  return Number(readFileSync(join(dataDir, cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
}
