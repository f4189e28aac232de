// When the connections of the broker are read: not while a message of theirs waits for its answer, not while too much
// waits in all, not after one has sent too much, and in pieces, with the others in between.
import type { Socket } from 'node:net'
import type { Client } from 'aedes'
import { refreshKeepalive } from './aedes-internals.ts'

/** Memory of a waiting message besides its payload. */
const messageOverheadBytes = 512
const keepaliveRefreshMs = 3_000

export interface ReadingLimits {
  /** No connection is read while messages of at least this many bytes wait for `done`. */
  waitingLimitBytes: number
  /**
   * How many bytes of one connection are read before the others' turn: what is read together goes into the database
   * together, and one fast sender would make all others wait. Undefined: no limit.
   */
  readAtMostBytes?: number | undefined
}

export interface ReadClient extends Client {
  waitingCount?: number
  /** It has used its part of this turn of the event loop. */
  hasReadPart?: boolean
  /** Set while the connection is not read because it has sent too much. */
  pauseTimer?: NodeJS.Timeout | undefined
  pausedUntilMs?: number
}

export class Reading {
  readonly #limits: ReadingLimits
  readonly #clients: ReadonlySet<ReadClient>
  readonly #keepaliveTimer: NodeJS.Timeout
  #waitingBytes = 0
  #isReading = true
  #isStopped = false

  /** `clients`: those who have signed in. */
  constructor(limits: ReadingLimits, clients: ReadonlySet<ReadClient>) {
    this.#limits = limits
    this.#clients = clients
    this.#keepaliveTimer = setInterval(() => {
      for (const client of clients) {
        if (!this.#isReading || client.waitingCount || client.pauseTimer) refreshKeepalive(client)
      }
    }, keepaliveRefreshMs)
  }

  /**
   * Makes `read` return null while reading is paused: the bytes then stay in the socket's buffer, and after that at the
   * sender. A client that has not signed in (`isStranger`) is read further: it cannot have a waiting message.
   */
  follow(socket: Socket, client: ReadClient, isStranger: () => boolean): void {
    const read = socket.read
    const most = this.#limits.readAtMostBytes ?? Number.POSITIVE_INFINITY
    const mayRead = () => !client.hasReadPart && (isStranger() || (this.#isReading && !client.pauseTimer))
    socket.read = (size) => {
      if (size === 0) return read.call(socket, size)
      if (!mayRead()) return null
      if (socket.readableLength <= most) return read.call(socket, size)
      client.hasReadPart = true
      setImmediate(readNextPart, client)
      return read.call(socket, most)
    }
  }

  /** A message waits for its answer. */
  wait(client: ReadClient, payloadBytes: number): void {
    client.waitingCount = (client.waitingCount ?? 0) + 1
    this.#waitingBytes += payloadBytes + messageOverheadBytes
    if (this.#waitingBytes >= this.#limits.waitingLimitBytes) this.#isReading = false
  }

  /** It has its answer; its own connection is read on by aedes. */
  answered(client: ReadClient, payloadBytes: number): void {
    client.waitingCount = (client.waitingCount ?? 1) - 1
    this.#waitingBytes -= payloadBytes + messageOverheadBytes
  }

  /** Reads all connections again where so little waits by now. */
  goOn(): void {
    if (this.#isReading || this.#isStopped) return
    if (this.#waitingBytes <= this.#limits.waitingLimitBytes / 2) this.#readAgain()
  }

  #readAgain(): void {
    this.#isReading = true
    for (const client of this.#clients) {
      // A client with a waiting message is read again when that message is answered.
      if (!client.waitingCount) client.conn.emit('readable')
    }
  }

  pause(client: ReadClient, forMs: number): void {
    client.pausedUntilMs = Math.max(client.pausedUntilMs ?? 0, performance.now() + forMs)
    client.pauseTimer ??= setTimeout(() => this.#resume(client), forMs)
  }

  #resume(client: ReadClient): void {
    client.pauseTimer = undefined
    const leftMs = (client.pausedUntilMs ?? 0) - performance.now()
    if (client.closed) return
    if (leftMs > 0) this.pause(client, leftMs)
    else if (this.#isReading && !client.waitingCount) client.conn.emit('readable')
  }

  /** Reads no message any more. */
  stop(): void {
    this.#isStopped = true
    this.#isReading = false
  }

  close(): void {
    this.stop()
    clearInterval(this.#keepaliveTimer)
  }
}

/**
 * Goes on reading in the next turn of the event loop. The piece may have ended within a packet, and nothing else would
 * read the rest of it.
 */
function readNextPart(client: ReadClient): void {
  client.hasReadPart = false
  if (!client.closed && !client.waitingCount) client.conn.emit('readable')
}
