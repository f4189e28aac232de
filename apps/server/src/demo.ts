// The demonstration: an installation with organizations, users, devices and packages, to be looked at.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AppParts } from './app.ts'
import { findRegistered, insertDevices, readModels, renewSecrets } from './demo/devices.ts'
import { demoDevice } from './demo/fleet.ts'
import { hasUsers, isDemo, plantOrganizations, plantUsers } from './demo/organizations.ts'
import { boardsOf, plantPackages } from './demo/packages.ts'
import { makeSecret } from './features/devices/index.ts'
import { findSignIn } from './features/users/index.ts'
import { seeds } from './features.ts'
import type { Db } from './platform/database/database.ts'
import { plantSeeds } from './platform/database/seeds.ts'
import { openFiles } from './platform/files/kept/index.ts'
import type { Config } from './platform/process/config.ts'
import { spoken } from './platform/process/sentences.ts'
import { StartupError } from './platform/process/startup-error.ts'
import { startupTexts as texts } from './platform/process/startup-texts.ts'

export { isDemo }

export interface Demo {
  /** With the password that a first start gives to the administrator and to the operators' users. */
  config: Config
  /** How to sign in as the administrator, with a password only where it is right. */
  describeSignIn(): Promise<string>
}

export interface DemoOptions extends AppParts {
  deviceCount: number
  /** Where the fleet reads the devices that it plays: a JSON list of PlayedDevice, mode 0600. */
  secretsFile: string
}

export interface PlayedDevice {
  code: string
  secret: string
  /** EQUIP_CLASSIFY */
  classify: string
  partTypes: string[]
  /** Codes of boards by type of part. */
  boards: Record<string, string>
  /** How many compartments a cabinet has. */
  compartments?: number | undefined
}

/**
 * Takes a database for the demonstration: its own, or one that nobody has used yet. A real installation is
 * left as it is. Runs before the app is made, which adds the administrator: the organizations planted here
 * are what tells the two apart, also after a start that was cut short.
 *
 * The password is the same at every start, unlike a first password that is shown once: a demonstration is
 * come back to.
 */
export async function openDemo({ config, db }: { config: Config; db: Db }): Promise<Demo> {
  const { adminPassword: given, dataDir, databaseUrl } = config
  const passwordFile = join(dataDir, 'demo-password')
  const isNew = !(await hasUsers(db))
  if (!isNew && !(await isDemo(db))) {
    throw new StartupError(databaseUrl === undefined ? texts.realDirectory(dataDir) : texts.realDatabase)
  }
  if (isNew) {
    await plantSeeds(db, seeds)
    await db.transaction().execute(plantOrganizations)
  }
  let kept = existsSync(passwordFile) ? readFileSync(passwordFile, 'utf8').trim() : undefined
  if (isNew && kept === undefined && given === undefined) {
    kept = `Demo-${randomBytes(6).toString('hex')}`
    writeFileSync(passwordFile, `${kept}\n`, { mode: 0o600 })
  }
  return {
    config: { ...config, adminPassword: given ?? kept },
    async describeSignIn() {
      const known = [given, kept].filter((password) => password !== undefined)
      const { loginName = 'admin', password } = (await findSignIn(db, known)) ?? {}
      if (password === undefined) {
        return texts.demoPasswordIsOther(loginName, dataDir)
      }
      const isGiven = password === given
      const note = isGiven ? '' : texts.keptIn(passwordFile)
      const refusal = isGiven || given === undefined ? '' : texts.onlyAtFirst
      return `${texts.demoPassword(loginName, password)}${note}${refusal}`
    },
  }
}

/**
 * Fills an installation with what `npm run demo` shows: manufacturers, operators, a user each, boards with
 * firmware, and as many devices as asked for. A start with more devices adds them; otherwise what is there stays as it
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
  owner,
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
      const { typeCode = '', classify = 'EC', partTypes = [], compartments } = models.get(modelCode) ?? {}
      const boards = boardsOf(typeCode, modelCode)
      const secret = known.get(code)?.secret ?? makeSecret()
      return [code, { code, secret, classify, partTypes, boards, compartments: compartments ?? undefined }]
    }),
  )
  const secretOf = (code: string) => played.get(code)?.secret as string
  // Devices of an earlier start with more devices stay: the fleet plays only the first ones, as many as it is told.
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
  // No address of a file is handed out before the server listens.
  const files = await openFiles({ config, db, log, baseUrl: () => '' })
  await plantPackages(db, files).finally(() => files.close())
  if (missing.length > 0) await owner?.query('ANALYZE device, device_state')
  log.info(
    { added: missing.length, renewed: keyless.length },
    spoken({
      zh: `演示设备已就绪，共 ${deviceCount} 台`,
      en: `${deviceCount} demonstration devices are ready`,
    }),
  )
}

function readPlayed(path: string): Map<string, PlayedDevice> {
  if (!existsSync(path)) return new Map()
  const list = JSON.parse(readFileSync(path, 'utf8')) as PlayedDevice[]
  return new Map(list.map((device) => [device.code, device]))
}

/** Written to a new file that then replaces the old one: a crash leaves one or the other. */
function writePlayed(path: string, devices: PlayedDevice[]): void {
  const beside = `${path}.new`
  writeFileSync(beside, `${JSON.stringify(devices, null, 1)}\n`, { mode: 0o600 })
  renameSync(beside, path)
}
