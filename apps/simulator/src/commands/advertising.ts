// How a cabinet executes commands about advertisements: it downloads, verifies, and keeps the file.
import { setTimeout as delay } from 'node:timers/promises'
import type { AdvertiseCommand, WithdrawCommand } from '@voltkeep/contract/topics/index'
import type { Random } from '../random.ts'
import { AdvertisementStore } from './advertisements.ts'
import { AgedMap } from './aged-map.ts'
import { type DownloadResult, download } from './download.ts'
import type { CommandHost, CommandOptions } from './host.ts'
import { done, failed, memory, type Reply, refused, usualRebootMs } from './replies.ts'
import type { TroubleName } from './trouble.ts'

export type AdvertisingCommand =
  | { name: 'advertise'; body: AdvertiseCommand }
  | { name: 'withdraw'; body: WithdrawCommand }

/** A command while it is executed. */
export interface Running {
  subject: string
  /** Ends the command with its reason as a failure. */
  ending: AbortController
  power: AbortSignal
}

const usualDiskBytes = 4 * 1024 ** 3
/** As many as one report can list. */
const advertisementLimit = 200
const lateByMs = 1_000

const noRoom: DownloadResult = { isComplete: false, reason: '存储空间不足' }

/** Timers are limited to some 24 days. */
const timerMs = (ms: number) => Math.min(Math.max(ms, 0), 2 ** 31 - 1)

export class Advertising {
  readonly advertisements: AdvertisementStore

  readonly #host: CommandHost
  readonly #random: Random
  readonly #options: CommandOptions
  /** By command id: the power fails once for a command, not at each repetition. */
  readonly #powerCuts: AgedMap<true>
  /** Downloads go one after another. */
  #lastDownload: Promise<unknown> = Promise.resolve()

  constructor(host: CommandHost, random: Random, options: CommandOptions) {
    this.#host = host
    this.#random = random
    this.#options = options
    const now = () => host.now()
    this.#powerCuts = new AgedMap({ ...memory, now })
    this.advertisements = new AdvertisementStore(now, () => {
      void host.report('advertisement', { advertisements: this.advertisements.list() })
    })
  }

  powerOff(): void {
    this.#lastDownload = Promise.resolve()
    this.advertisements.stop()
  }

  powerOn(): void {
    this.advertisements.start()
  }

  async execute(
    command: AdvertisingCommand,
    running: Running,
    trouble: TroubleName | undefined,
  ): Promise<Reply> {
    const reply = await this.#execute(command, running, trouble)
    if (trouble === 'answers-late') {
      const untilMs = command.body.deadline - this.#host.now() + lateByMs
      await delay(timerMs(untilMs), undefined, { signal: running.power })
    }
    return reply
  }

  async #execute(
    command: AdvertisingCommand,
    running: Running,
    trouble: TroubleName | undefined,
  ): Promise<Reply> {
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

  /** The file of the former command for the same advertisement is kept until the new one is complete. */
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

  /** A trouble that happens once during a download, somewhere in its middle. */
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
}
