// A rule, compiled: whether it applies to a message, and the fields that it gets out of it.
import {
  type MappingCharset,
  type MappingEach,
  type MappingRule,
  type MappingSource,
  mappingLimits,
} from '@voltkeep/contract'
import { type Condition, compileCondition } from './conditions.ts'
import type { Context } from './context.ts'
import { Fault } from './fault.ts'
import {
  compileBits,
  compilePointer,
  compileSource,
  compileTime,
  type Scalar,
  type Take,
  tokensOf,
} from './sources.ts'
import { asKind, type Kind, kindOf, shapes } from './targets.ts'

interface Field {
  name: string
  kind: Kind
  take: Take
  isRequired: boolean
}

/** Takes so many of the message's steps; false where there are none left. */
type Spend = (steps: number) => boolean

export interface Rule {
  /** For people: its name, or its place. */
  label: string
  target: MappingRule['target']
  condition: Condition | undefined
  each: ((context: Context, spend: Spend) => Fault | Iterable<void>) | undefined
  fields: readonly Field[]
  time: Take | undefined
  /** What one item costs of a message's steps. */
  cost: number
}

/** `problem` is told all that is wrong, each as a sentence. */
export function compileRule(
  rule: MappingRule,
  at: number,
  {
    format,
    charset,
    time,
    problem,
  }: {
    format: 'json' | 'binary'
    charset: MappingCharset | undefined
    time: MappingSource | undefined
    problem: (text: string) => void
  },
): Rule {
  const label = rule.name ?? `第 ${at + 1} 条规则`
  const complain = (text: string) => problem(`${label}：${text}`)
  const safely = <T>(where: string, act: () => T): T | undefined => {
    try {
      return act()
    } catch (error) {
      complain(`${where}${(error as Error).message}`)
      return undefined
    }
  }
  const checked = (where: string, source: MappingSource, compile: typeof compileSource) => {
    const wrong = misplaced(source, rule.each, format)
    if (wrong) complain(`${where}${wrong}`)
    return safely(where, () => compile(source, charset))
  }
  const fields = Object.entries(rule.fields).flatMap(([name, source]): Field[] => {
    const kind = kindOf(rule.target, name)
    if (kind === undefined) {
      complain(`没有字段 ${name}`)
      return []
    }
    const take = checked(`${name} `, source, kind === 'time' ? compileTime : compileSource)
    return take ? [{ name, kind, take, isRequired: shapes[rule.target].required.includes(name) }] : []
  })
  for (const name of shapes[rule.target].required)
    if (!Object.hasOwn(rule.fields, name)) complain(`缺少字段 ${name}`)
  if (rule.target === 'reading' && Object.keys(rule.fields).length === 0) complain('没有读数')
  const timeSource = rule.time ?? time
  const condition = rule.when === undefined ? undefined : safely('', () => compileCondition(rule.when ?? ''))
  const each =
    rule.each === undefined
      ? undefined
      : safely('each ', () => eachOf(rule.each as MappingEach, { format, charset, complain }))
  return {
    label,
    target: rule.target,
    condition,
    each,
    fields,
    time:
      timeSource &&
      (rule.time
        ? checked('time ', timeSource, compileTime)
        : safely('time ', () => compileTime(timeSource, charset))),
    cost: 1 + fields.length + (condition?.cost ?? 0),
  }
}

const isOfBits = (each: MappingEach | undefined) => typeof each === 'object' && 'bitsOf' in each

function misplaced(
  source: MappingSource,
  each: MappingEach | undefined,
  format: 'json' | 'binary',
): string | undefined {
  if ((source.item !== undefined || source.index) && each === undefined)
    return '用了 item 或 index，规则却没有 each'
  if (source.sequence) return 'sequence 只能用在命令里'
  if (isOfBits(each) && source.item !== undefined)
    return source.item === '' ? undefined : 'each 是位时，item 只能是 ""'
  const isOfBytes = source.at !== undefined || typeof source.item === 'number'
  const isOfJson = source.path !== undefined || typeof source.item === 'string'
  if (format === 'json' && isOfBytes) return '报文是 JSON，不能按字节取值'
  if (format === 'binary' && isOfJson) return '报文是二进制，不能用 JSON 指针'
  return undefined
}

/** Sets the context to each item in turn. */
function eachOf(
  each: MappingEach,
  {
    format,
    charset,
    complain,
  }: {
    format: 'json' | 'binary'
    charset: MappingCharset | undefined
    complain: (text: string) => void
  },
): Rule['each'] {
  const tooMany = new Fault(`列表超过 ${mappingLimits.items} 项`)
  if (typeof each === 'string') {
    if (format === 'binary') complain('报文是二进制，each 应为 {"at","size"}')
    const tokens = tokensOf(each)
    if (tokens.includes(anyItem)) {
      const gather = gatherer(tokens)
      return (context, spend) => {
        const found = gather(context.message, spend)
        return found ? itemsOf(context, found) : tooMany
      }
    }
    const follow = compilePointer(each)
    return (context, spend) => {
      const list = follow(context.message)
      if (typeof list !== 'object' || list === null) return []
      return isTooLong(list, spend) ? tooMany : itemsOf(context, list)
    }
  }
  if ('bitsOf' in each) {
    const wrong = misplaced(each.bitsOf, undefined, format)
    if (wrong) complain(`each ${wrong}`)
    const take = compileBits(each.bitsOf, each.count, charset)
    return (context) => {
      const bits = take(context)
      return bits === undefined ? [] : bits instanceof Fault ? bits : itemsOf(context, bits)
    }
  }
  if (format === 'json') complain('报文是 JSON，each 应为 JSON 指针')
  const { at, size, count, countAt } = each
  return (context) => {
    const { bytes } = context
    if (!bytes) return new Fault('报文不是二进制')
    const start = at < 0 ? bytes.length + at : at
    const room = Math.max(0, Math.floor((bytes.length - start) / size))
    let wanted = count ?? room
    if (countAt !== undefined) {
      const place = countAt < 0 ? bytes.length + countAt : countAt
      const told = bytes[place]
      if (told === undefined) return new Fault(`报文只有 ${bytes.length} 字节，没有第 ${place} 字节`)
      wanted = told
    }
    return wanted > mappingLimits.items ? tooMany : stepsOf(context, start, size, wanted)
  }
}

const anyItem = '*'

/** To count the names of an object is to go through them. */
function isTooLong(list: object, spend: Spend): boolean {
  const count = Array.isArray(list) ? list.length : Object.keys(list).length
  if (count <= mappingLimits.items) return false
  if (!Array.isArray(list)) spend(count)
  return true
}

/**
 * The items of all lists that a pointer with `*` names: `/racks/∗/modules` is every module of every rack. What `*` goes
 * through costs steps. Null where there are too many, or no steps are left.
 */
function gatherer(tokens: readonly string[]): (root: unknown, spend: Spend) => unknown[] | null {
  return (root, spend) => {
    const found: unknown[] = []
    /** False: that is too much. */
    const gather = (value: unknown, at: number): boolean => {
      if (typeof value !== 'object' || value === null) return true
      const token = tokens[at]
      if (token !== undefined && token !== anyItem)
        return !Object.hasOwn(value, token) || gather((value as Record<string, unknown>)[token], at + 1)
      if (token === undefined) {
        if (isTooLong(value, spend)) return false
        found.push(...Object.values(value))
        return found.length <= mappingLimits.items
      }
      const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
      return spend(members.length) && members.every((member) => gather(member, at + 1))
    }
    return gather(root, 0) ? found : null
  }
}

function* itemsOf(context: Context, list: object): Generator<void> {
  if (Array.isArray(list)) {
    for (let place = 0; place < list.length; place += 1) {
      context.item = list[place]
      context.index = place
      yield
    }
  } else {
    for (const [name, item] of Object.entries(list)) {
      context.item = item
      context.index = name
      yield
    }
  }
}

function* stepsOf(context: Context, start: number, size: number, count: number): Generator<void> {
  for (let place = 0; place < count; place += 1) {
    context.itemAt = start + place * size
    context.index = place
    yield
  }
}

/** The fields of one item; a fault where a required one is missing, or one has a value that it cannot have. */
export function fieldsOf({ fields }: Rule, context: Context): Record<string, Scalar> | Fault {
  const values: Record<string, Scalar> = {}
  for (const { name, kind, take, isRequired } of fields) {
    const value = take(context)
    if (value === undefined) {
      if (isRequired) return new Fault(`报文中没有 ${name} 的值`)
      continue
    }
    const wanted = value instanceof Fault ? value : asKind(kind, value)
    if (wanted instanceof Fault) return new Fault(`${name} ${wanted.text}`)
    values[name] = wanted
  }
  return values
}
