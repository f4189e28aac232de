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
import { isStorable, type Payload, readReport } from '../../platform/devices/ingest/report-schemas.ts'
import { jsonFault } from './json-fault.ts'

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
  const result = readReport(name, json)
  if ('detail' in result) return { reason: 'badPayload', detail: result.detail }
  // Only an escape can bring in a character that PostgreSQL does not store in text.
  return text.includes('\\u') && !isStorable(result.payload)
    ? { reason: 'badPayload', detail: '报文包含无效字符（\\u0000 或不成对的代理字符）' }
    : { name, payload: result.payload }
}

const sampleLength = 200

/** The start of a payload as text that can be shown: what is not printable becomes a dot. */
export function printable(bytes: Buffer): string {
  const text = bytes.subarray(0, sampleLength * 3).toString()
  return [...text.replace(/[\p{C}\uFFFD]/gu, '·')].slice(0, sampleLength).join('')
}
