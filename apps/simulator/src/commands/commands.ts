// How a device executes commands: each once; it remembers its reply and answers a repetition with the same reply.
// Troubles on request (trouble.ts) happen here.
import type { Random } from '../random.ts'
import { Actions } from './actions.ts'
import type { AdvertisementStore } from './advertisements.ts'
import { Advertising, type AdvertisingCommand, type Running } from './advertising.ts'
import { AgedMap } from './aged-map.ts'
import { decodeCommand, type KnownCommand } from './decode.ts'
import type { CommandHost, CommandOptions } from './host.ts'
import { Logs } from './logs.ts'
import { failed, memory, type Reply, refused } from './replies.ts'
import { Settings } from './settings.ts'
import type { TroubleScript } from './trouble.ts'
import { Upgrades } from './upgrades.ts'

/** The things that a command is about: of two commands about the same one, the newer counts. */
function subjectsOf(command: KnownCommand): string[] {
  switch (command.name) {
    case 'upgrade':
      return [`part ${command.body.partType}`]
    case 'extractLog':
      return [`log ${command.body.extractionId}`]
    case 'setParameters':
      return command.body.parameters.map(({ id }) => `parameter ${id}`)
    case 'action': {
      const { action, compartment = 'all' } = command.body
      const isUse = action === 'disableCompartment' || action === 'enableCompartment'
      return [`${isUse ? 'use' : action} ${compartment}`]
    }
    case 'advertise':
    case 'withdraw':
      return [advertisementOf(command)]
  }
}

const advertisementOf = ({ body }: AdvertisingCommand) => `advertisement ${body.advertisementId}`

export class Commands {
  readonly upgrades: Upgrades
  readonly logs: Logs
  readonly actions: Actions
  /** Messages of down topics without a readable id, which cannot be answered. */
  unreadableCount = 0

  readonly #host: CommandHost
  readonly #options: CommandOptions
  readonly #advertising: Advertising
  readonly #settings: Settings
  readonly #nextTrouble: TroubleScript | undefined
  /** By command id; null: it was executed and is never answered. */
  readonly #replies: AgedMap<Reply | null>
  /** By subject: the `time` of the newest command. An older one comes too late. */
  readonly #newestTimes: AgedMap<number>
  /** By command id. */
  readonly #running = new Map<string, Running>()
  #power = new AbortController()

  constructor(host: CommandHost, random: Random, options: CommandOptions) {
    this.#host = host
    this.#options = options
    this.#nextTrouble = options.trouble?.(random.fork('trouble'))
    const now = () => host.now()
    this.#replies = new AgedMap({ ...memory, now })
    this.#newestTimes = new AgedMap({ ...memory, now })
    this.#advertising = new Advertising(host, random, options)
    this.#settings = new Settings(host, random.fork('settings'), options.settings)
    this.logs = new Logs(host, random.fork('logs'), options.logs)
    this.actions = new Actions(host, random.fork('actions'), options.actions)
    const { downloadRetryMs, rebootMs } = options
    this.upgrades = new Upgrades(host, random.fork('upgrades'), {
      ...options.upgrade,
      downloadRetryMs,
      rebootMs,
    })
  }

  get advertisements(): AdvertisementStore {
    return this.#advertising.advertisements
  }

  /** Receives a message of a down topic. */
  receive(topic: string, payload: Buffer): void {
    const decoded = decodeCommand(topic, payload)
    switch (decoded.kind) {
      case 'unreadable':
        this.unreadableCount += 1
        return
      case 'unknown':
        this.#answer(decoded.id, refused(decoded.reason))
        return
      case 'known':
        this.#obey(decoded.command)
    }
  }

  /** Ends what is running. Disk and memory survive. */
  powerOff(): void {
    this.#power.abort()
    this.#running.clear()
    this.#advertising.powerOff()
    this.#settings.powerOff()
    this.actions.powerOff()
    this.upgrades.powerOff()
    this.logs.powerOff()
  }

  powerOn(): void {
    if (this.#power.signal.aborted) {
      this.#power = new AbortController()
      this.#advertising.powerOn()
      this.#settings.powerOn()
    }
    this.upgrades.powerOn()
  }

  /** Loses everything that it kept, as after an exchange of its board. */
  wipe(): void {
    this.#replies.clear()
    this.#newestTimes.clear()
    this.advertisements.clear()
    this.upgrades.wipe()
  }

  #obey(command: KnownCommand): void {
    const { id, time } = command.body
    const known = this.#replies.get(id)
    if (known) this.#answer(id, known)
    if (known !== undefined || this.#running.has(id)) return
    const objection = this.#objectionTo(command)
    if (objection) {
      // Not remembered: after a wrong clock has been corrected, a repetition is executed.
      this.#answer(id, objection)
      return
    }
    for (const subject of subjectsOf(command)) this.#newestTimes.set(subject, time)
    switch (command.name) {
      case 'advertise':
      case 'withdraw':
        void this.#advertise(command)
        return
      case 'upgrade': {
        const reply = this.upgrades.take(command.body)
        this.#remember(id, reply)
        this.upgrades.proceed(command.body)
        return
      }
      case 'extractLog':
        this.#remember(id, this.logs.take(command.body))
        return
      case 'setParameters': {
        const { reply, proceed } = this.#settings.take(command.body)
        this.#remember(id, reply)
        proceed()
        return
      }
      case 'action': {
        const { reply, proceed } = this.actions.take(command.body)
        this.#remember(id, reply)
        proceed()
      }
    }
  }

  /** Answers, and remembers the reply for repetitions. */
  #remember(id: string, reply: Reply | null): void {
    this.#replies.set(id, reply)
    if (reply) this.#answer(id, reply)
  }

  #objectionTo(command: KnownCommand): Reply | undefined {
    const { deadline, time } = command.body
    const isAdvertising = command.name === 'advertise' || command.name === 'withdraw'
    if (isAdvertising && !this.#options.hasScreen) return refused('不支持的命令')
    if (deadline <= this.#host.now()) return failed('命令已过期')
    const isOvertaken = subjectsOf(command).some((subject) => time < (this.#newestTimes.get(subject) ?? 0))
    if (isOvertaken) return refused('已被更新的命令取代')
    return undefined
  }

  async #advertise(command: AdvertisingCommand): Promise<void> {
    const { id } = command.body
    const subject = advertisementOf(command)
    for (const other of this.#running.values()) {
      if (other.subject === subject) other.ending.abort('已被更新的命令取代')
    }
    const trouble = this.#nextTrouble?.()
    const running: Running = { subject, ending: new AbortController(), power: this.#power.signal }
    this.#running.set(id, running)
    try {
      const reply = await this.#advertising.execute(command, running, trouble)
      if (trouble !== 'forgets') this.#replies.set(id, trouble === 'never-answers' ? null : reply)
      if (trouble !== 'never-answers') this.#answer(id, reply)
      if (trouble === 'answers-twice') this.#answer(id, reply)
      if (trouble === 'foreign-reply') this.#answer(`foreign-${id}`.slice(0, 64), reply)
    } catch (error) {
      // Without power there is no reply; the server repeats the command.
      if (!running.power.aborted) throw error
    } finally {
      // After a power failure the same id may be running again.
      if (this.#running.get(id) === running) this.#running.delete(id)
    }
  }

  #answer(commandId: string, reply: Reply): void {
    void this.#host.report('reply', { commandId, ...reply })
  }
}
