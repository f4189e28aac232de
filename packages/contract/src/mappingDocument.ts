// A mapping's document: how the messages of a maker's devices become reports, and how commands become its messages. The
// server compiles it (features/mappings/engine), docs/mappings.md explains it to who writes one.
import * as z from 'zod/mini'
import { text } from './fields.ts'
import type { DownTopicName } from './topics/down.ts'

/** What a document may cost at most. `steps`: fields and conditions that are worked out for one message. */
export const mappingLimits = {
  documentBytes: 262_144,
  rules: 60,
  commands: 40,
  fields: 100,
  tableEntries: 500,
  topicLevels: 8,
  pointerTokens: 16,
  /** Items of one list that a rule goes through. */
  items: 200,
  reports: 200,
  steps: 5_000,
  conditionNodes: 100,
  conditionDepth: 20,
  templateNodes: 500,
  templateDepth: 10,
  /** Of a message for a device. */
  outgoingBytes: 16_384,
  /** Values and signs that a template becomes for one command, before it is known how many bytes these are. */
  rendered: 65_536,
  /** Signs of a text of a message that a condition looks for a text in. */
  searched: 16_384,
} as const

/** What a rule writes; `ignore`: a message that is known and says nothing of interest. */
export const mappingTargets = [
  'alarm',
  'event',
  'version',
  'parameter',
  'reading',
  'compartment',
  'reply',
  'upgrade',
  'ignore',
] as const
export type MappingTarget = (typeof mappingTargets)[number]
export const mappingTargetNames: Readonly<Record<MappingTarget, string>> = {
  alarm: '告警',
  event: '事件',
  version: '版本',
  parameter: '参数',
  reading: '读数',
  compartment: '仓位',
  reply: '命令应答',
  upgrade: '升级进度',
  ignore: '忽略',
}

/** How a value stands in bytes. `le`, `be`: the low or the high byte first. `bcd`, `text` and `hex` have a `length`. */
export const binaryTypes = [
  'u8',
  'i8',
  'u16le',
  'u16be',
  'i16le',
  'i16be',
  'u32le',
  'u32be',
  'i32le',
  'i32be',
  'u64le',
  'u64be',
  'f32le',
  'f32be',
  'f64le',
  'f64be',
  'bcd',
  'text',
  'hex',
] as const
export type BinaryType = (typeof binaryTypes)[number]

/** What a frame ends with, so that a receiver knows that it came whole. */
export const checksumTypes = [
  'sum8',
  'xor8',
  'crc8',
  'crc16-modbus',
  'crc16-xmodem',
  'crc16-ccitt',
  'crc32',
] as const
export type ChecksumType = (typeof checksumTypes)[number]

const charsets = ['utf-8', 'gb18030'] as const
export type MappingCharset = (typeof charsets)[number]

const whole = (label: string, least: number, most: number) => {
  const message = `${label}应为 ${least} 到 ${most} 的整数`
  return z.int({ error: message }).check(z.minimum(least, message), z.maximum(most, message))
}
const number = (label: string) => z.number({ error: `${label}应为数字` })
const scalar = (label: string) =>
  z.union([z.string().check(z.maxLength(200)), z.number(), z.boolean()], {
    error: `${label}应为 200 个字符以内的文本、数字或布尔值`,
  })

const pointer = (label: string) =>
  z.string({ error: `${label}应为 JSON 指针` }).check(
    z.maxLength(200, `${label}长度不能超过 200`),
    z.regex(/^(\/([^~]|~0|~1)*)?$/, `${label}应为 JSON 指针，以 / 开头，如 /data/temp`),
    z.refine(
      (value) => value.split('/').length - 1 <= mappingLimits.pointerTokens,
      `${label}最多 ${mappingLimits.pointerTokens} 级`,
    ),
  )

/** A name of a part of a topic, or of a field that a template shows. */
const partName = (label: string) =>
  z
    .string({ error: `${label}应为文本` })
    .check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,31}$/, `${label}应为字母开头的字母、数字或下划线`))

const offsetInBytes = (label: string) => whole(label, -65_536, 65_535)

const origins = ['path', 'item', 'at', 'topic', 'const', 'index', 'sequence'] as const

/** Where a value comes from, and what is made of it: a number in `base`, `bits`, then `scale` and `offset`, then `table` or a time. */
export const MappingSource = z
  .strictObject(
    {
      /** JSON: from the message's root. */
      path: z.optional(pointer('path')),
      /** Within the list that `each` names: a pointer in JSON, an offset in bytes. */
      item: z.optional(
        z.union([pointer('item'), offsetInBytes('item')], { error: 'item 应为 JSON 指针或字节偏移' }),
      ),
      /** Bytes: the offset from the start; below 0 from the end. */
      at: z.optional(offsetInBytes('at')),
      type: z.optional(z.enum(binaryTypes, { error: `type 应为 ${binaryTypes.join('、')} 之一` })),
      /** Of `bcd`, `text` and `hex`, in bytes. */
      length: z.optional(whole('length', 1, 256)),
      /** The named part of the topic. */
      topic: z.optional(partName('topic')),
      const: z.optional(scalar('const')),
      /** The place in the list of `each`, from 0, or the name in its object. */
      index: z.optional(z.literal(true, { error: 'index 只能是 true' })),
      /** In a command: a number from 1 to 65535 that an answer is found by. */
      sequence: z.optional(z.literal(true, { error: 'sequence 只能是 true' })),
      /** Of a text that is a number in another base: `0041`, `0x41`. */
      base: z.optional(z.literal([2, 8, 16], { error: 'base 应为 2、8 或 16' })),
      bits: z.optional(
        z
          .tuple([whole('bits', 0, 255), whole('bits', 0, 255)], { error: 'bits 应为 [起始位, 结束位]' })
          .check(
            z.refine(([from, to]) => from <= to, 'bits 的结束位不能小于起始位'),
            z.refine(([from, to]) => to - from <= 52, 'bits 最多取 53 位'),
          ),
      ),
      scale: z.optional(number('scale')),
      offset: z.optional(number('offset')),
      table: z.optional(
        z
          .record(z.string().check(z.maxLength(64, 'table 的键不能超过 64 个字符')), scalar('table 的值'), {
            error: 'table 应为对象',
          })
          .check(
            z.refine(
              (table) => Object.keys(table).length <= mappingLimits.tableEntries,
              `table 最多 ${mappingLimits.tableEntries} 项`,
            ),
          ),
      ),
      /** For what the table does not have; without it such a value is a fault. */
      otherwise: z.optional(scalar('otherwise')),
      timeUnit: z.optional(z.enum(['s', 'ms', 'iso'], { error: 'timeUnit 应为 s、ms、iso 之一' })),
      /** A time as the maker writes it: yyyy yy MM dd HH mm ss SSS, everything else as it stands. */
      format: z.optional(
        z
          .string({ error: 'format 应为文本' })
          .check(z.minLength(4, 'format 过短'), z.maxLength(40, 'format 长度不能超过 40')),
      ),
      /** The zone of a time that names none, as a difference or by its IANA name: `+08:00` by default. */
      zone: z.optional(
        z
          .string({ error: 'zone 应为文本' })
          .check(
            z.maxLength(64, 'zone 长度不能超过 64'),
            z.regex(
              /^(Z|[+-]\d{2}:\d{2}|[A-Za-z][\w+-]*(\/[\w+-]+){0,2})$/,
              'zone 应为 +08:00 或 Asia/Shanghai 这样的时区',
            ),
          ),
      ),
    },
    { error: sourceError },
  )
  .check(
    z.refine(
      (source) => origins.filter((name) => source[name] !== undefined).length === 1,
      `应有 ${origins.join('、')} 之一，且只有一个`,
    ),
    z.refine(
      ({ at, item, type }) => (at === undefined && typeof item !== 'number') || type !== undefined,
      '按字节取值时应有 type',
    ),
    z.refine(
      ({ type, length }) => !(type === 'bcd' || type === 'text' || type === 'hex') || length !== undefined,
      'bcd、text、hex 应有 length',
    ),
    z.refine(
      ({ at, item, base }) => base === undefined || (at === undefined && typeof item !== 'number'),
      'base 只用于文本，不用于按字节取值',
    ),
    z.refine(
      ({ bits, base }) => bits === undefined || base !== undefined || bits[1] <= 52,
      'bits 大于 52 时须与 base 同用',
    ),
    z.refine(
      ({ otherwise, table }) => otherwise === undefined || table !== undefined,
      'otherwise 须与 table 同用',
    ),
    z.refine(
      ({ format, timeUnit }) => format === undefined || timeUnit === undefined,
      'format 与 timeUnit 只能有一个',
    ),
  )
export type MappingSource = z.output<typeof MappingSource>

function sourceError(issue: { code?: string | undefined; keys?: readonly string[] }): string {
  return issue.code === 'unrecognized_keys'
    ? `不认识 ${(issue.keys ?? []).join('、')}`
    : '应为取值方式，如 {"path":"/temp"}'
}

/** `maker/{code}/data`: `{code}` is the device's own identity. */
export const MappingTopic = z.string({ error: '请输入主题' }).check(
  z.minLength(1, '请输入主题'),
  z.maxLength(200, '主题长度不能超过 200'),
  z.refine(
    (topic) => topic.split('/').length <= mappingLimits.topicLevels,
    `主题最多 ${mappingLimits.topicLevels} 级`,
  ),
  z.refine(
    (topic) =>
      topic.split('/').every((level) => /^([^{}+#\p{C}]*|\{[A-Za-z][A-Za-z0-9_]{0,31}\})$/u.test(level)),
    '主题的每一级应为文字或 {名称}，不能含 + 和 #',
  ),
  z.refine((topic) => !/^(voltkeep(\/|$)|\$)/.test(topic), '主题不能以 voltkeep/ 或 $ 开头'),
  z.refine((topic) => {
    const names = topic.split('/').filter((level) => level.startsWith('{'))
    return new Set(names).size === names.length
  }, '主题中有同名的部分'),
)

const format = z.enum(['json', 'binary'], { error: '格式应为 json 或 binary' })
const condition = z.string({ error: 'when 应为 CEL 表达式' }).check(z.maxLength(300, 'when 长度不能超过 300'))
const fields = z
  .record(z.string().check(z.minLength(1), z.maxLength(64)), MappingSource, { error: 'fields 应为对象' })
  .check(
    z.refine(
      (given) => Object.keys(given).length <= mappingLimits.fields,
      `fields 最多 ${mappingLimits.fields} 项`,
    ),
  )

const Each = z.union(
  [
    pointer('each'),
    z.strictObject({
      /** Where the first item begins. */
      at: offsetInBytes('each.at'),
      /** Bytes of an item. */
      size: whole('each.size', 1, 4_096),
      /** How many: as many as there are bytes for by default. */
      count: z.optional(whole('each.count', 1, mappingLimits.items)),
      /** Where the count stands as one byte. */
      countAt: z.optional(offsetInBytes('each.countAt')),
    }),
    z.strictObject({
      /** A field of bits: each is an item, 0 or 1, and its `index` the bit's number. */
      bitsOf: z
        .strictObject(
          {
            path: z.optional(pointer('path')),
            at: z.optional(offsetInBytes('at')),
            type: z.optional(z.enum(binaryTypes, { error: `type 应为 ${binaryTypes.join('、')} 之一` })),
            base: z.optional(z.literal([2, 8, 16], { error: 'base 应为 2、8 或 16' })),
          },
          { error: 'each.bitsOf 只能有 path、at、type、base' },
        )
        .check(
          z.refine(
            ({ path, at, type }) =>
              (path === undefined) !== (at === undefined) && (at === undefined || type !== undefined),
            'each.bitsOf 应有 path，或 at 和 type',
          ),
        ),
      count: whole('each.count', 1, mappingLimits.items),
    }),
  ],
  { error: 'each 应为 JSON 指针、{"at","size"} 或 {"bitsOf","count"}' },
)
export type MappingEach = z.output<typeof Each>

export const MappingRule = z.strictObject(
  {
    /** For people. */
    name: z.optional(text('规则名称', 64)),
    /** In place of the document's. */
    topic: z.optional(MappingTopic),
    format: z.optional(format),
    when: z.optional(condition),
    /** A list in the message: the rule applies to each of its items. `*` in a pointer: the lists of every item above. */
    each: z.optional(Each),
    target: z.enum(mappingTargets, { error: `target 应为 ${mappingTargets.join('、')} 之一` }),
    fields: z._default(fields, {}),
    time: z.optional(MappingSource),
  },
  { error: sourceErrorOf('规则') },
)
export type MappingRule = z.output<typeof MappingRule>

/** The commands that a mapping may put into a maker's words. */
export const mappedCommands = [
  'action',
  'setParameters',
  'upgrade',
  'extractLog',
  'advertise',
  'withdraw',
] as const satisfies readonly DownTopicName[]

export const MappingCommand = z.strictObject(
  {
    name: z.optional(text('命令名称', 64)),
    command: z.enum(mappedCommands, { error: `command 应为 ${mappedCommands.join('、')} 之一` }),
    /** Which of these commands: CEL over `msg`, the command as a device of ours would get it. */
    when: z.optional(condition),
    topic: MappingTopic,
    format: z.optional(format),
    fields: z._default(fields, {}),
    /** JSON with `{{field}}` in its texts; of bytes a list of `{type, value, length?}`. */
    payload: z.optional(z.unknown()),
    /** The device answers nothing: its PUBACK counts as done. */
    isDoneWhenDelivered: z.optional(z.boolean({ error: 'isDoneWhenDelivered 应为布尔值' })),
  },
  { error: sourceErrorOf('命令') },
)
export type MappingCommand = z.output<typeof MappingCommand>

function sourceErrorOf(label: string) {
  return (issue: { code?: string | undefined; keys?: readonly string[] }): string =>
    issue.code === 'unrecognized_keys'
      ? `${label}中不认识 ${(issue.keys ?? []).join('、')}`
      : `${label}应为对象`
}

const MappingChecksum = z.strictObject(
  {
    type: z.enum(checksumTypes, { error: `checksum.type 应为 ${checksumTypes.join('、')} 之一` }),
    /** Where it stands; below 0 from the end. */
    at: offsetInBytes('checksum.at'),
    /** The bytes that it is of: from the first up to the checksum by default; `to` is not one of them. */
    from: z.optional(offsetInBytes('checksum.from')),
    to: z.optional(offsetInBytes('checksum.to')),
    /** The low or the high byte first: as is usual for the type by default. */
    order: z.optional(z.enum(['le', 'be'], { error: 'checksum.order 应为 le 或 be' })),
  },
  { error: sourceErrorOf('checksum') },
)
export type MappingChecksum = z.output<typeof MappingChecksum>

export const mappingParts = {
  topic: MappingTopic,
  format,
  /** Of texts, in JSON and in bytes, in both directions: UTF-8 by default. */
  charset: z.optional(z.enum(charsets, { error: `charset 应为 ${charsets.join(' 或 ')}` })),
  /** Of binary messages: one that does not match becomes nothing. */
  checksum: z.optional(MappingChecksum),
  /** Of every report whose rule says nothing else; without one the time of receipt. */
  time: z.optional(MappingSource),
  /** By which a message that comes again is known. */
  messageId: z.optional(MappingSource),
  rules: z
    .array(MappingRule, { error: 'rules 应为列表' })
    .check(z.maxLength(mappingLimits.rules, `规则最多 ${mappingLimits.rules} 条`)),
  commands: z._default(
    z
      .array(MappingCommand, { error: 'commands 应为列表' })
      .check(z.maxLength(mappingLimits.commands, `命令最多 ${mappingLimits.commands} 条`)),
    [],
  ),
}

export const MappingDocument = z.object(mappingParts)
export type MappingDocument = z.output<typeof MappingDocument>
