// Many virtual devices in one process: about 20 KB each while idle.
import type { Cabinet } from './cabinet/cabinet.ts'
import type { CommandOptions } from './commands/host.ts'
import { type DeviceIdentity, type DeviceOptions, type SavedDevice, VirtualDevice } from './device.ts'
import type { Parameter } from './parameters.ts'
import type { Part } from './parts.ts'
import type { Random } from './random.ts'

export interface FleetOptions<Identity extends DeviceIdentity = DeviceIdentity>
  extends Omit<DeviceOptions, 'random' | 'commands' | 'parts' | 'parameters' | 'saved' | 'cabinet'> {
  random: Random
  /** How a device executes commands. */
  commandsOf?: (identity: Identity) => CommandOptions
  /** The parts of a device. */
  partsOf?: (identity: Identity) => readonly Part[]
  /** Its parameters as it leaves the factory. */
  parametersOf?: (identity: Identity) => readonly Parameter[]
  /** Its compartments. */
  cabinetOf?: (identity: Identity) => Cabinet | undefined
  /** The state that an earlier run left of a device. */
  savedOf?: (identity: Identity) => SavedDevice | undefined
  /** How many connections are opened a second. */
  connectsPerSecond?: number
}

export class Fleet<Identity extends DeviceIdentity = DeviceIdentity> {
  readonly devices: readonly VirtualDevice[]
  readonly identities: ReadonlyMap<string, Identity>
  readonly #connectsPerSecond: number
  readonly #watchers = new Set<() => void>()
  #onlineCount = 0

  constructor(identities: readonly Identity[], options: FleetOptions<Identity>) {
    const {
      connectsPerSecond = 200,
      commandsOf,
      partsOf,
      parametersOf,
      cabinetOf,
      savedOf,
      onOnline,
      onOffline,
      ...rest
    } = options
    this.#connectsPerSecond = connectsPerSecond
    this.identities = new Map(identities.map((identity) => [identity.code, identity]))
    const shared = {
      ...rest,
      onOnline: (device: VirtualDevice) => {
        this.#count(+1)
        onOnline?.(device)
      },
      onOffline: (device: VirtualDevice, reason: string) => {
        this.#count(-1)
        onOffline?.(device, reason)
      },
    }
    this.devices = identities.map((identity) => {
      const random = options.random.fork(identity.code)
      return new VirtualDevice(identity, {
        ...shared,
        random,
        commands: commandsOf?.(identity),
        parts: partsOf?.(identity),
        parameters: parametersOf?.(identity),
        cabinet: cabinetOf?.(identity),
        saved: savedOf?.(identity),
      })
    })
  }

  get onlineCount(): number {
    return this.#onlineCount
  }

  get online(): VirtualDevice[] {
    return this.devices.filter((device) => device.isOnline)
  }

  /** Reports of all devices that the server has not acknowledged yet. */
  get outboxSize(): number {
    return this.devices.reduce((sum, device) => sum + device.outboxSize, 0)
  }

  /** Starts the devices a few at a time; resolves when the last one has been started, not when it is online. */
  async start(devices: readonly VirtualDevice[] = this.devices, signal?: AbortSignal): Promise<void> {
    const tickMs = 50
    const perTick = Math.max(1, Math.round((this.#connectsPerSecond * tickMs) / 1000))
    for (let at = 0; at < devices.length && !signal?.aborted; at += perTick) {
      for (const device of devices.slice(at, at + perTick)) device.start()
      await new Promise((resolve) => setTimeout(resolve, tickMs))
    }
  }

  /** Resolves when `count` devices (all by default) are online at once. */
  whenOnline(count = this.devices.length): Promise<void> {
    return this.#when(() => this.#onlineCount >= count)
  }

  whenOffline(): Promise<void> {
    return this.#when(() => this.#onlineCount === 0)
  }

  /** Resolves when every report has been acknowledged. */
  async whenDrained(): Promise<void> {
    while (this.outboxSize > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  async stop(): Promise<void> {
    await Promise.all(this.devices.map((device) => device.stop()))
  }

  /** Drops every connection at once, as the end of this process would. */
  cutPower(): void {
    for (const device of this.devices) device.cutPower()
  }

  #count(change: number): void {
    this.#onlineCount += change
    for (const watch of this.#watchers) watch()
  }

  #when(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => {
      const watch = () => {
        if (!isSo()) return
        this.#watchers.delete(watch)
        resolve()
      }
      this.#watchers.add(watch)
    })
  }
}
