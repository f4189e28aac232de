// The sizes of MQTT packets, before they have come.

/**
 * Told of the first four bits of each packet and the length in its header, before it is whole: the reason to end the
 * connection, or undefined.
 */
export type HeaderRule = (kind: number, bodyBytes: number) => string | undefined

/** The first four bits of a CONNECT. */
export const connectKind = 1

const longestLengthBytes = 4

/**
 * Follows the bytes of a connection from one packet's header to the next, and keeps none of them. A length that MQTT
 * does not allow is left to the parser, which refuses it; nothing after it is looked at.
 */
export class PacketHeaders {
  readonly #refuses: HeaderRule
  #kind = 0
  #lengthBytes = -1
  #length = 0
  /** Bytes of the packet under way that are still to come. */
  #bodyLeft = 0

  constructor(refuses: HeaderRule) {
    this.#refuses = refuses
  }

  /** Looks at what comes next: the reason to end the connection, or undefined. */
  take(bytes: Buffer): string | undefined {
    let at = 0
    while (at < bytes.length) {
      if (this.#bodyLeft > 0) {
        const skipped = Math.min(this.#bodyLeft, bytes.length - at)
        this.#bodyLeft -= skipped
        at += skipped
        continue
      }
      const byte = bytes[at] as number
      at += 1
      if (this.#lengthBytes < 0) {
        this.#kind = byte >> 4
        this.#lengthBytes = 0
        this.#length = 0
        continue
      }
      if (this.#lengthBytes === longestLengthBytes) return undefined
      this.#length += (byte & 127) * 128 ** this.#lengthBytes
      this.#lengthBytes += 1
      if (byte >= 128) continue
      const reason = this.#refuses(this.#kind, this.#length)
      if (reason !== undefined) return reason
      this.#bodyLeft = this.#length
      this.#lengthBytes = -1
    }
    return undefined
  }
}
