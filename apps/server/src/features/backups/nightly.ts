// Backups by the clock, into BACKUP_DIR.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDue, keepers, nameOf, timeOf } from './keeping.rules.ts'
import { type Source, takeBackup } from './take.ts'
import { verifyBackup } from './verify.ts'

export interface NightlyNeeds {
  directory: string
  /** Of the installation's zone, 0 to 23. */
  hour: number
  source: Source
  release: string
  now?: () => Date
}

export interface LastBackup {
  /** When it was begun. */
  at: Date
  bytes: number
}

/** The newest that was verified; null where there is none, or the directory cannot be read. */
export async function lastGood(directory: string): Promise<LastBackup | null> {
  const names = await readdir(directory).catch(() => [])
  const [newest] = names
    .flatMap((name) => {
      const at = timeOf(name)
      return at ? [{ name, at }] : []
    })
    .sort((a, b) => b.at.getTime() - a.at.getTime())
  if (!newest) return null
  const found = await stat(join(directory, newest.name)).catch(() => null)
  return found && { at: newest.at, bytes: found.size }
}

/**
 * Takes a backup where one is due, reads it again to its end, and only then gives it its name and removes those that
 * are not kept any more. Returns whether one was due. Throws what takeBackup and verifyBackup throw.
 */
export async function backUpWhenDue(
  { directory, hour, source, release, now = () => new Date() }: NightlyNeeds,
  signal?: AbortSignal,
): Promise<boolean> {
  const begun = now()
  const last = await lastGood(directory)
  if (!isDue({ now: begun, hour, last: last?.at ?? null })) return false
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, nameOf(begun))
  const unverified = `${path}.unverified`
  try {
    await takeBackup(source, { path: unverified, release, ...(signal && { signal }) })
    await verifyBackup(unverified)
    await rename(unverified, path)
  } finally {
    await rm(unverified, { force: true })
  }
  await removeOld(directory)
  return true
}

async function removeOld(directory: string): Promise<void> {
  const names = await readdir(directory)
  const times = new Map(names.map((name) => [name, timeOf(name)]))
  const kept = keepers([...times.values()].filter((at) => at !== null))
  for (const [name, at] of times) if (at && !kept.has(at)) await rm(join(directory, name))
  // Of processes that were killed at it.
  for (const name of names)
    if (/^voltkeep-\d{8}-\d{6}\.tar\.zst\.(unverified|partial)/.test(name))
      await rm(join(directory, name), { force: true })
}
