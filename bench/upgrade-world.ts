// The environment of the upgrade bench: devices, packages, and a fleet that executes commands.
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import {
  cancelUpgradeTask,
  type Endpoint,
  type InputFor,
  insertFirmware,
  insertUpgradeTask,
  saveBoard,
  type UploadedPackage,
  uploadFirmware,
} from '@voltkeep/contract'
import { type OpenDatabase, openDatabase } from '../apps/server/src/platform/database/database.ts'
import { databaseUrlOf } from '../apps/server/test/embedded-url.ts'
import { type ServerProcess, startServerProcess } from '../apps/server/test/server-process.ts'
import { type BenchFleet, forkFleet } from './fleet.ts'
import type { FleetUpgrades } from './fleet-process.ts'
import { noDeviceLimits } from './no-device-limits.ts'

const partType = 'PART_TYPE_EC_MASTER'
const pcbCode = 'BENCH1'
const packageBytes = 65_536
export const oldVersion = '1.0'
export const newVersion = '1.5'

/** A server with devices of one type, all with one part on the old version, and a package with the new version. */
export interface UpgradeWorld {
  server: ServerProcess
  /** A call as the administrator; throws if refused. */
  call<E extends Endpoint>(endpoint: E, input: InputFor<E>): Promise<{ data: unknown; total?: number }>
  /**
   * Creates a task for all devices that is due immediately; returns its id. `forced` sets values beyond those that
   * the form allows.
   */
  startTask(rule: Record<string, unknown>, forced?: Record<string, unknown>): Promise<number>
  cancel(taskId: number): Promise<void>
  /** Queries the database, across restarts of the server. */
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  remove(): Promise<void>
}

export async function createUpgradeWorld({
  devices,
  isReported,
  installation,
  existing,
}: {
  devices: number
  /** Another checkout whose server it is. */
  installation?: string | undefined
  /** Whether simulated devices report the versions; otherwise they are inserted as if reported. */
  isReported: boolean
  /** A server that is there already, with its devices; it is not removed with the world. */
  existing?: { server: ServerProcess; databaseUrl: () => string }
}): Promise<UpgradeWorld> {
  const server =
    existing?.server ??
    (await startServerProcess({
      demoDevices: devices,
      installation,
      environment: { ...noDeviceLimits, LOG_LEVEL: 'warn' },
    }))
  const token = await server.client.signIn('admin', server.adminPassword)

  const call: UpgradeWorld['call'] = async (endpoint, input) => {
    const answer = await server.client.call(endpoint, input, token)
    if (answer.code !== 200) throw new Error(`${endpoint.path}: ${answer.code} ${answer.message}`)
    return answer
  }
  const reader = createReader(existing?.databaseUrl ?? (() => databaseUrlOf(server.dataDir)))
  const { query } = reader

  const [type] = await query<{ id: number; model: number }>(
    `SELECT t.id, min(m.id) AS model FROM equip_type t JOIN equip_model m ON m.equip_type_id = t.id
     WHERE t.classify = 'EC' GROUP BY t.id ORDER BY t.id LIMIT 1`,
  )
  await query('UPDATE device SET model_id = $1', [type?.model])
  if (!isReported) {
    await query(
      `INSERT INTO device_version (device_id, part_type, addr_id, version, pcb_code, reported_at)
       SELECT id, $1, '0', $2, $3, now() FROM device`,
      [partType, oldVersion, pcbCode],
    )
  }
  await query('VACUUM ANALYZE')
  await call(saveBoard, { pcbCode, pcbName: pcbCode, partType, equipTypeId: String(type?.id) })
  const packageId = await uploadPackage()

  async function uploadPackage(): Promise<string> {
    const form = new FormData()
    const name = `${pcbCode}_EC_MASTER_V${newVersion}_R.bin`
    form.append('file', new Blob([new Uint8Array(packageBytes).map((_, n) => n % 251)]), name)
    const answer = await server.client.request(`/api${uploadFirmware.path}`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${token}` },
    })
    if (answer.code !== 200) throw new Error(answer.message)
    const { filePath, version, pcbCode: board, partType: part } = answer.data as UploadedPackage
    const text = '性能测试'
    const { data } = await call(insertFirmware, {
      filePath,
      pcbCode: board,
      partType: part,
      version,
      remark: { zh: text, en: text, de: text, fr: text },
    })
    return (data as { id: string }).id
  }

  return {
    server,
    call,
    query,
    async startTask(rule, forced) {
      const dueAt = new Date(Date.now() + (forced ? 3_000 : 0))
      const { data } = await call(insertUpgradeTask, {
        softwareVersionId: packageId,
        upgradeTime: wallClock(dueAt),
        upgradeRule: rule,
      })
      const id = Number((data as { id: string }).id)
      if (forced) await query('UPDATE upgrade_task SET rule = rule || $2 WHERE id = $1', [id, forced])
      return id
    },
    async cancel(taskId) {
      await call(cancelUpgradeTask, { id: String(taskId) })
    },
    async remove() {
      await reader.close()
      if (!existing) await server.remove()
    },
  }
}

/** Queries of the embedded database across restarts of the server: each start has another address. */
function createReader(urlOf: () => string) {
  let open: { url: string; database: OpenDatabase } | undefined
  const close = async () => {
    // The connection may have ended with its server.
    await open?.database.close().catch(() => undefined)
    open = undefined
  }
  return {
    async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const url = urlOf()
      if (open?.url !== url) {
        await close()
        open = { url, database: await openDatabase({ url, zone: 'Asia/Shanghai', poolSize: 1 }) }
      }
      return (await open.database.pool.query<Row>(text, values)).rows
    },
    close,
  }
}

/** Formats a time like the calls do, in the server's time zone. */
function wallClock(at: Date): string {
  return at.toLocaleString('sv-SE', { timeZone: 'Asia/Shanghai' })
}

/** Connects devices of the world, in their own process. */
export async function startFleet(
  { server }: UpgradeWorld,
  {
    devices,
    port = server.mqttPort,
    ...upgrades
  }: Omit<FleetUpgrades, 'parts'> & {
    devices: number
    /** The port of another broker. */
    port?: number
  },
): Promise<BenchFleet> {
  const fleet = forkFleet()
  const { onlineCount } = await fleet.ask({
    kind: 'connect',
    mqtt: `mqtt://127.0.0.1:${port}`,
    secretsPath: join(server.dataDir, 'demo-devices.json'),
    connectsPerSecond: 2_000,
    devices,
    upgrades: {
      rebootMs: 200,
      ...upgrades,
      parts: [{ partType, addrId: '0', version: oldVersion, pcbCode }],
    },
  })
  if (onlineCount < devices) throw new Error(`${onlineCount} of ${devices} devices are online`)
  return fleet
}

/** Waits until the versions of this many devices are in the database: planning depends on them. */
export async function whenReported({ query }: UpgradeWorld, devices: number): Promise<void> {
  const count = async () =>
    (await query<{ n: number }>('SELECT count(*)::int AS n FROM device_version'))[0]?.n ?? 0
  await eventually({
    what: 'all devices have reported their versions',
    limitMinutes: 5,
    isSo: async () => (await count()) >= devices,
    present: async () => `${await count()} have`,
  })
}

/** Polls until the answer is true; throws after a number of minutes, with the last state. Errors are retried. */
export async function eventually({
  what,
  limitMinutes,
  isSo,
  present,
  pauseMs = 250,
}: {
  what: string
  limitMinutes: number
  isSo: () => Promise<boolean>
  present: () => Promise<string>
  pauseMs?: number | undefined
}): Promise<void> {
  const end = Date.now() + limitMinutes * 60_000
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`not within ${limitMinutes} min: ${what}; now ${await present()}`)
    await delay(pauseMs)
  }
}
