import { setTimeout as delay } from 'node:timers/promises'
import type { IntakeReason } from '@voltkeep/contract'
import type { ConnectionReport } from '@voltkeep/contract/topics/index'
import { Counter, type Registry } from 'prom-client'
import type { Db } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { Message } from '../../platform/mqtt/broker.ts'
import type { Report, ReportWriters } from '../../platform/mqtt/reports.ts'
import type { WriteLanes, Writer } from '../../platform/mqtt/write-lanes.ts'
import type { Notices } from '../../platform/notices.ts'
import { decode, type Payload, printable, topicDetails, upTopicName } from './intake.decode.ts'
import type { Refusals } from './intake.refusals.ts'

/** A device that is known to be the sender. */
export interface Sender {
  id: number
  code: string
}

/** Where intake tells what it learns of who is there. */
export interface IntakePresence {
  /** `settled`, here and below: it is written, or something newer is. */
  connected(deviceId: number, address: string | null, settled?: () => void): void
  /** `isProper`: it said goodbye. */
  disconnected(deviceId: number, isProper: boolean, settled?: () => void): void
  /** `clockOffsetMs`: the message's time against ours. */
  heard(deviceId: number, receivedAtMs: number, clockOffsetMs: number): void
}

export interface TakerNeeds {
  metrics: Registry
  lanes: Pick<WriteLanes, 'put'>
  writers: ReportWriters
  presence: Pick<IntakePresence, 'heard'>
  /** The earliest moment for which a report can be stored. */
  oldestMs(): number
}

export interface IntakeNeeds extends TakerNeeds {
  db: Db
  log: Log
  notices: Pick<Notices, 'subscribe'>
  lanes: WriteLanes
  presence: IntakePresence
}

/** Devices' way in, whichever broker it goes by. */
export interface Intake {
  /** Opens it; the port where devices connect to this process. */
  listen(): Promise<number | null>
  /** Throws where devices cannot reach us. */
  ping(): Promise<void>
  /** Stops reading, lets what was read be written and acknowledged, then says goodbye. */
  close(): Promise<void>
}

/** Messages of so many bytes may wait for the database before nothing more is read. */
export const waitingLimitBytes = 64 * 1024 * 1024
const drainLimitMs = 10_000

/** What waits is written and acknowledged, unless the database is away: then it will come again. */
export async function drained(lanes: WriteLanes): Promise<void> {
  await Promise.race([lanes.drained(), delay(drainLimitMs, undefined, { ref: false })])
  lanes.close()
}

/** Says when the message is answered: settled or set aside for good; `true` refuses it and its sender. */
export type Take = (
  sender: Sender,
  message: Message,
  address: string | null,
  done: (isRefused?: boolean) => void,
) => void

/** A device's clock may be that far ahead before its times are not believed. */
const clockLeadMs = 5 * 60_000
const oldestPauseMs = 60_000

/**
 * One message on its way: topic, payload, clock, lane. What cannot be read is acknowledged and kept apart,
 * or its device would send it for ever; what is not the device's to send is refused.
 */
export function createTaker(
  { metrics, lanes, writers, presence, oldestMs }: TakerNeeds,
  refusals: Pick<Refusals, 'record'>,
  connectionReported: (sender: Sender, report: ConnectionReport, settled: () => void) => void,
): Take {
  const messages = new Counter({
    name: 'voltkeep_intake_messages_total',
    help: 'Messages of devices that were stored and acknowledged, repeated ones included',
    registers: [metrics],
  })
  let oldest = { ms: oldestMs(), askedAtMs: Date.now() }

  return (sender, message, address, done) => {
    const receivedAtMs = Date.now()
    if (receivedAtMs - oldest.askedAtMs > oldestPauseMs) oldest = { ms: oldestMs(), askedAtMs: receivedAtMs }
    const refuse = (reason: IntakeReason, detail: string | null) =>
      refusals.record({
        deviceCode: sender.code,
        deviceId: sender.id,
        reason,
        topic: message.topic,
        detail,
        payload: printable(message.payload),
        address,
      })

    const name = upTopicName(sender.code, message.topic)
    if (name === 'foreignTopic' || name === 'unknownTopic') {
      refuse(name, topicDetails[name](sender.code))
      done(name === 'foreignTopic')
      return
    }
    const decoded = decode(name, message.payload)
    if ('reason' in decoded) {
      refuse(decoded.reason, decoded.detail)
      done()
      return
    }
    const { payload } = decoded
    const offsetMs = payload.time - receivedAtMs
    if (name === 'connection') {
      const report = payload as ConnectionReport
      // A last will was written long before it is read: its time says nothing about the clock.
      if (report.isOnline) presence.heard(sender.id, receivedAtMs, offsetMs)
      connectionReported(sender, report, () => done())
      return
    }
    presence.heard(sender.id, receivedAtMs, offsetMs)
    const writer = writers[name] as Writer<Report<Payload>>
    const isBelieved = offsetMs <= clockLeadMs && payload.time >= oldest.ms
    lanes.put({
      deviceId: sender.id,
      writer,
      entry: {
        deviceId: sender.id,
        payload,
        occurredAtMs: isBelieved ? payload.time : receivedAtMs,
        receivedAtMs,
      },
      messageId: payload.id,
      settled(error) {
        if (error)
          refuse('notStorable', `数据库不接受其内容（${(error as { code?: string }).code ?? '内部错误'}）`)
        else messages.inc()
        done()
      },
    })
  }
}
