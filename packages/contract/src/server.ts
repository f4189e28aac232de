// The server itself: state, log files, their lines.
import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { idOut, integer, nothingIn, required, saidOut, text, timeOut } from './fields.ts'

const JobRow = z.object({
  name: z.string(),
  lastStartTime: z.nullable(timeOut),
  lastFinishTime: z.nullable(timeOut),
  lastDurationMs: z.nullable(z.number()),
  runCount: z.number(),
  failedCount: z.number(),
  lastFailTime: z.nullable(timeOut),
  lastError: z.nullable(z.string()),
  /** Whether the last run succeeded. */
  isOk: z.boolean(),
})

/** The present state of the server. Addresses come without passwords; secret settings are left out. */
export const ServerInfo = z.object({
  version: z.string(),
  nodeVersion: z.string(),
  platform: z.string(),
  hostName: z.string(),
  /** The roles of the answering process: api, ingest, jobs. */
  roles: z.array(z.string()),
  zone: z.string(),
  serverTime: timeOut,
  startTime: timeOut,
  uptimeSeconds: z.number(),
  cpu: z.object({
    count: z.number(),
    model: z.string(),
    /**
     * CPU load of all cores, and of this process relative to one core, over the last seconds; null just after the
     * start.
     */
    systemPercent: z.nullable(z.number()),
    processPercent: z.nullable(z.number()),
    /** Over 1, 5 and 15 minutes. */
    loadAverage: z.array(z.number()),
  }),
  memory: z.object({
    totalBytes: z.number(),
    availableBytes: z.number(),
    processBytes: z.number(),
    heapBytes: z.number(),
  }),
  /** The file system of DATA_DIR. */
  disk: z.object({ path: z.string(), totalBytes: z.number(), freeBytes: z.number() }),
  database: z.object({
    isEmbedded: z.boolean(),
    /** Host and database; null for the embedded one. */
    address: z.nullable(z.string()),
    isReachable: z.boolean(),
    latencyMs: z.nullable(z.number()),
    version: z.nullable(z.string()),
    sizeBytes: z.nullable(z.number()),
    connectionCount: z.nullable(z.number()),
  }),
  /** The history of devices' readings; null where the database does not answer. */
  readings: z.nullable(
    z.object({
      /** On disk with indexes and everything: reports that wait, every value, statistics of hours and of days. */
      stores: z.array(
        z.object({
          level: z.enum(['open', 'raw', 'hour', 'day']),
          sizeBytes: z.number(),
          /** null: until they are packed. */
          keptDays: z.nullable(z.number()),
        }),
      ),
      /** Of this process since its start; null where it has taken no readings. */
      keptCount: z.nullable(z.number()),
      /** Unchanged, so not kept again. */
      thinnedCount: z.nullable(z.number()),
      /** Of too many names, so not kept. */
      refusedCount: z.nullable(z.number()),
    }),
  ),
  /** The nightly backups; null where BACKUP_DIR is not set. */
  backup: z.nullable(
    z.object({
      /** When the newest good one was begun; null where there is none. */
      lastTime: z.nullable(timeOut),
      sizeBytes: z.nullable(z.number()),
    }),
  ),
  broker: z.object({
    isEmbedded: z.boolean(),
    address: z.nullable(z.string()),
    /** False if another process receives the messages; the figures below are then null. */
    isHere: z.boolean(),
    isReachable: z.nullable(z.boolean()),
    connectionCount: z.nullable(z.number()),
    /** Since the start of the process. */
    messageCount: z.nullable(z.number()),
    refusalCount: z.nullable(z.number()),
    /** Over the last seconds. */
    messagesPerSecond: z.nullable(z.number()),
    refusalsPerSecond: z.nullable(z.number()),
    /**
     * Messages that a defect of the server keeps from being written, by topic, since the start of the process. They
     * are not acknowledged, so the devices keep them and send them again.
     */
    unwritten: z.nullable(z.array(z.object({ topic: z.string(), name: saidOut, count: z.number() }))),
  }),
  jobs: z.array(JobRow),
  /** Limits of the answering process with their present values; null if not counted. */
  limits: z.array(
    z.object({
      name: saidOut,
      presentCount: z.nullable(z.number()),
      most: z.nullable(z.number()),
      /** How often the limit was reached since the start of the process. */
      metCount: z.nullable(z.number()),
    }),
  ),
  /** Lasting problems of the answering process that its operator should solve, one Chinese line each. */
  warnings: z.array(z.string()),
})
export type ServerInfo = z.output<typeof ServerInfo>

export const readServerInfo = endpoint({
  method: 'GET',
  path: '/server/info',
  access: 'server:info',
  summary: '服务器信息',
  input: nothingIn,
  reply: one(ServerInfo),
})

/** A process on the same database. */
export const NodeRow = z.object({
  id: idOut,
  name: z.string(),
  /** Its host, and the ports that it serves. */
  address: z.string(),
  roles: z.array(z.string()),
  version: z.string(),
  startTime: timeOut,
  /** Until when its lease lasts, or when it ended. */
  leaseTime: timeOut,
  /** It works; it sends its devices away; its lease has ended without a word; it has stopped. */
  state: z.enum(['serving', 'draining', 'lost', 'stopped']),
  /** Devices that are connected to it; null where it takes none. */
  deviceCount: z.nullable(z.number()),
  /** For how long its oldest report waits to be committed; null where it takes none. */
  lagMs: z.nullable(z.number()),
})
export type NodeRow = z.output<typeof NodeRow>

/** The processes of the last day, those that work first. */
export const listNodes = endpoint({
  method: 'POST',
  path: '/server/node/list',
  access: 'server:info',
  summary: '服务进程',
  input: nothingIn,
  reply: one(z.array(NodeRow)),
})

const LogFile = z.object({ name: z.string(), sizeBytes: z.number(), modifiedTime: timeOut })

/** For SYSTEM users only, like the lines: a log names devices and users of every organization. */
export const listLogNames = endpoint({
  method: 'GET',
  path: '/loglevel/logNames',
  access: 'system',
  summary: '日志文件',
  input: nothingIn,
  reply: one(z.array(LogFile)),
})

export const logLinesLimit = 1_000

export const LogPage = z.object({
  name: z.string(),
  sizeBytes: z.number(),
  modifiedTime: timeOut,
  /** Oldest first, as in the file. */
  lines: z.array(z.string()),
  /** The value of `before` for the lines before these; null at the beginning of the file. */
  before: z.nullable(z.number()),
})
export type LogPage = z.output<typeof LogPage>

/** The last lines of a log file, or the lines before `before`. */
export const readLog = endpoint({
  method: 'GET',
  path: '/loglevel/readLog',
  access: 'system',
  summary: '查看日志',
  input: z.object({
    /** One of `logNames`: a file name, never a path. */
    name: z
      .string(required('日志名称不能为空'))
      .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, '日志名称无效')),
    /** The maximum number of lines. */
    lines: z._default(integer('行数', 1, logLinesLimit), 200),
    /** Only lines that contain this text, in any case. */
    text: z.optional(text('关键字', 100)),
    /** A position in the file, in bytes. */
    before: z.optional(integer('位置', 0, Number.MAX_SAFE_INTEGER)),
  }),
  reply: one(LogPage),
})
