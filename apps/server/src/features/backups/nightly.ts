// Backups by the clock, into BACKUP_DIR.
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sharedNow } from '../../platform/process/clocks/shared-clock.ts'
import type { SpareBytes } from '../../platform/process/disk/spare.ts'
import { isAhead, isDue, keepers, nameOf, timeOf } from './keeping.rules.ts'
import { NoRoomForBackup } from './no-room.ts'
import { type Source, takeBackup } from './take.ts'
import { verifyBackup } from './verify.ts'

export interface NightlyNeeds {
  directory: string
  /** Of the installation's zone, 0 to 23. */
  hour: number
  source: Source
  release: string
  /** Of the disk of the directory. */
  spareBytes: SpareBytes
  /** By default the clock of the database. */
  now?: () => Date
}

export interface LastBackup {
  /** When it was begun. */
  at: Date
  bytes: number
}

export interface KeptBackups {
  /** The newest that was verified; null where there is none, or the directory cannot be read. */
  last: LastBackup | null
  /** Names of a time that is still to come, the newest first. */
  ahead: string[]
}

export async function readKept(directory: string, now: Date = sharedNow()): Promise<KeptBackups> {
  const names = await readdir(directory).catch(() => [])
  const found = names
    .flatMap((name) => {
      const at = timeOf(name)
      return at ? [{ name, at }] : []
    })
    .sort((a, b) => b.at.getTime() - a.at.getTime())
  const ahead = found.filter(({ at }) => isAhead(at, now)).map(({ name }) => name)
  const newest = found[ahead.length]
  const file = newest && (await stat(join(directory, newest.name)).catch(() => null))
  return { last: file ? { at: newest.at, bytes: file.size } : null, ahead }
}

/**
 * Takes a backup where one is due, reads it again to its end, and only then gives it its name and removes those that
 * are not kept any more. Returns whether one was due. Begins none where there is no room for one like the last. Throws what
 * takeBackup and verifyBackup throw.
 */
export async function backUpWhenDue(
  { directory, hour, source, release, spareBytes, now = sharedNow }: NightlyNeeds,
  signal?: AbortSignal,
): Promise<boolean> {
  const begun = now()
  const { last } = await readKept(directory, begun)
  if (!isDue({ now: begun, hour, last: last?.at ?? null })) return false
  await mkdir(directory, { recursive: true, mode: 0o700 })
  // Before room is looked at, which they may have taken.
  await removeLeftovers(directory)
  const lastBytes = last?.bytes ?? 0
  if ((await spareBytes()) < lastBytes) throw new NoRoomForBackup(directory, lastBytes)
  const path = join(directory, nameOf(begun))
  const unverified = `${path}.unverified`
  try {
    await takeBackup(source, { path: unverified, release, spareBytes, ...(signal && { signal }) })
    await verifyBackup(unverified)
    await rename(unverified, path)
  } finally {
    await rm(unverified, { force: true })
  }
  await removeOld(directory, begun)
  return true
}

async function removeOld(directory: string, now: Date): Promise<void> {
  const names = await readdir(directory)
  // One that is ahead is left to people: by its name it would take the place of those that are of these nights.
  const times = new Map(
    names.flatMap((name) => {
      const at = timeOf(name)
      return at && !isAhead(at, now) ? [[name, at] as const] : []
    }),
  )
  const kept = keepers([...times.values()])
  for (const [name, at] of times) if (!kept.has(at)) await rm(join(directory, name))
}

/** A backup by hand may be written into the same directory, under such a name, and writes all the time. */
const isWrittenMs = 3_600_000

/** Removes what processes that were killed at a backup have left. */
async function removeLeftovers(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!/^voltkeep-\d{8}-\d{6}\.tar\.zst\.(unverified|partial)/.test(name)) continue
    const path = join(directory, name)
    const file = await stat(path).catch(() => null)
    if (file && Math.abs(Date.now() - file.mtimeMs) > isWrittenMs) await rm(path, { force: true })
  }
}
