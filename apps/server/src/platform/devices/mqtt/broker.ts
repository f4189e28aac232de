// The embedded MQTT broker: devices sign in, publish to the server and subscribe to their own topics.
// A message is acknowledged when the server has called `done`; until then its connection is not read.

import type { Socket } from 'node:net'
import type { AuthenticateError, Client, PublishPacket, Subscription } from 'aedes'
import { errorFields } from '../../database/database.ts'
import { createComplaints } from '../../process/complaints.ts'
import {
  DeviceBroker,
  type Published,
  packetKinds,
  receivePackets,
  refreshKeepalive,
  saidGoodbye,
  subscriptionsOf,
  takeOver,
} from './aedes-internals.ts'
import { type ConnectionLimit, ConnectionLimiter, type ConnectionLimits } from './connection-limiter.ts'
import { IncomingMessages } from './incoming.ts'
import {
  type BrokerPorts,
  type ConnectedClient,
  createListeners,
  type ListenersOptions,
  type ShownCertificate,
} from './listeners.ts'
import type { Message } from './outgoing.ts'
import { createPeer, type Peer } from './peer.ts'

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

export interface BrokerOptions<Identity> extends Omit<ListenersOptions, 'accept' | 'admit'> {
  limits: ConnectionLimits
  /** Any number of clients are behind these addresses: no limit by address applies to them. */
  isProxy?(address: string): boolean
  /** A connection was turned away or ended, since this limit was met. */
  limitMet(limit: ConnectionLimit, address: string): void
  /** A packet larger than this closes its connection. */
  packetLimitBytes: number
  /** No connection is read while messages of at least this many bytes wait for `done`. */
  waitingLimitBytes: number
  authenticate(login: Login): Promise<Identity | LoginRefusal>
  /**
   * Receives a message. Until `done` is called, the message is not acknowledged and its connection is not
   * read: this is the back-pressure. Without an answer `done` acknowledges.
   */
  publish(peer: Peer<Identity>, message: Message, done: (answer?: Answer) => void): void
  /**
   * A packet of a signed-in client has come, whatever its kind. Answers for how long from now on its connection is
   * not read, ms.
   */
  received(peer: Peer<Identity>, sizeBytes: number): number
  /**
   * How many bytes of one connection are read before the others' turn: what is read together goes into the database
   * together, and one fast sender would make all others wait. Undefined: no limit.
   */
  readAtMostBytes?: number | undefined
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
  /** Accepts no connection and reads no message any more; waiting messages can still be acknowledged. */
  stopReading(): void
  close(): Promise<void>
}

/** A device may send messages before it receives its CONNACK. */
const packetsBeforeConnack = 1_000
/** Memory of a waiting message besides its payload. */
const messageOverheadBytes = 512
/** A CONNECT with the longest code, secret, and last will of the protocol has some 400 bytes. */
const connectLimitBytes = 1_024
const connectTimeoutMs = 10_000
const subscriptionLimit = 32
/** Kind and length of a packet. */
const fixedHeaderBytes = 2
/** A kept session keeps its filters, so their number is limited. */
const filterLimit = 256
const keepaliveRefreshMs = 3_000

interface DeviceClient<Identity> extends Client {
  from?: ConnectedClient
  peer?: Peer<Identity>
  incoming?: IncomingMessages
  waitingCount?: number
  hasSaidConnect?: boolean
  /** It has used its part of this turn of the event loop. */
  hasHadTurn?: boolean
  /** Set while the connection is not read because it has sent too much. */
  pauseTimer?: NodeJS.Timeout | undefined
  pausedUntilMs?: number
}

/**
 * The embedded broker for MQTT 3.1.1. A message of a device goes to `publish` and to no other client.
 */
export async function createBroker<Identity extends object>(
  options: BrokerOptions<Identity>,
): Promise<Broker> {
  const { log } = options
  const clients = new Set<DeviceClient<Identity>>()
  let waitingBytes = 0
  let isReading = true
  let isStopping = false
  const limiter = new ConnectionLimiter({
    ...options.limits,
    isProxy: options.isProxy,
    met: options.limitMet,
  })
  const complain = createComplaints((error, count) =>
    log.warn({ ...errorFields(error), count }, '暂时无法校验设备登录，设备会自行重连'),
  )

  const broker = new DeviceBroker({
    queueLimit: packetsBeforeConnack,
    connectTimeout: connectTimeoutMs,
    maxClientsIdLength: 64,
    maxTopicLevels: 8,
    preConnect(client: DeviceClient<Identity>, _packet, callback) {
      client.hasSaidConnect = true
      limiter.speaks(client.conn as Socket)
      callback(null, true)
    },
    authenticate(client: DeviceClient<Identity>, userName, password, done) {
      const { address, certificate } = client.from as ConnectedClient
      const login = {
        clientId: client.id,
        userName: userName ?? null,
        password: password ?? null,
        address,
        certificate,
      }
      void options
        .authenticate(login)
        .catch((err): LoginRefusal => {
          complain(err)
          return 'unavailable'
        })
        .then((result) => {
          if (client.closed) return
          if (typeof result !== 'string' && !limiter.signsIn(client.conn as Socket)) result = 'unavailable'
          if (typeof result === 'string') {
            const returnCode = loginRefusals[result as LoginRefusal]
            done(Object.assign(new Error(result), { returnCode }) as AuthenticateError, null)
          } else {
            client.peer = createPeer(client, result as Identity, address)
            done(null, true)
          }
        })
    },
    authorizePublish(client: DeviceClient<Identity> | null, packet: PublishPacket, callback) {
      if (client) receive(client, takeOver(packet), callback)
      else callback(new Error('not signed in'))
    },
    authorizeSubscribe(client: DeviceClient<Identity>, subscription: Subscription, callback) {
      const { peer } = client
      const isFull = Object.keys(subscriptionsOf(client)).length >= subscriptionLimit
      const isAllowed =
        peer !== undefined &&
        !isFull &&
        subscription.topic.length <= filterLimit &&
        options.maySubscribe(peer.identity, subscription.topic)
      if (peer && !isAllowed)
        options.subscriptionRefused(peer, subscription.topic, isFull ? subscriptionLimit : null)
      callback(null, isAllowed ? subscription : null)
    },
  })
  await broker.listen()

  broker.on('client', (client: DeviceClient<Identity>) => {
    clients.add(client)
    if (client.peer) options.connected(client.peer)
  })
  broker.on('subscribe', (_granted, client: DeviceClient<Identity>) => {
    if (client.peer && clients.has(client)) options.subscribed(client.peer)
  })
  // The subscriptions of a session that was kept count too, as soon as the client has its CONNACK.
  broker.on('clientReady', (client: DeviceClient<Identity>) => {
    if (client.peer && Object.keys(subscriptionsOf(client)).length > 0) options.subscribed(client.peer)
  })
  broker.on('clientDisconnect', (client: DeviceClient<Identity>) => {
    clearTimeout(client.pauseTimer)
    if (clients.delete(client) && client.peer && !isStopping) {
      options.disconnected(client.peer, saidGoodbye(client))
    }
  })
  broker.on('connectionError', (_client, err) => log.debug({ err }, '设备连接出错'))
  broker.on('clientError', (client, err) => log.debug({ err, clientId: client.id }, '设备连接出错'))

  /** `answered` lets the connection go on, or ends it by an error. */
  function receive(
    client: DeviceClient<Identity>,
    { topic, payload, qos, packetId }: Published,
    answered: (error: Error | null) => void,
  ): void {
    if (!client.peer) {
      answered(new Error('not signed in'))
      return
    }
    client.incoming ??= new IncomingMessages(client)
    const { incoming } = client
    const taken = incoming.take(qos, packetId)
    if (taken !== 'new') {
      answered(taken === 'tooMany' ? new Error('too many QoS 2 messages without PUBREL') : null)
      return
    }
    const bytes = payload.length + messageOverheadBytes
    client.waitingCount = (client.waitingCount ?? 0) + 1
    waitingBytes += bytes
    if (waitingBytes >= options.waitingLimitBytes) isReading = false
    options.publish(client.peer, { topic, payload }, (answer = 'acknowledged') => {
      client.waitingCount = (client.waitingCount ?? 1) - 1
      waitingBytes -= bytes
      if (answer === 'acknowledged') incoming.acknowledge(qos, packetId)
      else incoming.forget(packetId)
      answered(answer === 'refused' ? new Error('message refused') : null)
      if (!isReading && !isStopping && waitingBytes <= options.waitingLimitBytes / 2) readAgain()
    })
  }

  function readAgain(): void {
    isReading = true
    for (const client of clients) {
      // A client with a waiting message is read again when that message is answered.
      if (!client.waitingCount) client.conn.emit('readable')
    }
  }

  function pauseReading(client: DeviceClient<Identity>, forMs: number): void {
    client.pausedUntilMs = Math.max(client.pausedUntilMs ?? 0, performance.now() + forMs)
    client.pauseTimer ??= setTimeout(resumeReading, forMs, client)
  }

  function resumeReading(client: DeviceClient<Identity>): void {
    client.pauseTimer = undefined
    const leftMs = (client.pausedUntilMs ?? 0) - performance.now()
    if (client.closed) return
    if (leftMs > 0) pauseReading(client, leftMs)
    else if (isReading && !client.waitingCount) client.conn.emit('readable')
  }

  const listeners = createListeners({
    ...options,
    admit: (line, address) => limiter.admit(line, address),
    accept,
  })

  function accept(socket: Socket, from: ConnectedClient): void {
    const client: DeviceClient<Identity> = broker.handle(socket)
    client.from = from
    pauseWhileWaiting(socket, client)
    receivePackets(client, {
      refuses(kind, sizeBytes) {
        if (!client.hasSaidConnect) {
          if (kind !== packetKinds.connect) return 'no CONNECT'
          if (sizeBytes > connectLimitBytes) return 'CONNECT too large'
          return undefined
        }
        if (sizeBytes <= options.packetLimitBytes) return undefined
        if (client.peer) options.cutOff(client.peer, sizeBytes)
        return 'packet too large'
      },
      taken(sizeBytes) {
        if (!client.peer) return
        const waitMs = options.received(client.peer, sizeBytes + fixedHeaderBytes)
        if (waitMs > 0) pauseReading(client, waitMs)
      },
      published: (message, answered) => receive(client, message, answered),
    })
  }

  /**
   * Makes `read` answer null while reading is paused: the bytes then stay in the socket's buffer, and after
   * that at the sender. A client that has not signed in is read further: it cannot have a waiting message.
   */
  function pauseWhileWaiting(socket: Socket, client: DeviceClient<Identity>): void {
    const read = socket.read
    const most = options.readAtMostBytes ?? Number.POSITIVE_INFINITY
    const mayRead = () => !client.hasHadTurn && (!client.peer || (isReading && !client.pauseTimer))
    socket.read = (size) => {
      if (size === 0) return read.call(socket, size)
      if (!mayRead()) return null
      if (socket.readableLength <= most) return read.call(socket, size)
      client.hasHadTurn = true
      setImmediate(nextTurn, client)
      return read.call(socket, most)
    }
  }

  /**
   * Goes on reading in the next turn. The piece may have ended within a packet, and nothing else would read the rest of
   * it.
   */
  function nextTurn(client: DeviceClient<Identity>): void {
    client.hasHadTurn = false
    if (!client.closed && !client.waitingCount) client.conn.emit('readable')
  }

  const keepaliveTimer = setInterval(() => {
    for (const client of clients) {
      if (!isReading || client.waitingCount || client.pauseTimer) refreshKeepalive(client)
    }
  }, keepaliveRefreshMs)

  return {
    listen: () => listeners.listen(),
    get connectionCount() {
      return clients.size
    },
    get openCount() {
      return limiter.count
    },
    stopReading() {
      isStopping = true
      isReading = false
      listeners.stop()
    },
    async close() {
      isStopping = true
      clearInterval(keepaliveTimer)
      listeners.stop()
      await new Promise<void>((resolve) => broker.close(() => resolve()))
    },
  }
}
