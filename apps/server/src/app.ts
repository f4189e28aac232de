// The composition root: builds the platform, then the features, then opens the ports and starts the work of this
// process's roles (ROLES), and stops them in order. No rule lives here.
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'
import packageJson from '../package.json' with { type: 'json' }
import { access } from './domain/access/index.ts'
import { makePartitions, wantPartitions } from './domain/history/index.ts'
import { operations } from './features/operations/index.ts'
import { sessions } from './features/sessions/index.ts'
import {
  ensureAdministrator,
  type FirstSignIn,
  makeFirstSignIn,
  resetAdministrator,
} from './features/users/index.ts'
import { features, seeds } from './features.ts'
import type { OpenDatabase } from './platform/database/database.ts'
import { createJobs } from './platform/database/jobs/jobs.ts'
import { observeNodes, openNodes } from './platform/database/nodes/nodes.ts'
import { clockJumped, openNotices } from './platform/database/notices/notices.ts'
import { plantSeeds } from './platform/database/seeds.ts'
import { commandJobs } from './platform/devices/commands/commands.jobs.ts'
import { createReplyWriter } from './platform/devices/commands/commands.replies.ts'
import { createCommands } from './platform/devices/commands/commands.ts'
import { createCommandDelivery } from './platform/devices/commands/delivery.ts'
import { completeWriters } from './platform/devices/ingest/reports.ts'
import { createWriteLanes, observeLag } from './platform/devices/ingest/write-lanes.ts'
import type { EarlyArrivals } from './platform/devices/mqtt/early-arrivals.ts'
import { constraintsOf, createFeatures } from './platform/feature.ts'
import { fileJobs, openFiles } from './platform/files/kept/index.ts'
import { isStillGiven } from './platform/files/kept/offers.ts'
import { mountApiDocuments } from './platform/http/documents/index.ts'
import { createRefusalOf } from './platform/http/errors.ts'
import { mountDeviceFiles, mountDeviceUploads, openUploadDirectory } from './platform/http/files/index.ts'
import { noticeUntrustedProxy } from './platform/http/forwarded.ts'
import { mountHealth, type Part } from './platform/http/health.ts'
import { createHttpLimits, limitHttpConnections, watchReaders } from './platform/http/limits/index.ts'
import { createMetrics, observeCalls, serveMetrics } from './platform/http/metrics.ts'
import { createApi } from './platform/http/mount.ts'
import { servePages } from './platform/http/pages/index.ts'
import { createRedirect } from './platform/http/redirect.ts'
import { closeHttpServer, createHttpServer } from './platform/http/server.ts'
import { traceCalls } from './platform/http/trace-calls.ts'
import { createCallTurns, observeTurns } from './platform/http/turns/index.ts'
import { watchClock } from './platform/process/clocks/clock-watch.ts'
import type { Config } from './platform/process/config.ts'
import { watchDisk } from './platform/process/disk/disk-watch.ts'
import type { Log } from './platform/process/log.ts'
import { connectionBudget } from './platform/process/open-files.ts'
import { nodeFacts, ownUrl, type Ports, unencryptedWarning } from './platform/process/own-url.ts'
import { spoken } from './platform/process/sentences.ts'
import { StartupError } from './platform/process/startup-error.ts'
import { startupTexts } from './platform/process/startup-texts.ts'
import { tlsPathsOf } from './platform/process/tls/files.ts'
import { openTls } from './platform/process/tls/tls.ts'
import { createWarnings } from './platform/process/warnings.ts'

export interface AppParts {
  config: Config
  log: Log
  /** Open and migrated. Stays open when the app closes: whoever opened it closes it. */
  database: OpenDatabase
  /** Of the tables' owner; null where another process does the owner's work. Stays open like `database`. */
  owner: pg.Pool | null
  /** Devices that have come already. */
  early?: EarlyArrivals | null
}

export interface App {
  listen(): Promise<Ports>
  /**
   * Is not ready any more, takes no device any more and sends away those that it has, where another process takes them.
   * All else goes on until `close`.
   */
  drain(): Promise<void>
  /** Stops accepting, finishes what is in flight, closes what the features opened. */
  close(): Promise<void>
  /**
   * Without ADMIN_PASSWORD the first administrator is made after every port is open: only a hash of the password is
   * kept, so a later failure of the start would lose it.
   */
  makeFirstSignIn(show: (first: FirstSignIn) => void): Promise<void>
  /** For whoever has lost the administrator's password and has the machine. */
  resetAdministrator(): Promise<FirstSignIn>
}

export async function createApp({ config, log, database, owner, early = null }: AppParts): Promise<App> {
  const { db, pool } = database
  const { version } = packageJson
  const ports: Ports = {
    httpPort: null,
    httpsPort: null,
    mqttPort: null,
    mqttTlsPort: null,
    metricsPort: null,
  }
  let isStopping = false
  const readiness: Part[] = [
    {
      refusal: 'serverStopping',
      async ping() {
        if (isStopping) throw new Error('stopping')
      },
    },
    { refusal: 'databaseAway', ping: database.ping },
  ]
  /** Run by listen() in order: intake opens before the pages that show it. */
  const opening: (() => Promise<void>)[] = []
  /** Run by drain() side by side. */
  const draining: ((overMs: number) => Promise<void>)[] = []
  /** Run by close() in reverse order. */
  const closing: (() => Promise<void>)[] = []

  // ── What every installation starts with ───────────────────────────────────────────────────
  const { historyRetentionDays: retentionDays } = config
  if (owner) await makePartitions(owner, { at: [new Date()], retentionDays })
  else if (config.roles.has('jobs')) throw new StartupError(startupTexts.ownerIsMissing)
  await plantSeeds(db, seeds)
  if (config.adminPassword !== undefined) await ensureAdministrator(db, config.adminPassword)

  // ── Platform shared by the roles ──────────────────────────────────────────────────────────
  const notices = await openNotices({ pool, log })
  closing.push(() => notices.close())
  const nodes = await openNodes({ pool, log, facts: () => nodeFacts({ config, version, ports }) })
  closing.push(() => nodes.close())
  const watching = watchClock((byMs) => {
    log.warn(
      { bySeconds: Math.round(byMs / 1000) },
      spoken({ zh: '系统时钟跳变', en: 'the system clock has jumped' }),
    )
    notices.tellHere(clockJumped, [byMs])
  })
  closing.push(async () => watching())
  database.onMissingPartition(() => wantPartitions(notices))
  const metrics = createMetrics()
  if (config.otlpUrl !== undefined) {
    // Its libraries take a fifth of a second and 25 MB.
    const { openTelemetry } = await import('./platform/process/telemetry/index.ts')
    const telemetry = openTelemetry({ url: config.otlpUrl, config, version, metrics, log })
    closing.unshift(() => telemetry.close())
  }
  observeNodes(nodes, { metrics, version })
  const warnings = createWarnings()
  const disk = watchDisk({ config, log, metrics, warnings })
  closing.push(async () => disk.close())
  const files = await openFiles({
    config,
    db,
    log,
    disk,
    baseUrl: () => ownUrl(config, ports),
  })
  closing.push(async () => files.close())
  const budget = connectionBudget({
    http: config.httpMaxConnections,
    devices: config.mqttMaxConnections,
    database: config.dbPoolSize,
  })
  const tlsPaths = tlsPathsOf(config)
  const tls = tlsPaths ? openTls({ paths: tlsPaths, log, metrics }) : null
  if (tls) closing.push(async () => tls.close())
  warnings.add(() => tls?.warnings() ?? null)
  const unencrypted = unencryptedWarning(config)
  if (unencrypted !== null) log.warn(spoken(unencrypted))
  warnings.add(() => unencrypted)
  const jobs = createJobs({ pool, log })
  const commands = createCommands({ log, metrics })
  // Stops after intake: a job that takes long must not keep messages from being written and acknowledged.
  closing.push(() => jobs.stop())
  for (const job of fileJobs(files)) jobs.add(job)

  // ── Features: services, whatever the role ─────────────────────────────────────────────────
  const { all, writers, commandResults, uploads, use } = createFeatures(features, {
    config,
    version,
    db,
    pool,
    owner,
    log,
    notices,
    nodes,
    files,
    metrics,
    warnings,
    budget,
    tls,
    commands,
    ports,
    early,
    readiness,
  })

  for (const { prepare } of all) await prepare?.()
  commands.handle(commandResults)

  // ── Role ingest: devices come in ──────────────────────────────────────────────────────────
  if (config.roles.has('ingest')) {
    commands.handle(commandResults)
    const lanes = createWriteLanes({ pool, log, disk, now: nodes.now })
    for (const { ingest } of all) {
      if (!ingest) continue
      const reply = createReplyWriter(commands, (ids) => delivery.answered(ids))
      const { part, transport, deviceCount, open, drain, close } = await ingest({
        lanes,
        writers: completeWriters({ ...writers, reply }),
      })
      const delivery = createCommandDelivery({ pool, notices, log, states: commands, transport })
      observeLag(lanes, metrics)
      nodes.tell(() => ({ deviceCount: deviceCount(), lagMs: lanes.lagMs }))
      readiness.push(part)
      opening.push(async () => delivery.start(), open)
      draining.push(drain)
      // Commands stop going out before the devices' connections close.
      closing.push(close, () => delivery.stop())
    }
  }

  // ── Role jobs: what runs by the clock ─────────────────────────────────────────────────────
  if (config.roles.has('jobs')) {
    for (const job of [...all.flatMap((brought) => brought.jobs ?? []), ...commandJobs(pool)]) jobs.add(job)
    const workers = all.flatMap((brought) => brought.workers ?? [])
    opening.push(async () => {
      jobs.start()
      for (const worker of workers) worker.start()
    })
    closing.push(async () => void (await Promise.all(workers.map((worker) => worker.stop()))))
  }

  // ── Role api: calls and pages ─────────────────────────────────────────────────────────────
  if (config.roles.has('api')) {
    const refusalOf = createRefusalOf(constraintsOf(features))
    const limits = createHttpLimits({ log, metrics })
    const pace = { leastBytesPerSecond: config.leastBytesPerSecond }
    const turns = createCallTurns()
    observeTurns(turns, metrics)
    const http = createHttpServer({
      log,
      trustedProxies: config.trustedProxies,
      refusalOf,
      limits,
      bodyWithinMs: config.bodySeconds * 1_000,
      tls,
      hstsMaxAgeSeconds: config.hstsMaxAge,
      turns,
    })
    observeCalls(http, metrics)
    if (config.otlpUrl !== undefined) traceCalls(http)
    watchReaders(http, pace, (address) => limits.met('readerTooSlow', { address }))
    if (!config.trustedProxies) noticeUntrustedProxy(http, { log, metrics, warnings })
    const redirect = tls
      ? createRedirect(
          http,
          () => ({ url: config.publicUrl, port: ports.httpsPort ?? config.httpsPort }),
          limits,
        )
      : null
    limitHttpConnections(redirect ? [http.server, redirect.server] : [http.server], {
      inAll: budget.http,
      perAddress: config.httpMaxConnectionsPerAddress,
      trustedProxies: config.trustedProxies ?? [],
      log,
      metrics,
      warnings,
    })
    const uploadDirectory = join(config.dataDir, 'incoming')
    openUploadDirectory(uploadDirectory)
    const api = createApi(http, {
      uploadDirectory,
      disk,
      files,
      refusalOf,
      pace,
      limits,
      perUser: {
        exports: config.exportsPerUser,
        streams: config.streamsPerUser,
        uploads: config.uploadsPerUser,
      },
      branchOf: use(access).branchOf,
      authenticate: use(sessions).authenticate,
      recordRefusedWrite: use(operations).recordRefusedWrite,
      recordRead: use(operations).recordRead,
    })
    const liveNouns = all.flatMap((brought) => brought.live ?? [])
    const taskSources = all.flatMap((brought) => brought.tasks ?? [])
    for (const brought of all) brought.mount?.(api, { liveNouns, taskSources })
    const reply = createReplyWriter(commands, () => {})
    for (const brought of all)
      brought.mountDevices?.(http, {
        servers: redirect ? [http.server, redirect.server] : [http.server],
        writers: completeWriters({ ...writers, reply }),
      })
    mountDeviceFiles(http, files, (address) => isStillGiven(all, address))
    mountDeviceUploads(http, { files, uploads, log, pace, limits })
    mountHealth(api, readiness, version)
    mountApiDocuments(http, api, { version })
    servePages(http)

    opening.push(async () => {
      const host = config.httpHost ?? config.host
      await http.listen({
        host,
        port: tls ? config.httpsPort : config.httpPort,
        listenTextResolver: (address) =>
          spoken({ zh: `网页和接口：${address}`, en: `pages and API: ${address}` }),
      })
      const { port } = http.server.address() as AddressInfo
      if (!redirect) {
        ports.httpPort = port
        return
      }
      ports.httpsPort = port
      ports.httpPort = await redirect.listen({ host, port: config.httpPort })
      closing.push(() => redirect.close())
    })
    closing.push(() => closeHttpServer(http))
    closing.push(async () => {
      for (const brought of all.toReversed()) await brought.unmount?.()
    })
  }

  if (config.metricsPort !== undefined) {
    const { metricsHost: host, metricsPort: port } = config
    opening.push(async () => {
      const server = await serveMetrics(metrics, { host, port })
      ports.metricsPort = server.port
      closing.push(() => server.close())
    })
  }

  return {
    makeFirstSignIn: (show) => makeFirstSignIn(db, show),
    resetAdministrator: () => resetAdministrator(db, config.adminPassword),
    async listen() {
      for (const open of opening) await open()
      return ports
    },
    async drain() {
      isStopping = true
      if (draining.length === 0 || nodes.others.size === 0) return
      await Promise.all([nodes.leave(), ...draining.map((drain) => drain(config.drainSeconds * 1_000))])
    },
    async close() {
      isStopping = true
      for (const close of closing.toReversed()) await close()
    },
  }
}
