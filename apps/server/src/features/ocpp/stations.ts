/**
 * The stations that are connected to this process: their sessions, the commands to them, and what they are asked by
 * ourselves.
 *
 * A station does not repeat what it has said while it was away, nor keeps it: so some time after it has connected it is asked
 * for the connectors of which it has said nothing since. Not at each connect, since one that comes and goes would be
 * made worse by that.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { observedText } from '@voltkeep/contract'
import type { WebSocket } from 'ws'
import type { Db } from '../../platform/database/database.ts'
import { errorFields } from '../../platform/database/database.ts'
import type { Notices } from '../../platform/database/notices/notices.ts'
import type { OwnTransport } from '../../platform/devices/commands/transport.joined.ts'
import { createStationLine, TooMuchUnread } from '../../platform/devices/ocpp/line.ts'
import type { IsAllowed } from '../../platform/http/outgoing/index.ts'
import { createComplaints } from '../../platform/process/complaints.ts'
import type { Log } from '../../platform/process/log.ts'
import type { Sealer } from '../../platform/process/sealing.ts'
import { spoken } from '../../platform/process/sentences.ts'
import type { Device, DeviceLines } from '../intake/index.ts'
import { createAnswers } from './call-answers.ts'
import { createKeyTeller } from './keys/key-teller.ts'
import type { KnownCodes } from './known-codes.ts'
import { markStation, readStanding } from './ocpp.queries.ts'
import { parametersOf } from './ocpp.rules.ts'
import type { BackOfficeLimits } from './relay/back-office.ts'
import { createRelayKeeper } from './relay/relay-keeper.ts'
import { createRelayedAnswers } from './relay/relayed-answers.ts'
import { newSession, type Session, takeStanding } from './session.ts'
import { createStationCommands } from './station-commands.ts'

export interface Stations {
  opened(socket: WebSocket, device: Device, address: string): void
  readonly count: number
  transport: OwnTransport
  /** Sends them away over this time, each when nothing of it waits. */
  drain(overMs: number): Promise<void>
  /** Reads nothing any more, waits until what was read is answered, and closes. */
  close(): Promise<void>
}

/** A station that has just connected says by itself what it has to say. */
const usualSettleMs = 20_000
const askedAgainAfterMs = 600_000
const describedAgainAfterMs = 86_400_000
const pingMs = 45_000
const drainStepMs = 100
const closeLimitMs = 10_000
/** The connection is closed since the server stops, or has taken the device elsewhere. */
const closings = { tooLarge: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' } as const

export function createStations({
  db,
  log,
  notices,
  lines,
  codes,
  authorizes,
  sealer,
  isAllowed,
  relayLimits,
  settleMs = usualSettleMs,
}: {
  db: Db
  log: Log
  notices: Pick<Notices, 'subscribe' | 'publishAtOnce'>
  lines: DeviceLines
  codes: KnownCodes
  authorizes: boolean
  sealer: Sealer
  /** Where relays may lead to. */
  isAllowed: IsAllowed
  relayLimits?: BackOfficeLimits
  settleMs?: number
}): Stations {
  const sessions = new Map<number, Session>()
  const askedAtMs = new Map<number, number>()
  const describedAtMs = new Map<number, number>()
  const timers = new Set<NodeJS.Timeout>()
  let ready: (deviceId: number | null, isReturn: boolean) => void = () => {}
  let isStopping = false
  let isDraining = false
  const complain = createComplaints((error, count) =>
    log.warn(
      { ...errorFields(error), count },
      spoken({
        zh: '充电桩的报文暂未处理，充电桩会重新发送',
        en: 'messages of charging stations could not be handled for now, they will send them again',
      }),
    ),
  )

  const complainOfUnread = createComplaints((_, count) =>
    log.warn(
      { count },
      spoken({
        zh: '充电桩不读取发给它的报文，连接已断开',
        en: 'a charging station does not read what is sent to it, and was disconnected',
      }),
    ),
  )

  async function readConfiguration(session: Session, keys: readonly string[]): Promise<void> {
    const result = await session.station.ask('GetConfiguration', keys.length === 0 ? {} : { key: keys })
    if (result.kind === 'result') await enterConfiguration(session, result.payload)
  }

  async function enterConfiguration(session: Session, read: Record<string, unknown>): Promise<void> {
    const payload = Buffer.from(JSON.stringify(read))
    const time = lines.now()
    const reports = parametersOf(read, session.rebootKeys).map(
      (parameters, n) =>
        ({
          name: 'parameter',
          payload: { id: `${session.id}.c${time}.${n}`, time, parameters },
        }) as const,
    )
    if (reports.length > 0)
      await lines.enter(session, { topic: 'ocpp/GetConfiguration', payload }, { reports, detail: null })
  }

  const carryOut = createStationCommands({
    noteOnce: ({ identity }, commandId) => markStation(db, identity.id, { commandId }),
    noteRebootKeys: ({ identity, rebootKeys }) =>
      markStation(db, identity.id, { rebootKeys: [...rebootKeys] }),
    readConfiguration,
  })

  const answer = createRelayedAnswers({
    own: createAnswers({
      db,
      lines,
      codes,
      authorizes,
      // Of one that another platform controls nothing is asked, not even that.
      booted: (session) => {
        if (!session.relay) void readConfiguration(session, []).catch(complain)
      },
    }),
    failed: complain,
  })

  const relays = createRelayKeeper({
    db,
    notices,
    sealer,
    isAllowed,
    limits: relayLimits,
    sessions,
    configured: (session, read) => void enterConfiguration(session, read).catch(complain),
    complain,
  })

  const keys = createKeyTeller({ db, notices, sealer, sessions, complain })

  /** Whether it has been so long, and notes that it is now. */
  function isDue(marks: Map<number, number>, deviceId: number, afterMs: number): boolean {
    const nowMs = performance.now()
    const lastMs = marks.get(deviceId)
    if (lastMs !== undefined && nowMs - lastMs < afterMs) return false
    marks.set(deviceId, nowMs)
    return true
  }

  /** Asks for what the station has not said since it connected. */
  async function settle(session: Session): Promise<void> {
    const { station, identity, connectors, heardOf } = session
    if (!session.isDescribed && isDue(describedAtMs, identity.id, describedAgainAfterMs))
      await station.ask('TriggerMessage', { requestedMessage: 'BootNotification' })
    const unheard = [...connectors.keys()].filter((connectorId) => !heardOf.has(connectorId))
    if (unheard.length === 0 || !isDue(askedAtMs, identity.id, askedAgainAfterMs)) return
    for (const connectorId of unheard.sort((a, b) => a - b)) {
      const wish = { requestedMessage: 'StatusNotification', connectorId }
      const { kind } = await station.ask('TriggerMessage', wish)
      if (kind === 'gone' || kind === 'silent') return
    }
  }

  const later = (work: () => void, ms: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }

  async function learn(session: Session): Promise<void> {
    const { id } = session.identity
    const [standing, relay] = await Promise.all([readStanding(db, id), relays.find(id), keys.came(session)])
    takeStanding(session, standing)
    if (relay && session.station.isOpen) session.relay = relays.open(session, relay)
    session.isReady = true
    if (sessions.get(id) !== session) return
    ready(id, true)
    if (relay) return
    void keys.tell(session).catch(complain)
    later(() => {
      if (session.station.isOpen) void settle(session).catch(complain)
    }, settleMs)
  }

  const pings = setInterval(() => {
    for (const { station, relay } of sessions.values()) {
      station.ping()
      relay?.ping()
    }
  }, pingMs)

  const isOwn = (session: Session) => sessions.get(session.identity.id) === session

  const transport: OwnTransport = {
    has: (deviceId) => sessions.has(deviceId),
    async reachable(deviceIds) {
      if (!lines.isServing() || isStopping) return []
      return deviceIds.flatMap((deviceId) => {
        const session = sessions.get(deviceId)
        if (!session?.isReady) return []
        return [{ deviceId, room: session.underWay.size === 0 ? 1 : 0, topics: null }]
      })
    },
    connected: async (deviceIds) => deviceIds.filter((deviceId) => sessions.has(deviceId)),
    send({ deviceId, topic, payload }, delivered) {
      const session = sessions.get(deviceId)
      if (!session?.isReady) return
      const command = JSON.parse(payload) as { id: string }
      const { id: commandId } = command
      if (session.underWay.has(commandId) || session.diagnosticsId === commandId) return
      session.underWay.add(commandId)
      const carriedOut = session.relay
        ? Promise.resolve({ outcome: 'refused', reason: observedText } as const)
        : carryOut(session, topic, command)
      void carriedOut
        .then((end) => {
          if (end === null) {
            if (session.diagnosticsId === commandId && session.station.isOpen) delivered()
            return
          }
          delivered()
          lines.reply(session.identity, { ...end, commandId })
        })
        .catch(complain)
        .finally(() => {
          session.underWay.delete(commandId)
          if (isOwn(session)) ready(deviceId, false)
        })
    },
    onReady(listener) {
      ready = listener
    },
  }

  const stations: Stations = {
    opened(socket, device, address) {
      let session: Session | undefined
      const station = createStationLine(socket, {
        call: (call) => answer(session as Session, call),
        received: (sizeBytes) => lines.received(device, sizeBytes),
        unreadable: ({ reason, detail }, bytes) =>
          lines.unreadable(session as Session, { topic: 'ocpp', payload: bytes }, { reason, detail }),
        closed(isProper) {
          if (session) relays.closed(session)
          if (!session || !isOwn(session)) return
          sessions.delete(device.id)
          if (!isStopping) lines.disconnected(session, isProper && !isDraining)
        },
        failed(error) {
          if ((error as { code?: string }).code === closings.tooLarge && session)
            lines.unreadable(
              session,
              { topic: 'ocpp', payload: Buffer.alloc(0) },
              { reason: 'tooLarge', detail: '报文过大，连接已断开' },
            )
          else if (error instanceof TooMuchUnread) complainOfUnread(error)
          else if (!(error as { code?: string }).code?.startsWith('WS_ERR')) complain(error)
        },
      })
      session = newSession(device, address, station)
      const former = sessions.get(device.id)
      if (former) {
        sessions.delete(device.id)
        lines.disconnected(former, false)
        former.close()
      }
      sessions.set(device.id, session)
      lines.connected(session)
      const opened = session
      opened.ready = learn(opened).catch((error: unknown) => {
        complain(error)
        opened.close()
      })
    },
    get count() {
      return sessions.size
    },
    transport,
    async drain(overMs) {
      isDraining = true
      const endMs = performance.now() + overMs
      while (sessions.size > 0) {
        const leftMs = endMs - performance.now()
        const count =
          leftMs <= 0
            ? sessions.size
            : Math.ceil((sessions.size * drainStepMs) / Math.max(leftMs, drainStepMs))
        const idle = [...sessions.values()].filter(
          ({ station, underWay }) => station.unansweredCount === 0 && underWay.size === 0,
        )
        for (const session of idle.slice(0, count)) session.close()
        if (leftMs <= 0) return
        await delay(Math.min(drainStepMs, leftMs))
      }
    },
    async close() {
      isStopping = true
      clearInterval(pings)
      relays.close()
      keys.close()
      for (const timer of timers) clearTimeout(timer)
      const open = [...sessions.values()]
      for (const { station } of open) station.stopReading()
      const untilMs = performance.now() + closeLimitMs
      while (open.some(({ station }) => station.unansweredCount > 0) && performance.now() < untilMs)
        await delay(20)
      for (const session of open) session.close()
    },
  }
  lines.join({ transport, count: () => sessions.size, drain: stations.drain })
  return stations
}
