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

interface OpenConnection {
  socket: Socket
  /** The address, or the network of 64 bits that one subscriber of IPv6 has. */
  from: string
  address: string
  cameAtMs: number
  state: 'silent' | 'signingIn' | 'signedIn'
}

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
  readonly #connections = new Map<string, OpenConnection>()
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
    return this.#connections.size
  }

  get strangerCount(): number {
    return this.#strangers
  }

  /** A new connection of a client at this address; false where it has to be ended. */
  admit(socket: Socket, address: string): boolean {
    const { inAll, strangers, strangersPerAddress, isProxy } = this.#options
    const from = networkOf(address)
    const isRoom =
      (isProxy?.(address) ||
        (this.#strangersFrom.get(from) ?? 0) < strangersPerAddress ||
        this.#makeRoom(this.#silentFrom.get(from), 'strangersPerAddress', address)) &&
      (this.#strangers < strangers || this.#makeRoom(this.#silent, 'strangers', address)) &&
      (this.#connections.size < inAll || this.#makeRoom(this.#silent, 'inAll', address))
    if (!isRoom) return false
    const key = keyOf(socket)
    const connection: OpenConnection = { socket, from, address, cameAtMs: this.#now(), state: 'silent' }
    this.#connections.set(key, connection)
    this.#strangers += 1
    add(this.#strangersFrom, from, 1)
    this.#silent.add(connection)
    const alike = this.#silentFrom.get(from)
    if (alike) alike.add(connection)
    else this.#silentFrom.set(from, new Set([connection]))
    socket.once('close', () => this.#leave(key, connection))
    return true
  }

  /** The client has said CONNECT. `socket` is the connection or the TLS over it. */
  speaks(socket: Socket): void {
    const connection = this.#connections.get(keyOf(socket))
    if (connection?.state !== 'silent') return
    connection.state = 'signingIn'
    this.#endSilence(connection)
  }

  /** The client may sign in: false where too many at its address have. */
  signsIn(socket: Socket): boolean {
    const connection = this.#connections.get(keyOf(socket))
    // Closed meanwhile.
    if (connection?.state !== 'signingIn') return true
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
    const key = keyOf(longest.socket)
    longest.socket.destroy()
    this.#leave(key, longest)
    return true
  }

  #leave(key: string, connection: OpenConnection): void {
    if (this.#connections.get(key) !== connection) return
    this.#connections.delete(key)
    if (connection.state === 'signedIn') {
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

/** A key of the connection, unique among those that are open; TLS over it has the same. */
const keyOf = ({ remoteAddress, remotePort, localPort }: Socket) =>
  `${remoteAddress} ${remotePort} ${localPort}`
