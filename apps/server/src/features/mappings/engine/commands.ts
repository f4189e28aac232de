// Commands in a maker's words: which of a mapping's commands is meant, and the message that it becomes.
import {
  type Ability,
  abilities,
  binaryTypes,
  checksumTypes,
  type MappingCharset,
  type MappingCommand,
  mappingLimits,
  remoteActions,
} from '@voltkeep/contract'
import type { DownTopicName } from '@voltkeep/contract/topics/index'
import * as z from 'zod/mini'
import { bytesOf } from './bytes.ts'
import { encodeText } from './charsets.ts'
import { checksumOf } from './checksums.ts'
import { compileCondition } from './conditions.ts'
import { type Context, contextOf } from './context.ts'
import { Fault } from './fault.ts'
import type { Memory } from './memory.ts'
import { compilePointer, compileSource, type Scalar, type Take } from './sources.ts'
import { identityPart, type Named, partNames, topicFor } from './topics.ts'

export interface Told {
  topic: string
  payload: Buffer
  /** The device answers nothing: its PUBACK counts as done. */
  isDoneWhenDelivered: boolean
}

export interface CommandMaker {
  /** The message; null where the mapping has none for such a command; a fault where it cannot be made. */
  tell(
    topic: DownTopicName,
    command: Readonly<Record<string, unknown>>,
    device: Named,
    memory: Memory,
  ): Told | Fault | null
  /** The topics of the commands of one kind, or of all. */
  topicsFor(device: Named, command?: DownTopicName): readonly string[]
  /** What devices can be told by it. */
  readonly abilities: ReadonlySet<Ability>
}

type Render = (context: Context) => unknown

interface Command {
  command: DownTopicName
  pattern: string
  holds: (context: Context) => boolean | Fault
  make: (context: Context) => Buffer | Fault
  isDoneWhenDelivered: boolean
}

/** `isShared`: the topics are those of a broker that every device is at, so that one of no device is everybody's. */
export function compileCommands(
  list: readonly MappingCommand[],
  {
    charset = 'utf-8',
    isShared,
    problem,
  }: { charset: MappingCharset | undefined; isShared: boolean; problem: (text: string) => void },
): CommandMaker {
  const commands = list.flatMap((given, at): Command[] => {
    const label = given.name ?? `第 ${at + 1} 条命令`
    try {
      return [compileCommand(given, charset)]
    } catch (error) {
      problem(`${label}：${(error as Error).message}`)
      return []
    }
  })
  const reachesOne = ({ pattern }: Command) => !isShared || partNames(pattern).includes(identityPart)
  return {
    tell(topic, command, device, memory) {
      const context = contextOf({ message: command })
      const fitting = commands.filter((one) => one.command === topic && one.holds(context) === true)
      const meant = fitting.find(reachesOne)
      if (!meant)
        return fitting.length === 0
          ? null
          : new Fault('命令的主题中没有 {code}，在外部 MQTT 服务上会到达所有订阅者')
      const sequence = memory.nextSequence()
      context.sequence = sequence
      const payload = meant.make(context)
      if (payload instanceof Fault) return payload
      const { targetId } = command
      memory.sent(String(command.id), sequence, typeof targetId === 'string' ? targetId : undefined)
      return {
        topic: topicFor(meant.pattern, device),
        payload,
        isDoneWhenDelivered: meant.isDoneWhenDelivered,
      }
    },
    topicsFor: (device, command) => [
      ...new Set(
        commands
          .filter((one) => command === undefined || one.command === command)
          .map(({ pattern }) => topicFor(pattern, device)),
      ),
    ],
    abilities: new Set(
      abilities.filter((ability) => commands.some((one) => reachesOne(one) && isAble(one, ability))),
    ),
  }
}

/** Whether the command is one for this ability: a condition may leave some actions out. */
function isAble({ command, holds }: Command, ability: Ability): boolean {
  const isAction = (remoteActions as readonly string[]).includes(ability)
  if (!isAction) return command === ability
  if (command !== 'action') return false
  return [{}, { compartment: 1 }].some(
    (more) => holds(contextOf({ message: { id: '0', action: ability, reason: '-', ...more } })) === true,
  )
}

function compileCommand(
  { command, when, topic, format = 'json', fields, payload, isDoneWhenDelivered = false }: MappingCommand,
  charset: MappingCharset,
): Command {
  const unknown = partNames(topic).filter((name) => name !== identityPart)
  if (unknown.length > 0) throw new Error(`命令的主题中只能有 {code}，没有 {${unknown.join('}、{')}}`)
  const takes = new Map(
    Object.entries(fields).map(([name, source]) => {
      if (source.at !== undefined || typeof source.item === 'number')
        throw new Error(`${name} 不能按字节取值`)
      if (source.topic !== undefined) throw new Error(`${name} 不能取自主题`)
      return [name, compileSource(source)]
    }),
  )
  const condition = when === undefined ? undefined : compileCondition(when)
  return {
    command,
    pattern: topic,
    holds: condition ? condition.holds : () => true,
    make: format === 'json' ? jsonMaker(payload, takes, charset) : binaryMaker(payload, takes, charset),
    isDoneWhenDelivered,
  }
}

const tooLarge = new Fault(`命令报文超过 ${mappingLimits.outgoingBytes / 1_024} KB`)

const limited = (bytes: Buffer): Buffer | Fault =>
  bytes.length > mappingLimits.outgoingBytes ? tooLarge : bytes

/** Whether there is room for so much more: lists within lists would be more than a process can hold before they are bytes. */
function hasRoom(context: Context, cost: number): boolean {
  context.room -= cost
  return context.room >= 0
}

const lengthOf = (value: unknown) => (typeof value === 'string' ? value.length : 1)

type Takes = ReadonlyMap<string, Take>

function jsonMaker(template: unknown, takes: Takes, charset: MappingCharset): Command['make'] {
  if (template === undefined) throw new Error('缺少 payload')
  let nodes = 0
  const compile = (value: unknown, depth: number): Render => {
    nodes += 1
    if (nodes > mappingLimits.templateNodes || depth > mappingLimits.templateDepth)
      throw new Error('payload 过大或嵌套过深')
    if (typeof value === 'string') return textOf(value, takes)
    if (typeof value !== 'object' || value === null)
      return (context) => (hasRoom(context, 1) ? value : tooLarge)
    if (Array.isArray(value)) {
      const items = value.map((one) => compile(one, depth + 1))
      return (context) => (hasRoom(context, 1) ? items.map((render) => render(context)) : tooLarge)
    }
    if ('$each' in value) return eachOf(value, takes, (inner) => compile(inner, depth + 1))
    const entries = Object.entries(value).map(([name, one]) => [name, compile(one, depth + 1)] as const)
    return (context) =>
      hasRoom(context, 1)
        ? Object.fromEntries(
            entries.flatMap(([name, render]) => {
              const inner = render(context)
              return inner === undefined ? [] : [[name, inner]]
            }),
          )
        : tooLarge
  }
  const render = compile(template, 0)
  return (context) => {
    const value = render(context)
    const fault = faultIn(value)
    const bytes = fault ?? encodeText(JSON.stringify(value ?? null), charset)
    return bytes instanceof Fault ? bytes : limited(bytes)
  }
}

function faultIn(value: unknown): Fault | undefined {
  if (value instanceof Fault) return value
  if (typeof value !== 'object' || value === null) return undefined
  for (const inner of Object.values(value)) {
    const fault = faultIn(inner)
    if (fault) return fault
  }
  return undefined
}

const EachTemplate = z.strictObject({ $each: z.string(), $item: z.unknown(), $key: z.optional(z.string()) })

/** `{"$each": "/parameters", "$item": …}`: a list; with `$key` an object. */
function eachOf(value: object, takes: Takes, compile: (inner: unknown) => Render): Render {
  const given = EachTemplate.safeParse(value)
  if (!given.success) throw new Error('$each 旁边应有 $item，可有 $key')
  const { $each, $item, $key } = given.data
  if (!$each.startsWith('/')) throw new Error('$each 应为 JSON 指针，如 /parameters')
  const follow = compilePointer($each)
  const render = compile($item)
  const keyOf = $key === undefined ? undefined : textOf($key, takes)
  return (context) => {
    if (!hasRoom(context, 1)) return tooLarge
    const list = follow(context.message)
    const items: readonly unknown[] = Array.isArray(list) ? list : []
    const { item: outerItem, index: outerIndex } = context
    const rendered: (readonly [key: unknown, value: unknown])[] = []
    for (let index = 0; index < Math.min(items.length, mappingLimits.items); index += 1) {
      context.item = items[index]
      context.index = index
      rendered.push([keyOf?.(context), render(context)])
      if (context.room < 0) break
    }
    context.item = outerItem
    context.index = outerIndex
    if (context.room < 0) return tooLarge
    if (!keyOf) return rendered.map(([, inner]) => inner)
    const faulty = rendered.find(([key]) => key instanceof Fault)
    return faulty ? faulty[0] : Object.fromEntries(rendered.map(([key, inner]) => [String(key), inner]))
  }
}

const placeholder = /\{\{\s*([A-Za-z][A-Za-z0-9_]{0,31})\s*\}\}/g

/** A text that is one placeholder is its value; others have the values put in. */
function textOf(text: string, takes: Takes): Render {
  const found = [...text.matchAll(placeholder)]
  const known = found.map(([, name = '']) => {
    const take = takes.get(name)
    if (!take) throw new Error(`fields 中没有 ${name}`)
    return take
  })
  const [only] = known
  if (!only) return (context) => (hasRoom(context, 1 + text.length) ? text : tooLarge)
  if (known.length === 1 && found[0]?.[0] === text)
    return (context) => {
      const value = only(context)
      return hasRoom(context, lengthOf(value)) ? value : tooLarge
    }
  const between = text.split(placeholder).filter((_, at) => at % 2 === 0)
  const fixedLength = between.reduce((sum, part) => sum + part.length, 0)
  return (context) => {
    if (!hasRoom(context, 1 + fixedLength)) return tooLarge
    let filled = between[0] as string
    let fault: Fault | undefined
    for (const [at, take] of known.entries()) {
      const value = take(context)
      if (value instanceof Fault) fault = value
      const shown = value === undefined || value instanceof Fault ? '' : String(value)
      if (!hasRoom(context, 1 + shown.length)) return tooLarge
      filled += shown + between[at + 1]
    }
    return fault ?? filled
  }
}

const BinaryTemplate = z
  .array(
    z.union([
      z.strictObject({
        type: z.enum(binaryTypes),
        value: z.union([z.string(), z.number(), z.boolean()]),
        length: z.optional(z.int().check(z.minimum(1), z.maximum(256))),
      }),
      /** Of the bytes before it, `from` the first that counts. */
      z.strictObject({
        type: z.enum(checksumTypes),
        from: z.optional(z.int().check(z.minimum(0), z.maximum(mappingLimits.outgoingBytes))),
        order: z.optional(z.enum(['le', 'be'])),
      }),
    ]),
  )
  .check(z.minLength(1), z.maxLength(mappingLimits.templateNodes))

function binaryMaker(template: unknown, takes: Takes, charset: MappingCharset): Command['make'] {
  const given = BinaryTemplate.safeParse(template)
  if (!given.success)
    throw new Error(
      '二进制的 payload 应为列表，每项有 type 和 value，bcd、text、hex 还有 length，校验码没有 value',
    )
  type Part = (context: Context, before: readonly Buffer[]) => Buffer | Fault
  const parts = given.data.map((part): Part => {
    if (!('value' in part)) {
      const { type, from = 0, order } = part
      return (_context, before) => checksumOf(type, Buffer.concat(before).subarray(from), order)
    }
    const { type, value, length } = part
    if ((type === 'bcd' || type === 'text' || type === 'hex') && length === undefined)
      throw new Error('payload 中 bcd、text、hex 应有 length')
    const render = typeof value === 'string' ? textOf(value, takes) : () => value
    return (context) => {
      const rendered = render(context) as Scalar | Fault | undefined
      if (rendered instanceof Fault) return rendered
      return rendered === undefined
        ? new Fault('命令中没有要写入的值')
        : bytesOf(type, length, rendered, charset)
    }
  })
  return (context) => {
    const all: Buffer[] = []
    for (const part of parts) {
      const bytes = part(context, all)
      if (bytes instanceof Fault) return bytes
      all.push(bytes)
    }
    return limited(Buffer.concat(all))
  }
}
