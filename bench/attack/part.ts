import type { ServerProcess, ServerProcessOptions } from '../../apps/server/test/server-process.ts'

/** One attack of `npm run attack`. */
export interface AttackPart {
  /** What `--only` calls it. */
  name: string
  /** One line that says what is done to the server. */
  about: string
  /** How its server is started: devices of the demonstration, settings. */
  server?: ServerProcessOptions
  attack(ground: Ground): Promise<void>
}

/** Where a part stands: its server, the neighbour that measures, and the bounds that it states. */
export interface Ground {
  readonly server: ServerProcess
  /** Of the command line. */
  readonly options: { requests?: string; seed?: string; seconds?: string }
  /** A token of the administrator. */
  readonly adminToken: string
  /** What the neighbour saw, and what the process holds, while `work` runs or for `forMs`. */
  measure(when: string, work: (() => Promise<unknown>) | { forMs: number }): Promise<Figures>
  /** States a bound. */
  atMost(what: string, value: number, most: number, unit?: string): void
  isTrue(what: string, holds: boolean, detail?: string): void
  /** Waits until memory and descriptors are back to about what they were, and states that as two bounds. */
  returnsTo(
    before: Figures,
    options?: { moreBytes?: number; moreDescriptors?: number; withinMs?: number },
  ): Promise<void>
}

/** What was seen over a stretch of time. */
export interface Figures {
  /** The neighbour's calls: how many were answered, and how many were not or with an error. */
  answered: number
  failed: number
  /** Time to answer of its calls, ms. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  mostMs: number
  /** Of the server's process (not of PostgreSQL's): resident set at the end and at its most, open descriptors at the end. */
  residentBytes: number
  mostResidentBytes: number
  descriptors: number
}
