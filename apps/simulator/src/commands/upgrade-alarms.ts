// Bad firmware that installs successfully: its device raises an alarm while it runs, until other firmware replaces
// it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Parts } from '../parts.ts'

export interface ImageAlarm {
  code: string
  value: number
}

interface AlarmHost {
  readonly parts: Parts
  raise(code: string, value: number): Promise<unknown>
  recover(code: string): Promise<unknown>
}

interface AlarmOptions {
  alarmingMinor?: number
  alarm?: ImageAlarm
  alarmAfterMs?: number
}

/** Charger modules: an alarm of level 2 that every cabinet can have. */
const usualAlarm: ImageAlarm = { code: '01120005', value: 1 }

export class ImageAlarms {
  readonly #host: AlarmHost
  readonly #options: AlarmOptions
  /** Kinds of part whose firmware is bad on this device alone. */
  readonly #badParts = new Set<string>()
  #isRaised = false

  constructor(host: AlarmHost, options: AlarmOptions) {
    this.#host = host
    this.#options = options
  }

  /** Firmware was started on the parts of this kind. */
  started(partType: string, isBad: boolean): void {
    if (isBad) this.#badParts.add(partType)
    else this.#badParts.delete(partType)
  }

  /** Raises or recovers the alarm a while after `told`, so that the server already has the versions that cause it. */
  async showAfter(told: Promise<unknown>, power: AbortSignal): Promise<void> {
    await told
    if (power.aborted) return
    if (this.#options.alarmAfterMs) {
      await delay(this.#options.alarmAfterMs, undefined, { signal: power }).catch(() => undefined)
      if (power.aborted) return
    }
    const { alarm = usualAlarm } = this.#options
    const isBad = this.#badParts.size > 0 || this.#host.parts.list.some(({ version }) => this.#isBad(version))
    if (isBad === this.#isRaised) return
    this.#isRaised = isBad
    if (isBad) await this.#host.raise(alarm.code, alarm.value)
    else await this.#host.recover(alarm.code)
  }

  #isBad(version: string): boolean {
    const [, minor] = /^\d+\.(\d+)/.exec(version) ?? []
    return minor !== undefined && Number(minor) === this.#options.alarmingMinor
  }
}
