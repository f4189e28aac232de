// The part that the embedded and the external broker share: from a message to its entry in a lane.

import { setTimeout as delay } from 'node:timers/promises'
import type { IntakeReason } from '@voltkeep/contract'
import {
  type AlarmReport,
  type ConnectionReport,
  topicOf,
  type UpTopicName,
} from '@voltkeep/contract/topics/index'
import { Counter, type Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import type { CommandTransport } from '../../platform/devices/commands/transport.ts'
import type { Payload } from '../../platform/devices/ingest/report-schemas.ts'
import { presentDoubtMs, type Report, type ReportWriters } from '../../platform/devices/ingest/reports.ts'
import type { WriteLanes } from '../../platform/devices/ingest/write-lanes.ts'
import type { Outcome, Pending, Writer } from '../../platform/devices/ingest/writer.ts'
import type { Answer } from '../../platform/devices/mqtt/broker.ts'
import type { BrokerPorts } from '../../platform/devices/mqtt/listeners.ts'
import type { Message } from '../../platform/devices/mqtt/outgoing.ts'
import type { Log } from '../../platform/process/log.ts'
import type { CodeBudget } from './code-budget.ts'
import type { Throttling } from './device-throttling.ts'
import type { Refusals } from './intake-refusals.ts'
import { decode, printable, topicDetails, upTopicName } from './message-decoding.ts'

/** The registered device that sent a message. */
export interface Sender {
  id: number
  code: string
}

/** Intake reports here which devices are connected. */
export interface IntakePresence {
  /** `done`, here and below: it is written, or something newer is; `unwritten` where a defect prevents it. */
  connected(
    deviceId: number,
    address: string | null,
    done?: (outcome?: Outcome) => void,
    line?: { close(): void },
  ): void
  /** `isProper`: the device sent DISCONNECT. */
  disconnected(deviceId: number, isProper: boolean, done?: (outcome?: Outcome) => void): void
  /**
   * `clockOffsetMs`: the time in the message minus the server's time; `isOfNow`: it was written when it was sent.
   * Returns what the device's clock shows now, ms since 1970; null where the message is late, or may be.
   */
  heard(deviceId: number, receivedAtMs: number, clockOffsetMs: number, isOfNow?: boolean): number | null
}

/** Of this process, whichever way messages come. */
export interface MessageCounters {
  stored: Counter
  unwritten: Counter<'topic'>
}

export const countMessages = (metrics: Registry): MessageCounters => ({
  stored: new Counter({
    name: 'voltkeep_intake_messages_total',
    help: 'Messages of devices that were stored and acknowledged, repeated ones included',
    registers: [metrics],
  }),
  unwritten: new Counter({
    name: 'voltkeep_intake_unwritten_messages_total',
    help: 'Messages of devices that a defect of the server kept from being written: not acknowledged',
    labelNames: ['topic'],
    registers: [metrics],
  }),
})

export interface MessageHandlerNeeds {
  counters: MessageCounters
  lanes: Pick<WriteLanes, 'put'>
  writers: ReportWriters
  presence: Pick<IntakePresence, 'heard'>
  codes: Pick<CodeBudget, 'refusal'>
  /** The earliest moment for which a report can be stored. */
  oldestMs(): number
  /** By the clock that all processes have, ms since 1970. */
  now(): number
}

export interface IntakeNeeds extends MessageHandlerNeeds {
  db: Db
  log: Log
  notices: Pick<Notices, 'subscribe'>
  metrics: Registry
  lanes: WriteLanes
  presence: IntakePresence
  throttling: Throttling
  refusals: Refusals
}

/** Receives the messages of devices, over the embedded broker or an external one. */
export interface Intake {
  /** Starts to receive. Resolves with the ports on which devices connect to this process. */
  listen(): Promise<BrokerPorts>
  /** Sends commands to the same devices. */
  transport: CommandTransport
  /** How many devices are connected to this process; null where they are at an external broker. */
  deviceCount(): number | null
  /** Throws when devices cannot reach this process. */
  ping(): Promise<void>
  /** Takes no device any more, and sends those that are connected to this process away over this time. */
  drain(overMs: number): Promise<void>
  /** Stops reading, waits until what was read is written and acknowledged, then disconnects. */
  close(): Promise<void>
}

/** While messages of this many bytes wait for the database, nothing is read. */
export const waitingLimitBytes = 64 * 1024 * 1024
const drainLimitMs = 10_000

/** Waits until all is written and acknowledged. While the database is away: ten seconds; the devices send it again. */
export async function drained(lanes: WriteLanes): Promise<void> {
  await Promise.race([lanes.drained(), delay(drainLimitMs, undefined, { ref: false })])
  lanes.close()
}

/** A message that is not of our protocol. */
export interface ForeignMessage extends Message {
  receivedAtMs: number
}

/**
 * What a message in a maker's words says: reports of ours; `foreign` where its topic is another device's. `detail`: why
 * a part of it, or all, is nothing.
 */
export type ForeignReading =
  | 'foreign'
  | {
      reports: readonly { name: Exclude<UpTopicName, 'connection'>; payload: Payload }[]
      detail: string | null
      /** One of the reports is not in the database. */
      unwritten?: () => void
    }

/** `done` answers the message: without an argument it is acknowledged. */
export type HandleMessage<From extends Sender = Sender> = (
  sender: From,
  message: Message,
  address: string | null,
  done: (answer?: Answer) => void,
) => void

export interface CommandReplyGiven {
  commandId: string
  outcome: 'done' | 'refused' | 'failed'
  reason?: string
}

export interface MessageHandler<From extends Sender> {
  handle: HandleMessage<From>
  /** Writes the reports that a message of another protocol says; `done` answers it, as `handle` does. */
  enterAll(
    sender: From,
    message: Message,
    address: string | null,
    reading: Exclude<ForeignReading, 'foreign'>,
    done: (answer?: Answer) => void,
  ): void
  /** Ends a command in the name of a device whose protocol has no such message. */
  reply(sender: From, reply: CommandReplyGiven): void
}

interface Records extends MessageCounters {
  refusals: Pick<Refusals, 'record'>
}

/**
 * One message, from its receipt to its answer. Thousands wait for the database, and V8's collections copy everything
 * that waits: so a message is one object, for the lanes and for its writer, and has no closures.
 */
class Received implements Pending<Report<Payload>>, Report<Payload> {
  readonly deviceId: number
  readonly receivedAtMs: number
  writer!: Writer<Report<Payload>>
  payload!: Payload
  occurredAtMs = 0
  clockLimitMs: number | null = null
  readonly #records: Records
  readonly #sender: Sender
  readonly #message: Message
  readonly #address: string | null
  readonly #answer: (answer?: Answer) => void
  #name: UpTopicName | undefined

  constructor(
    records: Records,
    sender: Sender,
    message: Message,
    address: string | null,
    answer: (answer?: Answer) => void,
    receivedAtMs: number,
  ) {
    this.deviceId = sender.id
    this.receivedAtMs = receivedAtMs
    this.#records = records
    this.#sender = sender
    this.#message = message
    this.#address = address
    this.#answer = answer
  }

  get entry(): Report<Payload> {
    return this
  }

  get messageId(): string {
    return this.payload.id
  }

  /** The message could be read: returns it as an entry of its lane. */
  isOf(name: UpTopicName, writer: Writer<Report<Payload>>): this {
    this.#name = name
    this.writer = writer
    return this
  }

  refuse(reason: IntakeReason, detail: string | null, place?: () => string): void {
    this.#records.refusals.record({
      deviceCode: this.#sender.code,
      deviceId: this.deviceId,
      reason,
      topic: this.#message.topic,
      detail,
      ...(place && { place }),
      payload: printable(this.#message.payload),
      address: this.#address,
    })
  }

  done(outcome: Outcome, error?: unknown): void {
    switch (outcome) {
      case 'stored':
        this.#records.stored.inc()
        break
      case 'unstorable':
        this.refuse('notStorable', `数据库不接受其内容（${(error as { code?: string }).code ?? '内部错误'}）`)
        break
      case 'unwritten':
        this.#records.unwritten.inc({ topic: this.#name ?? '' })
        break
    }
    this.#answer(answerTo(outcome))
  }
}

/** A time further ahead than this is replaced by the time of receipt. */
const clockLeadMs = 5 * 60_000
const oldestPauseMs = 60_000

/**
 * Handles one message: checks topic and payload, decides its time, and puts it into the device's lane. A message
 * that cannot be read is acknowledged and recorded, since the device would send it for ever; a message on the
 * topic of another device is refused.
 */
export function createMessageHandler<From extends Sender>(
  { counters, lanes, writers, presence, codes, oldestMs, now }: MessageHandlerNeeds,
  refusals: Pick<Refusals, 'record'>,
  connectionReported: (sender: From, report: ConnectionReport, done: (outcome?: Outcome) => void) => void,
  /** A message could not be read. */
  unreadable: (sender: From) => void = () => {},
  /** Reads what is not of our protocol; undefined where the device speaks no other. */
  readForeign: (sender: From, message: ForeignMessage) => ForeignReading | undefined = () => undefined,
): MessageHandler<From> {
  let oldest = { ms: oldestMs(), askedAtMs: now() }

  const records: Records = { ...counters, refusals }

  /** Puts a report into its device's lane; `done` follows its commit, or at once where it is refused. */
  function enter(
    received: Received,
    name: Exclude<UpTopicName, 'connection'>,
    payload: Payload,
    done: (answer?: Answer) => void,
  ): void {
    const { deviceId, receivedAtMs } = received
    const offsetMs = payload.time - receivedAtMs
    const presentMs = presence.heard(deviceId, receivedAtMs, offsetMs)
    if (name === 'alarm' || name === 'event') {
      const { code, value } = payload as AlarmReport
      const over = codes.refusal(deviceId, code, name === 'alarm' ? value : null)
      if (over) {
        received.refuse(over.reason, over.detail)
        done()
        return
      }
    }
    const isBelieved = offsetMs <= clockLeadMs && payload.time >= oldest.ms
    received.payload = payload
    received.occurredAtMs = isBelieved ? payload.time : receivedAtMs
    const clockMs = isBelieved ? presentMs : receivedAtMs
    received.clockLimitMs = clockMs === null ? null : clockMs + presentDoubtMs
    lanes.put(received.isOf(name, writers[name] as Writer<Report<Payload>>))
  }

  /** One answer for all reports of a message: it is acknowledged when each of them is in the database. */
  function enterForeign(
    received: Received,
    { reports, detail, unwritten: forget }: Exclude<ForeignReading, 'foreign'>,
    {
      sender,
      message,
      address,
      done,
    }: { sender: From; message: Message; address: string | null; done: (answer?: Answer) => void },
  ): void {
    if (detail !== null) received.refuse('unmapped', detail)
    if (reports.length === 0) {
      done()
      return
    }
    let left = reports.length
    let worst: Answer = 'acknowledged'
    const one = (answer: Answer = 'acknowledged') => {
      if (answer !== 'acknowledged') {
        worst = answer
        forget?.()
      }
      left -= 1
      if (left === 0) done(worst)
    }
    for (const { name, payload } of reports)
      enter(new Received(records, sender, message, address, one, received.receivedAtMs), name, payload, one)
  }

  function receive(
    sender: From,
    message: Message,
    address: string | null,
    done: (answer?: Answer) => void,
  ): Received {
    const receivedAtMs = now()
    if (Math.abs(receivedAtMs - oldest.askedAtMs) > oldestPauseMs)
      oldest = { ms: oldestMs(), askedAtMs: receivedAtMs }
    return new Received(records, sender, message, address, done, receivedAtMs)
  }

  const handle: HandleMessage<From> = (sender, message, address, done) => {
    const received = receive(sender, message, address, done)
    const { receivedAtMs } = received

    const name = upTopicName(sender.code, message.topic)
    if (name === 'foreignTopic') {
      const { topic, payload } = message
      const reading = readForeign(sender, { topic, payload, receivedAtMs })
      if (reading && reading !== 'foreign') {
        enterForeign(received, reading, { sender, message, address, done })
        return
      }
      received.refuse(
        name,
        reading === 'foreign' ? '主题中的标识不是该设备' : topicDetails.foreignTopic(sender.code),
      )
      done('refused')
      return
    }
    if (name === 'unknownTopic') {
      received.refuse(name, topicDetails.unknownTopic(sender.code))
      done()
      unreadable(sender)
      return
    }
    const decoded = decode(name, message.payload)
    if ('reason' in decoded) {
      received.refuse(decoded.reason, decoded.detail, decoded.place)
      done()
      unreadable(sender)
      return
    }
    const { payload } = decoded
    if (name === 'connection') {
      const report = payload as ConnectionReport
      // A device reports that it is online when it is. A last will was written long before: its time says nothing.
      if (report.isOnline) presence.heard(sender.id, receivedAtMs, payload.time - receivedAtMs, true)
      connectionReported(sender, report, (outcome) => done(answerTo(outcome)))
      return
    }
    enter(received, name, payload, done)
  }

  return {
    handle,
    enterAll: (sender, message, address, reading, done) =>
      enterForeign(receive(sender, message, address, done), reading, { sender, message, address, done }),
    reply(sender, reply) {
      const payload = { ...reply, id: `${reply.commandId}.${reply.outcome}`, time: now() }
      const message = {
        topic: topicOf(sender.code, 'up', 'reply'),
        payload: Buffer.from(JSON.stringify(payload)),
      }
      // The command counts as sent before it is answered.
      setImmediate(() =>
        enter(new Received(records, sender, message, null, () => {}, now()), 'reply', payload, () => {}),
      )
    },
  }
}

const answerTo = (outcome: Outcome | undefined): Answer =>
  outcome === 'unwritten' ? 'unacknowledged' : 'acknowledged'
