// A cabinet with compartments, in which batteries stand and are charged. Nothing runs between two reports: what has
// happened since the last one is computed when it is asked for, so that a large fleet costs no timers.
import type { CompartmentState } from '@voltkeep/contract/compartments'
import type { ReportBody } from '../outbox.ts'
import type { Random } from '../random.ts'
import { type Batteries, type Battery, chargingCurrent, isFull, pass, voltageOf } from './battery.ts'
import type { CabinetTroubleName } from './trouble.ts'

/** What a compartment reports. */
type Reported = NonNullable<ReportBody<'status'>['compartments']>[number]

interface Compartment {
  readonly no: number
  battery: Battery | undefined
  isDoorOpen: boolean
  isDisabled: boolean
  /** Somebody has ended the charging of the battery that stands in it. */
  isStopped: boolean
  trouble: CabinetTroubleName | undefined
}

/** A swap: a rider puts a battery into one compartment, and takes a full one out of another. */
export interface Swap {
  into: number
  from: number
}

/** Batteries charge faster than in life, so that a demonstration of an hour shows it. */
export const chargingPace = 6
const hourMs = 3_600_000
/** The step of the computation: two minutes, and longer where much time has passed. */
const stepHours = 1 / 30
const mostSteps = 24
/** A cabinet that was away for longer is computed no further back: all is full by then. */
const mostHours = 6
/** The share of compartments that the connection can charge at once. */
const chargedAtOnce = 0.7
/** The lowest value of a sensor that is broken. */
const brokenCelsius = -3276.8

export class Cabinet {
  readonly #compartments: readonly Compartment[]
  readonly #random: Random
  readonly #batteries: Batteries
  #atMs: number
  #meterKwh: number
  /** Whether the mains are off: nothing is charged. */
  hasPower = true

  constructor({
    count,
    batteries,
    random,
    nowMs,
    trouble = () => undefined,
  }: {
    count: number
    batteries: Batteries
    random: Random
    nowMs: number
    /** The trouble of each compartment. */
    trouble?: () => CabinetTroubleName | undefined
  }) {
    this.#random = random
    this.#batteries = batteries
    this.#atMs = nowMs
    batteries.addCabinet()
    this.#meterKwh = random.between(800, 9_000)
    const emptyAt = random.between(1, count)
    this.#compartments = Array.from({ length: count }, (_, index) => ({
      no: index + 1,
      battery: index + 1 === emptyAt || random.chance(0.1) ? undefined : batteries.make(),
      isDoorOpen: false,
      isDisabled: false,
      isStopped: false,
      trouble: trouble(),
    }))
    if (this.#compartments.some(({ trouble: some }) => some === 'runs-out')) this.hasPower = false
  }

  get count(): number {
    return this.#compartments.length
  }

  /** The compartments of a swap that is possible now; undefined where no place is free, or no battery full. */
  swapAt(nowMs: number): Swap | undefined {
    this.#advance(nowMs)
    const usable = this.#compartments.filter((one) => isUsable(one))
    const into = usable.find(({ battery }) => battery === undefined)
    const full = usable.filter(({ battery }) => battery && isFull(battery))
    if (!into || full.length === 0) return undefined
    return { into: into.no, from: this.#random.pick(full).no }
  }

  /** False where there is no such compartment. */
  openDoor(no: number): boolean {
    const one = this.#of(no)
    if (one) one.isDoorOpen = true
    return one !== undefined
  }

  /** A door that sticks stays open. */
  closeDoor(no: number): void {
    const one = this.#of(no)
    if (one && one.trouble !== 'door-sticks') one.isDoorOpen = false
  }

  disable(no: number): boolean {
    const one = this.#of(no)
    if (one) one.isDisabled = true
    return one !== undefined
  }

  enable(no: number): boolean {
    const one = this.#of(no)
    if (one) one.isDisabled = false
    return one !== undefined
  }

  /** Ends the charging in one compartment, or in all, until another battery comes. False where nothing was charging. */
  stopCharging(no: number | undefined, nowMs: number): boolean {
    this.#advance(nowMs)
    const charging = new Set(this.#charging())
    const some = this.#compartments.filter((one) => charging.has(one) && (no === undefined || one.no === no))
    for (const one of some) one.isStopped = true
    return some.length > 0
  }

  /** A battery is put into an empty compartment. */
  put(no: number, battery: Battery, nowMs: number): void {
    this.#advance(nowMs)
    const one = this.#of(no)
    if (!one || one.battery) return
    one.battery = battery
    one.isStopped = false
  }

  /** The battery is taken out. */
  take(no: number, nowMs: number): Battery | undefined {
    this.#advance(nowMs)
    const one = this.#of(no)
    const battery = one?.battery
    if (one) one.battery = undefined
    return battery
  }

  /** The status report as of now. `alarms`: those that the device has reported as open, which its readings agree with. */
  report(nowMs: number, alarms: ReadonlyMap<string, number> = new Map()): ReportBody<'status'> {
    this.#advance(nowMs)
    const charging = new Set(this.#charging())
    const compartments = this.#compartments.map((one) => this.#reported(one, charging.has(one), alarms))
    const watts = [...charging].reduce((sum, { battery }) => sum + powerOf(battery), 0)
    const volts = this.hasPower && !alarms.has('01110005') ? 226 + 6 * this.#noise() : 0
    const ambient = this.#ambientAt(nowMs)
    return {
      status: {
        柜内温度: oneDecimal(ambient + 0.3 * this.#noise()),
        柜内湿度: Math.round(55 - ambient / 2 + 4 * this.#noise()),
        市电正常: volts > 0,
        市电电压: oneDecimal(volts),
        输入功率: Math.round(volts > 0 ? 60 + watts / 0.92 : 0),
        输入电流: volts > 0 ? oneDecimal((60 + watts / 0.92) / volts) : 0,
        累计电量: oneDecimal(this.#meterKwh),
        烟感报警: alarms.has('01110002'),
        水浸报警: alarms.has('01110003'),
        风扇转速: ambient > 28 ? Math.round(1_200 + (ambient - 28) * 150 + 40 * this.#noise()) : 0,
        信号强度: -Math.round(72 + 12 * this.#noise()),
        在位电池数: compartments.filter(({ batteryCode }) => batteryCode !== undefined).length,
        充电中电池数: charging.size,
        可换电池数: compartments.filter(({ state }) => state === 'full').length,
      },
      compartments,
    }
  }

  #of(no: number): Compartment | undefined {
    return this.#compartments[no - 1]
  }

  /** -1 to 1 */
  #noise(): number {
    return this.#random.next() * 2 - 1
  }

  /** Warm in the afternoon, and warmed by what it charges. */
  #ambientAt(nowMs: number): number {
    const hour = ((nowMs / hourMs + 8) % 24) - 15
    return 25 + 6 * Math.cos((hour * Math.PI) / 12) + 0.5 * this.#charging().length
  }

  /** Those that are charged now: the fullest first, as many as the connection can take. */
  #charging(): Compartment[] {
    if (!this.hasPower) return []
    return this.#compartments
      .filter(
        (one) =>
          one.battery &&
          !isFull(one.battery) &&
          !one.isStopped &&
          isUsable(one) &&
          one.trouble !== 'charger-fails',
      )
      .sort((a, b) => (b.battery?.soc ?? 0) - (a.battery?.soc ?? 0))
      .slice(0, Math.ceil(this.count * chargedAtOnce))
  }

  /** Lets the time until now pass. */
  #advance(nowMs: number): void {
    let hours = Math.min(mostHours, Math.max(0, nowMs - this.#atMs) / hourMs) * chargingPace
    this.#atMs = Math.max(this.#atMs, nowMs)
    const longest = Math.max(stepHours, hours / mostSteps)
    while (hours > 1e-9) {
      const step = Math.min(longest, hours)
      hours -= step
      const charging = new Set(this.#charging())
      const ambient = this.#ambientAt(nowMs)
      for (const one of this.#compartments) {
        if (!one.battery) continue
        const amperes = charging.has(one) ? chargingCurrent(one.battery) : 0
        const isHot = one.trouble === 'hot-battery' && amperes > 0
        pass(one.battery, step, amperes, isHot ? ambient + 30 : ambient)
        // The meter counts at the pace of the clock.
        this.#meterKwh += (amperes * voltageOf(one.battery, amperes) * step) / 1_000 / chargingPace
      }
    }
  }

  #reported(one: Compartment, isCharging: boolean, alarms: ReadonlyMap<string, number>): Reported {
    const { no, battery, isDoorOpen, trouble } = one
    const lid = { no, state: stateOf(one, isCharging), isDoorOpen, isLocked: !isDoorOpen }
    if (!battery) return lid
    const amperes = isCharging ? chargingCurrent(battery) : 0
    const isOverheated = ((alarms.get('01120003') ?? 0) & (2 ** (no - 1))) !== 0
    const celsius = battery.temperature + (isOverheated ? 32 : 0)
    return {
      ...lid,
      batteryCode: trouble === 'claims-battery' ? this.#batteries.anyCode() : battery.code,
      soc: Math.round(battery.soc),
      soh: Math.round(battery.soh),
      voltage: oneDecimal(voltageOf(battery, amperes)),
      current: oneDecimal(amperes),
      ...(trouble !== 'silent-sensor' && {
        temperature: trouble === 'bad-sensor' ? brokenCelsius : oneDecimal(celsius),
      }),
    }
  }
}

const isUsable = ({ isDisabled, isDoorOpen, trouble }: Compartment) =>
  !isDisabled && !isDoorOpen && trouble !== 'compartment-fails'

function stateOf({ battery, isDisabled, trouble }: Compartment, isCharging: boolean): CompartmentState {
  if (isDisabled) return 'disabled'
  if (trouble === 'compartment-fails' || (trouble === 'charger-fails' && battery)) return 'fault'
  if (!battery) return 'empty'
  if (isFull(battery)) return 'full'
  return isCharging ? 'charging' : 'idle'
}

const powerOf = (battery: Battery | undefined) => {
  if (!battery) return 0
  const amperes = chargingCurrent(battery)
  return amperes * voltageOf(battery, amperes)
}

const oneDecimal = (value: number) => Math.round(value * 10) / 10
