// The parameters of one device. Commands change their values, which outlive a restart.
import type { ParameterReport } from '@voltkeep/contract/topics/index'

/** One parameter as the report lists it. */
export type Parameter = ParameterReport['parameters'][number]

export class Parameters {
  readonly #values: Map<string, Parameter['value']>
  #isChanged = false

  constructor(list: readonly Parameter[]) {
    this.#values = new Map(list.map(({ id, value }) => [id, value]))
  }

  get list(): Parameter[] {
    return [...this.#values].map(([id, value]) => ({ id, value }))
  }

  /** Whether they differ from the initial ones. */
  get isChanged(): boolean {
    return this.#isChanged
  }

  has(id: string): boolean {
    return this.#values.has(id)
  }

  get(id: string): Parameter['value'] | undefined {
    return this.#values.get(id)
  }

  set(list: readonly Parameter[]): void {
    for (const { id, value } of list) this.#values.set(id, value)
    this.#isChanged = true
  }
}
