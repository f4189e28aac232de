// One connection of a device, MQTT 3.1.1: from its CONNECT to its end. What all of them share is the broker's.
import type { Socket } from 'node:net'
import { generate, type IConnectPacket, type Packet, parser } from 'mqtt-packet'
import type { OpenConnection } from './connection-limiter.ts'
import { covers, isFilter } from './filters.ts'
import { IncomingMessages } from './incoming.ts'
import type { ConnectedClient, ShownCertificate } from './listeners.ts'
import { type Message, OutgoingMessages } from './outgoing.ts'
import { type PacketReader, Packets, type Published, packetKinds, publishedIn } from './packets.ts'
import type { Peer } from './peer.ts'

/** What the broker does for its sessions. */
export interface SessionHost<Identity> {
  /**
   * Asked with the first four bits of a packet and the length in its header, before the packet is whole: the reason to
   * end the connection, or undefined.
   */
  refuses(session: Session<Identity>, kind: number, sizeBytes: number): string | undefined
  /** A packet of a signed-in client is whole. */
  received(session: Session<Identity>, bodyBytes: number): void
  /** Answered by `accept` or `refuse`. Nothing more is read before. */
  signIn(session: Session<Identity>, connect: IConnectPacket): void
  /** Answered by `answered`, or an end. */
  publish(session: Session<Identity>, message: Published): void
  maySubscribe(session: Session<Identity>, filter: string): boolean
  subscribed(session: Session<Identity>): void
  /** Whether its bytes may be handled now. */
  mayRead(session: Session<Identity>): boolean
  /** How many bytes of one connection are handled before the others' turn. */
  readonly readAtMostBytes: number
  closed(session: Session<Identity>): void
  failed(session: Session<Identity>, error: Error): void
}

export interface Subscription {
  filter: string
  qos: 0 | 1 | 2
}

type State = 'new' | 'signingIn' | 'connected' | 'closed'

/** Of a socket that wants a session. */
const sessionOf = Symbol('session')
type SessionSocket = Socket & { [sessionOf]: Session<unknown> }

const connackHead = [0x20, 2] as const
const pingResponse = Buffer.from([packetKinds.pingResponse << 4, 0])
const refusedSubscription = 0x80
/** Twice as many as may stand. Each costs a search, and a refused one a record: a packet of 64 KB has 13,000. */
const mostFiltersAtOnce = 64
/** Unsent bytes of one connection. */
const behindBytes = 131_072
/** A device sends its CONNECT at once. */
const connectLimitSeconds = 10

/**
 * Ten thousand of these wait in memory for most of their time. So a session is one object with few others, its
 * listeners are functions of the module, and it has no timer: the broker counts its seconds of silence.
 */
export class Session<Identity> implements Peer<Identity>, PacketReader {
  readonly socket: Socket
  readonly address: string
  clientId = ''
  /** Set with the sign-in. */
  identity!: Identity
  /** Its place in the limits of connections. */
  readonly line: OpenConnection
  /** Of the TLS connection; dropped with the sign-in. */
  certificate: ShownCertificate | null
  /** Undefined where it has none. */
  subscriptions: Subscription[] | undefined
  /** It has sent DISCONNECT. */
  isProper = false
  waitingBytes = 0
  /** It has used its part of this turn of the event loop. */
  hasReadPart = false
  /** Set while it is not read because it has sent too much. */
  pauseTimer: NodeJS.Timeout | undefined
  pausedUntilMs = 0
  /** For so long it has not been heard, and may not be; 0: for ever. */
  silentSeconds = 0
  silenceLimitSeconds = connectLimitSeconds

  readonly #host: SessionHost<Identity>
  readonly #packets: Packets
  #state: State = 'new'
  /** Came while it was not to be read. */
  #unread: Buffer | undefined
  #isHandling = false
  #incoming: IncomingMessages | undefined
  #outgoing: OutgoingMessages | undefined
  #willTopic: string | undefined
  /** A byte each character: a string takes a third of a Buffer's memory. */
  #willPayload = ''

  constructor(socket: Socket, { address, certificate, line }: ConnectedClient, host: SessionHost<Identity>) {
    this.socket = socket
    this.address = address
    this.certificate = certificate
    this.line = line
    this.#host = host
    this.#packets = new Packets(this)
    ;(socket as SessionSocket)[sessionOf] = this
    socket.on('data', take)
    socket.on('end', end)
    socket.on('close', end)
    socket.on('error', fail)
    socket.resume()
  }

  get isClosed(): boolean {
    return this.#state === 'closed'
  }

  get isConnected(): boolean {
    return this.#state === 'connected'
  }

  /** It has not said CONNECT yet. */
  get isNew(): boolean {
    return this.#state === 'new'
  }

  // ── Reading ───────────────────────────────────────────────────────────────────────────────

  /** Bytes have come. The socket is paused only when more come than may be read: most devices send and wait. */
  take(bytes: Buffer): void {
    if (this.#state === 'connected') this.silentSeconds = 0
    this.#unread = this.#unread ? Buffer.concat([this.#unread, bytes]) : bytes
    this.readOn()
    if (this.#unread) this.socket.pause()
  }

  /** Handles what has come, as far as it may be read. */
  readOn(): void {
    // Answers that come while packets are handled must not handle the next ones before these.
    if (this.#isHandling || !this.#unread) return
    this.#isHandling = true
    while (this.#unread && this.#mayRead()) {
      const bytes: Buffer = this.#unread
      const most = this.#host.readAtMostBytes
      const isPart: boolean = bytes.length > most
      this.#unread = isPart ? bytes.subarray(most) : undefined
      this.#packets.take(isPart ? bytes.subarray(0, most) : bytes)
      if (isPart) {
        this.hasReadPart = true
        setImmediate(readNextPart, this)
      }
    }
    this.#isHandling = false
    if (!this.#unread && this.#state !== 'closed' && this.socket.isPaused()) this.socket.resume()
  }

  #mayRead(): boolean {
    if (this.#state === 'new') return !this.hasReadPart
    return this.#state === 'connected' && !this.hasReadPart && this.#host.mayRead(this)
  }

  accepts(firstByte: number, bodyBytes: number): boolean {
    const reason = this.#host.refuses(this, firstByte >> 4, bodyBytes)
    if (reason !== undefined) this.fail(new Error(reason))
    return reason === undefined
  }

  malformed(): void {
    this.fail(new Error('malformed packet'))
  }

  packet(bytes: Buffer, at: number, bodyAt: number, end: number): void {
    if (this.#state === 'closed') return
    const firstByte = bytes[at] as number
    const kind = firstByte >> 4
    if (this.#state === 'new') {
      this.#connect(kind === packetKinds.connect ? parsed(bytes.subarray(at, end)) : null)
      return
    }
    this.#host.received(this, end - bodyAt)
    if (kind === packetKinds.publish) {
      const message = publishedIn(bytes, at, bodyAt, end)
      if (message) this.#publish(message)
      else this.malformed()
      return
    }
    const hasId = end - bodyAt >= 2
    switch (firstByte) {
      case packetKinds.publishAck << 4:
        if (hasId) this.#outgoing?.acknowledge(bytes.readUInt16BE(bodyAt))
        else this.malformed()
        return
      case (packetKinds.publishRelease << 4) | 2:
        if (hasId) this.#ensureIncoming().release(bytes.readUInt16BE(bodyAt))
        else this.malformed()
        return
      case packetKinds.pingRequest << 4:
        this.#answer(pingResponse)
        return
      case packetKinds.disconnect << 4:
        this.isProper = true
        this.close()
        return
      case (packetKinds.subscribe << 4) | 2:
      case (packetKinds.unsubscribe << 4) | 2: {
        const packet = parsed(bytes.subarray(at, end))
        if (packet?.cmd === 'subscribe') this.#subscribe(packet)
        else if (packet?.cmd === 'unsubscribe') this.#unsubscribe(packet)
        else this.malformed()
        return
      }
      case packetKinds.publishReceived << 4:
      case packetKinds.publishCompleted << 4:
        // Of QoS 2, with which nothing is sent.
        return
      default:
        this.malformed()
    }
  }

  // ── Sign-in ───────────────────────────────────────────────────────────────────────────────

  #connect(packet: Packet | null): void {
    if (packet?.cmd !== 'connect') {
      this.malformed()
      return
    }
    this.#state = 'signingIn'
    this.silenceLimitSeconds = 0
    this.#packets.pause()
    const { protocolVersion, will } = packet
    if (protocolVersion !== 3 && protocolVersion !== 4) {
      this.refuse(1)
      return
    }
    this.clientId = packet.clientId
    if (will) {
      this.#willTopic = will.topic
      this.#willPayload = (will.payload as Buffer).toString('latin1')
    }
    this.#host.signIn(this, packet)
  }

  /** CONNACK; what has come behind the CONNECT is read by `readOn`. */
  accept(isSessionPresent: boolean, keepaliveSeconds: number): void {
    this.#state = 'connected'
    this.certificate = null
    this.silentSeconds = 0
    // One and a half times the keepalive (MQTT 3.1.1, section 3.1.2.10).
    this.silenceLimitSeconds = Math.ceil(keepaliveSeconds * 1.5)
    this.socket.write(Buffer.from([...connackHead, Number(isSessionPresent), 0]))
    this.#isHandling = true
    this.#packets.goOn()
    this.#isHandling = false
    this.readOn()
  }

  /** CONNACK with this return code, and the end. */
  refuse(returnCode: number): void {
    if (this.#state === 'closed') return
    this.socket.write(Buffer.from([...connackHead, 0, returnCode]))
    this.#end()
    this.socket.destroySoon()
  }

  // ── Messages of the device ────────────────────────────────────────────────────────────────

  #publish(message: Published): void {
    const taken = message.qos === 2 ? this.#ensureIncoming().take(message.packetId) : 'new'
    if (taken === 'tooMany') this.fail(new Error('too many QoS 2 messages without PUBREL'))
    if (taken === 'new') this.#host.publish(this, message)
  }

  /** The message is stored: it gets its PUBACK or PUBREC. */
  acknowledge({ qos, packetId }: Published): void {
    if (qos !== 0) this.#ensureIncoming().acknowledge(qos, packetId)
  }

  /** The message gets no answer: it may come again under the same id. */
  forget({ packetId }: Published): void {
    this.#incoming?.forget(packetId)
  }

  #ensureIncoming(): IncomingMessages {
    this.#incoming ??= new IncomingMessages(this)
    return this.#incoming
  }

  /** The message that is due when the connection ends without DISCONNECT; once. */
  takeWill(): Message | undefined {
    const topic = this.#willTopic
    this.#willTopic = undefined
    return topic === undefined ? undefined : { topic, payload: Buffer.from(this.#willPayload, 'latin1') }
  }

  // ── Subscriptions, and messages to the device ─────────────────────────────────────────────

  #subscribe({ messageId, subscriptions }: Extract<Packet, { cmd: 'subscribe' }>): void {
    if (
      subscriptions.length === 0 ||
      subscriptions.length > mostFiltersAtOnce ||
      !subscriptions.every(({ topic }) => isFilter(topic))
    ) {
      this.malformed()
      return
    }
    const granted = subscriptions.map(({ topic, qos }) =>
      this.#grant(topic, qos) ? qos : refusedSubscription,
    )
    if (this.isClosed) return
    this.#answer(generate({ cmd: 'suback', messageId: messageId as number, granted }))
    this.#host.subscribed(this)
  }

  #grant(filter: string, qos: 0 | 1 | 2): boolean {
    const known = this.subscriptions?.find((one) => one.filter === filter)
    if (!this.#host.maySubscribe(this, filter)) return false
    if (known) known.qos = qos
    else if (this.subscriptions) this.subscriptions.push({ filter, qos })
    else this.subscriptions = [{ filter, qos }]
    return true
  }

  #unsubscribe({ messageId, unsubscriptions }: Extract<Packet, { cmd: 'unsubscribe' }>): void {
    if (unsubscriptions.length > mostFiltersAtOnce) {
      this.malformed()
      return
    }
    for (const filter of unsubscriptions) {
      const at = this.subscriptions?.findIndex((one) => one.filter === filter) ?? -1
      if (at >= 0) this.subscriptions?.splice(at, 1)
    }
    this.#answer(generate({ cmd: 'unsuback', messageId: messageId as number, granted: [] }))
  }

  /** In one write with the acknowledgements that are due. */
  #answer(packet: Buffer): void {
    this.#ensureIncoming().flush(packet)
  }

  /** The highest QoS that a subscription to the topic was granted; undefined where there is none. */
  #grantedQos(topic: string): number | undefined {
    let most: number | undefined
    for (const { filter, qos } of this.subscriptions ?? []) {
      if ((most === undefined || qos > most) && covers(filter, topic)) most = qos
    }
    return most
  }

  isSubscribed(topic: string): boolean {
    return !this.isClosed && this.#grantedQos(topic) !== undefined
  }

  get filters(): string {
    let filters = ''
    if (!this.isClosed) for (const { filter } of this.subscriptions ?? []) filters += `${filter}\n`
    return filters
  }

  get unacknowledgedCount(): number {
    return this.#outgoing?.count ?? 0
  }

  get isBehind(): boolean {
    return this.socket.writableLength > behindBytes
  }

  publish({ topic, payload }: Message, acknowledged: () => void): void {
    const granted = this.#grantedQos(topic)
    if (this.isClosed || granted === undefined) return
    if (granted === 0) {
      this.socket.write(generate({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false }))
      return
    }
    // Made with the first message: most connections never get one.
    this.#outgoing ??= new OutgoingMessages()
    this.socket.write(this.#outgoing.packetOf({ topic, payload }, acknowledged))
  }

  // ── The end ───────────────────────────────────────────────────────────────────────────────

  /** Ends the connection because of this error. */
  fail(error: Error): void {
    if (this.#state === 'closed') return
    this.#host.failed(this, error)
    this.close()
  }

  close(): void {
    if (this.#state === 'closed') return
    this.#end()
    this.socket.destroy()
  }

  /** Ends it when what is to be sent has been. */
  finish(): void {
    if (this.#state === 'closed') return
    this.#incoming?.flush()
    this.#end()
    this.socket.destroySoon()
  }

  #end(): void {
    this.#state = 'closed'
    this.#unread = undefined
    clearTimeout(this.pauseTimer)
    this.#host.closed(this)
  }
}

function take(this: Socket, bytes: Buffer): void {
  ;(this as SessionSocket)[sessionOf].take(bytes)
}
function end(this: Socket): void {
  ;(this as SessionSocket)[sessionOf].close()
}
function fail(this: Socket, error: Error): void {
  ;(this as SessionSocket)[sessionOf].fail(error)
}

/**
 * Goes on reading in the next turn of the event loop. The piece may have ended within a packet, and nothing else would
 * read the rest of it.
 */
function readNextPart(session: Session<unknown>): void {
  session.hasReadPart = false
  session.readOn()
}

/** A packet that is whole; null where it is malformed. A parser remembers the CONNECT it has read, so each has its own. */
function parsed(bytes: Buffer): Packet | null {
  let packet: Packet | null = null
  const reader = parser({ protocolVersion: 4 })
  reader.on('packet', (one) => {
    packet = one
  })
  reader.on('error', () => {
    packet = null
  })
  reader.parse(bytes)
  return packet
}
