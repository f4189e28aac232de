import { refuse } from '../../calls/refusal.ts'

/** Room on the disk that a file takes, from its first byte to its last. */
export interface Room {
  /** The file needs this number of bytes more than were asked for. Throws `filesFull` where they are not free. */
  grow(bytes: number): void
  /** The file is complete, or will not come. */
  end(): void
}

/**
 * Shares out what files may take of a disk. Room is taken before a file comes, so that no number of files beside each
 * other takes more than there is; the disk is looked at every few seconds only, and a file that has ended counts until
 * a look that began later has seen it.
 */
export function createRooms() {
  let freeBytes = Number.POSITIVE_INFINITY
  let takenBytes = 0
  let endedBytes = 0

  const leftBytes = () => freeBytes - takenBytes - endedBytes
  const take = (bytes: number) => {
    if (bytes > leftBytes()) refuse('filesFull')
    takenBytes += bytes
  }

  return {
    /** What files may still take. */
    leftBytes,
    /** Whether files have ended that no look has seen. */
    isUnseen: () => endedBytes > 0,
    /** Call it when a look begins, and what it returns with the bytes that files may take by that look. */
    look() {
      const seenBytes = endedBytes
      return (bytes: number) => {
        freeBytes = bytes
        endedBytes -= seenBytes
      }
    },
    /** Throws `filesFull` where this number of bytes is not free. */
    open(bytes: number): Room {
      take(bytes)
      let ownBytes = bytes
      return {
        grow(more) {
          take(more)
          ownBytes += more
        },
        end() {
          takenBytes -= ownBytes
          endedBytes += ownBytes
          ownBytes = 0
        },
      }
    },
  }
}
