import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { AuthenticateError, Client, PublishPacket, Subscription } from 'aedes'
import { createComplaints } from '../complaints.ts'
import { errorFields } from '../database/database.ts'
import type { Log } from '../log.ts'
import {
  DeviceBroker,
  limitPackets,
  refreshKeepalive,
  saidGoodbye,
  takeOverAcknowledgement,
} from './aedes-internals.ts'

export interface Login {
  clientId: string
  userName: string | null
  password: Buffer | null
  address: string
}

/** Why a client is not let in, with the number that MQTT 3.1.1 has for it. */
const loginRefusals = { wrongClientId: 2, unavailable: 3, wrongCredentials: 4 } as const
export type LoginRefusal = keyof typeof loginRefusals

export interface Message {
  topic: string
  payload: Buffer
}

/** One connection of a client that has signed in as `Identity`. */
export interface Peer<Identity> {
  readonly identity: Identity
  readonly address: string
  close(): void
}

export interface BrokerOptions<Identity> {
  host: string
  port: number
  log: Log
  /** A client that sends a packet larger than this is cut off. */
  packetLimitBytes: number
  /** While messages of so many bytes wait, nothing is read from any client. */
  waitingLimitBytes: number
  authenticate(login: Login): Promise<Identity | LoginRefusal>
  /**
   * A message. Until `done` is called it is not acknowledged and nothing more is read from that client:
   * this is the back-pressure. `done(true)` closes the connection, which is all that MQTT 3.1.1 has to
   * refuse a message for good.
   */
  publish(peer: Peer<Identity>, message: Message, done: (isRefused?: boolean) => void): void
  maySubscribe(identity: Identity, filter: string): boolean
  /** A subscription was answered with 128; `limit` where the client has as many as it may. */
  subscriptionRefused(peer: Peer<Identity>, filter: string, limit: number | null): void
  connected(peer: Peer<Identity>): void
  /** `isProper`: with DISCONNECT. A connection that the same client replaces ends before the new one begins. */
  disconnected(peer: Peer<Identity>, isProper: boolean): void
  /** A signed-in client was cut off for a packet beyond the limit. */
  cutOff(peer: Peer<Identity>, sizeBytes: number): void
}

export interface Broker {
  /** Resolves with the port. */
  listen(): Promise<number>
  readonly connectionCount: number
  /** Lets nobody in and reads nothing any more; what waits can still be acknowledged. */
  stopReading(): void
  close(): Promise<void>
}

/** A device may send its messages at once, before it has seen its CONNACK. */
const packetsBeforeConnack = 1_000
/** A reconnect storm is ten thousand devices within a second or two. */
const backlog = 4_096
const socketBufferBytes = 16_384
/** What a waiting message costs besides its payload. */
const messageOverheadBytes = 512
const strangerPacketLimitBytes = 80_000
const subscriptionLimit = 32
const keepaliveRefreshMs = 3_000
const unreadLimitBytes = 262_144
/** PUBACK, two bytes to follow. */
const pubackStart = 0x4002

interface DeviceClient<Identity> extends Client {
  peer?: Peer<Identity>
  waitingCount?: number
  /** Packet ids to acknowledge at the end of this turn. */
  settledIds?: number[]
}

/**
 * The embedded broker for MQTT 3.1.1. The server is the only one who listens to devices: what they publish
 * goes to `publish` and nowhere else.
 */
export async function createBroker<Identity extends object>(
  options: BrokerOptions<Identity>,
): Promise<Broker> {
  const { host, port, log } = options
  const clients = new Set<DeviceClient<Identity>>()
  let waitingBytes = 0
  let isReading = true
  let isStopping = false
  const complain = createComplaints((error, count) =>
    log.warn({ ...errorFields(error), count }, '暂时无法校验设备登录，设备会自行重连'),
  )

  const broker = new DeviceBroker({
    queueLimit: packetsBeforeConnack,
    maxClientsIdLength: 64,
    maxTopicLevels: 8,
    authenticate(client: DeviceClient<Identity>, userName, password, done) {
      const address = addressOf(client)
      const login = { clientId: client.id, userName: userName ?? null, password: password ?? null, address }
      void options
        .authenticate(login)
        .catch((err): LoginRefusal => {
          complain(err)
          return 'unavailable'
        })
        .then((result) => {
          if (typeof result === 'string') {
            const returnCode = loginRefusals[result as LoginRefusal]
            done(Object.assign(new Error(result), { returnCode }) as AuthenticateError, null)
          } else {
            client.peer = { identity: result as Identity, address, close: () => client.close() }
            done(null, true)
          }
        })
    },
    authorizePublish(client: DeviceClient<Identity> | null, packet: PublishPacket, callback) {
      if (!client?.peer) {
        callback(new Error('not signed in'))
        return
      }
      const payload = packet.payload as Buffer
      const bytes = payload.length + messageOverheadBytes
      client.waitingCount = (client.waitingCount ?? 0) + 1
      waitingBytes += bytes
      if (waitingBytes >= options.waitingLimitBytes) isReading = false
      const acknowledgedId = takeOverAcknowledgement(packet)
      options.publish(client.peer, { topic: packet.topic, payload }, (isRefused) => {
        client.waitingCount = (client.waitingCount ?? 1) - 1
        waitingBytes -= bytes
        if (acknowledgedId !== undefined && !isRefused) acknowledge(client, acknowledgedId)
        callback(isRefused ? new Error('message refused') : null)
        if (!isReading && !isStopping && waitingBytes <= options.waitingLimitBytes / 2) readAgain()
      })
    },
    authorizeSubscribe(client: DeviceClient<Identity>, subscription: Subscription, callback) {
      const { subscriptions } = client as unknown as { subscriptions: object }
      const { peer } = client
      const isFull = Object.keys(subscriptions).length >= subscriptionLimit
      const isAllowed =
        peer !== undefined && !isFull && options.maySubscribe(peer.identity, subscription.topic)
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
  broker.on('clientDisconnect', (client: DeviceClient<Identity>) => {
    if (clients.delete(client) && client.peer && !isStopping) {
      options.disconnected(client.peer, saidGoodbye(client))
    }
  })
  broker.on('connectionError', (_client, err) => log.debug({ err }, '设备连接出错'))
  broker.on('clientError', (client, err) => log.debug({ err, clientId: client.id }, '设备连接出错'))

  function readAgain(): void {
    isReading = true
    for (const client of clients) {
      // Who still waits reads on by himself afterwards.
      if (!client.waitingCount) client.conn.emit('readable')
    }
  }

  const server = createServer({ noDelay: true, highWaterMark: socketBufferBytes }, (socket) => {
    const client: DeviceClient<Identity> = broker.handle(socket)
    holdBack(socket, client)
    limitPackets(
      client,
      () => (client.peer ? options.packetLimitBytes : strangerPacketLimitBytes),
      (sizeBytes) => client.peer && options.cutOff(client.peer, sizeBytes),
    )
  })

  /**
   * aedes takes what `read` gives it; given nothing, the bytes stay in the socket's buffer, and then
   * outside. Who has not signed in yet is read: he has nothing that could wait.
   */
  function holdBack(socket: Socket, client: DeviceClient<Identity>): void {
    const read = socket.read
    socket.read = (size) => (isReading || size === 0 || !client.peer ? read.call(socket, size) : null)
  }

  const keepaliveTimer = setInterval(() => {
    for (const client of clients) {
      if (!isReading || client.waitingCount) refreshKeepalive(client)
    }
  }, keepaliveRefreshMs)

  return {
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port, backlog }, () => resolve((server.address() as AddressInfo).port))
      }),
    get connectionCount() {
      return clients.size
    },
    stopReading() {
      isStopping = true
      isReading = false
      if (server.listening) server.close()
    },
    async close() {
      isStopping = true
      clearInterval(keepaliveTimer)
      if (server.listening) server.close()
      await new Promise<void>((resolve) => broker.close(() => resolve()))
    },
  }
}

/**
 * Sends a PUBACK, all those of one turn in one piece. aedes would make three small buffers and a timer of
 * each, which was a sixth of the server's work per message.
 */
function acknowledge(client: DeviceClient<unknown>, packetId: number): void {
  if (client.settledIds) {
    client.settledIds.push(packetId)
    return
  }
  client.settledIds = [packetId]
  process.nextTick(sendAcknowledgements, client)
}

function sendAcknowledgements(client: DeviceClient<unknown>): void {
  const ids = client.settledIds ?? []
  client.settledIds = undefined
  if (client.closed) return
  const bytes = Buffer.allocUnsafe(ids.length * 4)
  let at = 0
  for (const id of ids) {
    bytes.writeUInt16BE(pubackStart, at)
    bytes.writeUInt16BE(id, at + 2)
    at += 4
  }
  client.conn.write(bytes)
  // Sends and never reads: what it does not take must not gather here.
  if (client.conn.writableLength > unreadLimitBytes) client.close()
}

function addressOf(client: Client): string {
  const { remoteAddress = '' } = client.conn as Socket
  return remoteAddress.replace(/^::ffff:/, '')
}
