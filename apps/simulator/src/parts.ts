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

  /** Sets the version of the parts of a type with these numbers. */
  install(partType: string, addrIds: readonly string[], version: string): void {
    this.#list = this.#list.map((part) =>
      part.partType === partType && addrIds.includes(part.addrId) ? { ...part, version } : part,
    )
  }

  /** Replaces the part of the same type and number. */
  exchange(other: Part): void {
    this.#list = this.#list.map((part) =>
      part.partType === other.partType && part.addrId === other.addrId ? other : part,
    )
  }
}
