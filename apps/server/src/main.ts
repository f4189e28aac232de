// The entry of a server process: configuration, lock, database, app, and an orderly end.
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import type { App } from './app.ts'
import type { Demo } from './demo.ts'
import type { BackupCommand } from './features/backups/index.ts'
import type { Installation } from './features/server-status/index.ts'
import type { OpenDatabases } from './platform/database/connections/open-databases.ts'
import type { EmbeddedPostgres } from './platform/database/embedded/embedded.ts'
import { type EarlyArrivals, openEarly } from './platform/devices/mqtt/early-arrivals.ts'
import { type Config, readConfig, roles, settings } from './platform/process/config.ts'
import { type DataDirLock, lockDataDir, openDataDir } from './platform/process/data-dir.ts'
import { createLog, type Log } from './platform/process/log.ts'
import { connectionBudget, openFilesLimit } from './platform/process/open-files.ts'
import { ownUrl, type Ports } from './platform/process/own-url.ts'
import { spoken } from './platform/process/sentences.ts'
import { StartupError } from './platform/process/startup-error.ts'
import { startupTexts as texts } from './platform/process/startup-texts.ts'
import { checkTls } from './platform/process/tls/tls.ts'

const closeLimitMs = 20_000
/** Longer than migrations take on large tables; whoever supervises the process may start it again after that. */
const tablesLimitMs = 600_000
/** One file a device connection, and some hundred for everything else. */
const wantedOpenFiles = 12_000

/** What was started, in order; stopped in reverse order. */
interface Running {
  lock?: DataDirLock
  log?: Log
  early?: EarlyArrivals | undefined
  postgres?: EmbeddedPostgres
  databases?: OpenDatabases
  app?: App
}

const running: Running = {}
let isStopping = false

// The console may be gone before us (a closed terminal, a parent that was killed). Its write error must not stop an
// orderly shutdown.
process.stdout.on('error', () => {})
process.stderr.on('error', () => {})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // A second signal ends the process at once. PostgreSQL ends with it by the parent-death signal, and recovers at the
    // next start.
    if (isStopping) process.exit(130)
    void stop(0)
  })
}
// Started by one of our scripts: without the script nobody is left to end this process.
process.on('disconnect', () => void stop(0))
process.on('uncaughtException', (err) => fail(err))
process.on('unhandledRejection', (err) => fail(err))

await start().catch(fail)

async function start(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      demo: { type: 'string' },
      secrets: { type: 'string' },
      'reset-admin': { type: 'boolean' },
      backup: { type: 'string' },
      'verify-backup': { type: 'string' },
      restore: { type: 'string' },
      diagnose: { type: 'boolean' },
      version: { type: 'boolean' },
    },
  })
  if (options.version) {
    process.stdout.write(`voltkeep ${packageJson.version}\n`)
    return stop(0)
  }
  const config = readConfig(process.env)
  checkTls(config)
  process.env.TZ = config.zone
  if (options.diagnose) {
    const { diagnosisTexts, writeDiagnosis } = await import('./features/server-status/index.ts')
    // A server that runs beside it has the log files.
    const log = createLog({ level: 'warn' })
    const path = await writeDiagnosis({ config, log, release: packageJson.version, env: process.env })
    process.stdout.write(`${diagnosisTexts.written(path)}\n`)
    return stop(0)
  }
  const command = backupCommandOf(options)
  if (command !== undefined) {
    const { runBackupCommand } = await import('./features/backups/index.ts')
    await runBackupCommand(command, {
      config,
      // A server that runs beside it has the log files.
      log: createLog({ level: 'warn' }),
      release: packageJson.version,
      print: (line) => void process.stdout.write(`${line}\n`),
    })
    return stop(0)
  }

  openDataDir(config.dataDir)
  // An external database may serve several processes of one deployment, which then share the files.
  running.lock = await lockDataDir(config.dataDir, { isShared: config.databaseUrl !== undefined })
  const log = createLog({
    level: config.logLevel,
    directory: join(config.dataDir, 'logs'),
    name: processName(config),
  })
  running.log = log
  checkOpenFiles(config, log)
  // Nothing above this line takes long, and what takes long is loaded below it: devices that come back after a crash
  // find the port open, whatever the rest of the start takes.
  if (!options['reset-admin']) running.early = await openEarly(devicePortsOf(config))

  if (config.databaseUrl === undefined) {
    const { startEmbeddedPostgres } = await import('./platform/database/embedded/embedded.ts')
    running.postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log, zone: config.zone })
  }
  const { openDatabases } = await import('./platform/database/connections/open-databases.ts')
  const databases = await openDatabases({
    url: config.databaseUrl ?? (running.postgres as EmbeddedPostgres).url,
    ownerUrl: config.databaseUrl === undefined ? running.postgres?.ownerUrl : config.databaseOwnerUrl,
    zone: config.zone,
    poolSize: config.dbPoolSize,
    applicationName: processName(config),
    release: packageJson.version,
    // A process with the role jobs cannot do without the owner: it does not wait for another one.
    waitForTablesMs: config.roles.has('jobs') ? 0 : tablesLimitMs,
    log,
  })
  running.databases = databases
  const { database, owner } = databases
  if (isStopping) return

  const { demo: deviceCount, secrets: secretsFile } = options
  const { createApp } = await import('./app.ts')
  const { readInstallation } = await import('./features/server-status/index.ts')
  // Before this start writes anything itself.
  const installation = await readInstallation(database.db)
  const { isDemo, openDemo, seedDemo } = await import('./demo.ts')
  const demo = deviceCount === undefined ? undefined : await openDemo({ config, db: database.db })
  const app = await createApp({
    config: demo?.config ?? config,
    log,
    database,
    owner,
    early: running.early ?? null,
  })
  running.app = app
  if (options['reset-admin']) {
    const { loginName, password } = await app.resetAdministrator()
    const shown = config.adminPassword === undefined ? texts.toBeChanged(password) : texts.givenPassword
    process.stdout.write(`\n${texts.wasReset(loginName, shown)}\n\n`)
    return stop(0)
  }
  if (demo !== undefined && secretsFile !== undefined) {
    await seedDemo({
      config: demo.config,
      log,
      database,
      owner,
      deviceCount: Number(deviceCount),
      secretsFile,
    })
  }
  if (isStopping) return
  const ports = await app.listen()
  await greet({ config, app, ports, installation, demo, isDemoData: await isDemo(database.db) })
  process.send?.({ kind: 'ready', ...ports })
  // Node writes its compile cache only at an orderly end, which a killed server does not have.
  flushCompileCache()
}

async function stop(exitCode: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  const { app, databases, early, postgres, lock, log } = running
  log?.info(spoken({ zh: '正在停止', en: 'stopping' }))
  early?.close()
  try {
    // Over DRAIN_SECONDS where there are other processes; a second signal ends it.
    await app?.drain()
    // Whatever is still open after that time (a download, a stuck query) does not delay the rest.
    await Promise.race([app?.close(), delay(closeLimitMs)])
    await Promise.race([databases?.close(), delay(closeLimitMs)])
    await postgres?.stop()
    lock?.release()
    log?.info(spoken({ zh: '已停止', en: 'stopped' }))
  } catch (err) {
    log?.error({ err }, spoken({ zh: '停止时出错', en: 'stopping has failed' }))
  }
  process.exit(exitCode)
}

function fail(error: unknown): void {
  if (isStopping) return
  const known = knownProblem(error)
  if (known !== undefined) {
    process.stderr.write(`${texts.failed(known)}\n`)
  } else if (running.log) {
    running.log.fatal(
      { err: error },
      spoken({ zh: '发生未预料的错误，服务停止', en: 'an unforeseen error, the server stops' }),
    )
  } else {
    process.stderr.write(`${texts.failed(String(error instanceof Error ? error.stack : error))}\n`)
  }
  void stop(1)
}

function backupCommandOf(options: {
  backup?: string
  'verify-backup'?: string
  restore?: string
}): BackupCommand | undefined {
  const { backup, 'verify-backup': verify, restore } = options
  if (backup !== undefined) return { kind: 'backup', path: backup }
  if (verify !== undefined) return { kind: 'verify', path: verify }
  if (restore !== undefined) return { kind: 'restore', path: restore }
  return undefined
}

/** Problems that the person at the console can mend, with a text that says how. */
function knownProblem(error: unknown): string | undefined {
  if (error instanceof StartupError) return error.message
  const { code, syscall, port, address, hostname } = error as NodeJS.ErrnoException & {
    port?: number
    address?: string
    hostname?: string
  }
  if (code?.startsWith('ERR_PARSE_ARGS_')) {
    return texts.badArguments(process.argv.slice(2).join(' '))
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined
  switch (code) {
    case 'EADDRINUSE':
      return texts.portTaken(port, portSetting(port))
    case 'EACCES':
      return texts.portForbidden(port, portSetting(port))
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND': {
      const place = address ?? hostname ?? ''
      const { host, httpHost, mqttHost, metricsHost } = settings
      const hosts = [host, httpHost, mqttHost, metricsHost].filter((setting) => place === givenFor(setting))
      return texts.noSuchAddress(place, (hosts[0] ?? host).name)
    }
    default:
      return undefined
  }
}

function givenFor({ name, defaultText }: { name: string; defaultText: string | undefined }) {
  return process.env[name]?.trim() || defaultText
}

/** The setting of a port that could not be opened. */
function portSetting(port: number | undefined): string {
  const { mqttPort, mqttTlsPort, metricsPort, httpsPort, httpPort } = settings
  const encrypted = process.env[settings.tlsCert.name] ? [mqttTlsPort, httpsPort] : []
  const ports = [mqttPort, metricsPort, httpPort, ...encrypted]
  return (ports.find((setting) => Number(givenFor(setting)) === port) ?? settings.httpPort).name
}

/** Processes that share DATA_DIR write a log file each. */
function processName({ roles: own }: Config): string {
  return own.size === roles.length ? 'voltkeep' : `voltkeep-${[...own].sort().join('-')}`
}

function checkOpenFiles(config: Config, log: Log): void {
  if (!config.roles.has('ingest') || config.mqttUrl !== undefined) return
  const limit = openFilesLimit() ?? Infinity
  if (limit >= wantedOpenFiles) return
  log.warn(
    spoken({
      zh:
        `本进程最多可打开 ${limit} 个文件（每台在线设备占用一个），接入设备较多时请先提高上限：` +
        `ulimit -n 65536，或在 systemd 服务中设置 LimitNOFILE=65536`,
      en:
        `this process may open ${limit} files, and each connected device is one: for many devices raise the limit first ` +
        `(ulimit -n 65536, or LimitNOFILE=65536 in a systemd unit)`,
    }),
  )
}

/** The ports on which devices connect to this process, and how many may. */
function devicePortsOf(config: Config): Parameters<typeof openEarly>[0] {
  const { host, mqttHost = host, mqttPort, mqttTlsPort, mqttTlsOnly, mqttUrl, tlsCert } = config
  const ports = [mqttTlsOnly ? [] : mqttPort, tlsCert === undefined ? [] : mqttTlsPort].flat()
  const budget = connectionBudget({
    http: config.httpMaxConnections,
    devices: config.mqttMaxConnections,
    database: config.dbPoolSize,
  })
  const hasBroker = config.roles.has('ingest') && mqttUrl === undefined
  return { host: mqttHost, ports: hasBroker ? ports : [], most: budget.devices }
}

/** On the console only: a first password has no place in a log file. */
async function greet({
  config,
  app,
  ports,
  installation,
  demo,
  isDemoData,
}: {
  config: Config
  app: App
  ports: Ports
  installation: Installation
  demo: Demo | undefined
  isDemoData: boolean
}): Promise<void> {
  const lines = ['', texts.started([...config.roles]), texts.opened(config.dataDir, installation)]
  const { httpPort, mqttPort, mqttTlsPort } = ports
  const intake = [
    mqttTlsPort === null ? [] : `mqtts://localhost:${mqttTlsPort}`,
    mqttPort === null ? [] : `mqtt://localhost:${mqttPort}`,
  ].flat()
  if (httpPort !== null) lines.push(texts.pages(ownUrl(config, ports)))
  if (intake.length > 0) lines.push(texts.intake(intake))
  if (isDemoData && demo === undefined) {
    lines.push(texts.demoData)
  }
  if (demo !== undefined && httpPort !== null) lines.push(texts.demoSignIn(await demo.describeSignIn()))
  process.stdout.write(`${lines.join('\n')}\n`)
  await app.makeFirstSignIn(({ loginName, password }) => {
    process.stdout.write(`${texts.firstSignIn(loginName, password)}\n`)
  })
  process.stdout.write('\n')
}
