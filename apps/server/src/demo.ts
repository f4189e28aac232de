import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { AppParts } from './app.ts'
import { findRegistered, insertDevices, readModels, renewSecrets } from './demo/devices.ts'
import { demoDevice } from './demo/fleet.ts'
import { plantOrganizations, plantUsers } from './demo/organizations.ts'
import { makeSecret } from './features/devices/index.ts'

export interface DemoOptions extends AppParts {
  deviceCount: number
  /** Where the fleet reads what it plays: a JSON list of PlayedDevice, mode 0600. */
  secretsFile: string
}

export interface PlayedDevice {
  code: string
  secret: string
  /** EQUIP_CLASSIFY */
  classify: string
  partTypes: string[]
}

/**
 * Fills an installation with what `npm run demo` shows: manufacturers, operators, a user each, and as
 * many devices as asked for. A start with more devices adds them; otherwise what is there stays as it
 * is. Runs after the seeds and before the server listens.
 *
 * The file is the only place that knows the secrets, so it comes first: a start that is cut short leaves
 * a file with secrets that nobody uses yet, and the next one uses them. Devices whose secrets were lost
 * with the file get new ones; one that was given a new secret by hand stays refused until the file has it.
 */
export async function seedDemo({
  config,
  log,
  database,
  deviceCount,
  secretsFile,
}: DemoOptions): Promise<void> {
  const { db } = database
  const devices = Array.from({ length: deviceCount }, (_, index) => demoDevice(index + 1))
  const codes = devices.map(({ code }) => code)
  const models = await readModels(db)
  const known = readPlayed(secretsFile)
  const played = new Map(
    devices.map(({ code, modelCode }) => {
      const { classify = 'EC', partTypes = [] } = models.get(modelCode) ?? {}
      return [code, { code, secret: known.get(code)?.secret ?? makeSecret(), classify, partTypes }]
    }),
  )
  const secretOf = (code: string) => played.get(code)?.secret as string
  // Those of an earlier start with more devices stay: the fleet plays as many as it is told, from the front.
  const others = [...known.values()].filter(({ code }) => !played.has(code))
  writePlayed(secretsFile, [...played.values(), ...others])

  const registered = await findRegistered(db, codes)
  const missing = devices.filter(({ code }) => !registered.has(code))
  const keyless = codes.filter((code) => registered.has(code) && !known.has(code))
  await db.transaction().execute(async (trx) => {
    await plantOrganizations(trx)
    if (config.adminPassword !== undefined) await plantUsers(trx, config.adminPassword)
    await insertDevices(trx, missing, secretOf)
    await renewSecrets(trx, keyless, secretOf)
  })
  if (missing.length > 0) await sql`ANALYZE device, device_state`.execute(db)
  log.info({ added: missing.length, renewed: keyless.length }, `演示设备已就绪，共 ${deviceCount} 台`)
}

function readPlayed(path: string): Map<string, PlayedDevice> {
  if (!existsSync(path)) return new Map()
  const list = JSON.parse(readFileSync(path, 'utf8')) as PlayedDevice[]
  return new Map(list.map((device) => [device.code, device]))
}

/** Beside and then over the old one: a crash leaves one or the other. */
function writePlayed(path: string, devices: PlayedDevice[]): void {
  const beside = `${path}.new`
  writeFileSync(beside, `${JSON.stringify(devices, null, 1)}\n`, { mode: 0o600 })
  renameSync(beside, path)
}
