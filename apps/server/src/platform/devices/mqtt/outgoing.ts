import { generate } from 'mqtt-packet'

export interface Message {
  topic: string
  payload: Buffer
}

const largestPacketId = 65_535

/** The QoS 1 messages on their way over one connection: packet ids out, PUBACKs back. */
export class OutgoingMessages {
  readonly #acknowledged = new Map<number, () => void>()
  readonly #reservedId: number
  #lastId = 0

  /** `reservedId` is left out: the connection uses it for something else. */
  constructor({ reservedId = 0 } = {}) {
    this.#reservedId = reservedId
  }

  /** How many are not acknowledged yet. */
  get count(): number {
    return this.#acknowledged.size
  }

  /** The PUBLISH to write; `acknowledged` is called with its PUBACK, or never. */
  packetOf({ topic, payload }: Message, acknowledged: () => void): Buffer {
    const messageId = this.#freeId()
    this.#acknowledged.set(messageId, acknowledged)
    return generate({ cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false })
  }

  /** A PUBACK has come; one that nobody waits for is ignored. */
  acknowledge(packetId: number): void {
    const acknowledged = this.#acknowledged.get(packetId)
    this.#acknowledged.delete(packetId)
    acknowledged?.()
  }

  /** Callers keep far fewer under way than there are ids. */
  #freeId(): number {
    do this.#lastId = (this.#lastId % largestPacketId) + 1
    while (this.#lastId === this.#reservedId || this.#acknowledged.has(this.#lastId))
    return this.#lastId
  }
}
