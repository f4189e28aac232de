// What a feature is to the rest of the server: one value that names everything the feature owns and makes
// everything it brings. The list of features is read by app.ts, by the seeds, by the mapping of errors and by
// tests; nothing else has to know a feature by name.

import type { Server } from 'node:http'
import type { RefusalName } from '@voltkeep/contract'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { LiveNoun } from './calls/live-noun.ts'
import type { TaskSource } from './calls/task-source.ts'
import type { Db } from './database/database.ts'
import type { Job } from './database/jobs/jobs.ts'
import type { Nodes } from './database/nodes/nodes.ts'
import type { Notice, Notices } from './database/notices/notices.ts'
import type { TableName } from './database/platform-tables.ts'
import type { Seed } from './database/seeds.ts'
import type { Worker } from './database/work/worker.ts'
import type { CommandResultHandlers, Commands } from './devices/commands/commands.ts'
import type { CommandTransport } from './devices/commands/transport.ts'
import type { ReportWriters } from './devices/ingest/reports.ts'
import type { WriteLanes } from './devices/ingest/write-lanes.ts'
import type { EarlyArrivals } from './devices/mqtt/early-arrivals.ts'
import type { UploadReceiver } from './files/kept/device-uploads.ts'
import type { Files } from './files/kept/index.ts'
import type { OfferSource } from './files/kept/offers.ts'
import type { Part } from './http/health.ts'
import type { Api } from './http/mount.ts'
import type { Config } from './process/config.ts'
import type { Log } from './process/log.ts'
import type { ConnectionBudget } from './process/open-files.ts'
import type { Ports } from './process/own-url.ts'
import type { Tls } from './process/tls/tls.ts'
import type { Warnings } from './process/warnings.ts'

/** The platform, as every feature gets it. */
export interface Platform {
  config: Config
  /** Of this server, as package.json says it. */
  version: string
  db: Db
  pool: pg.Pool
  /** For what only the tables' owner may do; null where another process does that, never with the role jobs. */
  owner: pg.Pool | null
  log: Log
  notices: Notices
  /** This process among those on the same database. */
  nodes: Nodes
  files: Files
  metrics: Registry
  /** What the server page warns of. */
  warnings: Warnings
  /** How the open files of this process are divided. */
  budget: ConnectionBudget
  /** The server's certificate; null where it has none. */
  tls: Tls | null
  /** Tells devices what to do. */
  commands: Commands
  /** Written when a port is open. */
  ports: Ports
  /** Devices that came while the server was starting; null where it did not open their ports so early. */
  early: EarlyArrivals | null
  /** What readiness asks; complete once the role ingest is prepared. */
  readiness: readonly Part[]
}

export interface Parts extends Platform {
  /** Another feature's service. Features that use each other are an error. */
  use<Service>(feature: Feature<Service>): Service
}

/**
 * What a feature brings to a process. Which of it is used depends on the process's roles. Of `OfferSource` (role api):
 * one feature knows the devices, one the users, each that gives addresses of files its own files.
 */
export interface Brought<Service> extends OfferSource {
  /** What other features get by `use`. */
  service: Service
  /** Whatever the role: what has to be there before anything is opened. */
  prepare?(): Promise<void>
  /** Role api: serves the feature's calls. */
  mount?(api: Api, parts: MountParts): void
  /** Role api: serves devices that speak HTTP, by calls that are no contract's. */
  mountDevices?(http: FastifyInstance, parts: DeviceMountParts): void
  /** Role api: ends what was mounted (open streams, timers), before the HTTP server closes. */
  unmount?(): void | Promise<void>
  /** Role api: what takes the files that devices upload, by the purpose in their addresses. */
  uploads?: Readonly<Record<string, UploadReceiver>>
  /** Role api: nouns that join the live stream. */
  live?: readonly LiveNoun[]
  /** Role api: long work that joins its user's list of tasks. */
  tasks?: readonly TaskSource[]
  /** Role jobs. */
  jobs?: readonly Job[]
  /** Role jobs: what works by itself, mostly over rows of its tables. */
  workers?: readonly Worker[]
  /** Roles ingest and api: how the reports of a topic are written. A topic has one writer among all features. */
  writers?: Partial<ReportWriters>
  /** Roles ingest and api: what follows from the results of commands. A down topic has one handler among all features. */
  commandResults?: CommandResultHandlers
  /** Role ingest: receives messages. Called before anything is opened. */
  ingest?(parts: IngestParts): Promise<Ingest>
}

export interface MountParts {
  /** Those of all features. */
  liveNouns: readonly LiveNoun[]
  taskSources: readonly TaskSource[]
}

export interface DeviceMountParts {
  /** That serve HTTP: the one of pages and calls first, then the plain port beside TLS. */
  servers: readonly Server[]
  /** One for every topic: what a device says by another protocol is written as its report is. */
  writers: ReportWriters
}

export interface IngestParts {
  lanes: WriteLanes
  /** One for every topic. */
  writers: ReportWriters
}

export interface Ingest {
  /** What readiness asks of it. */
  part: Part
  /** How commands reach the devices whose messages it receives. */
  transport: CommandTransport
  /** How many devices are connected to this process; null where they are at an external broker. */
  deviceCount(): number | null
  open(): Promise<void>
  /** Before `close`, where other processes take the devices: sends them away over this time. */
  drain(overMs: number): Promise<void>
  close(): Promise<void>
}

export interface Feature<Service> {
  /** Unique; the name of the feature's folder. */
  readonly name: string
  /** The tables that this feature decides about and writes. A table has one owner. */
  readonly tables: readonly TableName[]
  /**
   * For a part of the domain: the tables of others that its SQL names. A feature may join any table for reading;
   * docs/developing.md lists which it does.
   */
  readonly inputs: readonly TableName[]
  /** Constraint of this feature's tables → the refusal that a violation means to a client. */
  readonly constraints: Readonly<Record<string, RefusalName>>
  /** The kinds of notice that this feature publishes. Its door exports those that others subscribe to. */
  readonly notices: readonly Notice<string | number>[]
  /** What every installation starts with, of this feature's tables and of its place in the menu. */
  readonly seeds: readonly Seed[]
  create(parts: Parts): Brought<Service>
}

/** What a feature says of itself; what it does not have is left out. */
export type FeatureDefinition<Service> = Pick<Feature<Service>, 'name' | 'create'> & Partial<Feature<Service>>

/**
 * Declares a feature:
 *
 *     export const menus = feature({
 *       name: 'menus',
 *       create({ db, use }) {
 *         const service = createMenus({ db, roles: use(roles) })
 *         return { service, mount: (api) => mountMenus(api, service) }
 *       },
 *     })
 */
export function feature<Service>(definition: FeatureDefinition<Service>): Feature<Service> {
  return { tables: [], inputs: [], constraints: {}, notices: [], seeds: [], ...definition }
}

export interface Features {
  /** In the order of the list. */
  all: readonly Brought<unknown>[]
  /** Those of all features. */
  writers: Partial<ReportWriters>
  /** Those of all features. */
  commandResults: CommandResultHandlers
  /** Those of all features. */
  uploads: Readonly<Record<string, UploadReceiver>>
  use<Service>(feature: Feature<Service>): Service
}

/** Creates every feature once, those that a feature uses before it. Throws where features use each other. */
export function createFeatures(list: readonly Feature<unknown>[], platform: Platform): Features {
  const created = new Map<Feature<unknown>, Brought<unknown>>()
  const underWay: Feature<unknown>[] = []

  const broughtBy = (wanted: Feature<unknown>): Brought<unknown> => {
    const known = created.get(wanted)
    if (known) return known
    const path = [...underWay, wanted].map(({ name }) => name)
    if (underWay.includes(wanted)) throw new Error(`features use each other: ${path.join(' → ')}`)
    if (!list.includes(wanted)) throw new Error(`not in the list of features: ${path.join(' → ')}`)
    underWay.push(wanted)
    const brought = wanted.create({ ...platform, use })
    underWay.pop()
    created.set(wanted, brought)
    return brought
  }
  // The map has no type that ties a feature to its service; broughtBy is what does.
  const use = <Service>(wanted: Feature<Service>) => broughtBy(wanted).service as Service

  const all = list.map(broughtBy)
  return {
    all,
    writers: merge<Partial<ReportWriters>>(all.map(({ writers = {} }) => writers)),
    commandResults: merge<CommandResultHandlers>(all.map(({ commandResults = {} }) => commandResults)),
    uploads: merge<Record<string, UploadReceiver>>(all.map(({ uploads = {} }) => uploads)),
    use,
  }
}

/** The constraints that all features name. Throws where two features name the same. */
export const constraintsOf = (list: readonly Feature<unknown>[]) =>
  merge<Feature<unknown>['constraints']>(list.map(({ constraints }) => constraints))

function merge<Values extends object>(parts: readonly Values[]): Values {
  const keys = parts.flatMap((part) => Object.keys(part))
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw new Error(`two features bring ${twice}`)
  return Object.assign({}, ...parts) as Values
}
