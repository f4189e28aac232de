// How a device delivers a log: it accepts the command, writes the log of the range, packs it as requested, and uploads
// it to the address of the command, from the beginning again where the connection breaks.
import { setTimeout as delay } from 'node:timers/promises'
import type { ExtractLogCommand } from '@voltkeep/contract/topics/index'
import type { Random } from '../random.ts'
import { packLog, writeLog } from './log-text.ts'
import { done, type Reply, refused } from './replies.ts'
import type { LogTroubleName, TroublePlan, TroubleScript } from './trouble.ts'
import { upload } from './upload.ts'

/** Times are in milliseconds, and 0 where nothing else is said. */
export interface LogOptions {
  trouble?: TroublePlan<LogTroubleName>
  /** About how long the text is; 200 KB by default. */
  textBytes?: number
  /** How long it takes to write and pack the log. */
  prepareMs?: number
  /** How long an upload takes at least. */
  uploadMs?: number
  /** The first window to wait in before another try; it doubles up to the second. */
  uploadRetryMs?: readonly [first: number, longest: number]
}

export interface LogHost {
  /** Milliseconds since 1970 by the device's clock. */
  now(): number
}

const usualTextBytes = 200_000

export class Logs {
  /** How many logs were uploaded completely and accepted by the server. */
  deliveredCount = 0

  readonly #host: LogHost
  readonly #random: Random
  readonly #options: LogOptions
  readonly #nextTrouble: TroubleScript<LogTroubleName> | undefined
  #power = new AbortController()
  #isBusy = false

  constructor(host: LogHost, random: Random, options: LogOptions = {}) {
    this.#host = host
    this.#random = random
    this.#options = options
    this.#nextTrouble = options.trouble?.(random.fork('trouble'))
  }

  /** The device's immediate reply; null: none. The upload follows by itself. */
  take(command: ExtractLogCommand): Reply | null {
    if (this.#isBusy) return refused('正在提取其他日志')
    const trouble = this.#nextTrouble?.()
    if (trouble === 'refuses') return refused('该时段没有日志')
    if (trouble === 'never-answers') return null
    if (trouble !== 'goes-silent') void this.#deliver(command, trouble, this.#power.signal)
    return done
  }

  /** The upload under way is lost: the server's deadline ends it. */
  powerOff(): void {
    this.#power.abort()
    this.#power = new AbortController()
    this.#isBusy = false
  }

  async #deliver(
    command: ExtractLogCommand,
    trouble: LogTroubleName | undefined,
    power: AbortSignal,
  ): Promise<void> {
    this.#isBusy = true
    try {
      const { prepareMs = 0, textBytes = usualTextBytes, uploadMs = 0, uploadRetryMs } = this.#options
      if (prepareMs > 0) await delay(prepareMs, undefined, { signal: power })
      const endTime = Math.min(command.endTime, this.#host.now())
      const text = writeLog({ ...command, endTime }, textBytes, this.#random.fork(command.extractionId))
      const otherType = command.fileType === 'txt' ? 'gz' : 'txt'
      const packed = packLog(text, trouble === 'wrong-type' ? otherType : command.fileType)
      if (trouble === 'wrong-checksum' && command.fileType === 'gz')
        packed.writeUInt8(packed.readUInt8(packed.length - 8) ^ 1, packed.length - 8)
      const content =
        trouble === 'too-large' ? Buffer.concat([packed, Buffer.alloc(command.maxBytes)]) : packed
      const isTaken = await upload({
        url: command.url,
        content,
        signal: power,
        random: this.#random,
        paceMs: uploadMs,
        retryMs: uploadRetryMs,
        cutsFirst: trouble === 'cut-upload',
      })
      if (isTaken) this.deliveredCount += 1
    } catch (error) {
      // Without power it ends; the server's deadline fails the extraction.
      if (!power.aborted) throw error
    } finally {
      if (!power.aborted) this.#isBusy = false
    }
  }
}
