// How a device obeys: it executes each command once, remembers what it answered, and answers a repetition
// with the same reply. Troubles on request (trouble.ts) are played here.
import { setTimeout as delay } from 'node:timers/promises'
import type { AdvertiseCommand } from '@voltkeep/contract/topics/index'
import type { ReportBody, ReportName } from '../outbox.ts'
import type { Random } from '../random.ts'
import { AdvertisementStore } from './advertisements.ts'
import { AgedMap } from './aged-map.ts'
import { decodeCommand, type KnownCommand } from './decode.ts'
import { type DownloadResult, download } from './download.ts'
import type { TroubleName, TroublePlan, TroubleScript } from './trouble.ts'

/** What commands need of their device. */
export interface CommandHost {
  now(): number
  report<Name extends ReportName>(name: Name, body: ReportBody<Name>): Promise<unknown>
  /** Without power for so long. */
  reboot(awayMs: number): void
}

export interface CommandOptions {
  /** With a screen it shows advertisements and reports which; without one it refuses them. */
  hasScreen?: boolean
  /** How much fits on its disk. */
  diskBytes?: number
  /** Whether the files that it downloads can be looked at afterwards. */
  keepsFiles?: boolean
  trouble?: TroublePlan
  /** First and longest window to wait in before a download is tried again. */
  downloadRetryMs?: readonly [first: number, longest: number]
  /** How long it is away when its power fails in mid-download. */
  rebootMs?: number
}

type Reply = Omit<ReportBody<'reply'>, 'commandId'>

interface Running {
  advertisementId: string
  /** Ends the command with its reason as a failure. */
  ending: AbortController
  power: AbortSignal
}

/** The protocol wants seven days; a device has a limit besides. */
const memory = { limit: 1_000, maxAgeMs: 8 * 24 * 3_600_000 }
const usualDiskBytes = 4 * 1024 ** 3
/** As many as one report can list. */
const advertisementLimit = 200
const lateByMs = 1_000
const usualRebootMs = 3_000

const done: Reply = { outcome: 'done' }
const failed = (reason: string): Reply => ({ outcome: 'failed', reason })
const refused = (reason: string): Reply => ({ outcome: 'refused', reason })

const noRoom: DownloadResult = { isComplete: false, reason: '存储空间不足' }

/** Timers take no longer wait than some 24 days. */
const timerMs = (ms: number) => Math.min(Math.max(ms, 0), 2 ** 31 - 1)

export class Commands {
  readonly advertisements: AdvertisementStore
  /** Messages of down topics without a readable id, which cannot be answered. */
  unreadableCount = 0

  readonly #host: CommandHost
  readonly #random: Random
  readonly #options: CommandOptions
  readonly #nextTrouble: TroubleScript | undefined
  /** By command id; null: it was executed and is never answered. */
  readonly #replies: AgedMap<Reply | null>
  /** By advertisement: the `time` of the newest command. An older one comes too late. */
  readonly #newestTimes: AgedMap<number>
  /** By command id. */
  readonly #running = new Map<string, Running>()
  /** By command id: the power fails once for a command, not at each repetition. */
  readonly #powerCuts: AgedMap<true>
  #power = new AbortController()
  /** Downloads go one after another. */
  #lastDownload: Promise<unknown> = Promise.resolve()

  constructor(host: CommandHost, random: Random, options: CommandOptions) {
    this.#host = host
    this.#random = random
    this.#options = options
    this.#nextTrouble = options.trouble?.(random.fork('trouble'))
    const now = () => host.now()
    this.#replies = new AgedMap({ ...memory, now })
    this.#newestTimes = new AgedMap({ ...memory, now })
    this.#powerCuts = new AgedMap({ ...memory, now })
    this.advertisements = new AdvertisementStore(now, () => {
      void host.report('advertisement', { advertisements: this.advertisements.list() })
    })
  }

  /** Takes a message of a down topic. */
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
        void this.#obey(decoded.command)
    }
  }

  /** Ends what is running. Disk and memory survive. */
  powerOff(): void {
    this.#power.abort()
    this.#running.clear()
    this.#lastDownload = Promise.resolve()
    this.advertisements.stop()
  }

  powerOn(): void {
    if (!this.#power.signal.aborted) return
    this.#power = new AbortController()
    this.advertisements.start()
  }

  /** Loses everything it kept: as after an exchange of its board. */
  wipe(): void {
    this.#replies.clear()
    this.#newestTimes.clear()
    this.advertisements.clear()
  }

  async #obey(command: KnownCommand): Promise<void> {
    const { id, deadline, time, advertisementId } = command.body
    const known = this.#replies.get(id)
    if (known) this.#answer(id, known)
    if (known !== undefined || this.#running.has(id)) return
    if (!this.#options.hasScreen) return this.#answer(id, refused('不支持的命令'))
    // Not remembered: when a wrong clock is set right, a repetition is executed.
    if (deadline <= this.#host.now()) return this.#answer(id, failed('命令已过期'))
    if (time < (this.#newestTimes.get(advertisementId) ?? 0)) {
      return this.#answer(id, refused('已被更新的命令取代'))
    }
    this.#newestTimes.set(advertisementId, time)
    for (const other of this.#running.values()) {
      if (other.advertisementId === advertisementId) other.ending.abort('已被更新的命令取代')
    }

    const trouble = this.#nextTrouble?.()
    const running: Running = { advertisementId, ending: new AbortController(), power: this.#power.signal }
    this.#running.set(id, running)
    try {
      const reply = await this.#execute(command, running, trouble)
      if (trouble === 'answers-late') await this.#untilAfter(deadline, running)
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

  async #execute(command: KnownCommand, running: Running, trouble: TroubleName | undefined): Promise<Reply> {
    if (trouble === 'refuses') return refused('设备拒绝执行')
    if (trouble === 'lies') return done
    switch (command.name) {
      case 'advertise':
        return this.#advertise(command.body, running, trouble)
      case 'withdraw':
        this.advertisements.remove(command.body.advertisementId)
        return done
    }
  }

  /** The file of an older command for the same advertisement stays until the new one is complete. */
  async #advertise(
    command: AdvertiseCommand,
    { ending, power }: Running,
    trouble: TroubleName | undefined,
  ): Promise<Reply> {
    const { deadline, advertisementId, name, url, sizeBytes, sha256, contentType } = command
    const { startTime, endTime } = command
    if (endTime <= this.#host.now()) return refused('投放时间已结束')
    const stored = { advertisementId, name, sizeBytes, sha256, contentType, startTime, endTime }
    const older = this.advertisements.get(advertisementId)
    if (older?.sha256 === sha256) {
      this.advertisements.put({ ...stored, bytes: older.bytes })
      return done
    }
    const expiry = setTimeout(
      () => ending.abort('截止时间前未能完成下载'),
      timerMs(deadline - this.#host.now()),
    )
    try {
      const result = await this.#inTurn(async () => {
        if (trouble === 'disk-full' || !this.#hasRoomFor(sizeBytes)) return noRoom
        return download({
          url,
          sizeBytes,
          sha256: trouble === 'wrong-hash' ? '0'.repeat(64) : sha256,
          signal: AbortSignal.any([power, ending.signal]),
          keepsBytes: this.#options.keepsFiles,
          onProgress: this.#mishap(command, trouble),
          random: this.#random,
          retryMs: this.#options.downloadRetryMs,
        })
      })
      if (!result.isComplete) return failed(result.reason)
      this.advertisements.put({ ...stored, bytes: result.bytes })
      return done
    } catch (error) {
      if (power.aborted || !ending.signal.aborted) throw error
      return failed(ending.signal.reason)
    } finally {
      clearTimeout(expiry)
    }
  }

  #hasRoomFor(sizeBytes: number): boolean {
    const { size, sizeBytes: usedBytes } = this.advertisements
    return size < advertisementLimit && usedBytes + sizeBytes <= (this.#options.diskBytes ?? usualDiskBytes)
  }

  #untilAfter(deadline: number, { power }: Running): Promise<void> {
    return delay(timerMs(deadline - this.#host.now() + lateByMs), undefined, { signal: power })
  }

  /** What happens once to a download on its way, somewhere in its middle. */
  #mishap(
    { id, sizeBytes }: AdvertiseCommand,
    trouble: TroubleName | undefined,
  ): ((receivedBytes: number, cut: () => void) => void) | undefined {
    const isPowerCut = trouble === 'power-cut' && !this.#powerCuts.get(id)
    if (trouble !== 'cut-download' && !isPowerCut) return undefined
    const atBytes = sizeBytes * (0.2 + 0.6 * this.#random.next())
    let hasHappened = false
    return (receivedBytes, cut) => {
      if (hasHappened || receivedBytes < atBytes) return
      hasHappened = true
      if (!isPowerCut) return cut()
      this.#powerCuts.set(id, true)
      this.#host.reboot(this.#options.rebootMs ?? usualRebootMs)
    }
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const result = this.#lastDownload.then(act)
    this.#lastDownload = result.catch(() => undefined)
    return result
  }

  #answer(commandId: string, reply: Reply): void {
    void this.#host.report('reply', { commandId, ...reply })
  }
}
