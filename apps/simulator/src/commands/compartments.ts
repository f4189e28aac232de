// The compartments of a cabinet that has nothing but what its commands move: no batteries come and go.
import type { Compartment } from '@voltkeep/contract/compartments'
import type { ActedCompartments } from './actions.ts'

export class PlainCompartments implements ActedCompartments {
  readonly #list: Compartment[]

  constructor(list: readonly Compartment[]) {
    this.#list = list.map((compartment) => ({ ...compartment }))
  }

  /** As the device would report them now. */
  get list(): Compartment[] {
    return this.#list.map((compartment) => ({ ...compartment }))
  }

  has(no: number): boolean {
    return this.#list.some((one) => one.no === no)
  }

  setDoor(no: number, isOpen: boolean): void {
    for (const one of this.#of(no)) {
      one.isDoorOpen = isOpen
      one.isLocked = !isOpen
    }
  }

  setDisabled(no: number, isDisabled: boolean): void {
    for (const one of this.#of(no)) {
      one.state = isDisabled ? 'disabled' : one.batteryCode === undefined ? 'empty' : 'idle'
      if (isDisabled) one.current = 0
    }
  }

  stopCharging(no: number | null): void {
    for (const one of this.#of(no)) {
      if (one.state !== 'charging') continue
      one.state = 'idle'
      one.current = 0
    }
  }

  #of(no: number | null): Compartment[] {
    return no === null ? this.#list : this.#list.filter((one) => one.no === no)
  }
}
