// How a device carries out upgrades: it accepts the command, downloads, verifies, installs and starts the new firmware,
// and reports its progress. It remembers accepted targets by id over restarts, and never installs one target twice.
import { setTimeout as delay } from 'node:timers/promises'
import type { UpgradeCommand } from '@voltkeep/contract/topics/index'
import type { ReportBody } from '../outbox.ts'
import type { Part, Parts } from '../parts.ts'
import type { Random } from '../random.ts'
import { AgedMap } from './aged-map.ts'
import { createReceivedFile, download, type ReceivedFile } from './download.ts'
import { done, memory, type Reply, refused, usualRebootMs } from './replies.ts'
import type { TroublePlan, TroubleScript, UpgradeTroubleName } from './trouble.ts'
import { type ImageAlarm, ImageAlarms } from './upgrade-alarms.ts'
import { UpgradeProgress } from './upgrade-progress.ts'

/** The device, as seen by its upgrades. */
export interface UpgradeHost {
  readonly parts: Parts
  /** Milliseconds since 1970 by the device's clock. */
  now(): number
  report(name: 'upgrade', body: ReportBody<'upgrade'>): Promise<unknown>
  reportVersions(): Promise<unknown>
  raise(code: string, value: number): Promise<unknown>
  recover(code: string): Promise<unknown>
  /** Switches the power off for so long. */
  reboot(awayMs: number): void
  /** As `reboot`, after a DISCONNECT. */
  restart(awayMs: number): Promise<void>
}

/** Times are in milliseconds, and 0 where nothing else is said. */
export interface UpgradeOptions {
  trouble?: TroublePlan<UpgradeTroubleName>
  /** How far the download or the installation is when its trouble comes; else somewhere in the middle. */
  troubleAtPercent?: number
  /** How much room there is for firmware; 64 MB by default. */
  flashBytes?: number
  /** How long a download takes at least. */
  downloadMs?: number
  installMs?: number
  /** The least time between two reports of the same state; 5 seconds by default. */
  progressMs?: number
  /** Firmware whose minor version is this one installs well and raises an alarm afterwards. */
  alarmingMinor?: number
  alarm?: ImageAlarm
  /** How long after the new version was reported the alarm comes. */
  alarmAfterMs?: number
}

interface SharedOptions {
  downloadRetryMs?: readonly [first: number, longest: number]
  rebootMs?: number
}

/**
 * `open`: accepted. `installed`: written, starts with the next power. `started`: has been started. `failed`: the last
 * try is over, a new command begins another.
 */
type TargetState = 'open' | 'installed' | 'started' | 'failed'

interface Target {
  /** The newest one for this target. */
  command: UpgradeCommand
  state: TargetState
  trouble: UpgradeTroubleName | undefined
  /** Whether the trouble that happens once has happened. */
  isTroubleOver: boolean
  file: ReceivedFile
  isVerified: boolean
  progress: UpgradeProgress
  /** Ends this try with its reason as a failure. */
  ending: AbortController
}

/** The state that is kept when the simulator ends: the parts, and the result of each target. */
export interface SavedUpgrades {
  parts: readonly Part[]
  targets: { command: UpgradeCommand; state: TargetState }[]
}

const usualFlashBytes = 64 * 1024 ** 2
const installSteps = 10
/** How long a device waits for the PUBACK of its report before it starts again. */
const farewellMs = 2_000

export class Upgrades {
  /** How often each target was installed, by target id: once, or the device has a fault. */
  readonly installCounts = new Map<string, number>()

  readonly #host: UpgradeHost
  readonly #random: Random
  readonly #options: UpgradeOptions & SharedOptions
  readonly #nextTrouble: TroubleScript<UpgradeTroubleName> | undefined
  readonly #targets: AgedMap<Target>
  readonly #alarms: ImageAlarms
  #power = new AbortController()
  /** One upgrade at a time. */
  #last: Promise<void> = Promise.resolve()

  constructor(host: UpgradeHost, random: Random, options: UpgradeOptions & SharedOptions) {
    this.#host = host
    this.#random = random
    this.#options = options
    this.#nextTrouble = options.trouble?.(random.fork('trouble'))
    this.#targets = new AgedMap({ ...memory, now: () => host.now() })
    this.#alarms = new ImageAlarms(host, options)
  }

  /** Undefined where the device has never got an upgrade. */
  get saved(): SavedUpgrades | undefined {
    const targets = this.#targets.values().map(({ command, state }) => ({ command, state }))
    return targets.length > 0 ? { parts: this.#host.parts.list, targets } : undefined
  }

  restore({ targets }: SavedUpgrades): void {
    for (const { command, state } of targets) {
      this.#targets.set(command.targetId, { ...this.#newTarget(command, undefined), state })
    }
  }

  /** The device's immediate reply; null: none. `proceed` is to follow. */
  take(command: UpgradeCommand): Reply | null {
    const known = this.#targets.get(command.targetId)
    if (known && known.state !== 'failed') {
      known.command = command
      return done
    }
    const objection = this.#objectionTo(command)
    if (objection !== undefined) return refused(objection)
    const trouble = this.#nextTrouble?.()
    if (trouble === 'refuses') return refused('板卡不符')
    if (trouble === 'never-answers') return null
    if (trouble === 'goes-silent') return done
    for (const other of this.#targets.values()) {
      if (other.state === 'open' && other.command.partType === command.partType) {
        other.ending.abort('已被更新的命令取代')
      }
    }
    const target = this.#newTarget(command, trouble)
    if (known?.isVerified && known.command.sha256 === command.sha256) {
      target.file = known.file
      target.isVerified = true
    }
    this.#targets.set(command.targetId, target)
    this.#begin(target)
    return done
  }

  /** Follows the reply: for an installed target the device reports again that it is. */
  proceed({ targetId }: UpgradeCommand): void {
    const target = this.#targets.get(targetId)
    if (target?.state !== 'installed' && target?.state !== 'started') return
    void target.progress.tellAgain()
    if (target.state === 'started') void this.#host.reportVersions()
  }

  powerOff(): void {
    this.#power.abort()
    this.#last = Promise.resolve()
  }

  /** Starts the installed firmware, and continues unfinished targets. */
  powerOn(): void {
    this.#power = new AbortController()
    for (const target of this.#targets.values()) {
      if (target.state === 'installed') this.#start(target)
      else if (target.state === 'open') this.#begin(target)
    }
  }

  /** After a start the versions are being sent; `told` resolves when the server has them. */
  async versionsTold(told: Promise<unknown>): Promise<void> {
    await this.#alarms.showAfter(told, this.#power.signal)
  }

  wipe(): void {
    for (const { ending } of this.#targets.values()) ending.abort('设备已更换主板')
    this.#targets.clear()
  }

  #newTarget(command: UpgradeCommand, trouble: UpgradeTroubleName | undefined): Target {
    return {
      command,
      state: 'open',
      trouble,
      isTroubleOver: false,
      file: createReceivedFile(),
      isVerified: false,
      progress: new UpgradeProgress(this.#host, command.targetId, this.#options.progressMs),
      ending: new AbortController(),
    }
  }

  /** Why the device refuses for good. */
  #objectionTo({ partType, addrIds, pcbCode, hwVersion, sizeBytes }: UpgradeCommand): string | undefined {
    for (const addrId of addrIds) {
      const part = this.#host.parts.find(partType, addrId)
      if (!part) return '设备没有此部件'
      if (part.pcbCode !== undefined && part.pcbCode !== pcbCode) return '板卡不符'
      if (hwVersion !== undefined && part.hwVersion !== undefined && part.hwVersion !== hwVersion) {
        return '硬件版本不符'
      }
    }
    return sizeBytes > (this.#options.flashBytes ?? usualFlashBytes) ? '存储空间不足' : undefined
  }

  #begin(target: Target): void {
    const { signal: power } = this.#power
    const before = this.#last
    this.#last = (async () => {
      await before
      await this.#carryOut(target, power)
    })()
  }

  async #carryOut(target: Target, power: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([power, target.ending.signal])
    const heartbeat = target.progress.beat()
    try {
      signal.throwIfAborted()
      const reason = (await this.#download(target, signal)) ?? (await this.#install(target, signal))
      if (reason === undefined) await this.#finish(target, power)
      else this.#fail(target, reason)
    } catch (error) {
      // Without power it continues when the power is back.
      if (power.aborted) return
      if (!target.ending.signal.aborted) throw error
      this.#fail(target, target.ending.signal.reason)
    } finally {
      clearInterval(heartbeat)
    }
  }

  /** Returns the reason of a failure. */
  async #download(target: Target, signal: AbortSignal): Promise<string | undefined> {
    const { progress, trouble, file } = target
    const { sizeBytes, sha256 } = target.command
    const { downloadMs, downloadRetryMs } = this.#options
    progress.tell('downloading', (file.sizeBytes / sizeBytes) * 100)
    if (target.isVerified) return undefined
    const isCut = trouble === 'cut-download' || trouble === 'power-cut'
    const atPercent = isCut ? this.#troublePercent() : Number.POSITIVE_INFINITY
    const result = await download({
      get url() {
        return target.command.url
      },
      sizeBytes,
      sha256: trouble === 'wrong-hash' ? '0'.repeat(64) : sha256,
      signal,
      file,
      random: this.#random,
      retryMs: downloadRetryMs,
      paceMs: downloadMs,
      onProgress: (receivedBytes, cut) => {
        const percent = (receivedBytes / sizeBytes) * 100
        progress.tell('downloading', percent)
        if (percent < atPercent || target.isTroubleOver) return
        target.isTroubleOver = true
        if (trouble === 'power-cut') this.#host.reboot(this.#rebootMs)
        else cut()
      },
    })
    // A file that could not be verified is dropped, and another try begins without it.
    if (!result.isComplete) {
      target.file = createReceivedFile()
      return result.reason
    }
    target.isVerified = true
    return undefined
  }

  /** Returns the reason of a failure. */
  async #install(target: Target, signal: AbortSignal): Promise<string | undefined> {
    const { progress, trouble } = target
    const stepMs = (this.#options.installMs ?? 0) / installSteps
    const failsAt = trouble === 'install-fails' ? this.#troublePercent() : Number.POSITIVE_INFINITY
    const isCut = trouble === 'install-power-cut' && !target.isTroubleOver
    const cutAt = isCut ? this.#troublePercent() : Number.POSITIVE_INFINITY
    for (let step = 0; step <= installSteps; step += 1) {
      const percent = (step / installSteps) * 100
      if (percent >= failsAt) return '安装失败，已恢复原版本'
      progress.tell('installing', percent)
      if (percent >= cutAt) {
        target.isTroubleOver = true
        this.#host.reboot(this.#rebootMs)
      }
      signal.throwIfAborted()
      if (stepMs > 0 && step < installSteps) await delay(stepMs, undefined, { signal })
    }
    return undefined
  }

  /** Reports that everything is written, and restarts. Where that is only claimed, the old version returns. */
  async #finish(target: Target, power: AbortSignal): Promise<void> {
    const { targetId } = target.command
    const isClaim = target.trouble === 'claims-success'
    target.state = isClaim ? 'failed' : 'installed'
    if (!isClaim) this.installCounts.set(targetId, (this.installCounts.get(targetId) ?? 0) + 1)
    const told = target.progress.tellEnd('installed')
    const waiting = new AbortController()
    await Promise.race([
      told,
      delay(farewellMs, undefined, { signal: AbortSignal.any([power, waiting.signal]) }).catch(
        () => undefined,
      ),
    ])
    waiting.abort()
    if (!power.aborted) await this.#host.restart(this.#rebootMs)
  }

  #fail(target: Target, reason: string): void {
    target.state = 'failed'
    // The target has been removed: the board was replaced meanwhile.
    if (this.#targets.get(target.command.targetId) !== target) return
    void target.progress.tellEnd('failed', reason)
  }

  #start(target: Target): void {
    const { partType, addrIds, version } = target.command
    this.#host.parts.install(partType, addrIds, version)
    target.state = 'started'
    this.#alarms.started(partType, target.trouble === 'alarms')
  }

  get #rebootMs(): number {
    return this.#options.rebootMs ?? usualRebootMs
  }

  #troublePercent(): number {
    return this.#options.troubleAtPercent ?? 20 + 60 * this.#random.next()
  }
}
