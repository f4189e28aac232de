// What the page asks of the worker, and what the worker tells by itself.
import type { Encoding } from './encoding.ts'
import type { LogText, TextState } from './logText.ts'
import type { SearchState } from './search.ts'
import type { Base } from './times.ts'

export interface Source {
  address: string
  headers: Record<string, string>
  base: Base
}

/** Why the text could not be read, or not to its end. */
export type Failure =
  | { kind: 'answer'; status: number; type: string; body: string }
  | { kind: 'network' }
  /** The answer broke off: what came so far is there. */
  | { kind: 'broken' }

export interface WorkerState {
  text: TextState
  search: SearchState
  failure?: Failure
}

type Asked = Omit<LogText, 'append' | 'finish' | 'state' | 'searchState' | 'whole'>

export type LogService = {
  [Method in keyof Asked]: (
    ...input: Parameters<Asked[Method]>
  ) => Promise<Awaited<ReturnType<Asked[Method]>>>
} & {
  /** Reads the text; the state tells how far it is. */
  open(source: Source): Promise<void>
  /** Reads the bytes again in this encoding, or in the one that is found. */
  decodeAs(encoding: Encoding | undefined): Promise<void>
}

export interface Asking {
  id: number
  method: keyof LogService
  input: readonly unknown[]
}

export type Told = { id: number; value: unknown } | { id: number; error: string } | { state: WorkerState }
