// Numbers as few bytes: what the packed readings are written with and read from.

/** Beyond it a difference of two would no longer be an exact number. */
export const largestScaled = 2 ** 50

/** Writes into a buffer that grows and is used again. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(4_096)
  #at = 0

  clear(): void {
    this.#at = 0
  }

  /** A copy of what was written. */
  taken(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#at))
  }

  /** What was written, until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#at)
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + bytes))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }

  byte(value: number): void {
    this.#room(1)
    this.#bytes[this.#at++] = value
  }

  /** A whole number from 0 to 2^53: seven bits a byte. */
  varint(value: number): void {
    this.#room(8)
    let rest = value
    while (rest >= 0x8000_0000) {
      this.#bytes[this.#at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    while (rest >= 128) {
      this.#bytes[this.#at++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#at++] = rest
  }

  /** A whole number of either sign: small ones are few bytes. `more` is added to what stands for it. */
  zigzag(value: number, more = 0): void {
    this.varint((value < 0 ? -value * 2 - 1 : value * 2) + more)
  }

  double(value: number): void {
    this.#room(8)
    this.#bytes.writeDoubleLE(value, this.#at)
    this.#at += 8
  }

  /** One bit each, eight to a byte. */
  bits(values: readonly boolean[]): void {
    for (let from = 0; from < values.length; from += 8) {
      let byte = 0
      for (let bit = 0; bit < 8; bit += 1) if (values[from + bit] === true) byte |= 1 << bit
      this.byte(byte)
    }
  }
}

/** The number that a zigzag stands for. */
export const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2)

/** Reads what a ByteWriter has written. Throws where it ends too early. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError('packed readings end too early')
    return value
  }

  varint(): number {
    let byte = this.byte()
    if (byte < 128) return byte
    let value = byte & 127
    let unit = 128
    do {
      byte = this.byte()
      value += (byte & 127) * unit
      unit *= 128
    } while (byte >= 128)
    return value
  }

  zigzag(): number {
    return unzigzag(this.varint())
  }

  double(): number {
    if (this.#at + 8 > this.#bytes.length) throw new RangeError('packed readings end too early')
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, 8)
    this.#at += 8
    return view.getFloat64(0, true)
  }

  bits(count: number): boolean[] {
    const values = new Array<boolean>(count)
    let byte = 0
    for (let index = 0; index < count; index += 1) {
      if (index % 8 === 0) byte = this.byte()
      values[index] = (byte & (1 << (index % 8))) !== 0
    }
    return values
  }

  skip(bytes: number): void {
    this.#at += bytes
  }

  skipVarints(count: number): void {
    for (let left = count; left > 0; left -= 1) while (this.byte() >= 128);
  }
}
