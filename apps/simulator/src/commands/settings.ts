// How a device applies new values of its parameters: it answers, puts them in force, and reports them.
import { setTimeout as delay } from 'node:timers/promises'
import type { SetParametersCommand } from '@voltkeep/contract/topics/index'
import type { ReportBody, ReportName } from '../outbox.ts'
import type { Parameters } from '../parameters.ts'
import type { Random } from '../random.ts'
import { done, failed, type Reply, refused } from './replies.ts'
import type { SettingTroubleName, TroublePlan, TroubleScript } from './trouble.ts'

export interface SettingOptions {
  trouble?: TroublePlan<SettingTroubleName>
  /** The delay of a device with the trouble `applies-late`. */
  lateMs?: number
}

/** The device, as seen by its settings. */
export interface SettingHost {
  readonly parameters: Parameters
  report<Name extends ReportName>(name: Name, body: ReportBody<Name>): Promise<unknown>
}

const usualLateMs = 5_000

/** Independent of connections: the values, and the replies about them. */
export class Settings {
  readonly #host: SettingHost
  readonly #lateMs: number
  readonly #nextTrouble: TroubleScript<SettingTroubleName> | undefined
  #power = new AbortController()

  constructor(host: SettingHost, random: Random, { trouble, lateMs = usualLateMs }: SettingOptions = {}) {
    this.#host = host
    this.#lateMs = lateMs
    this.#nextTrouble = trouble?.(random.fork('trouble'))
  }

  /** The device's reply; null: none. `proceed` is to be called after the reply `done`. */
  take({ parameters }: SetParametersCommand): { reply: Reply | null; proceed: () => void } {
    const idle = () => undefined
    const unknown = parameters.find(({ id }) => !this.#host.parameters.has(id))
    if (unknown) return { reply: refused(`不支持的参数：${unknown.id}`), proceed: idle }
    switch (this.#nextTrouble?.()) {
      case 'refuses':
        return { reply: refused('设备已锁定，不能修改参数'), proceed: idle }
      case 'fails':
        return { reply: failed('参数写入失败'), proceed: idle }
      case 'silent':
        return { reply: null, proceed: idle }
      case 'never-applies':
        return { reply: done, proceed: idle }
      case 'applies-late':
        return { reply: done, proceed: () => void this.#applyLate(parameters) }
      case 'applies-some':
        return { reply: done, proceed: () => this.#apply(parameters.slice(0, -1)) }
      case undefined:
        return { reply: done, proceed: () => this.#apply(parameters) }
    }
  }

  powerOff(): void {
    this.#power.abort()
  }

  powerOn(): void {
    this.#power = new AbortController()
  }

  #apply(parameters: SetParametersCommand['parameters']): void {
    if (parameters.length === 0) return
    this.#host.parameters.set(parameters)
    void this.#host.report('parameter', { parameters })
  }

  async #applyLate(parameters: SetParametersCommand['parameters']): Promise<void> {
    const { signal } = this.#power
    await delay(this.#lateMs, undefined, { signal, ref: false }).catch(() => undefined)
    if (!signal.aborted) this.#apply(parameters)
  }
}
