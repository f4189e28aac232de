import * as z from 'zod/mini'
import { endpoint, one, page } from './endpoint.ts'
import { idOut, paging, text } from './fields.ts'
import { typeCodes } from './lookups.ts'

/** How an alarm's value is read: each set bit is a definition, or the whole value is one. */
export const alarmAnalysisTypes = ['BIT', 'VALUE'] as const

/** What one bit (or one value) of an alarm semaphore means for one family of devices. */
export const SemaphoreDefinition = z.object({
  /** Bit number from 0, or the value itself where the analysis is by value. */
  bitPosition: z.number(),
  equipClassify: z.string(),
  name: z.string(),
})

export const DictionaryEntry = z.object({
  id: idOut,
  code: z.string(),
  name: z.string(),
  /** SEMAPHORE_TYPE, or the enumeration this entry belongs to. */
  type: z.string(),
  note: z.nullable(z.string()),
  /** 1 critical, 2 major, 3 minor, 4 warning; only for ALARM. */
  alarmLevel: z.nullable(z.number()),
  analysisType: z.nullable(z.enum(alarmAnalysisTypes)),
  definitions: z.optional(z.array(SemaphoreDefinition)),
})

export const readEnums = endpoint({
  method: 'POST',
  path: '/enum/all',
  access: 'signedIn',
  summary: '枚举与字典',
  /** Nothing asked for: all of them. */
  input: z.object({ types: z.optional(typeCodes), type: z.optional(typeCodes) }),
  reply: one(z.record(z.string(), z.array(DictionaryEntry))),
})

export const listDictionary = endpoint({
  method: 'GET',
  path: '/enum/list',
  access: 'enum:list',
  summary: '字典列表',
  input: z.object({
    ...paging,
    type: z.optional(text('类型', 64)),
    code: z.optional(text('编码', 64)),
    name: z.optional(text('名称', 64)),
  }),
  reply: page(DictionaryEntry),
})
