// What is remembered of a device that a mapping speaks for, as long as its connection lasts. Bounded: a device decides
// what it sends, and ten thousand of them are connected.
import type { Compartment } from '@voltkeep/contract'
import type { Scalar } from './sources.ts'

/** What one message says of the readings, others may leave out: so much later it is not said again. */
const statusForMs = 900_000
const mostReadings = 100
const mostAlarms = 1_000
const mostSequences = 32
const lastSequence = 65_535

interface Known<Value> {
  value: Value
  atMs: number
}

export class Memory {
  /** Values of alarms as they were reported last. */
  readonly #alarms = new Map<string, number>()
  readonly #readings = new Map<string, Known<Scalar>>()
  readonly #compartments = new Map<number, Known<Compartment>>()
  /** Command ids by the sequence numbers that they were sent with. */
  readonly #sequences = new Map<string, string>()
  #sequence = 0
  lastCommandId: string | undefined
  lastTargetId: string | undefined

  /** Whether the alarm's value is another one than was reported last; makers repeat what stands in each message. */
  isNews(code: string, value: number): boolean {
    if (this.#alarms.get(code) === value) return false
    if (this.#alarms.size < mostAlarms || this.#alarms.has(code)) this.#alarms.set(code, value)
    return true
  }

  /** A report was not written: what stands is reported again. */
  forgetAlarms(): void {
    this.#alarms.clear()
  }

  /** The readings and compartments of a message with what earlier ones said; the newest of each. */
  merged(
    readings: ReadonlyMap<string, Scalar>,
    compartments: ReadonlyMap<number, Compartment>,
    atMs: number,
  ): { status: Record<string, Scalar>; compartments: Compartment[] } {
    merge(this.#readings, readings, atMs, (_, value) => value)
    merge(this.#compartments, compartments, atMs, (former, value) => ({ ...former, ...value }))
    while (this.#readings.size > mostReadings)
      this.#readings.delete(this.#readings.keys().next().value as string)
    return {
      status: Object.fromEntries([...this.#readings].map(([name, { value }]) => [name, value])),
      compartments: [...this.#compartments.values()].map(({ value }) => value),
    }
  }

  /** A number for a command, by which its answer finds it. */
  nextSequence(): number {
    this.#sequence = (this.#sequence % lastSequence) + 1
    return this.#sequence
  }

  sent(commandId: string, sequence: number, targetId: string | undefined): void {
    this.lastCommandId = commandId
    this.lastTargetId = targetId ?? this.lastTargetId
    this.#sequences.set(String(sequence), commandId)
    if (this.#sequences.size > mostSequences)
      this.#sequences.delete(this.#sequences.keys().next().value as string)
  }

  /** The command of a sequence number, or what was given where it is none. */
  commandOf(given: string): string {
    return this.#sequences.get(given) ?? given
  }
}

function merge<Key, Value>(
  known: Map<Key, Known<Value>>,
  given: ReadonlyMap<Key, Value>,
  atMs: number,
  join: (former: Value | undefined, value: Value) => Value,
): void {
  for (const [key, { atMs: saidAtMs }] of known) if (atMs - saidAtMs > statusForMs) known.delete(key)
  for (const [key, value] of given) {
    const former = known.get(key)
    known.delete(key)
    known.set(key, { value: join(former?.value, value), atMs })
  }
}
