// One virtual device: its connection, its reports, and the commands that it executes (commands/).
import { downFilterOf, topicOf } from '@voltkeep/contract/topics/index'
import type { Cabinet } from './cabinet/cabinet.ts'
import type { AdvertisementList, StoredAdvertisement } from './commands/advertisements.ts'
import { Commands } from './commands/commands.ts'
import type { CommandOptions } from './commands/host.ts'
import type { SavedUpgrades } from './commands/upgrades.ts'
import { type BrokerAddress, MqttLink } from './link.ts'
import { Outbox, type Report, type ReportBody, type ReportName, type ReportOutcome } from './outbox.ts'
import { type Parameter, Parameters } from './parameters.ts'
import { type Part, Parts } from './parts.ts'
import type { Random } from './random.ts'

export interface DeviceIdentity {
  /** Both client id and user name. */
  code: string
  secret: string
}

/** The state that is kept when the process ends. */
export interface SavedDevice extends Partial<SavedUpgrades> {
  parameters?: Parameter[]
}

export interface DeviceOptions {
  broker: BrokerAddress
  random: Random
  keepaliveSeconds?: number
  isCleanSession?: boolean
  /** How far the device's clock is ahead, ms; negative where it is behind. */
  clockOffsetMs?: number
  /** Makes the message ids of this run differ from those of earlier runs: the server ignores repeated ids. */
  runId?: string
  /** The first window to wait in before a reconnect; it doubles up to the second. */
  reconnectMs?: readonly [first: number, longest: number]
  localAddress?: string
  /** Its parts; after each start it reports their versions. Without parts it reports none. */
  parts?: readonly Part[]
  /** Its parameters as it leaves the factory; after each start it reports them. Without any it reports none. */
  parameters?: readonly Parameter[]
  /** The state that an earlier run of this device left (`saved`). It replaces `parts` and `parameters`. */
  saved?: SavedDevice
  commands?: CommandOptions
  /** Its compartments; without them it has none that change. */
  cabinet?: Cabinet
  /** A connection has been accepted, and the device has subscribed. */
  onOnline?: (device: VirtualDevice) => void
  /** A connection that had been accepted has ended. */
  onOffline?: (device: VirtualDevice, reason: string) => void
  /** A connection could not be made: no server, or refused. */
  onAttemptFailed?: (device: VirtualDevice, reason: string) => void
  onAcknowledged?: (report: Report) => void
}

const farewellMs = 2_000

/**
 * A device as docs/device-protocol.md describes it, written from the device's side.
 *
 * A report stays in the outbox until its PUBACK has come, over any number of reconnects. Commands are
 * executed once each, and what was executed is remembered over reconnects and power cuts.
 */
export class VirtualDevice {
  readonly code: string
  clockOffsetMs: number
  /** The alarms that the device has reported as open: semaphore code -> nonzero value. */
  readonly alarms = new Map<string, number>()
  readonly parts: Parts
  readonly parameters: Parameters
  readonly cabinet: Cabinet | undefined

  readonly #identity: DeviceIdentity
  readonly #options: DeviceOptions
  readonly #runId: string
  readonly #outbox: Outbox
  /** Created with the first command: most devices of a large fleet never get one. */
  #commands: Commands | undefined
  readonly #waiting: (() => void)[] = []
  #link: MqttLink | undefined
  #reconnectTimer: NodeJS.Timeout | undefined
  #failedAttempts = 0
  #isWanted = false
  #hasConnected = false
  #messageCount = 0
  /** As last reported: a report that is asked for has them again. */
  #readings: ReportBody<'status'>['status'] = {}
  /** Whether the device has started and has not reported the versions of its parts yet. */
  #owesVersions = false
  /** The same for its parameters. */
  #owesParameters = false
  /** Counts the ends by `stop` or power cut: a restart that one of them overtook does not happen. */
  #endCount = 0
  #onFarewell: { packetId: number; done: () => void } | undefined

  constructor(identity: DeviceIdentity, options: DeviceOptions) {
    this.code = identity.code
    this.clockOffsetMs = options.clockOffsetMs ?? 0
    this.#identity = identity
    this.#options = options
    this.cabinet = options.cabinet
    this.#runId = options.runId ?? Date.now().toString(36)
    this.#outbox = new Outbox({ isCleanSession: options.isCleanSession ?? true })
    const { saved } = options
    this.parts = new Parts(saved?.parts ?? options.parts ?? [])
    this.parameters = new Parameters(saved?.parameters ?? options.parameters ?? [])
    if (saved?.targets)
      this.#ensureCommands().upgrades.restore({ parts: this.parts.list, targets: saved.targets })
  }

  get isOnline(): boolean {
    return this.#link?.isConnected ?? false
  }

  /** Reports that the server has not acknowledged yet. */
  get outboxSize(): number {
    return this.#outbox.size
  }

  /** Messages of down topics that had no readable id. */
  get unreadableCommandCount(): number {
    return this.#commands?.unreadableCount ?? 0
  }

  /** The advertisements that the device keeps, as it would report them now. */
  get advertisements(): AdvertisementList {
    return this.#commands?.advertisements.list() ?? []
  }

  /** A stored advertisement; with its bytes if the option `keepsFiles` is set. */
  advertisement(advertisementId: string): StoredAdvertisement | undefined {
    return this.#commands?.advertisements.get(advertisementId)
  }

  /** How many logs the server has accepted. */
  get deliveredLogCount(): number {
    return this.#commands?.logs.deliveredCount ?? 0
  }

  /** How often each target of an upgrade was installed, by target id: once, or the device has a fault. */
  get installCounts(): ReadonlyMap<string, number> {
    return this.#commands?.upgrades.installCounts ?? new Map()
  }

  /** How often each remote action was executed, by command id: once, or the device has a fault. */
  get actionCounts(): ReadonlyMap<string, number> {
    return this.#commands?.actions.executedCounts ?? new Map()
  }

  /** The state for the option `saved` of a later process; undefined where there is nothing. */
  get saved(): SavedDevice | undefined {
    const upgrades = this.#commands?.upgrades.saved
    if (!upgrades && !this.parameters.isChanged) return undefined
    return { ...upgrades, ...(this.parameters.isChanged && { parameters: this.parameters.list }) }
  }

  /** Milliseconds since 1970 by the device's clock. */
  now(): number {
    return Date.now() + this.clockOffsetMs
  }

  /** Connects, and reconnects until `stop` or `cutPower`. */
  start(): void {
    if (this.#isWanted) return
    this.#isWanted = true
    this.#failedAttempts = 0
    clearTimeout(this.#reconnectTimer)
    this.#owesVersions = this.parts.list.length > 0
    this.#owesParameters = this.parameters.list.length > 0
    this.#commands?.powerOn()
    this.#open()
  }

  /** Resolves at once if the device is online, otherwise with the next CONNACK. */
  whenOnline(): Promise<void> {
    if (this.isOnline) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Reports `isOnline: false`, waits briefly for the PUBACK, and sends DISCONNECT. The outbox is kept. */
  async stop(): Promise<void> {
    this.#leave()
    const link = this.#link
    if (link?.isConnected) {
      await new Promise<void>((done) => {
        setTimeout(done, farewellMs).unref()
        const packetId = this.#outbox.newPacketId()
        this.#onFarewell = { packetId, done }
        link.publish(packetId, topicOf(this.code, 'up', 'connection'), this.#connectionPayload(false))
      })
      this.#onFarewell = undefined
    }
    this.#link?.end()
  }

  /** Drops the connection until `start`, as a power cut does: the broker publishes the last will. */
  cutPower(): void {
    this.#leave()
    this.#link?.drop()
  }

  /** Cuts the power and starts again after `awayMs`. */
  reboot(awayMs: number): void {
    this.cutPower()
    this.#reconnectTimer = setTimeout(() => this.start(), awayMs)
  }

  /** Stops and starts again after `awayMs`, unless it is stopped meanwhile. */
  async restart(awayMs: number): Promise<void> {
    const leaving = this.stop()
    const endCount = this.#endCount
    await leaving
    if (this.#endCount !== endCount || this.#isWanted) return
    this.#reconnectTimer = setTimeout(() => this.start(), awayMs)
  }

  /** Forgets all commands and advertisements, as a device with a new board does. */
  wipe(): void {
    this.#commands?.wipe()
  }

  /** Drops the connection; the device reconnects on its own. */
  cutLine(): void {
    this.#link?.drop()
  }

  /**
   * Puts a report in the outbox. `at` (ms) is the time of something that happened earlier, `id` repeats an
   * earlier message. Resolves as `acknowledged` with the PUBACK, as `discarded` if the outbox is full.
   */
  report<Name extends ReportName>(
    name: Name,
    body: ReportBody<Name>,
    { at = this.now(), id = this.newId() }: { at?: number; id?: string } = {},
  ): Promise<ReportOutcome> {
    if (name === 'status') this.#readings = (body as ReportBody<'status'>).status
    const outcome = this.#outbox.put({ deviceCode: this.code, name, id, time: Math.round(at), body })
    this.#outbox.flush(this.#link)
    return outcome
  }

  /** Reports an alarm: opens it or changes its value. `value` is not 0. */
  raise(code: string, value: number, options?: { at?: number }): Promise<ReportOutcome> {
    this.alarms.set(code, value)
    return this.report('alarm', { code, value }, options)
  }

  /** Reports value 0: the alarm has recovered. */
  recover(code: string, options?: { at?: number }): Promise<ReportOutcome> {
    this.alarms.delete(code)
    return this.report('alarm', { code, value: 0 }, options)
  }

  /** Reports the versions of all parts. */
  reportVersions(): Promise<ReportOutcome> {
    return this.report('version', { versions: [...this.parts.list] })
  }

  /** Reports its status as it is now. */
  reportStatus(): Promise<ReportOutcome> {
    return this.report('status', this.cabinet?.report(this.now(), this.alarms) ?? { status: this.#readings })
  }

  /** Publishes any bytes without the outbox: a broken or a hostile device. */
  publishRaw(topic: string, payload: string | Buffer, { qos = 1 }: { qos?: 0 | 1 } = {}): boolean {
    if (!this.#link?.isConnected) return false
    if (qos === 0) this.#link.publishUnacknowledged(topic, payload)
    else this.#link.publish(this.#outbox.newPacketId(), topic, payload)
    return true
  }

  /** Unique for this device over all of its runs. */
  newId(): string {
    this.#messageCount += 1
    return `${this.#runId}-${this.#messageCount.toString(36)}`
  }

  #leave(): void {
    this.#isWanted = false
    this.#endCount += 1
    clearTimeout(this.#reconnectTimer)
    this.#commands?.powerOff()
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
        onMessage: (topic, payload) => this.#ensureCommands().receive(topic, payload),
        onClosed: (reason) => this.#wentOffline(reason),
      },
    )
  }

  #cameOnline(): void {
    this.#failedAttempts = 0
    this.#hasConnected = true
    const link = this.#link as MqttLink
    link.publish(
      this.#outbox.newPacketId(),
      topicOf(this.code, 'up', 'connection'),
      this.#connectionPayload(true),
    )
    link.subscribe(this.#outbox.newPacketId(), downFilterOf(this.code))
    if (this.#options.commands?.hasScreen) {
      void this.report('advertisement', { advertisements: this.advertisements })
    }
    if (this.#owesVersions) {
      this.#owesVersions = false
      const told = this.reportVersions()
      void this.#commands?.upgrades.versionsTold(told)
    }
    if (this.#owesParameters) {
      this.#owesParameters = false
      void this.report('parameter', { parameters: this.parameters.list })
    }
    this.#outbox.flush(link)
    for (const resolve of this.#waiting.splice(0)) resolve()
    this.#options.onOnline?.(this)
  }

  #wentOffline(reason: string): void {
    const wasOnline = this.#hasConnected
    this.#hasConnected = false
    this.#link = undefined
    this.#outbox.connectionEnded()
    this.#onFarewell?.done()
    if (wasOnline) this.#options.onOffline?.(this, reason)
    else this.#options.onAttemptFailed?.(this, reason)
    if (!this.#isWanted) return
    const [first, longest] = this.#options.reconnectMs ?? [1_000, 30_000]
    const ceilingMs = Math.min(longest, first * 2 ** Math.min(this.#failedAttempts, 20))
    this.#failedAttempts += 1
    // A random part of the window: devices that were dropped together must not reconnect together.
    const waitMs = ceilingMs * (0.1 + 0.9 * this.#options.random.next())
    clearTimeout(this.#reconnectTimer)
    this.#reconnectTimer = setTimeout(() => this.#open(), waitMs)
  }

  #acknowledged(packetId: number): void {
    if (this.#onFarewell?.packetId === packetId) this.#onFarewell.done()
    // Undefined for a connection's announcement and for a raw publish.
    const report = this.#outbox.acknowledge(packetId)
    if (!report) return
    this.#options.onAcknowledged?.(report)
    this.#outbox.flush(this.#link)
  }

  #ensureCommands(): Commands {
    const { random, commands = {} } = this.#options
    this.#commands ??= new Commands(this, random.fork('commands'), commands)
    return this.#commands
  }

  #connectionPayload(isOnline: boolean): string {
    return JSON.stringify({ id: this.newId(), time: this.now(), isOnline })
  }
}
