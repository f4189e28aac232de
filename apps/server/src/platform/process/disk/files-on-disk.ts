// What several writers of files need to survive a power cut, and to go on where a file is gone.
import { open } from 'node:fs/promises'

/** Makes the names in a directory durable: a file that was just made in it, or got its name by renaming. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows opens no directories.
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** For `catch`: undefined where there is no such file; throws every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
