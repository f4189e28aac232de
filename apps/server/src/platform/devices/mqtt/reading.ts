// When the connections of the broker are read: not while too much of theirs waits for its answer, not while too much
// waits in all, not after one has sent too much.

/** Memory of a waiting message besides its payload. */
const messageOverheadBytes = 512
/** A connection is not read while so much of it waits: some fifty messages, where a device has twenty under way. */
const ownLimitBytes = 32_768

export interface ReadingLimits {
  /** No connection is read while messages of at least this many bytes wait for `done`. */
  waitingLimitBytes: number
  /**
   * How many bytes of one connection are read before the others' turn: what is read together goes into the database
   * together, and one fast sender would make all others wait. Undefined: no limit.
   */
  readAtMostBytes?: number | undefined
}

export interface ReadClient {
  /** Of its messages that have no answer yet. */
  waitingBytes: number
  /** Set while it is not read because it has sent too much. */
  pauseTimer: NodeJS.Timeout | undefined
  pausedUntilMs: number
  readonly isClosed: boolean
  /** Handles what has come, as far as it may be read. */
  readOn(): void
}

export class Reading {
  readonly #limits: ReadingLimits
  readonly #clients: Iterable<ReadClient>
  #waitingBytes = 0
  #isReading = true
  #isStopped = false

  /** `clients`: those who have signed in. */
  constructor(limits: ReadingLimits, clients: Iterable<ReadClient>) {
    this.#limits = limits
    this.#clients = clients
  }

  /** A client that has not signed in is read further: it cannot have a waiting message. */
  mayRead(client: ReadClient): boolean {
    return this.#isReading && !client.pauseTimer && client.waitingBytes < ownLimitBytes
  }

  /** A message waits for its answer. */
  wait(client: ReadClient, payloadBytes: number): void {
    const bytes = payloadBytes + messageOverheadBytes
    client.waitingBytes += bytes
    this.#waitingBytes += bytes
    if (this.#waitingBytes >= this.#limits.waitingLimitBytes) this.#isReading = false
  }

  /** It has its answer. Reads its client on, and all others where so little waits by now. */
  answered(client: ReadClient, payloadBytes: number): void {
    const bytes = payloadBytes + messageOverheadBytes
    client.waitingBytes -= bytes
    this.#waitingBytes -= bytes
    client.readOn()
    if (this.#isReading || this.#isStopped) return
    if (this.#waitingBytes > this.#limits.waitingLimitBytes / 2) return
    this.#isReading = true
    for (const one of this.#clients) one.readOn()
  }

  pause(client: ReadClient, forMs: number): void {
    client.pausedUntilMs = Math.max(client.pausedUntilMs, performance.now() + forMs)
    client.pauseTimer ??= setTimeout(() => this.#resume(client), forMs)
  }

  #resume(client: ReadClient): void {
    client.pauseTimer = undefined
    const leftMs = client.pausedUntilMs - performance.now()
    if (client.isClosed) return
    if (leftMs > 0) this.pause(client, leftMs)
    else client.readOn()
  }

  /** Reads no message any more. */
  stop(): void {
    this.#isStopped = true
    this.#isReading = false
  }
}
