// Takes a backup while the server runs: files and tables as of one moment, in one file.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { keyOf } from '../../platform/files/kept/blobs.ts'
import { ignoreMissing } from '../../platform/process/disk/files-on-disk.ts'
import type { SpareBytes } from '../../platform/process/disk/spare.ts'
import { type ArchiveWriter, createArchive, type Member } from './archive.ts'
import {
  beginSnapshot,
  type FoundTable,
  listFileIds,
  listSequences,
  listTables,
  quoted,
  readInstallation,
  readMigrations,
  readSituation,
} from './backups.queries.ts'
import { type BackedUpTable, type Manifest, manifestName, sealKeyName } from './manifest.ts'

/** A table is stored in pieces of this size, since a member of the archive says its size before its bytes. */
const pieceBytes = 8 * 1024 * 1024

export interface Source {
  /** How the tables' owner connects. */
  database: pg.ClientConfig
  dataDir: string
  /** Files are in a bucket, which is backed up by its provider. */
  hasBucket: boolean
}

export interface Taken {
  manifest: Manifest
  bytes: number
}

/**
 * Everything that was committed when it began is in the backup. Files first: the collector removes a file at the
 * earliest an hour after the last row that refers to it, so all that the snapshot knows are still there. Leaves nothing
 * behind where it throws; `NoRoomForBackup` where the disk comes to have nothing to spare.
 */
export async function takeBackup(
  { database: connection, dataDir, hasBucket }: Source,
  {
    path,
    release,
    spareBytes,
    signal,
  }: { path: string; release: string; spareBytes?: SpareBytes; signal?: AbortSignal },
): Promise<Taken> {
  const client = new pg.Client({ ...connection, application_name: 'voltkeep backup' })
  await client.connect()
  // A lost connection is met by the statement that is under way.
  client.on('error', () => undefined)
  let archive: ArchiveWriter | undefined
  try {
    archive = await createArchive(path, spareBytes)
    await beginSnapshot(client)
    const { takenAt, database } = await readSituation(client)
    const migrations = await readMigrations(client)
    if (!migrations) throw new NothingToBackUp()
    const installation = await readInstallation(client)
    const members: Member[] = []
    const files = hasBucket
      ? { place: 'bucket' as const, count: 0, missing: [] }
      : await addFiles(archive, members, await listFileIds(client), join(dataDir, 'files'), signal)
    const sealKey = await readFile(join(dataDir, sealKeyName)).catch(ignoreMissing)
    if (sealKey) members.push(await archive.add(sealKeyName, sealKey.length, [sealKey]))
    const tables: BackedUpTable[] = []
    for (const table of await listTables(client)) {
      signal?.throwIfAborted()
      tables.push({ ...table, rows: await addTable(archive, members, client, table) })
    }
    const manifest: Manifest = {
      format: 1,
      release,
      takenAt: takenAt.toISOString(),
      installation: installation ? createHash('sha256').update(installation).digest('hex').slice(0, 12) : '',
      database,
      migrations,
      tables,
      // No part of the snapshot: at most ahead of it, which leaves a gap and repeats no number.
      sequences: await listSequences(client),
      files,
      members,
    }
    await client.query('COMMIT')
    const text = Buffer.from(JSON.stringify(manifest))
    await archive.add(manifestName, text.length, [text])
    return { manifest, ...(await archive.finish()) }
  } catch (error) {
    await archive?.abandon()
    throw error
  } finally {
    await client.end()
  }
}

/** The database has no tables of this product. */
export class NothingToBackUp extends Error {}

async function addFiles(
  archive: ArchiveWriter,
  members: Member[],
  ids: readonly string[],
  directory: string,
  signal: AbortSignal | undefined,
): Promise<Manifest['files']> {
  const missing: string[] = []
  for (const id of ids) {
    signal?.throwIfAborted()
    const path = join(directory, keyOf(id))
    const found = await stat(path).catch(ignoreMissing)
    if (!found) missing.push(id)
    else members.push(await archive.add(`files/${keyOf(id)}`, found.size, createReadStream(path)))
  }
  return { place: 'disk', count: ids.length - missing.length, missing }
}

/** Returns the number of rows. */
async function addTable(
  archive: ArchiveWriter,
  members: Member[],
  client: pg.Client,
  { name, columns }: FoundTable,
): Promise<number> {
  const list = columns.map(quoted).join(', ')
  const rows = client.query(copyTo(`COPY ${quoted(name)} (${list}) TO STDOUT (FORMAT binary)`))
  let count = 0
  for await (const piece of piecesOf(rows)) {
    members.push(await archive.add(`tables/${name}/${count}`, piece.length, [piece]))
    count += 1
  }
  return rows.rowCount ?? 0
}

async function* piecesOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const bytes of source) {
    parts.push(bytes)
    size += bytes.length
    if (size < pieceBytes) continue
    yield Buffer.concat(parts)
    parts = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(parts)
}
