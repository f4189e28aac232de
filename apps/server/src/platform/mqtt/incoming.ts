import type { Client } from 'aedes'
import { type Acknowledging, onPacket } from './aedes-internals.ts'

/** The first two bytes of a PUBACK and of a PUBREC; the packet id follows. */
const starts = { 1: 0x4002, 2: 0x5002 } as const
const unreadLimitBytes = 262_144
/** Ids of QoS 2 that one connection may hold: far more than a device has under way. */
const heldIdsLimit = 1_000

/** What one connection still has to say about the messages that came over it. */
export class IncomingMessages {
  readonly #client: Client
  /** To be acknowledged at the end of this turn of the event loop. */
  #due: Acknowledging[] = []
  /** Of QoS 2, from the message to its PUBREL: false until it has got its PUBREC. Made with the first one. */
  #held: Map<number, boolean> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /**
   * Whether a message is to be handled. A QoS 2 message that comes again before its PUBREL is not: it gets the
   * PUBREC that it may have missed. `tooMany`: nothing releases the ids, and the connection has to end.
   */
  take({ qos, packetId }: Acknowledging): 'new' | 'repeated' | 'tooMany' {
    if (qos === 1) return 'new'
    const held = this.#holding()
    const isReceived = held.get(packetId)
    if (isReceived !== undefined) {
      if (isReceived) this.#send({ qos, packetId })
      return 'repeated'
    }
    if (held.size >= heldIdsLimit) return 'tooMany'
    held.set(packetId, false)
    return 'new'
  }

  /** The message is stored. */
  acknowledge(message: Acknowledging): void {
    if (message.qos === 2) this.#held?.set(message.packetId, true)
    this.#send(message)
  }

  /** The message gets no answer: it may come again under the same id. */
  forget({ packetId }: Acknowledging): void {
    this.#held?.delete(packetId)
  }

  #holding(): Map<number, boolean> {
    if (!this.#held) {
      const held = new Map<number, boolean>()
      // aedes answers with PUBCOMP, whether it knows the id or not.
      onPacket(this.#client, 'pubrel', (packetId) => held.delete(packetId))
      this.#held = held
    }
    return this.#held
  }

  /**
   * All acknowledgements of one turn of the event loop are one write. aedes makes three small buffers and a timer
   * for each, which was a sixth of the server's work per message.
   */
  #send(message: Acknowledging): void {
    this.#due.push(message)
    if (this.#due.length === 1) process.nextTick(sendDue, this)
  }

  /** Writes what is due. */
  flush(): void {
    const due = this.#due
    this.#due = []
    const { conn, closed } = this.#client
    if (closed) return
    const bytes = Buffer.allocUnsafe(due.length * 4)
    let at = 0
    for (const { qos, packetId } of due) {
      bytes.writeUInt16BE(starts[qos], at)
      bytes.writeUInt16BE(packetId, at + 2)
      at += 4
    }
    conn.write(bytes)
    // A client that sends but never reads must not fill the memory with unsent bytes.
    if (conn.writableLength > unreadLimitBytes) this.#client.close()
  }
}

const sendDue = (messages: IncomingMessages) => messages.flush()
