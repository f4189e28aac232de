// The messages between the page and the worker.
import type { Encoding } from './encoding.ts'
import type { LogText, TextState } from './logText.ts'
import type { SearchState } from './search.ts'
import type { Base } from './times.ts'

export interface Source {
  address: string
  headers: Record<string, string>
  base: Base
}

/** Why the text, or the rest of it, could not be read. */
export type Failure =
  | { kind: 'answer'; status: number; type: string; body: string }
  | { kind: 'network' }
  /** The connection was lost; what arrived before is available. */
  | { kind: 'broken' }
  /** The log itself ends too early, and the server says why; what came before is available. */
  | { kind: 'incomplete'; status: number; body: string }

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
  /** Reads the text; the posted state has the progress. */
  open(source: Source): Promise<void>
  /** Decodes the bytes again in this encoding; in the detected one where undefined. */
  decodeAs(encoding: Encoding | undefined): Promise<void>
}

export interface Asking {
  id: number
  method: keyof LogService
  input: readonly unknown[]
}

export type Told = { id: number; value: unknown } | { id: number; error: string } | { state: WorkerState }
