import { createStore, type Store } from '../../../../lib/store.ts'
import type { Row } from './logText.ts'

/** Rows are requested and cached in blocks. */
const blockSize = 64
/** About thirty pages. */
const keptBlocks = 100

export interface RowCache {
  /** Changes when rows have arrived. */
  readonly version: Store<number>
  at(place: number): Row | undefined
  /** Requests these places unless they are cached; `count` places exist. */
  want(from: number, to: number, count: number): void
  /** Removes all rows: the places now belong to other rows. */
  clear(): void
}

export function createRowCache(read: (from: number, count: number) => Promise<Row[]>): RowCache {
  const version = createStore(0)
  const blocks = new Map<number, Row[]>()
  const asked = new Map<number, number>()
  let generation = 0

  async function ask(block: number, length: number) {
    const own = generation
    asked.set(block, length)
    const rows = await read(block * blockSize, blockSize)
    if (own !== generation) return
    asked.delete(block)
    blocks.delete(block)
    blocks.set(block, rows)
    for (const oldest of blocks.keys()) {
      if (blocks.size <= keptBlocks) break
      blocks.delete(oldest)
    }
    version.set(version.get() + 1)
  }

  return {
    version,
    at: (place) => blocks.get(Math.floor(place / blockSize))?.[place % blockSize],
    want(from, to, count) {
      for (let block = Math.floor(from / blockSize); block * blockSize < to; block += 1) {
        const length = Math.min(blockSize, count - block * blockSize)
        // The last block grows with the text, so it is requested again.
        const isThere = (blocks.get(block)?.length ?? 0) >= length || (asked.get(block) ?? 0) >= length
        if (!isThere) void ask(block, length)
      }
    },
    clear() {
      generation += 1
      blocks.clear()
      asked.clear()
      version.set(version.get() + 1)
    },
  }
}
