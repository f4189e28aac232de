// Logs of devices: the levels of a family of devices, extracting a log, and reading an extracted one.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { DeviceCode } from './devices.ts'
import { statesIn } from './deviceWork.ts'
import { endpoint, file, keptFile, one, page } from './endpoint.ts'
import {
  byId,
  dateTime,
  deviceCodes,
  id,
  idOut,
  idsIn,
  integer,
  oneOf,
  orderNum,
  paging,
  range,
  rangeInOrder,
  required,
  saidOut,
  seededOut,
  text,
  timeOut,
  version,
} from './fields.ts'
import { liveRows } from './live.ts'

/** How a device delivers a log: plain text, one text compressed with gzip, or a ZIP archive of texts. */
export const logFileTypes = ['txt', 'gz', 'zip'] as const
export type LogFileType = (typeof logFileTypes)[number]

/** A log may be from this many days before today until today. */
export const logWindowDays = 15

/** An extraction without an upload within this many seconds has failed. */
export const logExtractionSeconds = 280

// ── Levels ──────────────────────────────────────────────────────────────────────────────────

/** A kind of log of a family of devices. Its code is sent to the device. */
export const LogLevel = z.object({
  id: idOut,
  /** EQUIP_CLASSIFY */
  equipClassify: z.string(),
  code: z.string(),
  name: z.string(),
  fileType: z.enum(logFileTypes),
  orderNum: z.number(),
  /** The largest log that is taken: a larger one is refused, and ends the extraction. */
  limitBytes: z.number(),
  version: z.number(),
})
export type LogLevel = z.output<typeof LogLevel>

/** The levels of a family of devices in order; of all families if none is given. */
export const listLogLevels = endpoint({
  method: 'GET',
  path: '/loglevel/all',
  access: 'signedIn',
  summary: '日志级别',
  input: z.object({ equipClassify: z.optional(text('设备类别', 8)) }),
  reply: one(z.array(LogLevel)),
})

const levelForm = {
  equipClassify: text('设备类别', 8, '请选择设备类别'),
  code: text('级别编码', 16).check(z.regex(/^[A-Za-z0-9_-]+$/, '级别编码只能是字母、数字、下划线和短横线')),
  name: text('级别名称', 32),
  fileType: z.enum(logFileTypes, { error: `文件类型只能是 ${logFileTypes.join('、')}` }),
  orderNum: z._default(orderNum, 0),
}

export const insertLogLevel = endpoint({
  ...adding,
  path: '/loglevel/insert',
  access: 'loglevel:edit',
  summary: '新增日志级别',
  input: z.object(levelForm),
})

export const updateLogLevel = endpoint({
  ...changing,
  path: '/loglevel/update/:id',
  access: 'loglevel:edit',
  summary: '修改日志级别',
  input: z.object({ id: id('日志级别'), version, ...levelForm }),
})

/** Extracted logs are kept. */
export const deleteLogLevel = endpoint({
  ...deleting,
  path: '/loglevel/delete/:id',
  access: 'loglevel:edit',
  summary: '删除日志级别',
})

// ── Extracting ──────────────────────────────────────────────────────────────────────────────

/**
 * The progress of an extraction. `waiting`: the device has not answered. `taken`: the device has accepted the command
 * and prepares the log, or will upload it again. `uploading`: bytes are arriving. The other three are final.
 */
export const logExtractionStates = ['waiting', 'taken', 'uploading', 'done', 'failed', 'cancelled'] as const
export type LogExtractionState = (typeof logExtractionStates)[number]

/** The request. The server checks that the range is within the last 15 days and ends no later than today. */
const extraction = z.object({
  equipCode: DeviceCode,
  equipClassify: text('设备类别', 8, '请选择设备类别'),
  logExtractParam: z
    .object(
      {
        /** Code of a level of the family. */
        level: text('日志级别', 16, '请选择日志级别'),
        /** The level's file type; taken from the level if absent. */
        fileType: z.optional(z.enum(logFileTypes, { error: `文件类型只能是 ${logFileTypes.join('、')}` })),
        startTime: dateTime('开始时间', '请选择开始时间'),
        endTime: dateTime('结束时间', '请选择结束时间'),
      },
      required('请选择日志级别和时间范围'),
    )
    .check(rangeInOrder),
})

/**
 * Extracts a log and keeps the request open until the device has uploaded it: returns the file, with its name in
 * content-disposition. If there is no file within 280 s, the reason is in the envelope, without that header. The
 * extraction continues if the caller disconnects, and stays in the history.
 */
export const extractLog = endpoint({
  method: 'POST',
  path: '/logextraction/insert/new',
  access: 'logextract:insert',
  summary: '提取日志',
  input: extraction,
  reply: file('application/octet-stream'),
  isWrite: true,
})

/** Like `extractLog`, but returns the id immediately. The live stream reports the progress. */
export const startLogExtraction = endpoint({
  method: 'POST',
  path: '/logextraction/start',
  access: 'logextract:insert',
  summary: '开始提取日志',
  input: extraction,
  reply: one(z.object({ id: idOut })),
  isWrite: true,
  done: '已开始提取',
})

/** Cancels an unfinished extraction. A later upload of the device is refused. */
export const cancelLogExtraction = endpoint({
  ...changing,
  path: '/logextraction/cancel/:id',
  access: 'logextract:insert',
  summary: '取消日志提取',
  input: byId,
  done: '已取消提取',
})

// ── What was extracted ──────────────────────────────────────────────────────────────────────

export const LogExtractionRow = z.object({
  id: idOut,
  equipId: idOut,
  equipCode: z.string(),
  equipClassify: z.string(),
  operatorName: seededOut,
  level: z.string(),
  /** The name at the time of the extraction. */
  levelName: seededOut,
  fileType: z.enum(logFileTypes),
  startTime: timeOut,
  endTime: timeOut,
  state: z.enum(logExtractionStates),
  /** Why it failed, from the device or the server; while it is in progress, why the last upload was interrupted. */
  reason: z.nullable(saidOut),
  /** Bytes received in the current upload, updated about once a second. */
  receivedBytes: z.number(),
  /** The size that the device declared for the current upload, or the size of the file; null if unknown. */
  sizeBytes: z.nullable(z.number()),
  /** The file name of a download. */
  fileName: z.string(),
  /** Whether the file is available: an extraction is kept longer than its file. */
  hasFile: z.boolean(),
  /** How long the file is kept; null without a file. */
  keptUntil: z.nullable(timeOut),
  createBy: z.string(),
  createTime: timeOut,
  /** When the state last changed. */
  changeTime: timeOut,
  /** The time by which the device has to start an upload; null during an upload, and at the end. */
  deadline: z.nullable(timeOut),
})
export type LogExtractionRow = z.output<typeof LogExtractionRow>

/**
 * The history, newest first, of devices in the caller's data scope. `startTime` and `endTime` filter by the time of
 * the extraction.
 */
export const listLogExtractions = endpoint({
  method: 'GET',
  path: '/logextraction/page',
  access: 'logextract:list',
  summary: '日志提取记录',
  input: z
    .object({
      ...paging,
      code: z.optional(deviceCodes),
      /** Part of the creator's name. */
      createBy: z.optional(text('提取人', 64)),
      states: statesIn(logExtractionStates, '提取状态'),
      ...range,
      ids: idsIn('日志提取'),
    })
    .check(rangeInOrder),
  reply: page(LogExtractionRow),
})

/** The file as the device uploaded it; answers Range. */
export const downloadExtractedLog = endpoint({
  method: 'GET',
  path: '/logextraction/download',
  access: 'logextract:read',
  summary: '下载日志',
  input: z.object({ id: id('日志提取') }),
  reply: keptFile(),
})

export const LogEntry = z.object({
  /** The `entry` of `/logextraction/text`. */
  index: z.number(),
  name: z.string(),
  /** The size declared in the archive, for a progress bar only; it may be wrong. Null if not declared. */
  sizeBytes: z.nullable(z.number()),
  /** Why it cannot be opened in the page: too large, encrypted … Null if it can. */
  problem: z.nullable(saidOut),
})
export type LogEntry = z.output<typeof LogEntry>

export const logEntriesLimit = 1_000

/** The texts in a log: one of a plain or gzip file, the files of a ZIP archive (the first 1000). */
export const listLogEntries = endpoint({
  method: 'GET',
  path: '/logextraction/entries',
  access: 'logextract:read',
  summary: '日志文件目录',
  input: z.object({ id: id('日志提取') }),
  reply: one(z.object({ entries: z.array(LogEntry), entryCount: z.number() })),
})

/** The maximum size of a decompressed text, in bytes. */
export const logTextLimitBytes = 1024 * 1024 * 1024

/**
 * The bytes of one text, decompressed while they are sent: read it as a stream. The encoding is the device's (UTF-8,
 * or GB 18030 on older ones). The answer of a text that exceeds the limit or is damaged ends early.
 */
export const readExtractedLog = endpoint({
  method: 'GET',
  path: '/logextraction/text',
  access: 'logextract:read',
  summary: '查看提取的日志',
  input: z.object({
    id: id('日志提取'),
    /** `index` of `/logextraction/entries`. */
    entry: z._default(integer('文件序号', 0, logEntriesLimit), 0),
    /** The first byte of the text to return. In an archive, the part before it is decompressed and dropped. */
    from: z._default(integer('起始位置', 0, Number.MAX_SAFE_INTEGER), 0),
    /** The maximum number of bytes to return; by default up to the end. */
    limit: z.optional(integer('长度', 1, Number.MAX_SAFE_INTEGER)),
    /** 1: where an archive is damaged, the answer ends in order: what a browser reads of one that breaks off is a race. */
    untilDamage: z._default(oneOf('读到损坏处', [0, 1]), 0),
  }),
  reply: file('application/octet-stream'),
})

/** Extractions in the live stream: state and bytes received. */
export const liveLogExtractions = liveRows('logExtraction', listLogExtractions)
