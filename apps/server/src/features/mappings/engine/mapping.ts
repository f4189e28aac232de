// A mapping, compiled: from a maker's message to reports of ours, and from a command to a maker's message.
//
// Everything that a document or a device could make expensive is bounded: what a document has is by its schema, what
// one message costs by steps, what it becomes by the number of reports and by their schemas.

import { hash, randomBytes } from 'node:crypto'
import {
  type Compartment,
  type MappingCharset,
  type MappingDocument,
  mappingLimits,
} from '@voltkeep/contract'
import type { UpTopicName } from '@voltkeep/contract/topics/index'
import { isStorable, type Payload, readReport } from '../../../platform/devices/ingest/report-schemas.ts'
import { decodeText } from './charsets.ts'
import { compileCheck } from './checksums.ts'
import { type CommandMaker, compileCommands } from './commands.ts'
import { type Context, contextOf } from './context.ts'
import { Fault } from './fault.ts'
import type { Memory } from './memory.ts'
import { compileRule, fieldsOf, type Rule } from './rules.ts'
import { compileSource, compileTime, type Scalar, type Take } from './sources.ts'
import {
  compilePattern,
  filterOf,
  identityPart,
  isCalled,
  levelsOf,
  type Named,
  partNames,
  type TopicPattern,
} from './topics.ts'

export interface MappedReport {
  name: Exclude<UpTopicName, 'connection'>
  payload: Payload
}

export interface Understood {
  /** Each is valid by its topic's schema. */
  reports: MappedReport[]
  /** Why a part of the message became nothing. */
  faults: string[]
  /** What was taken otherwise than it was said: for who writes the mapping. */
  notes: string[]
  /** A rule applied, be it one that ignores. */
  isMapped: boolean
  /** Its topic names another device. */
  isForeign: boolean
  /** The pattern that its topic is of; null where it is of none. */
  pattern: string | null
}

export interface Mapping extends CommandMaker {
  understand(topic: string, payload: Buffer, device: Named, memory: Memory, receivedAtMs: number): Understood
  /** Whether the device may have this subscription: one that its own topics stand behind. */
  maySubscribe(filter: string, device: Named): boolean
  /** Subscriptions to what its devices send, as far as a topic says which of them does. */
  readonly filters: readonly string[]
  /** What a topic calls its device, by each of the patterns that it is of. */
  namesIn(topic: string): string[]
}

interface Route {
  pattern: TopicPattern
  format: 'json' | 'binary'
  rules: Rule[]
}

const mostFaults = 10
const idLength = 40
const [firstTime, lastTime] = [1_000_000_000_000, 9_999_999_999_999]

/** Ids of messages that say nothing by which they would be known again. */
const chance = randomBytes(6).toString('base64url')
let counter = 0

/** Where a mapping is used. */
export interface MappingUse {
  /** At an external broker, where whoever subscribes to a topic hears it: no command goes to one that names no device. */
  isShared: boolean
}

/** The mapping, or what is wrong with its document, which is the same wherever it is used. */
export function compileMapping(
  document: MappingDocument,
  { isShared }: MappingUse = { isShared: false },
): Mapping | { problems: string[] } {
  const problems: string[] = []
  const problem = (text: string) => void (problems.length < 50 && problems.push(text))
  if (Buffer.byteLength(JSON.stringify(document)) > mappingLimits.documentBytes)
    return { problems: [`映射超过 ${mappingLimits.documentBytes / 1_024} KB`] }
  const { charset } = document
  const routes: Route[] = []
  for (const [at, rule] of document.rules.entries()) {
    const topic = rule.topic ?? document.topic
    const format = rule.format ?? document.format
    let route = routes.find((one) => one.pattern.text === topic && one.format === format)
    if (!route) {
      route = { pattern: compilePattern(topic), format, rules: [] }
      routes.push(route)
    }
    for (const source of Object.values(rule.fields))
      if (source.topic !== undefined && !partNames(topic).includes(source.topic))
        problem(`${rule.name ?? `第 ${at + 1} 条规则`}：主题 ${topic} 中没有 {${source.topic}}`)
    route.rules.push(compileRule(rule, at, { format, charset, time: document.time, problem }))
  }
  // Where no rule is yet, the topic is there: what comes on it is kept for the trial.
  if (routes.length === 0)
    routes.push({ pattern: compilePattern(document.topic), format: document.format, rules: [] })
  let idTake: Take | undefined
  try {
    idTake = document.messageId && compileSource(document.messageId, charset)
    if (document.time) compileTime(document.time, charset)
  } catch (error) {
    problem((error as Error).message)
  }
  const check = document.checksum && compileCheck(document.checksum)
  if (check && !routes.some(({ format }) => format === 'binary')) problem('checksum 只用于二进制的报文')
  const commands = compileCommands(document.commands, { charset, isShared, problem })
  if (problems.length > 0) return { problems }
  return {
    ...commands,
    understand: (topic, payload, device, memory, receivedAtMs) =>
      new Reading({ routes, idTake, check, charset, topic, payload, device, memory, receivedAtMs }).read(),
    filters: [
      ...new Set(
        routes
          .map(({ pattern }) => pattern.text)
          .filter((text) => partNames(text).includes(identityPart))
          .map(filterOf),
      ),
    ],
    namesIn(topic) {
      const levels = levelsOf(topic)
      return [...new Set(routes.flatMap(({ pattern }) => pattern.nameIn(levels) ?? []))]
    },
    maySubscribe(filter, device) {
      const levels = levelsOf(filter)
      const own = levels.findIndex((level) => isCalled(device, level))
      // A filter that names the device before any wildcard, or one that is nothing else than a topic of its commands.
      const isOwn = own >= 0 && !levels.slice(0, own).some((level) => level === '+' || level === '#')
      return (isOwn && levels[0] !== 'voltkeep') || commands.topicsFor(device).includes(filter)
    },
  }
}

interface ReadingNeeds {
  routes: readonly Route[]
  idTake: Take | undefined
  check: ReturnType<typeof compileCheck> | undefined
  charset: MappingCharset | undefined
  topic: string
  payload: Buffer
  device: Named
  memory: Memory
  receivedAtMs: number
}

/** How one message is read. */
class Reading {
  readonly #needs: ReadingNeeds
  readonly #understood: Understood = {
    reports: [],
    faults: [],
    notes: [],
    isMapped: false,
    isForeign: false,
    pattern: null,
  }
  /** Undefined: not parsed yet. */
  #json: { value: unknown } | Fault | undefined
  #context: Context | undefined
  #steps = 0
  #ownId: string | undefined
  #hasTime = false
  /** A condition that could not be worked out: told where no rule applied. */
  #undecided: Fault | undefined
  #mayHaveOddTexts = false
  // What several rules add to: one report each.
  #versions: Record<string, Scalar>[] | undefined
  #parameters: Record<string, Scalar>[] | undefined
  #readings: Map<string, Scalar> | undefined
  #compartments: Map<number, Compartment> | undefined
  #sharedTime: { [Name in 'version' | 'parameter' | 'status']?: number | undefined } = {}

  constructor(needs: ReadingNeeds) {
    this.#needs = needs
  }

  read(): Understood {
    const understood = this.#understood
    const { routes, topic, device } = this.#needs
    const levels = levelsOf(topic)
    for (const { pattern, format, rules } of routes) {
      const parts = pattern.match(levels, device)
      if (parts === null) continue
      understood.pattern = pattern.text
      if (parts === 'foreign') {
        understood.isForeign = true
        return understood
      }
      const context = this.#contextOf(format, parts)
      if (context instanceof Fault) this.#fault(context.text)
      else {
        this.#context = context
        for (const rule of rules) if (!this.#apply(rule, context)) return this.#over()
      }
    }
    this.#finish()
    if (!understood.isMapped && understood.faults.length === 0)
      this.#fault(
        understood.pattern === null
          ? '没有规则用于该主题'
          : this.#undecided
            ? `没有规则适用：${this.#undecided.text}`
            : '没有规则适用',
      )
    return understood
  }

  #over(): Understood {
    return {
      ...this.#understood,
      reports: [],
      isMapped: false,
      faults: [`处理该报文超过 ${mappingLimits.steps} 步，或结果超过 ${mappingLimits.reports} 条`],
    }
  }

  #contextOf(format: 'json' | 'binary', parts: Readonly<Record<string, string>>): Context | Fault {
    const { payload, check, charset } = this.#needs
    if (format === 'binary') {
      this.#mayHaveOddTexts = true
      return check?.(payload) ?? contextOf({ bytes: payload, parts })
    }
    this.#json ??= parse(payload, charset)
    if (this.#json instanceof Fault) return this.#json
    this.#mayHaveOddTexts ||= payload.includes('\\u')
    return contextOf({ message: this.#json.value, parts })
  }

  /** False where the message has cost too much. */
  #spend(steps: number): boolean {
    this.#steps += steps
    return this.#steps <= mappingLimits.steps
  }

  /** False where the message costs too much. */
  #apply(rule: Rule, context: Context): boolean {
    if (!rule.each) return this.#applyTo(rule, context)
    const items = rule.each(context, (steps) => this.#spend(steps))
    if (!this.#spend(0)) return false
    if (items instanceof Fault) {
      this.#fault(`${rule.label}：${items.text}`)
      return true
    }
    for (const _ of items) if (!this.#applyTo(rule, context)) return false
    context.item = undefined
    context.index = undefined
    return true
  }

  #applyTo(rule: Rule, context: Context): boolean {
    if (!this.#spend(rule.cost) || this.#understood.reports.length >= mappingLimits.reports) return false
    if (rule.condition) {
      const holds = rule.condition.holds(context)
      if (holds !== true) {
        if (holds instanceof Fault) this.#undecided ??= holds
        return true
      }
    }
    this.#understood.isMapped = true
    if (rule.target === 'ignore') return true
    const values = fieldsOf(rule, context)
    if (values instanceof Fault) this.#fault(`${rule.label}：${values.text}`)
    else this.#write(rule, values, context)
    return true
  }

  #write(rule: Rule, { time: ownTime, ...values }: Record<string, Scalar>, context: Context): void {
    // A reading may be called `time`: it has no times of its own.
    const isReading = rule.target === 'reading'
    const time = this.#timeOf(rule, isReading ? undefined : ownTime, context)
    switch (rule.target) {
      case 'alarm': {
        const { id, ...alarm } = values
        const { code, value } = alarm
        this.#identify(id)
        this.#report('alarm', alarm, time, `a${String(code)}`, () =>
          this.#needs.memory.isNews(String(code), value as number),
        )
        return
      }
      case 'event': {
        const { id, ...event } = values
        this.#identify(id)
        this.#report('event', withData(event), time, `e${this.#understood.reports.length}`)
        return
      }
      case 'version': {
        const { id, ...version } = values
        this.#identify(id)
        this.#versions ??= []
        this.#versions.push(version)
        this.#sharedTime.version ??= time
        return
      }
      case 'parameter':
        this.#parameters ??= []
        this.#parameters.push(values)
        this.#sharedTime.parameter ??= time
        return
      case 'reading':
        this.#readings ??= new Map()
        for (const [name, value] of Object.entries(values)) this.#readings.set(name, value)
        if (ownTime !== undefined) this.#readings.set('time', ownTime)
        this.#sharedTime.status ??= time
        return
      case 'compartment': {
        const { id, ...compartment } = values
        this.#identify(id)
        this.#compartments ??= new Map()
        const no = compartment.no as number
        this.#compartments.set(no, {
          ...this.#compartments.get(no),
          ...(compartment as unknown as Compartment),
        })
        this.#sharedTime.status ??= time
        return
      }
      case 'reply': {
        const { id, commandId, ...reply } = values
        this.#identify(id)
        const { memory } = this.#needs
        const command = commandId === undefined ? memory.lastCommandId : memory.commandOf(String(commandId))
        if (command === undefined) this.#fault(`${rule.label}：没有等待应答的命令`)
        else
          this.#report('reply', { ...reply, commandId: command }, time, `r${this.#understood.reports.length}`)
        return
      }
      case 'upgrade': {
        const { id, ...progress } = values
        this.#identify(id)
        const targetId = progress.targetId ?? this.#needs.memory.lastTargetId
        if (targetId === undefined) this.#fault(`${rule.label}：没有进行中的升级`)
        else this.#report('upgrade', { ...progress, targetId }, time, `u${this.#understood.reports.length}`)
        return
      }
      case 'ignore':
    }
  }

  /** The reports that several rules have added to. */
  #finish(): void {
    const time = this.#sharedTime
    if (this.#versions) this.#report('version', { versions: this.#versions }, time.version, 'v')
    if (this.#parameters) this.#report('parameter', { parameters: this.#parameters }, time.parameter, 'p')
    if (!this.#readings && !this.#compartments) return
    const { memory, receivedAtMs } = this.#needs
    const own = { readings: this.#readings ?? new Map(), compartments: this.#compartments ?? new Map() }
    // What is wrong must not be remembered: it would spoil what comes after it.
    const alone = {
      status: Object.fromEntries(own.readings),
      ...(own.compartments.size > 0 && { compartments: [...own.compartments.values()] }),
    }
    const head = { id: 's', time: time.status ?? receivedAtMs }
    const checked = readReport('status', { ...alone, ...head })
    if ('detail' in checked) {
      this.#fault(`读数：${checked.detail}`)
      return
    }
    const { status, compartments } = memory.merged(own.readings, own.compartments, receivedAtMs)
    this.#report(
      'status',
      { status, ...(compartments.length > 0 && { compartments: inOrder(compartments) }) },
      time.status,
      's',
    )
  }

  #identify(id: Scalar | undefined): void {
    if (id !== undefined) this.#ownId ??= String(id)
  }

  /** Undefined: the message says none that can be believed. */
  #timeOf(rule: Rule, own: Scalar | undefined, context: Context): number | undefined {
    const value = own ?? rule.time?.(context)
    if (value instanceof Fault) {
      this.#fault(`${rule.label}：${value.text}`)
      return undefined
    }
    if (typeof value !== 'number') return undefined
    if (value < firstTime || value > lastTime) {
      this.#note(value)
      return undefined
    }
    this.#hasTime = true
    return value
  }

  /** A time that cannot be is often one in another unit. */
  #note(time: number): void {
    const { notes } = this.#understood
    if (notes.length > 0) return
    const isTime = (ms: number) => ms >= firstTime && ms <= lastTime
    if (isTime(time * 1_000)) notes.push('时间像是秒，已按收到的时间计：请写 "timeUnit": "s"')
    else if (isTime(time / 1_000)) notes.push('时间像是毫秒，已按收到的时间计：请写 "timeUnit": "ms"')
    else notes.push('报文中的时间不可信，已按收到的时间计')
  }

  #report(
    name: MappedReport['name'],
    values: object,
    time: number | undefined,
    suffix: string,
    isNews: () => boolean = () => true,
  ): void {
    const json = { ...values, id: `${this.#id()}.${suffix}`, time: time ?? this.#needs.receivedAtMs }
    const report = readReport(name, json)
    if ('detail' in report) this.#fault(`${name}：${report.detail}`)
    else if (this.#mayHaveOddTexts && !isStorable(report.payload)) this.#fault(`${name}：文本中有无效字符`)
    else if (isNews()) this.#understood.reports.push({ name, payload: report.payload })
  }

  /** By which a message that comes again is known: what the maker says, else its time and all that it says. */
  #id(): string {
    if (this.#ownId === undefined) {
      const { idTake, topic, payload } = this.#needs
      const given = this.#context && idTake?.(this.#context)
      if (given !== undefined && !(given instanceof Fault)) this.#ownId = String(given)
      else if (this.#hasTime) this.#ownId = digest(`${topic}\n`, payload)
      else {
        counter += 1
        this.#ownId = `${chance}${counter.toString(36)}`
      }
    }
    if (this.#ownId.length > idLength || this.#ownId === '') this.#ownId = digest(this.#ownId)
    return this.#ownId
  }

  #fault(text: string): void {
    const { faults } = this.#understood
    if (faults.length < mostFaults && !faults.includes(text)) faults.push(text)
  }
}

const digest = (text: string, payload: Buffer = Buffer.alloc(0)): string =>
  hash('sha1', Buffer.concat([Buffer.from(text), payload]), 'base64url')

function parse(payload: Buffer, charset: MappingCharset = 'utf-8'): { value: unknown } | Fault {
  if (payload.length === 0) return new Fault('报文为空')
  const text = decodeText(payload, charset)
  if (text instanceof Fault) return text
  try {
    return { value: JSON.parse(text) }
  } catch {
    return new Fault('报文不是 JSON')
  }
}

const inOrder = (compartments: Compartment[]) => compartments.sort((a, b) => a.no - b.no)

function withData(event: Record<string, Scalar>): Record<string, unknown> {
  const data: Record<string, Scalar> = {}
  const own: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event)) {
    if (name.startsWith('data.')) data[name.slice(5)] = value
    else own[name] = value
  }
  return Object.keys(data).length > 0 ? { ...own, data } : own
}
