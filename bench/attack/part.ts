import type { ServerProcess, ServerProcessOptions } from '../../apps/server/test/server-process.ts'

/** One attack of `npm run attack`. */
export interface AttackPart {
  /** Its name for `--only`. */
  name: string
  /** One line that describes the attack. */
  about: string
  /** Options of its server: devices of the demonstration, settings. */
  server?: ServerProcessOptions
  attack(ground: Ground): Promise<void>
}

/** What a part works with: its server, the neighbour that measures, and the bounds. */
export interface Ground {
  readonly server: ServerProcess
  /** Options of the command line. */
  readonly options: { requests?: string; seed?: string; seconds?: string }
  /** A token of the administrator. */
  readonly adminToken: string
  /** The neighbour's figures, and the memory and descriptors of the process, while `work` runs or for `forMs`. */
  measure(when: string, work: (() => Promise<unknown>) | { forMs: number }): Promise<Figures>
  /** States a bound. */
  atMost(what: string, value: number, most: number, unit?: string): void
  isTrue(what: string, isMet: boolean, detail?: string): void
  /** Waits until memory and descriptors are back to about their former values, and states that as two bounds. */
  returnsTo(
    before: Figures,
    options?: { moreBytes?: number; moreDescriptors?: number; withinMs?: number },
  ): Promise<void>
}

/** The figures of a stretch of time. */
export interface Figures {
  /** The neighbour's calls: how many were answered, and how many failed. */
  answered: number
  failed: number
  /** Response times of its calls, ms. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  mostMs: number
  /**
   * Of the server's process, without PostgreSQL: resident set at the end and at its maximum, open descriptors at the
   * end.
   */
  residentBytes: number
  mostResidentBytes: number
  descriptors: number
}
