// Reads a backup whole, and compares every member with its hash.
import { createHash } from 'node:crypto'
import { type Member, membersOf } from './archive.ts'
import { Manifest, manifestName } from './manifest.ts'

/** The file is no backup, or not the whole of one. */
export class BrokenBackup extends Error {}

/** A manifest names members of 8 MB: beyond this size it is none. */
const mostManifestBytes = 256 * 1024 * 1024

/** Throws a BrokenBackup that says what is wrong. */
export async function verifyBackup(path: string): Promise<Manifest> {
  const found: Member[] = []
  let manifest: Manifest | undefined
  try {
    for await (const { name, size, bytes } of membersOf(path)) {
      if (name === manifestName) {
        if (size > mostManifestBytes) throw new BrokenBackup(`${manifestName} has ${size} bytes`)
        manifest = Manifest.parse(JSON.parse((await bytesIn(bytes)).toString('utf8')))
        continue
      }
      const hash = createHash('sha256')
      for await (const part of bytes) hash.update(part)
      found.push({ name, size, sha256: hash.digest('hex') })
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    throw error instanceof BrokenBackup ? error : new BrokenBackup((error as Error).message)
  }
  if (!manifest) throw new BrokenBackup(`no ${manifestName}`)
  const { members } = manifest
  const differing = members.findIndex((member, place) => !isSame(member, found[place]))
  if (differing >= 0) throw new BrokenBackup(members[differing]?.name ?? '')
  if (found.length > members.length) throw new BrokenBackup(found[members.length]?.name ?? '')
  return manifest
}

const isSame = (one: Member, other: Member | undefined) =>
  one.name === other?.name && one.size === other.size && one.sha256 === other.sha256

async function bytesIn(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}
