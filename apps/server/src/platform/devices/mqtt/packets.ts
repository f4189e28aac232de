// Packets of MQTT in a stream of bytes, and PUBLISH as it is read.

/** The first four bits of a packet. */
export const packetKinds = {
  connect: 1,
  publish: 3,
  publishAck: 4,
  publishReceived: 5,
  publishRelease: 6,
  publishCompleted: 7,
  subscribe: 8,
  unsubscribe: 10,
  pingRequest: 12,
  pingResponse: 13,
  disconnect: 14,
} as const

export interface PacketReader {
  /**
   * Called once for each packet that is whole, in order: it lies in `bytes` from `at` to `end`; its body, which follows
   * kind and length, begins at `bodyAt`.
   */
  packet(bytes: Buffer, at: number, bodyAt: number, end: number): void
  /** Called when the kind and length of a packet are known; it may not be whole. False ends the reading for good. */
  accepts(firstByte: number, bodyBytes: number): boolean
  /** The packet has no length that MQTT allows. Nothing more is read. */
  malformed(bytes: Buffer): void
}

const longestHeaderBytes = 5

/**
 * Cuts what a connection sends into packets. A packet that comes in many pieces is put together once, so that one
 * which comes byte by byte costs no more than its bytes.
 */
export class Packets {
  readonly #reader: PacketReader
  /** The beginning of a packet that is not whole, or of its header, or what came while it is paused. */
  #pieces: Buffer[] | undefined
  #gatheredBytes = 0
  /** With fewer bytes than these, the packet or its header is not complete. */
  #neededBytes = 1
  #isReading = false
  #isPaused = false
  #isOver = false

  constructor(reader: PacketReader) {
    this.#reader = reader
  }

  /** May be called while a packet is handed over: the new piece comes after what is there already. */
  take(piece: Buffer): void {
    if (this.#pieces) this.#pieces.push(piece)
    else this.#pieces = [piece]
    this.#gatheredBytes += piece.length
    this.#readAll()
  }

  /** Hands over no packet any more, until `goOn`. */
  pause(): void {
    this.#isPaused = true
  }

  goOn(): void {
    this.#isPaused = false
    this.#readAll()
  }

  #readAll(): void {
    if (this.#isReading) return
    this.#isReading = true
    while (this.#pieces && this.#gatheredBytes >= this.#neededBytes && !this.#isPaused && !this.#isOver) {
      const bytes =
        this.#pieces.length === 1
          ? (this.#pieces[0] as Buffer)
          : Buffer.concat(this.#pieces, this.#gatheredBytes)
      this.#pieces = undefined
      this.#gatheredBytes = 0
      this.#neededBytes = 1
      const at = this.#read(bytes)
      if (at === bytes.length) continue
      const rest = at === 0 ? bytes : bytes.subarray(at)
      this.#gatheredBytes += rest.length
      // What came meanwhile stands behind it.
      this.#pieces = [rest, ...((this.#pieces as Buffer[] | undefined) ?? [])]
    }
    this.#isReading = false
    if (this.#isOver) this.#pieces = undefined
  }

  /** Returns where the packet begins that is not whole, or that is not to be handed over yet. */
  #read(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length && !this.#isPaused) {
      let bodyAt = at + 1
      let bodyBytes = 0
      let unit = 1
      let byte = 128
      while (byte >= 128 && bodyAt < bytes.length && bodyAt < at + longestHeaderBytes) {
        byte = bytes[bodyAt] as number
        bodyBytes += (byte & 127) * unit
        unit *= 128
        bodyAt += 1
      }
      if (byte >= 128) {
        if (bodyAt === at + longestHeaderBytes) {
          this.#isOver = true
          this.#reader.malformed(bytes.subarray(at))
        }
        this.#neededBytes = bodyAt - at + 1
        return at
      }
      if (!this.#reader.accepts(bytes[at] as number, bodyBytes)) {
        this.#isOver = true
        return at
      }
      const end = bodyAt + bodyBytes
      if (end > bytes.length) {
        this.#neededBytes = end - at
        return at
      }
      this.#reader.packet(bytes, at, bodyAt, end)
      at = end
    }
    return at
  }
}

/** A PUBLISH; the id is 0 where the QoS is. */
export interface Published {
  topic: string
  payload: Buffer
  qos: 0 | 1 | 2
  packetId: number
}

/** Undefined where the PUBLISH is not well-formed, or has no topic or one with wildcards. */
export function publishedIn(bytes: Buffer, at: number, bodyAt: number, end: number): Published | undefined {
  const topicAt = bodyAt + 2
  if (topicAt > end) return undefined
  const qos = (((bytes[at] as number) >> 1) & 3) as 0 | 1 | 2 | 3
  const topicEnd = topicAt + bytes.readUInt16BE(bodyAt)
  const payloadAt = qos === 0 ? topicEnd : topicEnd + 2
  if (qos === 3 || topicEnd === topicAt || payloadAt > end) return undefined
  const topic = bytes.toString('utf8', topicAt, topicEnd)
  if (topic.includes('#') || topic.includes('+')) return undefined
  const packetId = qos === 0 ? 0 : bytes.readUInt16BE(topicEnd)
  return { topic, payload: bytes.subarray(payloadAt, end), qos, packetId }
}
