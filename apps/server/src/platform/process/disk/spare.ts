// What work of the server's own may take of a disk without stopping intake.
import { statfs } from 'node:fs/promises'
import { type DiskSpace, leftByWork, thresholdsOf } from './disk-levels.ts'

/** In bytes, as of now; negative where intake would have stopped. */
export type SpareBytes = () => Promise<number>

export const spareOn =
  (directory: string, config: Parameters<typeof thresholdsOf>[0]): SpareBytes =>
  async () => {
    const space = await spaceOf(directory)
    return space.freeBytes - leftByWork(space, thresholdsOf(config))
  }

export async function spaceOf(directory: string): Promise<DiskSpace> {
  const { blocks, bfree, bavail, bsize } = await statfs(directory)
  return { totalBytes: (blocks - bfree + bavail) * bsize, freeBytes: bavail * bsize }
}
