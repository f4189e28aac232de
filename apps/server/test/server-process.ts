/**
 * A production server in a process that can be killed: embedded database and broker with a temporary DATA_DIR, on
 * free ports that stay the same across restarts.
 *
 *     const server = await startServerProcess({ demoDevices: 20 })
 *     await server.kill()
 *     await server.start()
 *     await server.remove()
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverFlags } from '../../../scripts/server-flags.mjs'
import { clientOf, type TestClient } from './client.ts'
import { preparedInstallation } from './prepared.ts'

const thisInstallation = join(import.meta.dirname, '../../..')
const keptOutput = 20_000
const secretsName = 'demo-devices.json'

export interface ServerProcessOptions {
  /** The number of demonstration devices to register at the first start. */
  demoDevices?: number | undefined
  /** Another checkout with its dependencies; by default this one. */
  installation?: string | undefined
  environment?: NodeJS.ProcessEnv
  /** Additional flags for Node. */
  nodeFlags?: readonly string[]
  /** A data directory that is kept after `remove`; by default a temporary one. */
  keptDataDir?: string | undefined
  /** The data directory of another, stopped server, which is copied first. */
  copiedDataDir?: string | undefined
  /**
   * Puts the data on a disk of this size, mounted for the server only: other processes find it at `seenDataDir`.
   * Removed with the process. Needs `canMount`.
   */
  diskBytes?: number | undefined
}

const inOwnMounts = ['--user', '--map-root-user', '--mount'] as const
/** Whether this machine allows a process its own mount namespace. */
export const canMount = spawnSync('unshare', [...inOwnMounts, 'true']).status === 0

export interface ServerProcess {
  readonly dataDir: string
  /** The data directory as other processes see it while the server runs. */
  readonly seenDataDir: string
  /** With TLS `https://…`, which this process has to trust: trustAuthority(). */
  readonly url: string
  readonly httpPort: number
  readonly mqttPort: number
  /** 0 without TLS. */
  readonly httpsPort: number
  readonly mqttTlsPort: number
  readonly pid: number
  readonly adminPassword: string
  readonly client: TestClient
  /** The end of its output, across all starts. */
  readonly output: string
  /** Codes and secrets of the demonstration's devices. */
  devices(): { code: string; secret: string }[]
  start(): Promise<void>
  /** From now on with the program of another installation: another release on the same data. */
  startAs(installation: string): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** Kills what still runs and deletes the data. */
  remove(): Promise<void>
}

interface ReadyMessage {
  kind: string
  httpPort: number
  httpsPort: number | null
  mqttPort: number | null
  mqttTlsPort: number | null
}

export async function startServerProcess(options: ServerProcessOptions = {}): Promise<ServerProcess> {
  const { demoDevices, installation, environment = {}, keptDataDir, copiedDataDir, diskBytes } = options
  if (installation !== undefined || keptDataDir || copiedDataDir !== undefined || diskBytes !== undefined)
    return await startOn(options)
  const prepared = await preparedInstallation(demoDevices ?? 0, environment, async (dataDir) => {
    const first = await startOn({ demoDevices, keptDataDir: dataDir, environment: { LOG_LEVEL: 'warn' } })
    await first.stop()
  })
  return await startOn(
    prepared === undefined ? options : { ...options, demoDevices: undefined, copiedDataDir: prepared },
  )
}

async function startOn({
  demoDevices,
  installation = thisInstallation,
  environment = {},
  nodeFlags = [],
  keptDataDir,
  copiedDataDir,
  diskBytes,
}: ServerProcessOptions): Promise<ServerProcess> {
  const dataDir = keptDataDir ?? mkdtempSync(join(tmpdir(), 'voltkeep-process-'))
  // Not Node's cpSync, which loses modes: PostgreSQL refuses directories that others may read.
  if (copiedDataDir !== undefined) execFileSync('cp', ['-a', `${copiedDataDir}/.`, dataDir])
  let entry = join(installation, 'apps/server/src/main.ts')
  const secretsFile = join(dataDir, secretsName)
  const adminPassword = 'Admin-1234'
  let ports = { httpPort: 0, httpsPort: 0, mqttPort: 0, mqttTlsPort: 0 }
  let child: ChildProcess | undefined
  let output = ''

  async function start(): Promise<void> {
    const seeding = demoDevices === undefined ? [] : ['--demo', String(demoDevices), '--secrets', secretsFile]
    const node = [process.execPath, ...serverFlags, ...nodeFlags, entry, ...seeding]
    const onDisk = `mount -t tmpfs -o size=${diskBytes} tmpfs "$0" && exec "$@"`
    const [command = '', ...args] =
      diskBytes === undefined ? node : ['unshare', ...inOwnMounts, 'sh', '-c', onDisk, dataDir, ...node]
    const started = spawn(command, args, {
      env: {
        ...process.env,
        // Its output is searched for Chinese sentences, also by what runs outside vitest.
        LC_ALL: 'C.UTF-8',
        HOST: '127.0.0.1',
        HTTP_PORT: String(ports.httpPort),
        MQTT_PORT: String(ports.mqttPort),
        HTTPS_PORT: String(ports.httpsPort),
        MQTT_TLS_PORT: String(ports.mqttTlsPort),
        DATA_DIR: dataDir,
        ADMIN_PASSWORD: adminPassword,
        // The fill level of the developer's disk must not affect tests.
        DISK_WARN_PERCENT: '100',
        DISK_STOP_PERCENT: '100',
        ...environment,
      },
      // The IPC channel: the server ends itself when this process is gone.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    for (const stream of [started.stdout, started.stderr]) {
      stream?.on('data', (bytes: Buffer) => {
        output = (output + bytes.toString()).slice(-keptOutput)
      })
    }
    ports = await new Promise<typeof ports>((resolve, reject) => {
      // With an external broker there is no own MQTT port, and without TLS there are no TLS ports.
      started.on('message', ({ kind, httpPort, httpsPort, mqttPort, mqttTlsPort }: ReadyMessage) => {
        if (kind !== 'ready') return
        resolve({
          httpPort,
          httpsPort: httpsPort ?? 0,
          mqttPort: mqttPort ?? 0,
          mqttTlsPort: mqttTlsPort ?? 0,
        })
      })
      started.once('exit', (code, signal) =>
        reject(new Error(`the server ended (${code ?? signal}) before it was ready:\n${output}`)),
      )
    })
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const exit = once(child, 'exit')
    child.kill(signal)
    const [code] = await exit
    return code as number | null
  }

  const urlOf = () =>
    ports.httpsPort === 0 ? `http://127.0.0.1:${ports.httpPort}` : `https://127.0.0.1:${ports.httpsPort}`
  await start()
  const seenDataDir = () =>
    diskBytes === undefined ? dataDir : join('/proc', String(child?.pid), 'root', dataDir)
  return {
    dataDir,
    get seenDataDir() {
      return seenDataDir()
    },
    get url() {
      return urlOf()
    },
    get httpPort() {
      return ports.httpPort
    },
    get mqttPort() {
      return ports.mqttPort
    },
    get httpsPort() {
      return ports.httpsPort
    },
    get mqttTlsPort() {
      return ports.mqttTlsPort
    },
    get pid() {
      return child?.pid ?? 0
    },
    adminPassword,
    get client() {
      return clientOf(urlOf())
    },
    get output() {
      return output
    },
    devices: () => JSON.parse(readFileSync(join(seenDataDir(), secretsName), 'utf8')),
    start,
    async startAs(other) {
      entry = join(other, 'apps/server/src/main.ts')
      await start()
    },
    kill: async () => {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
    remove: async () => {
      await end('SIGTERM')
      if (!keptDataDir) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
