import type { Client } from 'aedes'
import { onPacket } from './aedes-internals.ts'

/** The first two bytes of a PUBACK and of a PUBREC; the packet id follows. */
const starts = { 1: 0x4002, 2: 0x5002 } as const
const idUnit = 0x1_0000
const unreadLimitBytes = 262_144
/** The most unreleased ids of QoS 2 of one connection: far more than a device has under way. */
const unreleasedLimit = 1_000

/** The acknowledgements that one connection still has to send for the messages that came over it. */
export class IncomingMessages {
  readonly #client: Client
  /** The acknowledgements for the end of this turn of the event loop, each packet as a number of four bytes. */
  #due: number[] = []
  /** The ids of QoS 2 from the message to its PUBREL; false until the PUBREC was sent. Made with the first one. */
  #unreleased: Map<number, boolean> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Whether a message is to be handled. A QoS 2 message that comes again before its PUBREL is not: it gets the
   * PUBREC that it may have missed. `tooMany`: nothing releases the ids, and the connection has to end.
   */
  take(qos: 0 | 1 | 2, packetId: number): 'new' | 'repeated' | 'tooMany' {
    if (qos !== 2) return 'new'
    const unreleased = this.#trackReleases()
    const isReceived = unreleased.get(packetId)
    if (isReceived !== undefined) {
      if (isReceived) this.#send(qos, packetId)
      return 'repeated'
    }
    if (unreleased.size >= unreleasedLimit) return 'tooMany'
    unreleased.set(packetId, false)
    return 'new'
  }

  /** The message is stored. */
  acknowledge(qos: 0 | 1 | 2, packetId: number): void {
    if (qos === 0) return
    if (qos === 2) this.#unreleased?.set(packetId, true)
    this.#send(qos, packetId)
  }

  /** The message gets no answer: it may come again under the same id. */
  forget(packetId: number): void {
    this.#unreleased?.delete(packetId)
  }

  #trackReleases(): Map<number, boolean> {
    if (!this.#unreleased) {
      const unreleased = new Map<number, boolean>()
      // aedes answers with PUBCOMP, whether it knows the id or not.
      onPacket(this.#client, 'pubrel', (packetId) => unreleased.delete(packetId))
      this.#unreleased = unreleased
    }
    return this.#unreleased
  }

  /**
   * All acknowledgements of one turn of the event loop are one write. aedes makes three small buffers and a timer
   * for each, which was a sixth of the server's work per message.
   */
  #send(qos: 1 | 2, packetId: number): void {
    this.#due.push(starts[qos] * idUnit + packetId)
    if (this.#due.length === 1) process.nextTick(sendDue, this)
  }

  /** Writes the acknowledgements that are due. */
  flush(): void {
    const due = this.#due
    this.#due = []
    const { conn, closed } = this.#client
    if (closed) return
    const bytes = Buffer.allocUnsafe(due.length * 4)
    let at = 0
    for (const packet of due) {
      bytes.writeUInt32BE(packet, at)
      at += 4
    }
    conn.write(bytes)
    // A client that sends but never reads must not fill the memory with unsent bytes.
    if (conn.writableLength > unreadLimitBytes) this.#client.close()
  }
}

const sendDue = (messages: IncomingMessages) => messages.flush()
