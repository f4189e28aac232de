// How a device executes remote actions: doors, compartments, charging, a restart, a report.
import type { ActionCommand } from '@voltkeep/contract/topics/index'
import type { Cabinet } from '../cabinet/cabinet.ts'
import type { Random } from '../random.ts'
import { done, failed, type Reply, refused, usualRebootMs } from './replies.ts'
import type { ActionTroubleName, TroublePlan, TroubleScript } from './trouble.ts'

export interface ActionOptions {
  trouble?: TroublePlan<ActionTroubleName>
  /** How long a door stays open that was opened from afar. */
  doorMs?: number
  /** How long the device is away when it is restarted. */
  restartMs?: number
}

/** The device, as seen by its actions. */
export interface ActionHost {
  /** Without one it has no compartments. */
  readonly cabinet: Cabinet | undefined
  /** Milliseconds since 1970 by the device's clock. */
  now(): number
  /** Reports its status as it is now. */
  reportStatus(): Promise<unknown>
  /** Leaves with a DISCONNECT and starts again after `awayMs`. */
  restart(awayMs: number): Promise<void>
}

const usualDoorMs = 5_000

export class Actions {
  readonly #host: ActionHost
  readonly #options: ActionOptions
  readonly #nextTrouble: TroubleScript<ActionTroubleName> | undefined
  readonly #openDoors = new Set<NodeJS.Timeout>()
  /** How often each command was executed, by its id: once, or the device has a fault. */
  readonly executedCounts = new Map<string, number>()

  constructor(host: ActionHost, random: Random, options: ActionOptions = {}) {
    this.#host = host
    this.#options = options
    this.#nextTrouble = options.trouble?.(random.fork('trouble'))
  }

  /** The device's reply; null: none. `proceed` is to be called after the reply. */
  take(command: ActionCommand): { reply: Reply | null; proceed: () => void } {
    const idle = () => undefined
    const { action, compartment } = command
    if (action !== 'restart' && action !== 'reportStatus') {
      const { cabinet } = this.#host
      if (!cabinet) return { reply: refused('本机没有仓位'), proceed: idle }
      if (compartment !== undefined && compartment > cabinet.count)
        return { reply: refused(`没有${compartment}号仓`), proceed: idle }
    }
    switch (this.#nextTrouble?.()) {
      case 'refuses':
        return { reply: refused('设备正在换电，请稍后再试'), proceed: idle }
      case 'fails':
        return { reply: failed('执行机构无响应'), proceed: idle }
      case 'lies':
        return { reply: done, proceed: idle }
      case 'never-answers':
        return { reply: null, proceed: () => this.#execute(command) }
      case undefined:
        return { reply: done, proceed: () => this.#execute(command) }
    }
  }

  /** Doors stay as they are; nobody closes them. */
  powerOff(): void {
    for (const timer of this.#openDoors) clearTimeout(timer)
    this.#openDoors.clear()
  }

  #execute({ id, action, compartment }: ActionCommand): void {
    this.executedCounts.set(id, (this.executedCounts.get(id) ?? 0) + 1)
    const { cabinet } = this.#host
    switch (action) {
      case 'openDoor':
        if (compartment !== undefined) this.#open(compartment)
        break
      case 'disableCompartment':
        cabinet?.disable(compartment ?? 0)
        break
      case 'enableCompartment':
        cabinet?.enable(compartment ?? 0)
        break
      case 'stopCharging':
        // Of all: those that charge in turn are stopped in turn.
        while (cabinet?.stopCharging(compartment, this.#host.now()) && compartment === undefined);
        break
      case 'restart':
        void this.#host.restart(this.#options.restartMs ?? usualRebootMs)
        return
      case 'reportStatus':
        break
    }
    void this.#host.reportStatus()
  }

  #open(no: number): void {
    this.#host.cabinet?.openDoor(no)
    const timer = setTimeout(() => {
      this.#openDoors.delete(timer)
      this.#host.cabinet?.closeDoor(no)
      void this.#host.reportStatus()
    }, this.#options.doorMs ?? usualDoorMs)
    this.#openDoors.add(timer)
  }
}
