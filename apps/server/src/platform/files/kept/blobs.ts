import type { Readable } from 'node:stream'

/** First and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** How something other than this process may read a blob. */
export type BlobPlace =
  | {
      kind: 'disk'
      /** Below the folder of all blobs. */
      pathOf(id: string): string
    }
  | {
      kind: 'bucket'
      /** An address that the bucket itself answers, signed for this number of seconds. */
      addressOf(
        id: string,
        options: { expiresInSeconds: number; contentType: string; contentDisposition: string },
      ): Promise<string>
    }

/**
 * Where the bytes of files are kept, by id. A blob is there whole or not at all: nobody sees one that is being written,
 * and a `put` that fails leaves nothing behind. `list` and `removeUnfinished` find what a crash leaves.
 *
 * Throws `filesFull` where there is no room, and `filesAway` where the store cannot be reached.
 */
export interface Blobs {
  /**
   * Durable when it resolves. Throws what the source throws. The memory of a piece is free when the next one is asked
   * for. `mostBytes`: as many as may come, for which room is taken before the first one does.
   */
  put(id: string, source: AsyncIterable<Uint8Array>, mostBytes?: number): Promise<void>
  /** Null where there is no such blob. Destroying the stream closes what it reads from. */
  open(id: string, range?: ByteRange): Promise<Readable | null>
  /** Resolves as well where there is none. */
  remove(id: string): Promise<void>
  list(): AsyncIterable<{ id: string; changedAt: Date }>
  /** Removes blobs that `put` began before that time and did not finish; returns how many. */
  removeUnfinished(before: Date): Promise<number>
  /** The installation whose blobs these are; null where nobody has written it. */
  readOwner(): Promise<string | null>
  writeOwner(installation: string): Promise<void>
  /** Resolves where the store can be written to. */
  ping(): Promise<void>
  place: BlobPlace
  /** What files may still take of the disk, in bytes; infinite where that is not known. */
  readonly leftBytes: number
  close(): void
}

/** The same on disk and in a bucket, so that files can be moved from one to the other by copying a folder. */
export const keyOf = (id: string) => `${id.slice(0, 2)}/${id}`

/** The id of a key that `keyOf` made; undefined for every other key. */
export function idOf(key: string): string | undefined {
  const [shard, id = ''] = key.split('/')
  const isOurs = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) && id.startsWith(shard ?? '')
  return isOurs && keyOf(id) === key ? id : undefined
}

export const ownerKey = 'installation'
