// The embedded broker for MQTT 3.1.1: devices sign in, publish to the server and subscribe to their own topics. A
// message is acknowledged when the server has called `done`; until then its connection is not read.
import { setTimeout as delay } from 'node:timers/promises'
import type { IConnectPacket } from 'mqtt-packet'
import { errorFields } from '../../database/database.ts'
import { createComplaints } from '../../process/complaints.ts'
import { spoken } from '../../process/sentences.ts'
import type { ConnectionLimiter } from './connection-limiter.ts'
import {
  type BrokerPorts,
  createListeners,
  type ListenersOptions,
  type ShownCertificate,
} from './listeners.ts'
import type { Message } from './outgoing.ts'
import { packetKinds } from './packets.ts'
import type { Peer } from './peer.ts'
import { Reading, type ReadingLimits } from './reading.ts'
import { Session, type SessionHost, type Subscription } from './session.ts'

export interface Login {
  clientId: string
  userName: string | null
  password: Buffer | null
  address: string
  /** Null where it has shown none. */
  certificate: ShownCertificate | null
}

/** Why a sign-in is refused, with the return code of MQTT 3.1.1. */
const loginRefusals = { wrongClientId: 2, unavailable: 3, wrongCredentials: 4 } as const
export type LoginRefusal = keyof typeof loginRefusals

/**
 * How a message is answered. `unacknowledged`: no PUBACK, so that the client keeps the message and sends it
 * again after its next connect; later messages of the connection go on. `refused` closes the connection, which
 * is the only way MQTT 3.1.1 has to refuse a message.
 */
export type Answer = 'acknowledged' | 'unacknowledged' | 'refused'

export interface BrokerOptions<Identity> extends Omit<ListenersOptions, 'accept' | 'admit'>, ReadingLimits {
  /** Shared with whatever else devices come by. */
  limiter: ConnectionLimiter
  /** A packet larger than this closes its connection. */
  packetLimitBytes: number
  authenticate(login: Login): Promise<Identity | LoginRefusal>
  /**
   * Receives a message. Until `done` is called, the message is not acknowledged and its connection is not
   * read: this is the back-pressure. Without an answer `done` acknowledges.
   */
  publish(peer: Peer<Identity>, message: Message, done: (answer?: Answer) => void): void
  /**
   * A packet of a signed-in client has come, whatever its kind. Returns for how long from now on its connection is
   * not read, ms.
   */
  received(peer: Peer<Identity>, sizeBytes: number): number
  /** What its session is known by, and ends another connection of the same; by default its client id. */
  sessionName?(identity: Identity): string
  maySubscribe(identity: Identity, filter: string): boolean
  /** A subscription was answered with 128; `limit` is set when the client has reached the most subscriptions. */
  subscriptionRefused(peer: Peer<Identity>, filter: string, limit: number | null): void
  connected(peer: Peer<Identity>): void
  /** It has subscribed to something, and has its SUBACK. */
  subscribed(peer: Peer<Identity>): void
  /** `isProper`: the client sent DISCONNECT. When a client connects again, its old connection ends first. */
  disconnected(peer: Peer<Identity>, isProper: boolean): void
  /** The connection of a signed-in client was closed because of a packet over the limit. */
  cutOff(peer: Peer<Identity>, sizeBytes: number): void
}

export interface Broker {
  /** Resolves with the ports as they were opened. */
  listen(): Promise<BrokerPorts>
  /** Those who have signed in. */
  readonly connectionCount: number
  /** Those who have not, too. */
  readonly openCount: number
  /** Accepts no connection any more, and ends the others over this time, each when nothing of it waits. */
  drain(overMs: number): Promise<void>
  /** Accepts no connection and reads no message any more; waiting messages can still be acknowledged. */
  stopReading(): void
  close(): void
}

/** A CONNECT with the longest code, secret, and last will of the protocol has some 400 bytes. */
const connectLimitBytes = 1_024
const subscriptionLimit = 32
/** Kind and length of a packet. */
const fixedHeaderBytes = 2
/** A kept session keeps its filters, so their number is limited. */
const filterLimit = 256
const secondMs = 1_000
const drainStepMs = 100

/** A message of a device goes to `publish` and to no other client. */
export function createBroker<Identity extends object>(options: BrokerOptions<Identity>): Broker {
  const { log, packetLimitBytes } = options
  const open = new Set<Session<Identity>>()
  /** Those who have signed in, by client id. */
  const signedIn = new Map<string, Session<Identity>>()
  /** Of sessions that are to be kept (clean session 0), by client id. */
  const kept = new Map<string, Subscription[]>()
  let isStopping = false
  let isDraining = false
  const reading = new Reading(options, { [Symbol.iterator]: () => signedIn.values() })
  const { limiter } = options
  const admit = admissionBy(options, limiter)

  const host: SessionHost<Identity> = {
    readAtMostBytes: options.readAtMostBytes ?? Number.POSITIVE_INFINITY,
    mayRead: (session) => reading.mayRead(session),
    refuses(session, kind, sizeBytes) {
      if (session.isNew) {
        if (kind !== packetKinds.connect) return 'no CONNECT'
        return sizeBytes > connectLimitBytes ? 'CONNECT too large' : undefined
      }
      if (sizeBytes <= packetLimitBytes) return undefined
      options.cutOff(session, sizeBytes)
      return 'packet too large'
    },
    received(session, bodyBytes) {
      const waitMs = options.received(session, bodyBytes + fixedHeaderBytes)
      if (waitMs > 0) reading.pause(session, waitMs)
    },
    signIn(session, connect) {
      void admit(session, connect).then((result) => {
        if (session.isClosed) return
        if (typeof result === 'string') session.refuse(loginRefusals[result])
        else if (isStopping) session.close()
        else welcome(session, result, connect)
      })
    },
    publish(session, message) {
      const { length } = message.payload
      reading.wait(session, length)
      options.publish(session, message, (answer = 'acknowledged') => {
        if (answer === 'acknowledged') session.acknowledge(message)
        else session.forget(message)
        if (answer === 'refused') session.fail(new Error('message refused'))
        reading.answered(session, length)
      })
    },
    maySubscribe(session, filter) {
      const { subscriptions = [], identity } = session
      const isFull =
        subscriptions.length >= subscriptionLimit && !subscriptions.some((one) => one.filter === filter)
      const isAllowed = !isFull && filter.length <= filterLimit && options.maySubscribe(identity, filter)
      if (!isAllowed) options.subscriptionRefused(session, filter, isFull ? subscriptionLimit : null)
      return isAllowed
    },
    subscribed: options.subscribed,
    closed(session) {
      open.delete(session)
      if (signedIn.get(session.clientId) !== session) return
      signedIn.delete(session.clientId)
      if (isStopping) return
      // One that is sent away has not gone.
      const will = session.isProper || isDraining ? undefined : session.takeWill()
      if (will) host.publish(session, { ...will, qos: 0, packetId: 0 })
      options.disconnected(session, session.isProper)
    },
    failed: (session, err) =>
      log.debug(
        { err, clientId: session.clientId },
        spoken({ zh: '设备连接出错', en: 'a device connection has failed' }),
      ),
  }

  /** Its former connection ends first. */
  function welcome(
    session: Session<Identity>,
    identity: Identity,
    { clean, keepalive }: IConnectPacket,
  ): void {
    const clientId = options.sessionName?.(identity) ?? session.clientId
    session.clientId = clientId
    signedIn.get(clientId)?.close()
    session.identity = identity
    signedIn.set(clientId, session)
    options.connected(session)
    const former = kept.get(clientId)?.filter(({ filter }) => options.maySubscribe(identity, filter)) ?? []
    kept.delete(clientId)
    if (clean) {
      session.accept(false, keepalive ?? 0)
      return
    }
    // One list: what the session subscribes to is kept with it.
    kept.set(clientId, former)
    session.subscriptions = former
    const isKept = former.length > 0
    session.accept(isKept, keepalive ?? 0)
    if (isKept && !session.isClosed) options.subscribed(session)
  }

  // One timer for all sessions, in place of one each that starts anew with every packet. A session that the server
  // does not read is not silent: its PINGREQ may be waiting.
  const secondTimer = setInterval(() => {
    for (const session of open) {
      const limit = session.silenceLimitSeconds
      if (limit === 0) continue
      if (session.waitingBytes > 0 || (session.isConnected && !reading.mayRead(session))) {
        session.silentSeconds = 0
        continue
      }
      session.silentSeconds += 1
      if (session.silentSeconds > limit) session.fail(new Error('nothing heard in time'))
    }
  }, secondMs)

  const listeners = createListeners({
    ...options,
    admit: (socket, address) => limiter.admit(socket, address),
    accept: (socket, from) => open.add(new Session(socket, from, host)),
  })

  return {
    listen: () => listeners.listen(),
    get connectionCount() {
      return signedIn.size
    },
    get openCount() {
      return limiter.count
    },
    async drain(overMs) {
      isDraining = true
      listeners.stop()
      const endMs = performance.now() + overMs
      while (signedIn.size > 0) {
        const leftMs = endMs - performance.now()
        const count =
          leftMs <= 0 ? 0 : Math.ceil((signedIn.size * drainStepMs) / Math.max(leftMs, drainStepMs))
        const idle = [...signedIn.values()].filter(({ waitingBytes }) => waitingBytes === 0)
        for (const session of idle.slice(0, count)) session.finish()
        if (leftMs <= 0) return
        await delay(Math.min(drainStepMs, leftMs))
      }
    },
    stopReading() {
      isStopping = true
      reading.stop()
      listeners.stop()
    },
    close() {
      isStopping = true
      clearInterval(secondTimer)
      reading.stop()
      listeners.stop()
      for (const session of [...open]) session.finish()
    },
  }
}

/** Whether a client may sign in; counts it where it may. */
function admissionBy<Identity extends object>(
  { authenticate, log }: BrokerOptions<Identity>,
  limiter: ConnectionLimiter,
) {
  const complain = createComplaints((error, count) =>
    log.warn(
      { ...errorFields(error), count },
      spoken({
        zh: '暂时无法校验设备登录，设备会自行重连',
        en: 'sign-ins of devices cannot be checked for now, the devices will connect again',
      }),
    ),
  )
  return async (
    { line, address, certificate }: Session<Identity>,
    { clientId, username, password }: IConnectPacket,
  ): Promise<Identity | LoginRefusal> => {
    limiter.speaks(line)
    try {
      const login = {
        clientId,
        userName: username ?? null,
        password: (password as Buffer | undefined) ?? null,
        address,
        certificate,
      }
      const result = await authenticate(login)
      return typeof result === 'string' || limiter.signsIn(line) ? result : 'unavailable'
    } catch (error) {
      complain(error)
      return 'unavailable'
    }
  }
}
