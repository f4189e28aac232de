// The dictionary: enumerations, and the codes of alarms and events with their meanings.
import * as z from 'zod/mini'
import { adding, changing, deleting } from './commonCalls.ts'
import { endpoint, listBodyBytes, one, page } from './endpoint.ts'
import { id, idOut, integer, list, oneOf, paging, required, seededOut, text, version } from './fields.ts'
import type { LiveNoun } from './live.ts'

/** How an alarm's value is decoded: each set bit has a definition, or each value has one. */
export const alarmAnalysisTypes = ['BIT', 'VALUE'] as const

/** 1 critical, 2 major, 3 minor, 4 warning. */
export const alarmLevels = [1, 2, 3, 4] as const
/** How a level is called. */
export const alarmLevelNames: Readonly<Record<number, string>> = {
  1: '紧急',
  2: '重要',
  3: '次要',
  4: '提示',
}

/** The type whose entries have a level, an analysis type and definitions. */
export const alarmType = 'ALARM'

/** The type whose entries may have a unit. */
export const eventType = 'EVENT'

/** The number of bits of a value: values are safe integers. */
export const highestBit = 52

/** The meaning of one bit, or of one value, of an alarm semaphore for one family of devices. */
export const SemaphoreDefinition = z.object({
  /** The bit's number from 0; with analysis by value, the value itself. */
  bitPosition: z.number(),
  /** EQUIP_CLASSIFY */
  equipClassify: z.string(),
  name: z.string(),
})
export type SemaphoreDefinition = z.output<typeof SemaphoreDefinition>

export const DictionaryEntry = z.object({
  id: idOut,
  code: z.string(),
  name: z.string(),
  /** SEMAPHORE_TYPE, or the enumeration that this entry belongs to. */
  type: z.string(),
  note: z.nullable(z.string()),
  /** The unit of the value, for EVENT only. */
  unit: z.nullable(z.string()),
  /** For ALARM only. */
  alarmLevel: z.nullable(z.number()),
  analysisType: z.nullable(z.enum(alarmAnalysisTypes)),
  definitions: z.optional(z.array(SemaphoreDefinition)),
})

/** An entry as it is chosen, in the language of the reader. */
const ShownEntry = z.extend(DictionaryEntry, { name: seededOut })

/** An entry as administrators see it. */
export const DictionaryRow = z.extend(DictionaryEntry, {
  /** The server depends on this entry: its type and code cannot be changed, and it cannot be deleted. */
  isFixed: z.boolean(),
  /** An alarm of fire, heat or smoke: a compartment with one is opened only after a second person has agreed. */
  isFire: z.boolean(),
  version: z.number(),
})
export type DictionaryRow = z.output<typeof DictionaryRow>

/** Names, levels and meanings: a change affects every list. */
export const liveDictionary = { noun: 'dictionary', access: 'signedIn' } as const satisfies LiveNoun

const typeCodes = list(text('类型', 64), '类型', 100)

export const readEnums = endpoint({
  method: 'POST',
  path: '/enum/all',
  access: 'signedIn',
  summary: '枚举与字典',
  bodyLimitBytes: listBodyBytes,
  /** Empty: all enumerations. */
  input: z.object({ types: z.optional(typeCodes), type: z.optional(typeCodes) }),
  reply: one(z.record(z.string(), z.array(ShownEntry))),
})

/** Codes with their names, without the fields that only administrators need. */
export const listCodes = endpoint({
  method: ['GET', 'POST'],
  path: '/dict/list',
  access: 'signedIn',
  summary: '字典查询',
  bodyLimitBytes: listBodyBytes,
  /** Empty: all. */
  input: z.object({ types: z.optional(typeCodes), type: z.optional(typeCodes) }),
  reply: one(
    z.array(z.pick(ShownEntry, { type: true, code: true, name: true, note: true, alarmLevel: true })),
  ),
})

/** The codes that devices report: alarms with the meaning of their values, events, parameters and the like. */
export const listSemaphores = endpoint({
  method: ['GET', 'POST'],
  path: '/semaphore',
  access: 'signedIn',
  summary: '信号量查询',
  bodyLimitBytes: listBodyBytes,
  input: z.object({
    /** SEMAPHORE_TYPE */
    type: z.optional(text('类型', 64)),
    codes: z.optional(list(text('编码', 64), '编码')),
    /** Only meanings for this family of devices. */
    equipClassify: z.optional(text('设备类别', 64)),
  }),
  reply: one(z.array(ShownEntry)),
})

export const listDictionary = endpoint({
  method: 'GET',
  path: '/enum/list',
  access: 'enum:list',
  summary: '字典列表',
  input: z.object({
    ...paging,
    /** Part of the code or of the name. */
    code: z.optional(text('编码', 64)),
    name: z.optional(text('名称', 64)),
    type: z.optional(text('类型', 64)),
    /** One entry, for an open form that reads its entry again. */
    id: z.optional(id('字典')),
  }),
  reply: page(DictionaryRow),
})

/** For the choice of a type: the types in use, and the types that the server knows. */
export const listDictionaryTypes = endpoint({
  method: 'GET',
  path: '/enum/types',
  access: 'enum:list',
  summary: '字典类型',
  input: z.object({}),
  reply: one(z.array(z.object({ type: z.string(), name: z.string(), count: z.number() }))),
})

/** The type whose notes are download addresses of the mobile app. */
export const appAddressType = 'APP_ADDR'

export function isWebAddress(text: string): boolean {
  const address = text.trim()
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
}

const Definition = z.object({
  bitPosition: integer('位号或值', 0, Number.MAX_SAFE_INTEGER),
  equipClassify: text('设备类别', 64, '请选择设备类别'),
  name: text('含义', 100),
})

const entryForm = {
  code: z
    .string(required('请输入编码'))
    .check(z.trim(), z.minLength(1, '请输入编码'), z.maxLength(8, '长度不能超过8个字符')),
  name: text('名称', 64),
  type: text('类型', 64, '请选择类型').check(
    z.regex(/^[A-Z][A-Z0-9_]*$/, '类型只能是大写字母、数字和下划线，并以字母开头'),
  ),
  note: text('备注', 500),
  /** The unit of an event's value, ignored for other types. Absent: none. */
  unit: z.optional(text('单位', 16)),
  /** Required for the type ALARM and ignored for others, like the next two fields. */
  alarmLevel: z.optional(oneOf('告警级别', alarmLevels)),
  analysisType: z.optional(z.enum(alarmAnalysisTypes, { error: '解析方式只能是 BIT 或 VALUE' })),
  /** 1: an alarm of fire, heat or smoke. Absent in an update: unchanged. */
  isFire: z.optional(oneOf('火情告警', [0, 1])),
  /** All definitions of an ALARM entry. Absent in an update: unchanged. */
  definitions: z.optional(
    z.array(Definition, { error: '位定义应为列表' }).check(z.maxLength(1000, '位定义最多 1000 项')),
  ),
}

/** The note of such an entry is a public link on the download page. */
const addressRules = z.check<{ type?: unknown; note?: unknown }>(
  ({ value: { type, note }, issues }) => {
    if (type !== appAddressType || typeof note !== 'string' || isWebAddress(note)) return
    issues.push({
      code: 'custom',
      path: ['note'],
      message: '应用下载地址应以 http:// 或 https:// 开头',
      input: note,
    })
  },
  { when: () => true },
)

/** Checked even when other fields have problems, so that a form shows all problems at once. */
const alarmRules = z.check<{
  type?: unknown
  alarmLevel?: unknown
  analysisType?: unknown
  definitions?: unknown
}>(
  ({ value, issues }) => {
    if (value.type !== alarmType) return
    const refuse = (path: (string | number)[], message: string) =>
      issues.push({ code: 'custom', path, message, input: value })
    if (value.alarmLevel === undefined) refuse(['alarmLevel'], '请选择告警级别')
    if (value.analysisType === undefined) refuse(['analysisType'], '请选择解析方式')
    const known = new Set<string>()
    const definitions: unknown[] = Array.isArray(value.definitions) ? value.definitions : []
    for (const [index, definition] of definitions.entries()) {
      const { bitPosition, equipClassify } = (definition ?? {}) as Record<string, unknown>
      const path = ['definitions', index, 'bitPosition']
      if (typeof bitPosition !== 'number') continue
      if (value.analysisType === 'BIT' && bitPosition > highestBit) {
        refuse(path, `按位解析时位号应为 0 到 ${highestBit}`)
      }
      if (typeof equipClassify !== 'string') continue
      const key = `${equipClassify}/${bitPosition}`
      if (known.has(key)) {
        refuse(path, value.analysisType === 'VALUE' ? '同一设备类别下值重复' : '同一设备类别下位号重复')
      }
      known.add(key)
    }
  },
  { when: () => true },
)

export const insertDictionaryEntry = endpoint({
  ...adding,
  path: '/enum/insert',
  access: 'enum:insert',
  summary: '新增字典',
  bodyLimitBytes: 655_360,
  input: z.object(entryForm).check(alarmRules, addressRules),
})

export const updateDictionaryEntry = endpoint({
  ...changing,
  path: '/enum/update',
  access: 'enum:update',
  summary: '修改字典',
  bodyLimitBytes: 655_360,
  input: z.object({ id: id('字典'), ...entryForm, version }).check(alarmRules, addressRules),
})

export const deleteDictionaryEntry = endpoint({
  ...deleting,
  path: '/enum/delete',
  access: 'enum:delete',
  summary: '删除字典',
})
