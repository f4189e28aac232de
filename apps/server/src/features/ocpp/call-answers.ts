/**
 * The answers to stations' calls. What a station says becomes reports of the device protocol, and it is answered when these
 * are in the database: until then it keeps what it has said, and says it again.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Db } from '../../platform/database/database.ts'
import type { Outcome } from '../../platform/devices/ingest/writer.ts'
import type { StationAnswer, StationCall } from '../../platform/devices/ocpp/line.ts'
import type { DeviceLines, LineReport } from '../intake/index.ts'
import type { KnownCodes } from './known-codes.ts'
import {
  bootWriter,
  connectorWriter,
  type StartEntry,
  startWriter,
  stopWriter,
  unknownCodeWriter,
} from './ocpp.intake.ts'
import { findUpgrade, openAtMost } from './ocpp.queries.ts'
import {
  alarmValue,
  faultOf,
  heartbeatSeconds,
  progressOf,
  statusOf,
  takeSamples,
  timeOf,
  versionOf,
} from './ocpp.rules.ts'
import type { Session } from './session.ts'
import { isKnownAction, isStationAction, readCall, type Said, type StationAction } from './station-calls.ts'

export interface AnswerNeeds {
  db: Db
  lines: Pick<DeviceLines, 'enter' | 'unreadable' | 'write' | 'heard' | 'received' | 'reply' | 'now'>
  codes: Pick<KnownCodes, 'alarmOf'>
  /** Whether everybody's card is accepted: there is no list of cards. */
  authorizes: boolean
  /** The station has started, and has its answer. */
  booted(session: Session): void
}

/** The events of stations, in the dictionary. */
export const eventCodes = {
  started: 'OCPP0101',
  stopped: 'OCPP0102',
  data: 'OCPP0103',
  security: 'OCPP0104',
} as const

const connectorsAtMost = 128
const samplesAtMost = 32

/** What cannot be written now is not acknowledged. */
class Unwritten extends Error {}

type Draft = LineReport extends infer Report
  ? Report extends LineReport
    ? {
        name: Report['name']
        payload: object
        timeMs: number
        /** What makes it the same report over another connection. By default the call does, word for word, of this one. */
        sameBy?: string
      }
    : never
  : never

export function createAnswers({ db, lines, codes, authorizes, booted }: AnswerNeeds) {
  const cards = { status: authorizes ? 'Accepted' : 'Invalid' } as const

  const stored = async (written: Promise<Outcome>) => {
    if ((await written) === 'unwritten') throw new Unwritten('not written')
  }

  /** Resolves when they are in the database. */
  async function enter(
    session: Session,
    call: StationCall,
    drafts: readonly Draft[],
    detail: string | null = null,
  ): Promise<void> {
    const { action, bytes } = call
    const own = hashed(JSON.stringify([session.id, call.id, action, call.payload]))
    const reports = drafts.map(
      ({ name, payload, timeMs, sameBy }, n) =>
        ({
          name,
          payload: { ...payload, id: hashed(sameBy ?? `${own}.${n}`), time: timeMs },
        }) as LineReport,
    )
    if (reports.length === 0) lines.heard(session.identity)
    const answer = await lines.enter(
      session,
      { topic: `ocpp/${action}`, payload: bytes },
      { reports, detail },
    )
    if (answer === 'unacknowledged') throw new Unwritten('not written')
  }

  async function boot(session: Session, call: StationCall, said: Said<'BootNotification'>) {
    const atMs = lines.now()
    const {
      chargePointVendor: vendor,
      chargePointModel: model,
      firmwareVersion: firmware,
      iccid,
      imsi,
    } = said
    const serial = said.chargePointSerialNumber ?? said.chargeBoxSerialNumber
    const { id: deviceId } = session.identity
    const { firstPart } = session
    const row = { deviceId, vendor, model, serial, firmware, iccid, imsi, atMs }
    const versions =
      firmware === null || firstPart === null
        ? []
        : [{ partType: firstPart, addrId: '0', version: versionOf(firmware) }]
    await Promise.all([
      stored(lines.write(session.identity, bootWriter, row)),
      enter(
        session,
        call,
        versions.length === 0 ? [] : [{ name: 'version', payload: { versions }, timeMs: atMs }],
      ),
    ])
    session.vendor = vendor
    session.isDescribed = true
    session.hasBooted = true
    session.rebootKeys.clear()
    // After the answer.
    setImmediate(booted, session)
    return { currentTime: timeText(lines.now()), interval: heartbeatSeconds, status: 'Accepted' }
  }

  async function status(session: Session, call: StationCall, said: Said<'StatusNotification'>) {
    const { connectorId } = said
    const { connectors, values, identity } = session
    const former = connectors.get(connectorId)
    if (former === undefined && connectors.size >= connectorsAtMost) {
      await enter(session, call, [], `连接器超过 ${connectorsAtMost} 个`)
      return {}
    }
    session.heardOf.add(connectorId)
    const fault = faultOf(said, session.vendor)
    const alarm = fault && codes.alarmOf(fault)
    const formerStatus = values.statuses.get(connectorId)
    connectors.set(connectorId, { alarm })
    values.statuses.set(connectorId, said.status)
    const saidMs = timeOf(said.timestamp)
    const timeMs = saidMs ?? lines.now()
    const affected = new Set(
      [former?.alarm?.semaphoreCode, alarm?.semaphoreCode].filter((code) => code != null),
    )
    const drafts: Draft[] = [...affected].map((code) => ({
      name: 'alarm',
      payload: { code, value: alarmValue(connectors, code) },
      timeMs,
      ...anew(saidMs),
    }))
    drafts.push({ name: 'status', payload: statusOf(values), timeMs, ...anew(saidMs) })
    const row = {
      deviceId: identity.id,
      connectorId,
      status: said.status,
      errorCode: said.errorCode,
      vendorErrorCode: said.vendorErrorCode,
      info: said.info,
      semaphoreCode: alarm?.semaphoreCode ?? null,
      alarmValue: alarm?.value ?? null,
      atMs: timeMs,
    }
    try {
      await enter(session, call, drafts)
      await stored(lines.write(identity, connectorWriter, row))
    } catch (error) {
      // It stands as before, so that the next report says all of it again.
      if (former) connectors.set(connectorId, former)
      else connectors.delete(connectorId)
      if (formerStatus === undefined) values.statuses.delete(connectorId)
      else values.statuses.set(connectorId, formerStatus)
      throw error
    }
    if (fault && alarm && !alarm.isKnown) {
      const { semaphoreCode } = alarm
      const { info } = said
      const unknown = { ...fault, info, deviceId: identity.id, semaphoreCode, count: 1, atMs: lines.now() }
      await stored(lines.write(identity, unknownCodeWriter, unknown))
    }
    return {}
  }

  /** As status reports, one of each time, with all that is known by then. Each behind the first counts as a message. */
  function measured(session: Session, connectorId: number, list: Said<'MeterValues'>['meterValue']): Draft[] {
    const drafts: Draft[] = []
    const nowMs = lines.now()
    for (const { timestamp, sampledValue } of list.slice(-samplesAtMost)) {
      if (takeSamples(session.values, connectorId, sampledValue) === 0) continue
      const saidMs = timeOf(timestamp)
      const timeMs = saidMs ?? nowMs
      if (drafts.at(-1)?.timeMs === timeMs) drafts.pop()
      else if (drafts.length > 0) lines.received(session.identity, 0)
      drafts.push({ name: 'status', payload: statusOf(session.values), timeMs, ...anew(saidMs) })
    }
    return drafts
  }

  async function start(session: Session, call: StationCall, said: Said<'StartTransaction'>) {
    const { connectorId, idTag, meterStart } = said
    const startedAtMs = timeOf(said.timestamp) ?? lines.now()
    const begun: Draft = {
      name: 'event',
      payload: { code: eventCodes.started, value: connectorId, data: { idTag, meterStart } },
      timeMs: startedAtMs,
      ...again('start', said.timestamp, connectorId, idTag, meterStart),
    }
    // Numbered by the platform that controls it.
    if (session.relay) {
      await enter(session, call, [begun])
      return {}
    }
    let transactionId: number | undefined
    const entry: StartEntry = {
      deviceId: session.identity.id,
      connectorId,
      idTag,
      meterStart,
      startedAtMs,
      numbered: (id) => {
        transactionId = id
      },
    }
    await Promise.all([
      stored(lines.write(session.identity, startWriter, entry)),
      enter(session, call, [begun]),
    ])
    // The device has been deleted just now.
    if (transactionId === undefined) throw new Unwritten('no such device')
    noteStarted(session.transactions, transactionId, connectorId)
    return { transactionId, idTagInfo: cards }
  }

  async function stop(session: Session, call: StationCall, said: Said<'StopTransaction'>) {
    const { transactionId, idTag, meterStop, reason, transactionData } = said
    const stoppedAtMs = timeOf(said.timestamp) ?? lines.now()
    const isOurs = session.relay === null || session.transactions.has(transactionId)
    const numbered = isOurs ? session.transactions : session.relayedTransactions
    const connectorId = numbered.get(transactionId) ?? 0
    const { id: deviceId } = session.identity
    await Promise.all([
      isOurs && stored(lines.write(session.identity, stopWriter, { deviceId, transactionId, stoppedAtMs })),
      enter(session, call, [
        ...measured(session, connectorId, transactionData ?? []),
        {
          name: 'event',
          payload: {
            code: eventCodes.stopped,
            value: connectorId,
            data: { transactionId, meterStop, ...(reason !== null && { reason }) },
          },
          timeMs: stoppedAtMs,
          ...again('stop', said.timestamp, transactionId, meterStop),
        },
      ]),
    ])
    session.transactions.delete(transactionId)
    return idTag === null ? {} : { idTagInfo: cards }
  }

  async function firmware(session: Session, call: StationCall, told: string) {
    const progress = progressOf(told)
    const targetId = progress && (await findUpgrade(db, session.identity.id))
    await enter(
      session,
      call,
      progress && targetId
        ? [{ name: 'upgrade', payload: { targetId, ...progress }, timeMs: lines.now() }]
        : [],
    )
    return {}
  }

  function diagnostics({ identity, diagnosticsId: commandId }: Session, told: string): void {
    if (commandId === null) return
    if (told === 'Uploaded') lines.reply(identity, { commandId, outcome: 'done' })
    else if (/Fail|BadMessage|NotSupportedOperation|PermissionDenied/.test(told))
      lines.reply(identity, { commandId, outcome: 'failed', reason: `设备上传诊断文件失败（${told}）` })
  }

  async function answer(session: Session, call: StationCall, action: StationAction, said: unknown) {
    switch (action) {
      case 'Heartbeat':
        lines.heard(session.identity)
        return { currentTime: timeText(lines.now()) }
      case 'BootNotification':
        return await boot(session, call, said as Said<'BootNotification'>)
      case 'StatusNotification':
        return await status(session, call, said as Said<'StatusNotification'>)
      case 'MeterValues': {
        const { connectorId, meterValue } = said as Said<'MeterValues'>
        await enter(session, call, measured(session, connectorId, meterValue))
        return {}
      }
      case 'Authorize':
        lines.heard(session.identity)
        return { idTagInfo: cards }
      case 'StartTransaction':
        return await start(session, call, said as Said<'StartTransaction'>)
      case 'StopTransaction':
        return await stop(session, call, said as Said<'StopTransaction'>)
      case 'DataTransfer': {
        const { vendorId, messageId, data } = said as Said<'DataTransfer'>
        const text = data === undefined ? '' : typeof data === 'string' ? data : JSON.stringify(data)
        await enter(session, call, [
          {
            name: 'event',
            payload: {
              code: eventCodes.data,
              value: 0,
              data: { vendorId, messageId: messageId ?? '', data: [...text].slice(0, 200).join('') },
            },
            timeMs: lines.now(),
          },
        ])
        return { status: 'UnknownVendorId' }
      }
      case 'FirmwareStatusNotification':
      case 'SignedFirmwareStatusNotification':
        return await firmware(session, call, (said as Said<'FirmwareStatusNotification'>).status)
      case 'DiagnosticsStatusNotification':
      case 'LogStatusNotification':
        lines.heard(session.identity)
        diagnostics(session, (said as Said<'LogStatusNotification'>).status)
        return {}
      case 'SecurityEventNotification': {
        const { type, timestamp, techInfo } = said as Said<'SecurityEventNotification'>
        await enter(session, call, [
          {
            name: 'event',
            payload: {
              code: eventCodes.security,
              value: 0,
              isFault: true,
              data: { type, ...(techInfo !== null && { techInfo }) },
            },
            timeMs: timeOf(timestamp) ?? lines.now(),
          },
        ])
        return {}
      }
    }
  }

  return async (session: Session, call: StationCall): Promise<StationAnswer> => {
    await session.ready
    const { action, payload, bytes } = call
    const message = { topic: `ocpp/${action}`, payload: bytes }
    // Between it and its platform there may be more than is known here.
    if (session.relay && !isStationAction(action)) {
      await lines.enter(session, message, { reports: [], detail: `未读取 ${action}` })
      return { result: {} }
    }
    if (!isStationAction(action)) {
      lines.unreadable(session, message, { reason: 'unknownTopic', detail: null })
      return isKnownAction(action)
        ? { error: 'NotSupported', text: 'not supported' }
        : { error: 'NotImplemented', text: 'no such action' }
    }
    const read = readCall(action, payload)
    if ('detail' in read && session.relay) {
      await lines.enter(session, message, { reports: [], detail: read.detail })
      return { result: {} }
    }
    if ('detail' in read) {
      lines.unreadable(session, message, { reason: 'badPayload', detail: read.detail })
      return { error: 'FormationViolation', text: 'payload is not as OCPP 1.6 has it' }
    }
    return { result: await answer(session, call, action, read.said) }
  }
}

/** As the database keeps them: of more that are under way, the oldest are not. */
function noteStarted(transactions: Map<number, number>, id: number, connectorId: number): void {
  transactions.delete(id)
  transactions.set(id, connectorId)
  const [oldest] = transactions.keys()
  if (transactions.size > openAtMost && oldest !== undefined) transactions.delete(oldest)
}

export const timeText = (ms: number) => new Date(ms).toISOString()

const hashed = (text: string) => createHash('sha256').update(text).digest('hex')

/**
 * How something stands, without its time: stations use the ids of their calls again, and by the same words may say that it has
 * come to stand so again. Said twice it changes nothing.
 */
const anew = (saidMs: number | null) => (saidMs === null ? { sameBy: randomUUID() } : {})

/** A station that was cut off says it again over its next connection; without its time it may be another one. */
const again = (what: string, timestamp: string | null, ...of: readonly (string | number)[]) =>
  timestamp === null ? {} : { sameBy: JSON.stringify([what, timestamp, ...of]) }
