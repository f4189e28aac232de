// The broker's limits of connections: in all, of strangers, and by address.

import type { Socket } from 'node:net'
import { networkOf } from '../../process/networks.ts'

/** The most connections. A stranger is one that has not signed in yet. */
export interface ConnectionLimits {
  inAll: number
  strangers: number
  strangersPerAddress: number
  /** Of signed-in clients. Null: no limit. */
  perAddress: number | null
}

export type ConnectionLimit = keyof ConnectionLimits

export interface LimiterOptions extends ConnectionLimits {
  /** Any number of clients are behind these addresses: no limit by address applies to them. */
  isProxy?(address: string): boolean
  /** A connection was turned away or ended by this limit. */
  met(limit: ConnectionLimit, address: string): void
  now?: () => number
}

/** A connection from its first moment, also before its TLS handshake. */
export interface OpenConnection {
  readonly limiter: ConnectionLimiter
  readonly socket: Socket
  /** The address, or the network of 64 bits that one subscriber of IPv6 has. */
  readonly from: string
  readonly address: string
  readonly cameAtMs: number
  state: 'silent' | 'signingIn' | 'signedIn' | 'gone'
}

const connectionOf = Symbol('connection')
type CountedSocket = Socket & { [connectionOf]: OpenConnection }

/** A device sends CONNECT as soon as it is connected. A connection is not closed as silent before this time. */
const silenceMs = 2_000

/**
 * Counts connections from their first moment. At a limit of strangers, the connection that has been silent for longest
 * is closed to make room for a new one: so a client that opens connections without using them keeps nobody out for
 * long, not even others at its address.
 */
export class ConnectionLimiter {
  readonly #options: LimiterOptions
  readonly #now: () => number
  #count = 0
  /** The connection that has been silent for longest comes first. */
  readonly #silent = new Set<OpenConnection>()
  readonly #silentFrom = new Map<string, Set<OpenConnection>>()
  readonly #strangersFrom = new Map<string, number>()
  readonly #signedInFrom = new Map<string, number>()
  #strangers = 0

  constructor(options: LimiterOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Strangers and signed in. */
  get count(): number {
    return this.#count
  }

  get strangerCount(): number {
    return this.#strangers
  }

  /** A new connection of a client at this address; null where it has to be ended. */
  admit(socket: Socket, address: string): OpenConnection | null {
    const { inAll, strangers, strangersPerAddress, isProxy } = this.#options
    const from = networkOf(address)
    const isRoom =
      (isProxy?.(address) ||
        (this.#strangersFrom.get(from) ?? 0) < strangersPerAddress ||
        this.#makeRoom(this.#silentFrom.get(from), 'strangersPerAddress', address)) &&
      (this.#strangers < strangers || this.#makeRoom(this.#silent, 'strangers', address)) &&
      (this.#count < inAll || this.#makeRoom(this.#silent, 'inAll', address))
    if (!isRoom) return null
    const cameAtMs = this.#now()
    const connection: OpenConnection = { limiter: this, socket, from, address, cameAtMs, state: 'silent' }
    this.#count += 1
    this.#strangers += 1
    add(this.#strangersFrom, from, 1)
    this.#silent.add(connection)
    const alike = this.#silentFrom.get(from)
    if (alike) alike.add(connection)
    else this.#silentFrom.set(from, new Set([connection]))
    ;(socket as CountedSocket)[connectionOf] = connection
    socket.on('close', leave)
    return connection
  }

  /** The client has said CONNECT. */
  speaks(connection: OpenConnection): void {
    if (connection.state !== 'silent') return
    connection.state = 'signingIn'
    this.#endSilence(connection)
  }

  /** The client may sign in: false where too many at its address have. */
  signsIn(connection: OpenConnection): boolean {
    // Closed meanwhile.
    if (connection.state !== 'signingIn') return true
    const { perAddress, isProxy, met } = this.#options
    const isCounted = perAddress !== null && !isProxy?.(connection.address)
    if (isCounted && (this.#signedInFrom.get(connection.from) ?? 0) >= perAddress) {
      met('perAddress', connection.address)
      return false
    }
    connection.state = 'signedIn'
    this.#strangers -= 1
    add(this.#strangersFrom, connection.from, -1)
    add(this.#signedInFrom, connection.from, 1)
    return true
  }

  #makeRoom(among: Set<OpenConnection> | undefined, limit: ConnectionLimit, address: string): boolean {
    this.#options.met(limit, address)
    const [longest] = among ?? []
    if (!longest || this.#now() - longest.cameAtMs < silenceMs) return false
    longest.socket.destroy()
    this.leave(longest)
    return true
  }

  /** It is closed. */
  leave(connection: OpenConnection): void {
    const { state } = connection
    if (state === 'gone') return
    connection.state = 'gone'
    this.#count -= 1
    if (state === 'signedIn') {
      add(this.#signedInFrom, connection.from, -1)
      return
    }
    this.#endSilence(connection)
    this.#strangers -= 1
    add(this.#strangersFrom, connection.from, -1)
  }

  /** The connection is no longer silent. */
  #endSilence(connection: OpenConnection): void {
    this.#silent.delete(connection)
    const alike = this.#silentFrom.get(connection.from)
    alike?.delete(connection)
    if (alike?.size === 0) this.#silentFrom.delete(connection.from)
  }
}

function add(counts: Map<string, number>, from: string, change: 1 | -1): void {
  const count = (counts.get(from) ?? 0) + change
  if (count === 0) counts.delete(from)
  else counts.set(from, count)
}

function leave(this: Socket): void {
  const connection = (this as CountedSocket)[connectionOf]
  connection.limiter.leave(connection)
}
