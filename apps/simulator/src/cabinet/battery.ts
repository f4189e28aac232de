// How a swap battery charges, warms up, discharges and ages.
import type { Random } from '../random.ts'

/** A swap battery of 48 V and 24 Ah: 13 cells in series. */
export interface Battery {
  readonly code: string
  /** % */
  soc: number
  /** %: how much of its capacity is left. */
  soh: number
  /** ℃ */
  temperature: number
}

const capacityAh = 24
const mostAmperes = 8
/** Above this charge the charger holds the voltage, and the current falls. */
const taperSoc = 85
/** How fast a battery follows its surroundings, in hours. */
const warmingHours = 0.35
/** What the full current warms a battery by, in ℃. */
const warmedBy = 9
/** What one full charge takes of the health, in %. */
const agedBy = 0.02

/** How many batteries are on the road. */
const ridersPerCabinet = 3

export const isFull = ({ soc }: Battery): boolean => soc >= 99.5

/** The current into a battery that is charged, in A. */
export const chargingCurrent = ({ soc }: Battery): number =>
  soc < taperSoc ? mostAmperes : Math.max(0.4, (mostAmperes * (100 - soc)) / (100 - taperSoc))

export const voltageOf = ({ soc }: Battery, amperes: number): number => 43.2 + 0.094 * soc + 0.08 * amperes

/** Lets time pass over a battery that takes this current, in surroundings of this temperature. */
export function pass(battery: Battery, hours: number, amperes: number, ambient: number): void {
  const target = ambient + (warmedBy * amperes) / mostAmperes
  battery.temperature += (target - battery.temperature) * (1 - Math.exp(-hours / warmingHours))
  if (amperes <= 0) return
  const gained = (amperes * hours * 100) / ((capacityAh * battery.soh) / 100)
  battery.soc = Math.min(100, battery.soc + gained)
  battery.soh = Math.max(60, battery.soh - (agedBy * gained) / 100)
}

/**
 * All batteries of a fleet. Those that stand in no cabinet are with riders, who bring them back to any cabinet: the one
 * that has been away for longest comes first.
 */
export class Batteries {
  readonly #random: Random
  readonly #withRiders: Battery[] = []
  #count = 0
  #cabinets = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** How many there are. */
  get count(): number {
    return this.#count
  }

  /** A cabinet that takes part. */
  addCabinet(): void {
    this.#cabinets += 1
  }

  /** A battery that has not been anywhere yet. */
  make(): Battery {
    this.#count += 1
    const random = this.#random
    return {
      code: codeOf(this.#count),
      soc: random.chance(0.4) ? 100 : random.between(20, 99),
      soh: 100 - random.between(0, 18),
      temperature: 24 + random.next() * 6,
    }
  }

  /** A rider takes it. */
  take(battery: Battery): void {
    this.#withRiders.push(battery)
  }

  /** A rider brings one back, ridden down. */
  bringBack(): Battery {
    const random = this.#random
    const isLongAway = this.#withRiders.length >= ridersPerCabinet * this.#cabinets
    const battery = (isLongAway ? this.#withRiders.shift() : undefined) ?? this.make()
    battery.soc = random.between(8, 45)
    battery.temperature = 26 + random.next() * 9
    return battery
  }

  /** The code of any battery: of one that stands elsewhere, mostly. */
  anyCode(): string {
    return codeOf(this.#random.between(1, Math.max(1, this.#count)))
  }
}

const codeOf = (number: number) => `BT26${String(number).padStart(6, '0')}`
