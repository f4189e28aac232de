// The server page: the process, the machine, their load; and the log files.
import { statfs } from 'node:fs/promises'
import { cpus, hostname, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { ParsedInputFor, readLog, ServerInfo } from '@voltkeep/contract'
import { type UpTopicName, upTopics } from '@voltkeep/contract/topics/index'
import type { Registry } from 'prom-client'
import { refuse } from '../../platform/calls/refusal.ts'
import { withinLimit } from '../../platform/database/connections/time-limit.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Config } from '../../platform/process/config.ts'
import { placeOfDatabase } from '../../platform/process/database-address.ts'
import { listLogFiles, readLogFile } from '../../platform/process/log-files.ts'
import type { Warnings } from '../../platform/process/warnings.ts'
import { figureOf, figuresBy, sampleRates } from './metric-rates.ts'
import { readLimits } from './process-limits.ts'
import * as queries from './server-status.queries.ts'

export interface ServerStatusNeeds {
  db: Db
  metrics: Registry
  warnings: Warnings
  /** The broker that messages come from; null where another process receives them. */
  pingBroker: (() => Promise<void>) | null
  /** What the history of readings takes. */
  readReadings(): Promise<NonNullable<ServerInfo['readings']>>
  /** The newest good backup; undefined where none are taken by the clock. */
  readBackup(): Promise<{ at: Date; bytes: number } | null | undefined>
  version: string
  config: Pick<
    Config,
    | 'dataDir'
    | 'roles'
    | 'zone'
    | 'databaseUrl'
    | 'mqttUrl'
    | 'streamsPerUser'
    | 'exportsPerUser'
    | 'uploadsPerUser'
    | 'historyRowsPerDay'
  >
}

export type ServerStatus = ReturnType<typeof createServerStatus>

export function createServerStatus({
  db,
  metrics,
  warnings,
  pingBroker,
  readReadings,
  readBackup,
  version,
  config,
}: ServerStatusNeeds) {
  const { dataDir, roles, zone, databaseUrl, mqttUrl } = config
  const logDirectory = join(dataDir, 'logs')
  const startTime = new Date()
  const sampled = sampleRates(metrics)

  const readDatabase = async () => {
    const beganAt = performance.now()
    const answer = await within(queries.readDatabase(db))
    return {
      isEmbedded: databaseUrl === undefined,
      address: databaseUrl === undefined ? null : placeOfDatabase(databaseUrl),
      isReachable: answer !== null,
      latencyMs: answer ? Math.round((performance.now() - beganAt) * 10) / 10 : null,
      version: answer?.version ?? null,
      sizeBytes: answer ? Number(answer.sizeBytes) : null,
      connectionCount: answer?.connectionCount ?? null,
    }
  }

  const readUnwritten = async () => {
    const figures = await figuresBy(metrics, 'voltkeep_intake_unwritten_messages_total', 'topic')
    return (
      figures?.map(({ of, value }) => ({
        topic: of,
        name: upTopics[of as UpTopicName]?.summary ?? of,
        count: value,
      })) ?? null
    )
  }

  const readBroker = async () => {
    const { messagesPerSecond, refusalsPerSecond } = sampled.rates()
    const isReachable = pingBroker && (await within(pingBroker().then(() => true))) === true
    return {
      isEmbedded: mqttUrl === undefined,
      address: placeOf(mqttUrl),
      isHere: pingBroker !== null,
      isReachable,
      connectionCount: await figureOf(metrics, 'voltkeep_intake_connections'),
      messageCount: await figureOf(metrics, 'voltkeep_intake_messages_total'),
      refusalCount: await figureOf(metrics, 'voltkeep_intake_refusals_total'),
      messagesPerSecond,
      refusalsPerSecond,
      unwritten: await readUnwritten(),
    }
  }

  return {
    async readServerInfo() {
      const processors = cpus()
      const { systemPercent, processPercent } = sampled.rates()
      const { rss, heapUsed } = process.memoryUsage()
      const disk = await statfs(dataDir)
      const [database, broker, jobs, readings, backup] = await Promise.all([
        readDatabase(),
        readBroker(),
        within(queries.listJobs(db)),
        within(readReadings()),
        readBackup(),
      ])
      // In a container its limit counts, not the memory of the machine.
      const limit = process.constrainedMemory()
      return {
        version,
        nodeVersion: process.version,
        platform: `${type()} ${release()} ${process.arch}`,
        hostName: hostname(),
        roles: [...roles],
        zone,
        serverTime: new Date(),
        startTime,
        uptimeSeconds: Math.floor((Date.now() - startTime.getTime()) / 1000),
        cpu: {
          count: processors.length,
          model: processors[0]?.model ?? '',
          systemPercent,
          processPercent,
          loadAverage: loadavg().map((load) => Math.round(load * 100) / 100),
        },
        memory: {
          totalBytes: limit > 0 && limit < totalmem() ? limit : totalmem(),
          availableBytes: process.availableMemory(),
          processBytes: rss,
          heapBytes: heapUsed,
        },
        disk: {
          path: dataDir,
          totalBytes: disk.blocks * disk.bsize,
          freeBytes: disk.bavail * disk.bsize,
        },
        database,
        readings,
        backup:
          backup === undefined ? null : { lastTime: backup?.at ?? null, sizeBytes: backup?.bytes ?? null },
        broker,
        jobs: jobs ?? [],
        limits: await readLimits(metrics, config),
        warnings: warnings.current(),
      }
    },

    listNodes: () => queries.listNodes(db),

    listLogNames: () => listLogFiles(logDirectory),

    /** Refuses `logNotFound`. */
    async readLog({ name, ...wanted }: ParsedInputFor<typeof readLog>) {
      return (await readLogFile(logDirectory, name, wanted)) ?? refuse('logNotFound')
    },

    close: sampled.close,
  }
}

/** Null where the database or the broker does not answer in time: the page shows that. */
async function within<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await withinLimit(asked)
  } catch {
    return null
  }
}

/** Host and path of an address, without its credentials. */
function placeOf(url: string | undefined): string | null {
  if (url === undefined) return null
  const { host, pathname } = new URL(url)
  return `${host}${pathname.replace(/\/$/, '')}`
}
