import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { integer, nothingIn, required, text, timeOut } from './fields.ts'

const JobRow = z.object({
  name: z.string(),
  lastStartTime: z.nullable(timeOut),
  lastFinishTime: z.nullable(timeOut),
  lastDurationMs: z.nullable(z.number()),
  runCount: z.number(),
  failedCount: z.number(),
  lastFailTime: z.nullable(timeOut),
  lastError: z.nullable(z.string()),
  /** Its last run ended well. */
  isOk: z.boolean(),
})

/** The server as it is now. Holds addresses without their passwords, and no setting that is a secret. */
export const ServerInfo = z.object({
  version: z.string(),
  nodeVersion: z.string(),
  platform: z.string(),
  hostName: z.string(),
  /** Which of api, ingest and jobs the answering process does. */
  roles: z.array(z.string()),
  zone: z.string(),
  serverTime: timeOut,
  startTime: timeOut,
  uptimeSeconds: z.number(),
  cpu: z.object({
    count: z.number(),
    model: z.string(),
    /** Of all cores, and what this process takes of one, over the last seconds; null just after the start. */
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
  broker: z.object({
    isEmbedded: z.boolean(),
    address: z.nullable(z.string()),
    /** False where another process takes the messages: then the figures below are null. */
    isHere: z.boolean(),
    isReachable: z.nullable(z.boolean()),
    connectionCount: z.nullable(z.number()),
    /** Since the process began. */
    messageCount: z.nullable(z.number()),
    refusalCount: z.nullable(z.number()),
    /** Over the last seconds. */
    messagesPerSecond: z.nullable(z.number()),
    refusalsPerSecond: z.nullable(z.number()),
  }),
  jobs: z.array(JobRow),
})
export type ServerInfo = z.output<typeof ServerInfo>

export const readServerInfo = endpoint({
  method: 'GET',
  path: '/server/info',
  access: 'system',
  summary: '服务器信息',
  input: nothingIn,
  reply: one(ServerInfo),
})

const LogFile = z.object({ name: z.string(), sizeBytes: z.number(), modifiedTime: timeOut })

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
  /** Oldest first, as they stand in the file. */
  lines: z.array(z.string()),
  /** To be sent back as `before` for the lines above these; null at the file's beginning. */
  before: z.nullable(z.number()),
})
export type LogPage = z.output<typeof LogPage>

/** The end of a log file, or what stands above `before`. */
export const readLog = endpoint({
  method: 'GET',
  path: '/loglevel/readLog',
  access: 'system',
  summary: '查看日志',
  input: z.object({
    /** One of `logNames`: a file's name, never a path. */
    name: z
      .string(required('日志名称不能为空'))
      .check(z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, '日志名称无效')),
    /** How many lines at most. */
    lines: z._default(integer('行数', 1, logLinesLimit), 200),
    /** Only lines that contain it, in either case. */
    text: z.optional(text('关键字', 100)),
    /** A place in the file, in bytes. */
    before: z.optional(integer('位置', 0, Number.MAX_SAFE_INTEGER)),
  }),
  reply: one(LogPage),
})
