// The parts of a device, and the software version of each.
import type { VersionReport } from '@voltkeep/contract/topics/index'

/** One part as the version report lists it. */
export type Part = VersionReport['versions'][number]

/** The parts of one device. Upgrades change their versions, which outlive a restart. */
export class Parts {
  #list: readonly Part[]

  constructor(list: readonly Part[]) {
    this.#list = list
  }

  get list(): readonly Part[] {
    return this.#list
  }

  find(partType: string, addrId: string): Part | undefined {
    return this.#list.find((part) => part.partType === partType && part.addrId === addrId)
  }

  /** Puts a version on the parts of a kind that have one of the numbers. */
  install(partType: string, addrIds: readonly string[], version: string): void {
    this.#list = this.#list.map((part) =>
      part.partType === partType && addrIds.includes(part.addrId) ? { ...part, version } : part,
    )
  }

  /** Replaces the part of the same kind and number by another one. */
  exchange(other: Part): void {
    this.#list = this.#list.map((part) =>
      part.partType === other.partType && part.addrId === other.addrId ? other : part,
    )
  }
}
