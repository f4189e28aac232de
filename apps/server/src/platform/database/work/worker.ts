/** What works by itself while a process runs: a lease queue, a follower of notices, a counter. */
export interface Worker {
  start(): void
  /** Takes nothing more, and ends when what is under way is done. */
  stop(): Promise<void>
}
