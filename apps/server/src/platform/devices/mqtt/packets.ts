/** A packet lies in `bytes` from `at` to `end`; its body, which follows kind and length, begins at `bodyAt`. */
export type PacketVisitor = (bytes: Buffer, at: number, bodyAt: number, end: number) => void

export interface PacketReader {
  /** Called once for each packet that is whole, in order. */
  packet: PacketVisitor
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
  /** The beginning of a packet that is not whole, or of its header. */
  #pieces: Buffer[] = []
  #gatheredBytes = 0
  /** With fewer bytes than these, the packet or its header is not complete. */
  #neededBytes = 1
  #isReading = false
  #isOver = false

  constructor(reader: PacketReader) {
    this.#reader = reader
  }

  /** May be called while a packet is handed over: the new piece comes after what is there already. */
  take(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#gatheredBytes += piece.length
    if (this.#isReading) return
    this.#isReading = true
    while (this.#gatheredBytes >= this.#neededBytes && !this.#isOver) {
      const bytes =
        this.#pieces.length === 1
          ? (this.#pieces[0] as Buffer)
          : Buffer.concat(this.#pieces, this.#gatheredBytes)
      this.#pieces = []
      this.#gatheredBytes = 0
      this.#neededBytes = 1
      const at = this.#read(bytes)
      if (at === bytes.length) continue
      this.#pieces.unshift(at === 0 ? bytes : bytes.subarray(at))
      this.#gatheredBytes += bytes.length - at
    }
    this.#isReading = false
    if (this.#isOver) this.#pieces = []
  }

  /** Returns where the packet begins that is not whole. */
  #read(bytes: Buffer): number {
    let at = 0
    while (at < bytes.length) {
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
