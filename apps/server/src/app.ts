import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { createAlarms, createAlarmWriter, mountAlarms } from './features/alarms/index.ts'
import {
  createDeviceImport,
  createDevices,
  createPresence,
  mountDeviceImport,
  mountDevices,
  parameterWriter,
  statusWriter,
  versionWriter,
} from './features/devices/index.ts'
import { createDictionary, mountDictionary } from './features/dictionary/index.ts'
import { createEquipTypes, mountEquipTypes } from './features/equip-types/index.ts'
import { createEvents, createEventWriter, mountEvents } from './features/events/index.ts'
import {
  createEmbeddedIntake,
  createExternalIntake,
  createIntakeRecords,
  intakeJobs,
  mountIntake,
} from './features/intake/index.ts'
import { createLive, mountLive } from './features/live/index.ts'
import { createMenus, mountMenus } from './features/menus/index.ts'
import { createOperations, mountOperations } from './features/operations/index.ts'
import { createOperators, mountOperators } from './features/operators/index.ts'
import { createOrganizations, mountOrganizations } from './features/organizations/index.ts'
import { createOverview, mountOverview } from './features/overview/index.ts'
import { createPermissions, mountPermissions } from './features/permissions/index.ts'
import { createRegions, mountRegions } from './features/regions/index.ts'
import { createRoles, mountRoles } from './features/roles/index.ts'
import { createServerStatus, mountServerStatus } from './features/server-status/index.ts'
import { createSessions, mountSessions, sessionJobs } from './features/sessions/index.ts'
import {
  createUsers,
  ensureAdministrator,
  type FirstSignIn,
  makeFirstSignIn,
  mountUsers,
  resetAdministrator,
} from './features/users/index.ts'
import type { Config } from './platform/config.ts'
import type { OpenDatabase } from './platform/database/database.ts'
import { historyJobs, historyWindow, keepPartitions } from './platform/history/index.ts'
import { mountApiDocuments } from './platform/http/api-documents.ts'
import { mountHealth, type Part } from './platform/http/health.ts'
import { createMetrics, observeCalls, serveMetrics } from './platform/http/metrics.ts'
import { createApi } from './platform/http/mount.ts'
import { servePages } from './platform/http/pages.ts'
import { closeHttpServer, createHttpServer } from './platform/http/server.ts'
import { openUploadDirectory } from './platform/http/uploads.ts'
import { createJobs } from './platform/jobs/jobs.ts'
import type { Log } from './platform/log.ts'
import { createRowIds } from './platform/mqtt/row-ids.ts'
import { createWriteLanes } from './platform/mqtt/write-lanes.ts'
import { openNotices } from './platform/notices.ts'
import { plantSeeds } from './seeds/index.ts'

export interface AppParts {
  config: Config
  log: Log
  /** Open and migrated. Stays open when the app closes: it belongs to who opened it. */
  database: OpenDatabase
}

/** Ports as they were opened (0 in the settings means any free one); null where this process has none. */
export interface Ports {
  httpPort: number | null
  mqttPort: number | null
  metricsPort: number | null
}

export interface App {
  listen(): Promise<Ports>
  /** Stops accepting, finishes what is in flight, closes what the features opened. */
  close(): Promise<void>
  /**
   * Without ADMIN_PASSWORD the first administrator is made when everything is open: a start that fails
   * before would take the password with it, of which only a hash is kept.
   */
  makeFirstSignIn(show: (first: FirstSignIn) => void): Promise<void>
  /** For whoever has lost the administrator's password and has the machine. */
  resetAdministrator(): Promise<FirstSignIn>
}

/**
 * The composition root: builds the platform, then the features, then lets the roles of this process
 * (ROLES) decide which doors are opened. No rule lives here.
 */
export async function createApp({ config, log, database }: AppParts): Promise<App> {
  const { db } = database
  const ports: Ports = { httpPort: null, mqttPort: null, metricsPort: null }
  /** What readiness asks. */
  const parts: Part[] = [{ refusal: 'databaseAway', ping: database.ping }]
  /** Run by listen() in order: intake opens before the pages that show it. */
  const opening: (() => Promise<void>)[] = []
  /** Run by close() in reverse order. */
  const closing: (() => Promise<void>)[] = []

  // ── What every installation starts with ───────────────────────────────────────────────────
  await keepPartitions(database.pool, { retentionDays: config.historyRetentionDays })
  await plantSeeds(db)
  if (config.adminPassword !== undefined) await ensureAdministrator(db, config.adminPassword)

  // ── Platform shared by the roles ──────────────────────────────────────────────────────────
  const notices = await openNotices({ pool: database.pool, log })
  closing.push(() => notices.close())
  const metrics = createMetrics()
  const jobs = createJobs({ pool: database.pool, log })

  // ── Features: services, whatever the role ─────────────────────────────────────────────────
  const operations = createOperations({ db, log })
  const roles = createRoles({ db })
  const menus = createMenus({ db, roles })
  const sessions = createSessions({ db, menus, roles })
  const users = createUsers({ db, roles, sessions })
  const permissions = createPermissions({ db })
  const organizations = createOrganizations({ db })
  const operators = createOperators({ db })
  const regions = createRegions({ db, notices })
  const dictionary = createDictionary({ db, notices })
  const equipTypes = createEquipTypes({ db, dictionary })
  const devices = createDevices({ db, notices, mqttPort: () => ports.mqttPort })
  const deviceImport = createDeviceImport({ db, notices })
  const intakeRecords = createIntakeRecords({ db })
  const alarms = createAlarms({ db, notices })
  const events = createEvents({ db })
  const overview = createOverview({ db })

  // ── Role ingest: devices come in ──────────────────────────────────────────────────────────
  if (config.roles.has('ingest')) {
    const lanes = createWriteLanes({ pool: database.pool, log })
    const rowIds = createRowIds()
    const presence = createPresence({
      lanes,
      notices,
      pool: database.pool,
      byReports: config.mqttUrl !== undefined,
    })
    const needs = {
      db,
      log,
      notices,
      metrics,
      lanes,
      presence,
      writers: {
        alarm: createAlarmWriter({ notices, rowIds }),
        event: createEventWriter({ rowIds }),
        version: versionWriter,
        parameter: parameterWriter,
        status: statusWriter,
      },
      oldestMs: () => historyWindow(new Date(), config.historyRetentionDays).from.getTime(),
    }
    const { mqttUrl, dataDir } = config
    const intake =
      mqttUrl === undefined
        ? await createEmbeddedIntake({ ...needs, host: config.host, port: config.mqttPort })
        : await createExternalIntake({ ...needs, url: mqttUrl, dataDir })
    parts.push({ refusal: 'brokerAway', ping: intake.ping })
    opening.push(async () => {
      // At a broker that is not ours, devices stay connected while we are away.
      if (mqttUrl === undefined) await presence.awaitReturn()
      ports.mqttPort = await intake.listen()
    })
    closing.push(async () => {
      presence.close()
      await intake.close()
    })
  }

  // ── Role jobs: what runs by the clock ─────────────────────────────────────────────────────
  if (config.roles.has('jobs')) {
    const { historyRetentionDays: retentionDays, zone } = config
    const ofHistory = historyJobs({ db, pool: database.pool, log, zone, retentionDays })
    for (const job of [...ofHistory, ...sessionJobs(sessions), ...intakeJobs(intakeRecords)]) jobs.add(job)

    opening.push(async () => jobs.start())
    closing.push(() => jobs.stop())
  }

  // ── Role api: calls and pages ─────────────────────────────────────────────────────────────
  if (config.roles.has('api')) {
    const http = createHttpServer({ log, trustedProxies: config.trustedProxies })
    observeCalls(http, metrics)
    const uploadDirectory = join(config.dataDir, 'incoming')
    openUploadDirectory(uploadDirectory)
    const api = createApi(http, {
      uploadDirectory,
      authenticate: sessions.authenticate,
      recordRefusedWrite: operations.recordRefusedWrite,
    })
    mountSessions(api, sessions)
    mountUsers(api, users)
    mountPermissions(api, permissions)
    mountRoles(api, roles)
    mountMenus(api, menus)
    mountOperations(api, operations)
    mountOrganizations(api, organizations)
    mountOperators(api, operators)
    mountRegions(api, regions)
    mountEquipTypes(api, equipTypes)
    mountDictionary(api, dictionary)
    mountDevices(api, devices)
    mountDeviceImport(api, deviceImport)
    mountIntake(api, intakeRecords)
    mountAlarms(api, alarms)
    mountEvents(api, events)
    mountOverview(api, overview)
    const live = createLive({ db, notices, alarms, sessions, log })
    mountLive(api, live)
    const serverStatus = createServerStatus({
      db,
      config,
      metrics,
      pingBroker: parts.find(({ refusal }) => refusal === 'brokerAway')?.ping ?? null,
      version: packageJson.version,
    })
    mountServerStatus(api, serverStatus)
    mountHealth(api, parts)
    mountApiDocuments(http, api, { version: packageJson.version })
    servePages(http)

    opening.push(async () => {
      await http.listen({
        host: config.host,
        port: config.httpPort,
        listenTextResolver: (address) => `网页和接口：${address}`,
      })
      ports.httpPort = (http.server.address() as AddressInfo).port
    })
    closing.push(() => closeHttpServer(http))
    closing.push(async () => live.close())
    closing.push(async () => serverStatus.close())
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
    async close() {
      for (const close of closing.toReversed()) await close()
    },
  }
}
