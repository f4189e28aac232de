// Lists of millions of small numbers. A JavaScript array takes eight bytes per number and is copied when it grows;
// these lists grow by segments.

const segmentBits = 16
const segmentSize = 1 << segmentBits

type Numbers = Uint8Array | Uint32Array | Float64Array

export interface Growing {
  readonly length: number
  push(value: number): void
  set(index: number, value: number): void
  /** Undefined beyond the end. */
  at(index: number): number | undefined
  /** The number of values below `value`; the values must be ascending. */
  countBelow(value: number): number
}

export function createGrowing(make: (size: number) => Numbers): Growing {
  const segments: Numbers[] = []
  let length = 0
  const at = (index: number) => segments[index >>> segmentBits]?.[index & (segmentSize - 1)]
  return {
    get length() {
      return length
    },
    push(value) {
      const index = length & (segmentSize - 1)
      if (index === 0) segments.push(make(segmentSize))
      const segment = segments.at(-1)
      if (segment) segment[index] = value
      length += 1
    },
    set(index, value) {
      const segment = segments[index >>> segmentBits]
      if (segment) segment[index & (segmentSize - 1)] = value
    },
    at: (index) => (index < length ? at(index) : undefined),
    countBelow(value) {
      let low = 0
      let high = length
      while (low < high) {
        const middle = (low + high) >>> 1
        if ((at(middle) ?? Infinity) < value) low = middle + 1
        else high = middle
      }
      return low
    },
  }
}

export const growingBytes = () => createGrowing((size) => new Uint8Array(size))
export const growingIntegers = () => createGrowing((size) => new Uint32Array(size))
export const growingFloats = () => createGrowing((size) => new Float64Array(size))
