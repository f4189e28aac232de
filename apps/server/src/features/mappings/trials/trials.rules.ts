// What a trial shows: what a mapping makes of a message or a command, as text or as bytes.
import { isUtf8 } from 'node:buffer'
import type { MappingDocument, mappedCommands } from '@voltkeep/contract'
import { downTopics } from '@voltkeep/contract/topics/index'
import { refuseInput } from '../../../platform/calls/refusal.ts'
import { Fault, type Mapping, Memory, type Named, unusedPaths } from '../engine/index.ts'
import type { ListedMessage } from './messages.queries.ts'

export function triedOn(
  mapping: Mapping,
  { topic, payload, device }: { topic: string; payload: Buffer; device: Named },
) {
  const memory = new Memory()
  // As if something had been asked of the device, so that its answer has what it answers.
  memory.sent('最近一条命令', 0, '最近一次升级')
  const { reports, faults, notes, isMapped, isForeign } = mapping.understand(
    topic,
    payload,
    device,
    memory,
    Date.now(),
  )
  return {
    isMapped,
    isForeign,
    faults,
    notes,
    reports: reports.map(({ name, payload: report }) => ({ target: name, payload: report })),
  }
}

export function toldBy(mapping: Mapping, command: string, payload: Buffer, device: Named) {
  if (!Object.hasOwn(downTopics, command)) return { faults: [`没有命令 ${command}`] }
  const name = command as (typeof mappedCommands)[number]
  let body: unknown = downTopics[name].example
  if (payload.length > 0) {
    try {
      body = JSON.parse(payload.toString())
    } catch {
      return { faults: ['命令不是 JSON'] }
    }
  }
  if (typeof body !== 'object' || body === null) return { faults: ['命令应为 JSON 对象'] }
  const told = mapping.tell(name, body as Record<string, unknown>, device, new Memory())
  if (told === null) return { faults: ['没有命令适用'] }
  if (told instanceof Fault) return { faults: [told.text] }
  return { isMapped: true, told: { topic: told.topic, ...shownBytes(told.payload) } }
}

/** Whom a topic names by the pattern of the document, so that a trial need not ask. */
export function codeIn({ topic: pattern, rules }: MappingDocument, topic: string): string {
  const levels = topic.split('/')
  for (const one of [pattern, ...rules.flatMap((rule) => rule.topic ?? [])]) {
    const parts = one.split('/')
    const fits =
      parts.length === levels.length && parts.every((part, at) => part.startsWith('{') || part === levels[at])
    const place = parts.indexOf('{code}')
    if (fits && place >= 0) return levels[place] ?? ''
  }
  return 'EC0001'
}

export function unusedIn(document: MappingDocument, payload: Buffer): string[] {
  try {
    return unusedPaths(document, JSON.parse(payload.toString()))
  } catch {
    return []
  }
}

/** Refuses (400) what is no hexadecimal. */
export function bytesOf(given: string, encoding: 'text' | 'hex'): Buffer {
  if (encoding === 'text') return Buffer.from(given)
  const digits = given.replace(/\s+/g, '')
  if (!/^([0-9a-fA-F]{2})*$/.test(digits))
    refuseInput({ field: 'payload', message: '报文应为成对的十六进制数字' })
  return Buffer.from(digits, 'hex')
}

const shownBytes = (bytes: Buffer): { payload: string; encoding: 'text' | 'hex' } => {
  const text = isUtf8(bytes) ? bytes.toString() : undefined
  const isText = text !== undefined && !/[\p{Cc}--[\n\r\t]]/v.test(text)
  return isText ? { payload: text, encoding: 'text' } : { payload: bytes.toString('hex'), encoding: 'hex' }
}

export const shownMessage = ({ protocolIdentity: _, payload, ...row }: ListedMessage) => ({
  ...row,
  ...shownBytes(payload),
})
