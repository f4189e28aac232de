// Mappings: how devices that speak another maker's JSON or bytes over MQTT are understood. One for some models; a draft is
// worked on beside the version that is on.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import {
  deviceCodes,
  id,
  idOut,
  integer,
  list,
  paging,
  saidOut,
  seededOut,
  text,
  timeOut,
  version,
} from './fields.ts'
import { MappingDocument, mappingParts } from './mappingDocument.ts'

export * from './mappingDocument.ts'

/** All of them are known to each process, and each message of a device is looked up among them. */
export const mappingsAtMost = 500

/** A document with sixty rules, each with its tables. */
const documentBytes = 589_824

const MappingModel = z.object({ id: idOut, name: z.string(), equipTypeName: seededOut })

export const MappingRow = z.object({
  id: idOut,
  name: z.string(),
  models: z.array(MappingModel),
  /** Off: its devices' messages are kept for the trial and become nothing. */
  isEnabled: z.boolean(),
  topic: z.string(),
  ruleCount: z.number(),
  commandCount: z.number(),
  /** The version that is on; null: none yet. */
  activeNo: z.nullable(z.number()),
  /** The draft differs from the version that is on. */
  isChanged: z.boolean(),
  /** Devices of its models that the caller sees. */
  deviceCount: z.number(),
  updateTime: timeOut,
  updateBy: z.nullable(z.string()),
  version: z.number(),
})
export type MappingRow = z.output<typeof MappingRow>

export const listMappings = endpoint({
  method: ['POST', 'GET'],
  path: '/mapping/list',
  access: 'mapping:list',
  summary: '报文映射',
  input: z.object({
    ...paging,
    /** Part of the name or of a model's name. */
    keyword: z.optional(text('关键字', 64)),
    id: z.optional(id('映射')),
  }),
  reply: page(MappingRow),
})

const MappingVersionRow = z.object({
  no: z.number(),
  note: z.nullable(z.string()),
  createBy: z.string(),
  createTime: timeOut,
})

/** One mapping with its draft, or with the document of a version (`no`). */
export const readMapping = endpoint({
  method: 'GET',
  path: '/mapping/detail/:id',
  access: 'mapping:list',
  summary: '报文映射详情',
  input: z.object({ id: id('映射'), no: z.optional(integer('版本号', 1, 1_000_000)) }),
  reply: one(
    z.extend(MappingRow, {
      document: MappingDocument,
      /** The newest first; the last twenty are kept, and the one that is on. */
      versions: z.array(MappingVersionRow),
    }),
  ),
})

const mappingForm = {
  name: text('映射名称', 64),
  modelIds: list(id('设备型号'), '设备型号', 50).check(z.minLength(1, '请选择设备型号')),
  ...mappingParts,
  isEnabled: z._default(z.boolean({ error: '启用应为布尔值' }), true),
}

/** What it is then is a draft: it is switched on by `activateMapping`. */
export const insertMapping = endpoint({
  ...adding,
  path: '/mapping/insert',
  access: 'mapping:insert',
  summary: '新增报文映射',
  bodyLimitBytes: documentBytes,
  input: z.object(mappingForm),
})

/** Changes the draft; name, models and whether it is on count at once. */
export const updateMapping = endpoint({
  ...changing,
  path: '/mapping/update/:id',
  access: 'mapping:update',
  summary: '修改报文映射',
  bodyLimitBytes: documentBytes,
  input: z.object({ id: id('映射'), ...mappingForm, version }),
})

/** The draft becomes the version that is on; with `no` an earlier version is on again. */
export const activateMapping = endpoint({
  ...changing,
  path: '/mapping/activate/:id',
  access: 'mapping:update',
  summary: '启用报文映射的版本',
  done: '已启用',
  input: z.object({
    id: id('映射'),
    no: z.optional(integer('版本号', 1, 1_000_000)),
    note: z.optional(text('说明', 200)),
    version,
  }),
})

export const deleteMapping = endpoint({
  ...deleting,
  path: '/mapping/delete/:id',
  access: 'mapping:delete',
  summary: '删除报文映射',
})

/** What a message becomes. */
const Outcome = z.object({
  isMapped: z.boolean(),
  /** Its topic names another device: the broker would close the connection. */
  isForeign: z.boolean(),
  /** What would be written, as a device of ours would report it. */
  reports: z.array(z.object({ target: z.string(), payload: z.unknown() })),
  /** Why a part of it, or all, would be nothing. */
  faults: z.array(saidOut),
  /** What was taken otherwise than it was said, as a time that cannot be. */
  notes: z.array(saidOut),
})
export type MappingOutcome = z.output<typeof Outcome>

/** Nothing is written. Bytes come as hexadecimal digits; blanks and line ends among them do not count. */
export const tryMapping = endpoint({
  method: 'POST',
  path: '/mapping/try',
  access: 'mapping:list',
  summary: '试运行报文映射',
  bodyLimitBytes: 655_360,
  input: z.object({
    mapping: z.object(mappingParts, { error: '请输入映射' }),
    topic: z
      .string({ error: '请输入主题' })
      .check(z.minLength(1, '请输入主题'), z.maxLength(256, '主题过长')),
    /** Empty: of a command its example. */
    payload: z._default(z.string({ error: '请输入报文' }).check(z.maxLength(40_960, '报文过长')), ''),
    /** How the payload stands here; JSON as it is, bytes as digits. */
    encoding: z._default(z.enum(['text', 'hex'], { error: 'encoding 应为 text 或 hex' }), 'text'),
    /** As whom: by default whoever the topic names. */
    code: z.optional(text('设备标识', 64)),
    /** In place of a message: a command, for what the device would get. */
    command: z.optional(text('命令', 32)),
  }),
  reply: one(
    z.extend(Outcome, {
      /** What is wrong with the mapping itself; then nothing was tried. */
      problems: z.array(saidOut),
      /** Values of a JSON message that no rule reads. */
      unused: z.array(z.string()),
      /** For a command: what the device would get. */
      told: z.nullable(
        z.object({ topic: z.string(), payload: z.string(), encoding: z.enum(['text', 'hex']) }),
      ),
    }),
  ),
})

export const messageOutcomes = { unmapped: '未映射', mapped: '已映射' } as const

export const MappedMessageRow = z.object({
  id: idOut,
  equipId: idOut,
  equipCode: z.string(),
  equipModelName: seededOut,
  operatorName: seededOut,
  topic: z.string(),
  /** Text, or hexadecimal digits of what is none. */
  payload: z.string(),
  encoding: z.enum(['text', 'hex']),
  outcome: z.enum(['unmapped', 'mapped']),
  /** Why it became nothing, when it came. */
  detail: z.nullable(saidOut),
  receiveTime: timeOut,
})
export type MappedMessageRow = z.output<typeof MappedMessageRow>

/** The last messages of devices of the mapping's models that the caller sees, the newest first. */
export const listMappedMessages = endpoint({
  method: ['POST', 'GET'],
  path: '/mapping/message/list',
  access: 'mapping:list',
  summary: '报文映射收到的报文',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    ...paging,
    mappingId: id('映射'),
    outcome: z.optional(z.enum(['unmapped', 'mapped'], { error: '结果无效' })),
    code: z.optional(deviceCodes),
  }),
  reply: page(MappedMessageRow),
})

const ReplayedRow = z.extend(MappedMessageRow, { result: Outcome })
export type ReplayedRow = z.output<typeof ReplayedRow>

/** What the draft, or a version (`no`), makes of the messages that are kept. Nothing is written. */
export const replayMapping = endpoint({
  method: 'POST',
  path: '/mapping/replay/:id',
  access: 'mapping:list',
  summary: '用收到的报文试运行',
  input: z.object({ id: id('映射'), no: z.optional(integer('版本号', 1, 1_000_000)) }),
  reply: one(
    z.object({
      total: z.number(),
      mapped: z.number(),
      unmapped: z.number(),
      /** Messages that the version that is on understood and this one does not. */
      lost: z.number(),
      /** Messages that it understands and that were refused when they came. */
      gained: z.number(),
      /** Those of which something became nothing first; at most a hundred. */
      rows: z.array(ReplayedRow),
      /** How many reports of each kind came of them. */
      reports: z.array(
        z.object({
          target: z.enum([
            'alarm',
            'event',
            'version',
            'parameter',
            'status',
            'reply',
            'upgrade',
            'advertisement',
          ]),
          count: z.number(),
        }),
      ),
    }),
  ),
})
