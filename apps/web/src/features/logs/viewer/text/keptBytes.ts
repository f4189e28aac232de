/** Bytes that arrive in pieces and are read in any order. The browser stores them, large amounts on disk. */
export interface KeptBytes {
  readonly size: number
  append(bytes: Uint8Array): void
  read(from: number, to: number): Promise<Uint8Array>
  /** All bytes so far. */
  whole(): Blob
}

const gatheredBytes = 1024 * 1024

export function createKeptBytes(initial: Blob = new Blob()): KeptBytes {
  let kept = initial
  let recent: Uint8Array<ArrayBuffer>[] = []
  let recentBytes = 0
  const whole = () => {
    if (recentBytes > 0) {
      kept = new Blob([kept, ...recent])
      recent = []
      recentBytes = 0
    }
    return kept
  }
  return {
    get size() {
      return kept.size + recentBytes
    },
    append(bytes) {
      recent.push(bytes as Uint8Array<ArrayBuffer>)
      recentBytes += bytes.length
      if (recentBytes >= gatheredBytes) whole()
    },
    async read(from, to) {
      const blob = to > kept.size ? whole() : kept
      return new Uint8Array(await blob.slice(from, to).arrayBuffer())
    },
    whole,
  }
}
