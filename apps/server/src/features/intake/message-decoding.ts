// From the bytes of a message to its payload, or to the reason for which it is refused.

import { isUtf8 } from 'node:buffer'
import type { IntakeReason } from '@voltkeep/contract'
import {
  downFilterOf,
  maxPayloadBytes,
  topicOf,
  type UpTopicName,
  upTopics,
} from '@voltkeep/contract/topics/index'
import * as z from 'zod/mini'
import * as core from 'zod/v4/core'
import { jsonFault } from './json-fault.ts'

/** The fields of every message. */
export interface Payload {
  id: string
  time: number
}

export type Decoded =
  | { name: UpTopicName; payload: Payload }
  | {
      reason: IntakeReason
      detail: string | null
      /** Where in the payload. It costs some parses, and is no part of what makes refusals equal. */
      place?: () => string
    }

const upTopicNames = Object.keys(upTopics) as UpTopicName[]

/**
 * The contract's schemas are of zod/mini, which checks the fields of an object in a loop, to keep the console's bundle
 * small. The same definition as an object of zod's other kind is compiled: decoding an alarm takes 1.07 µs instead of
 * 1.38.
 */
const schemas = Object.fromEntries(
  upTopicNames.map((name) => [name, new core.$ZodObjectJIT(upTopics[name].payload._zod.def)]),
) as unknown as { [Name in UpTopicName]: (typeof upTopics)[Name]['payload'] }

const detailLimit = 500

/**
 * The topic's last part, where it is one that the device may publish to. `foreignTopic` is another's (or
 * not of our protocol at all), `unknownTopic` its own but of no meaning.
 */
export function upTopicName(
  deviceCode: string,
  topic: string,
): UpTopicName | 'foreignTopic' | 'unknownTopic' {
  const prefix = topicOf(deviceCode, 'up', '')
  if (!topic.startsWith(prefix)) return 'foreignTopic'
  const name = topic.slice(prefix.length)
  return Object.hasOwn(upTopics, name) ? (name as UpTopicName) : 'unknownTopic'
}

export const topicDetails = {
  foreignTopic: (deviceCode: string) => `只能发布到${topicOf(deviceCode, 'up', '')}下的主题`,
  unknownTopic: (deviceCode: string) =>
    `${topicOf(deviceCode, 'up', '')} 之后只能是 ${upTopicNames.join('、')} 之一`,
}

/** Whether the device may subscribe to the filter: one that covers only its own down topics. */
export function isOwnDownFilter(deviceCode: string, filter: string): boolean {
  return filter.startsWith(downFilterOf(deviceCode).slice(0, -1))
}

export function decode(name: UpTopicName, bytes: Buffer): Decoded {
  if (bytes.length > maxPayloadBytes) {
    return { reason: 'tooLarge', detail: `报文 ${bytes.length} 字节，上限 ${maxPayloadBytes} 字节` }
  }
  if (bytes.length === 0) return { reason: 'notJson', detail: '报文为空' }
  if (!isUtf8(bytes)) return { reason: 'notJson', detail: '报文不是 UTF-8 编码' }
  const text = bytes.toString()
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { reason: 'notJson', detail: 'JSON 语法错误', place: () => jsonFault(text) }
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { reason: 'badPayload', detail: '报文应为 JSON 对象' }
  }
  const result = z.safeParse(schemas[name], json)
  if (result.success) {
    // Only an escape can bring in a character that PostgreSQL does not store in text.
    return text.includes('\\u') && !isStorable(result.data)
      ? { reason: 'badPayload', detail: '报文包含无效字符（\\u0000 或不成对的代理字符）' }
      : { name, payload: result.data }
  }
  const problems = new Set(result.error.issues.map((issue) => problemText(issue, json)))
  return { reason: 'badPayload', detail: [...problems].join('；').slice(0, detailLimit) }
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\u0000') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner))
}

/** `versions[0].version长度不能超过 32`, `缺少time` */
function problemText({ path, message }: { path: PropertyKey[]; message: string }, json: unknown): string {
  const field = path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('')
  return valueAt(json, path) === undefined ? `缺少${field}` : `${field}${message}`
}

const valueAt = (json: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], json)

const sampleLength = 200

/** The start of a payload as text that can be shown: what is not printable becomes a dot. */
export function printable(bytes: Buffer): string {
  const text = bytes.subarray(0, sampleLength * 3).toString()
  return [...text.replace(/[\p{C}\uFFFD]/gu, '·')].slice(0, sampleLength).join('')
}
