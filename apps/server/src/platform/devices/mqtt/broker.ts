// The embedded broker for MQTT 3.1.1: devices sign in, publish to the server and subscribe to their own topics. A
// message is acknowledged when the server has called `done`; until then its connection is not read.
import type { Socket } from 'node:net'
import type { AedesOptions, AuthenticateError, PublishPacket, Subscription } from 'aedes'
import { errorFields } from '../../database/database.ts'
import { createComplaints } from '../../process/complaints.ts'
import { spoken } from '../../process/sentences.ts'
import {
  DeviceBroker,
  type Published,
  packetKinds,
  receivePackets,
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
import { type ReadClient, Reading, type ReadingLimits } from './reading.ts'

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
  limits: ConnectionLimits
  /** Any number of clients are behind these addresses: no limit by address applies to them. */
  isProxy?(address: string): boolean
  /** A connection was turned away or ended, since this limit was met. */
  limitMet(limit: ConnectionLimit, address: string): void
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
/** A CONNECT with the longest code, secret, and last will of the protocol has some 400 bytes. */
const connectLimitBytes = 1_024
const connectTimeoutMs = 10_000
const subscriptionLimit = 32
/** Kind and length of a packet. */
const fixedHeaderBytes = 2
/** A kept session keeps its filters, so their number is limited. */
const filterLimit = 256

interface DeviceClient<Identity> extends ReadClient {
  from?: ConnectedClient
  peer?: Peer<Identity>
  incoming?: IncomingMessages
  hasSaidConnect?: boolean
}

/** A message of a device goes to `publish` and to no other client. */
export async function createBroker<Identity extends object>(
  options: BrokerOptions<Identity>,
): Promise<Broker> {
  const { log } = options
  const clients = new Set<DeviceClient<Identity>>()
  let isStopping = false
  const reading = new Reading(options, clients)
  const receive = receiverOf(options, reading)
  const limiter = new ConnectionLimiter({
    ...options.limits,
    isProxy: options.isProxy,
    met: options.limitMet,
  })
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
    authenticate: signInBy(options, limiter),
    authorizePublish(client: DeviceClient<Identity> | null, packet: PublishPacket, callback) {
      if (client) receive(client, takeOver(packet), callback)
      else callback(new Error('not signed in'))
    },
    authorizeSubscribe: subscriptionsBy(options),
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
  broker.on('connectionError', (_client, err) =>
    log.debug({ err }, spoken({ zh: '设备连接出错', en: 'a device connection has failed' })),
  )
  broker.on('clientError', (client, err) =>
    log.debug(
      { err, clientId: client.id },
      spoken({ zh: '设备连接出错', en: 'a device connection has failed' }),
    ),
  )

  const listeners = createListeners({
    ...options,
    admit: (line, address) => limiter.admit(line, address),
    accept(socket, from) {
      const client: DeviceClient<Identity> = broker.handle(socket)
      client.from = from
      reading.follow(socket, client, () => !client.peer)
      receivePackets(client, {
        refuses: (kind, sizeBytes) => refusalOf(client, kind, sizeBytes, options),
        taken(sizeBytes) {
          if (!client.peer) return
          const waitMs = options.received(client.peer, sizeBytes + fixedHeaderBytes)
          if (waitMs > 0) reading.pause(client, waitMs)
        },
        published: (message, answered) => receive(client, message, answered),
      })
    },
  })

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
      reading.stop()
      listeners.stop()
    },
    async close() {
      isStopping = true
      reading.close()
      listeners.stop()
      await new Promise<void>((resolve) => broker.close(() => resolve()))
    },
  }
}

/** The sign-in as aedes asks for it. */
function signInBy<Identity extends object>(
  { authenticate, log }: BrokerOptions<Identity>,
  limiter: ConnectionLimiter,
): NonNullable<AedesOptions['authenticate']> {
  const complain = createComplaints((error, count) =>
    log.warn(
      { ...errorFields(error), count },
      spoken({
        zh: '暂时无法校验设备登录，设备会自行重连',
        en: 'sign-ins of devices cannot be checked for now, the devices will connect again',
      }),
    ),
  )
  return (client: DeviceClient<Identity>, userName, password, done) => {
    const { address, certificate } = client.from as ConnectedClient
    const login = {
      clientId: client.id,
      userName: userName ?? null,
      password: password ?? null,
      address,
      certificate,
    }
    void authenticate(login)
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
  }
}

/** Which subscriptions are granted, as aedes asks for it. */
function subscriptionsBy<Identity>({
  maySubscribe,
  subscriptionRefused,
}: BrokerOptions<Identity>): NonNullable<AedesOptions['authorizeSubscribe']> {
  return (client: DeviceClient<Identity>, subscription: Subscription, callback) => {
    const { peer } = client
    const { topic: filter } = subscription
    const isFull = Object.keys(subscriptionsOf(client)).length >= subscriptionLimit
    const isAllowed =
      peer !== undefined && !isFull && filter.length <= filterLimit && maySubscribe(peer.identity, filter)
    if (peer && !isAllowed) subscriptionRefused(peer, filter, isFull ? subscriptionLimit : null)
    callback(null, isAllowed ? subscription : null)
  }
}

/** Why a packet of this size ends its connection, or undefined. */
function refusalOf<Identity>(
  { hasSaidConnect, peer }: DeviceClient<Identity>,
  kind: number,
  sizeBytes: number,
  { packetLimitBytes, cutOff }: BrokerOptions<Identity>,
): string | undefined {
  if (!hasSaidConnect) {
    if (kind !== packetKinds.connect) return 'no CONNECT'
    return sizeBytes > connectLimitBytes ? 'CONNECT too large' : undefined
  }
  if (sizeBytes <= packetLimitBytes) return undefined
  if (peer) cutOff(peer, sizeBytes)
  return 'packet too large'
}

/** Receives messages; `answered` lets the connection go on, or ends it by an error. */
function receiverOf<Identity>({ publish }: BrokerOptions<Identity>, reading: Reading) {
  return (
    client: DeviceClient<Identity>,
    { topic, payload, qos, packetId }: Published,
    answered: (error: Error | null) => void,
  ): void => {
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
    reading.wait(client, payload.length)
    publish(client.peer, { topic, payload }, (answer = 'acknowledged') => {
      reading.answered(client, payload.length)
      if (answer === 'acknowledged') incoming.acknowledge(qos, packetId)
      else incoming.forget(packetId)
      answered(answer === 'refused' ? new Error('message refused') : null)
      reading.goOn()
    })
  }
}
