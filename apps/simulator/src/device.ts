import type { InputOf } from '@voltkeep/contract'
import { downFilterOf, topicOf, type UpTopicName, type upTopics } from '@voltkeep/contract/topics/index'
import { type BrokerAddress, MqttLink } from './link.ts'
import type { Random } from './random.ts'

export interface DeviceIdentity {
  /** Client id and user name at once. */
  code: string
  secret: string
}

/** A report without its head: the device writes `id` and `time` itself. */
export type ReportBody<Name extends UpTopicName> = Omit<
  InputOf<(typeof upTopics)[Name]['payload']>,
  'id' | 'time'
>

/** A message as it stands in the outbox. */
export interface Report {
  deviceCode: string
  name: UpTopicName
  id: string
  /** Milliseconds since 1970 by the device's clock. */
  time: number
  body: object
}

export interface DeviceOptions {
  broker: BrokerAddress
  random: Random
  keepaliveSeconds?: number
  isCleanSession?: boolean
  /** How wrong the device's clock is. */
  clockOffsetMs?: number
  /** Distinguishes the ids of this run from those of earlier ones: a repeated id changes nothing. */
  runId?: string
  /** The first wait before a reconnect; it doubles up to the second. */
  reconnectMs?: readonly [first: number, longest: number]
  localAddress?: string
  /** What it tells of itself after each new connection, in order. */
  onOnline?: (device: VirtualDevice) => void
  /** An open connection has ended. */
  onOffline?: (device: VirtualDevice, reason: string) => void
  /** A connection did not come about: nobody there, or refused. */
  onAttemptFailed?: (device: VirtualDevice, reason: string) => void
  onAcknowledged?: (report: Report) => void
}

interface Outgoing {
  report: Report
  payload: string
  /** Set while it is on its way. */
  packetId?: number
  settle: (outcome: 'acknowledged' | 'discarded') => void
}

/** Messages under way at once: enough to fill a long line, few enough not to flood a slow server. */
const inFlightLimit = 20
/** A real cabinet's flash is finite too: beyond this a new report is discarded. */
const outboxLimit = 2_000
const farewellMs = 2_000

/**
 * A device as the protocol describes it (docs/device-protocol.md), written from that side of the wire.
 *
 * A report stays in the outbox until its PUBACK has come, over any number of reconnects, and is sent
 * again with the same id: at least once on the wire, exactly once in the history.
 */
export class VirtualDevice {
  readonly code: string
  clockOffsetMs: number
  /** What is wrong at present by what it has reported: semaphore code -> nonzero value. */
  readonly alarms = new Map<string, number>()
  /** Messages on down topics that this device knows nothing about. */
  unknownCommands = 0

  readonly #identity: DeviceIdentity
  readonly #options: DeviceOptions
  readonly #runId: string
  /** In the order of their making; the first `#sentCount` are under way. */
  readonly #outbox: Outgoing[] = []
  #sentCount = 0
  readonly #waiting: (() => void)[] = []
  #link: MqttLink | undefined
  #reconnectTimer: NodeJS.Timeout | undefined
  #failedAttempts = 0
  #isWanted = false
  #hasConnected = false
  #nextPacketId = 0
  #messageCount = 0
  #onFarewell: { packetId: number; done: () => void } | undefined

  constructor(identity: DeviceIdentity, options: DeviceOptions) {
    this.code = identity.code
    this.clockOffsetMs = options.clockOffsetMs ?? 0
    this.#identity = identity
    this.#options = options
    this.#runId = options.runId ?? Date.now().toString(36)
  }

  get isOnline(): boolean {
    return this.#link?.isConnected ?? false
  }

  /** Reports that the server has not acknowledged yet. */
  get outboxSize(): number {
    return this.#outbox.length
  }

  /** The device's own idea of the time, ms. */
  now(): number {
    return Date.now() + this.clockOffsetMs
  }

  /** Connects, and keeps coming back until `stop` or `cutPower`. */
  start(): void {
    if (this.#isWanted) return
    this.#isWanted = true
    this.#failedAttempts = 0
    this.#open()
  }

  /** Resolves at once where the device is online, else with its next CONNACK. */
  whenOnline(): Promise<void> {
    if (this.isOnline) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Says that it goes, waits for the answer a short while, and leaves with DISCONNECT. The outbox is kept. */
  async stop(): Promise<void> {
    this.#leave()
    const link = this.#link
    if (link?.isConnected) {
      await new Promise<void>((done) => {
        setTimeout(done, farewellMs).unref()
        const packetId = this.#packetId()
        this.#onFarewell = { packetId, done }
        link.publish(packetId, topicOf(this.code, 'up', 'connection'), this.#connectionPayload(false))
      })
      this.#onFarewell = undefined
    }
    this.#link?.end()
  }

  /** Goes dark without a word, and stays so until `start`: the broker publishes the last will. */
  cutPower(): void {
    this.#leave()
    this.#link?.drop()
  }

  /** Loses its line, and comes back on its own. */
  cutLine(): void {
    this.#link?.drop()
  }

  /**
   * Puts a report in the outbox. `at` (ms) is for what happened earlier, `id` for repeating one.
   * Answers `acknowledged` with the PUBACK, `discarded` where the outbox is full.
   */
  report<Name extends UpTopicName>(
    name: Name,
    body: ReportBody<Name>,
    { at = this.now(), id = this.newId() }: { at?: number; id?: string } = {},
  ): Promise<'acknowledged' | 'discarded'> {
    if (this.#outbox.length >= outboxLimit) return Promise.resolve('discarded')
    const report: Report = { deviceCode: this.code, name, id, time: Math.round(at), body }
    const payload = JSON.stringify({ id, time: report.time, ...body })
    return new Promise((settle) => {
      this.#outbox.push({ report, payload, settle })
      this.#flush()
    })
  }

  /** Reports that something is wrong (value > 0), or wrong in another way than before. */
  raise(code: string, value: number, options?: { at?: number }): Promise<'acknowledged' | 'discarded'> {
    this.alarms.set(code, value)
    return this.report('alarm', { code, value }, options)
  }

  /** Reports that it is over. */
  recover(code: string, options?: { at?: number }): Promise<'acknowledged' | 'discarded'> {
    this.alarms.delete(code)
    return this.report('alarm', { code, value: 0 }, options)
  }

  /** Publishes whatever is given, past the outbox: for playing a broken or a hostile device. */
  publishRaw(topic: string, payload: string | Buffer, { qos = 1 }: { qos?: 0 | 1 } = {}): boolean {
    if (!this.#link?.isConnected) return false
    if (qos === 0) this.#link.publishUnacknowledged(topic, payload)
    else this.#link.publish(this.#packetId(), topic, payload)
    return true
  }

  /** Unique for this device over all of its runs. */
  newId(): string {
    this.#messageCount += 1
    return `${this.#runId}-${this.#messageCount.toString(36)}`
  }

  #leave(): void {
    this.#isWanted = false
    clearTimeout(this.#reconnectTimer)
  }

  #open(): void {
    const { broker, keepaliveSeconds = 60, isCleanSession = true, localAddress } = this.#options
    this.#link = new MqttLink(
      {
        broker,
        clientId: this.code,
        userName: this.code,
        password: this.#identity.secret,
        keepaliveSeconds,
        isCleanSession,
        localAddress,
        will: { topic: topicOf(this.code, 'up', 'connection'), payload: this.#connectionPayload(false) },
      },
      {
        onConnected: () => this.#cameOnline(),
        onAcknowledged: (packetId) => this.#acknowledged(packetId),
        onMessage: (topic, payload) => this.#takeCommand(topic, payload),
        onClosed: (reason) => this.#wentOffline(reason),
      },
    )
  }

  #cameOnline(): void {
    this.#failedAttempts = 0
    this.#hasConnected = true
    const link = this.#link as MqttLink
    link.publish(this.#packetId(), topicOf(this.code, 'up', 'connection'), this.#connectionPayload(true))
    link.subscribe(this.#packetId(), downFilterOf(this.code))
    this.#flush()
    for (const resolve of this.#waiting.splice(0)) resolve()
    this.#options.onOnline?.(this)
  }

  #wentOffline(reason: string): void {
    const wasOnline = this.#hasConnected
    this.#hasConnected = false
    this.#link = undefined
    // What was under way may or may not have arrived: all of it goes again, with the same ids.
    this.#sentCount = 0
    this.#onFarewell?.done()
    if (wasOnline) this.#options.onOffline?.(this, reason)
    else this.#options.onAttemptFailed?.(this, reason)
    if (!this.#isWanted) return
    const [first, longest] = this.#options.reconnectMs ?? [1_000, 30_000]
    const ceilingMs = Math.min(longest, first * 2 ** Math.min(this.#failedAttempts, 20))
    this.#failedAttempts += 1
    // Anywhere within the window: devices that were dropped together must not come back together.
    const waitMs = ceilingMs * (0.1 + 0.9 * this.#options.random.next())
    clearTimeout(this.#reconnectTimer)
    this.#reconnectTimer = setTimeout(() => this.#open(), waitMs)
  }

  #flush(): void {
    const link = this.#link
    if (!link?.isConnected) return
    while (this.#sentCount < Math.min(this.#outbox.length, inFlightLimit)) {
      const next = this.#outbox[this.#sentCount] as Outgoing
      // MQTT wants a repeated packet in a kept session to carry its first packet id and the DUP flag.
      const isRepeated = next.packetId !== undefined && this.#options.isCleanSession === false
      if (!isRepeated) next.packetId = this.#packetId()
      this.#sentCount += 1
      link.publish(next.packetId as number, topicOf(this.code, 'up', next.report.name), next.payload, {
        isDuplicate: isRepeated,
      })
    }
  }

  #acknowledged(packetId: number): void {
    if (this.#onFarewell?.packetId === packetId) this.#onFarewell.done()
    let at = this.#sentCount - 1
    while (at >= 0 && this.#outbox[at]?.packetId !== packetId) at -= 1
    // Not one of the outbox: a connection's connection's announcement, or a raw publish.
    if (at === -1) return
    const [sent] = this.#outbox.splice(at, 1)
    this.#sentCount -= 1
    this.#options.onAcknowledged?.((sent as Outgoing).report)
    sent?.settle('acknowledged')
    this.#flush()
  }

  /** No command is defined yet. One that a device does not know is taken (PUBACK) and let be. */
  #takeCommand(_topic: string, _payload: Buffer): void {
    this.unknownCommands += 1
  }

  #connectionPayload(isOnline: boolean): string {
    return JSON.stringify({ id: this.newId(), time: this.now(), isOnline })
  }

  /** 1 to 65,535, none that is under way. */
  #packetId(): number {
    const sent = this.#outbox.slice(0, inFlightLimit)
    do {
      this.#nextPacketId = (this.#nextPacketId % 65_535) + 1
    } while (sent.some(({ packetId }) => packetId === this.#nextPacketId))
    return this.#nextPacketId
  }
}
