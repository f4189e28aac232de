/** The first two bytes of a PUBACK and of a PUBREC, by QoS, and of a PUBCOMP; the packet id follows. */
const starts = { 1: 0x4002, 2: 0x5002 } as const
const completed = 0x7002
const idUnit = 0x1_0000
const unreadLimitBytes = 262_144
/** The most unreleased ids of QoS 2 of one connection: far more than a device has under way. */
const unreleasedLimit = 1_000

/** The connection that the messages came over. */
export interface Line {
  readonly socket: { write(bytes: Buffer): unknown; readonly writableLength: number }
  readonly isClosed: boolean
  close(): void
}

/** The acknowledgements that one connection still has to send for the messages that came over it. */
export class IncomingMessages {
  readonly #line: Line
  /** The acknowledgements for the end of this turn of the event loop, each packet as a number of four bytes. */
  #due: number[] | undefined
  /** The ids of QoS 2 from the message to its PUBREL; false until the PUBREC was sent. Made with the first one. */
  #unreleased: Map<number, boolean> | undefined

  constructor(line: Line) {
    this.#line = line
  }

  /**
   * Whether a message of QoS 2 is to be handled. One that comes again before its PUBREL is not: it gets the PUBREC that
   * it may have missed. `tooMany`: nothing releases the ids, and the connection has to end.
   */
  take(packetId: number): 'new' | 'repeated' | 'tooMany' {
    this.#unreleased ??= new Map()
    const isReceived = this.#unreleased.get(packetId)
    if (isReceived !== undefined) {
      if (isReceived) this.#send(starts[2], packetId)
      return 'repeated'
    }
    if (this.#unreleased.size >= unreleasedLimit) return 'tooMany'
    this.#unreleased.set(packetId, false)
    return 'new'
  }

  /** The message is stored. */
  acknowledge(qos: 1 | 2, packetId: number): void {
    if (qos === 2) this.#unreleased?.set(packetId, true)
    this.#send(starts[qos], packetId)
  }

  /** The message gets no answer: it may come again under the same id. */
  forget(packetId: number): void {
    this.#unreleased?.delete(packetId)
  }

  /** A PUBREL has come: answered whether its id is known or not. */
  release(packetId: number): void {
    this.#unreleased?.delete(packetId)
    this.#send(completed, packetId)
  }

  /** All acknowledgements of one turn of the event loop are one write. */
  #send(start: number, packetId: number): void {
    const packet = start * idUnit + packetId
    if (this.#due) {
      this.#due.push(packet)
      return
    }
    this.#due = [packet]
    process.nextTick(sendDue, this)
  }

  /** Writes the acknowledgements that are due, and another packet behind them. */
  flush(another?: Buffer): void {
    const due = this.#due ?? []
    this.#due = undefined
    const line = this.#line
    if (line.isClosed || (due.length === 0 && !another)) return
    const bytes = Buffer.allocUnsafe(due.length * 4 + (another?.length ?? 0))
    let at = 0
    for (const packet of due) {
      bytes.writeUInt32BE(packet, at)
      at += 4
    }
    another?.copy(bytes, at)
    line.socket.write(bytes)
    // A client that sends but never reads must not fill the memory with unsent bytes.
    if (line.socket.writableLength > unreadLimitBytes) line.close()
  }
}

const sendDue = (messages: IncomingMessages) => messages.flush()
