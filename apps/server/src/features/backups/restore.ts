// Puts a backup into an empty installation: all of it, or nothing.
import { createWriteStream } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { applyMigrations } from '../../platform/database/schema/migrate.ts'
import { idOf } from '../../platform/files/kept/blobs.ts'
import { ignoreMissing } from '../../platform/process/disk/files-on-disk.ts'
import { membersOf, type ReadMember } from './archive.ts'
import { countRows, isEmpty, listForeignKeys, listTables, listTriggers, quoted } from './backups.queries.ts'
import { type BackedUpTable, type Manifest, manifestName, sealKeyName } from './manifest.ts'
import { BrokenBackup } from './verify.ts'

export interface Target {
  /** Of whoever is to own the tables. */
  databaseUrl: string
  dataDir: string
}

/** The database has tables already. */
export class NotEmpty extends Error {}

/** The data directory has the key of another installation, whose secrets nobody could open without it. */
export class OtherSealKey extends Error {}

/** What was counted after the restore beside what the backup says, for every table. */
export type Counted = { table: string; backedUp: number; restored: number }[]

/**
 * `manifest` is that of the verified file. The tables are made as they were when the backup was taken; the next start
 * migrates them. All in one transaction: a restore that is killed leaves an empty database, and can be done again.
 *
 * Throws NotEmpty, OtherSealKey, a StartupError where the backup is of a newer release, a BrokenBackup, or the database's error.
 */
export async function restoreBackup(path: string, manifest: Manifest, target: Target): Promise<Counted> {
  const client = new pg.Client({ connectionString: target.databaseUrl, application_name: 'voltkeep restore' })
  await client.connect()
  client.on('error', () => undefined)
  try {
    if (!(await isEmpty(client))) throw new NotEmpty()
    await client.query(
      'BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0',
    )
    await applyMigrations(client, manifest.migrations)
    const foreignKeys = await listForeignKeys(client)
    for (const { table, name } of foreignKeys)
      await client.query(`ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`)
    const triggers = await listTriggers(client)
    for (const { table, name } of triggers)
      await client.query(`ALTER TABLE ${quoted(table)} DISABLE TRIGGER ${quoted(name)}`)
    // What the migrations themselves have put there is in the backup, too.
    const own = (await listTables(client)).map(({ name }) => quoted(name))
    await client.query(`TRUNCATE ${own.join(', ')}`)
    for (const table of manifest.tables) await makePartition(client, table)
    await fill(client, path, manifest, target)
    for (const { name, value, isCalled } of manifest.sequences)
      await client.query('SELECT setval($1::regclass, $2, $3)', [quoted(name), value, isCalled])
    for (const { table, name, enabled } of triggers)
      await client.query(`ALTER TABLE ${quoted(table)} ${enabledAs[enabled]} TRIGGER ${quoted(name)}`)
    // Each checks all rows: a backup that does not fit together is refused.
    for (const { table, name, definition } of foreignKeys)
      await client.query(`ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`)
    const counted: Counted = []
    for (const { name, rows } of manifest.tables)
      counted.push({ table: name, backedUp: rows, restored: await countRows(client, name) })
    const wrong = counted.find(({ backedUp, restored }) => backedUp !== restored)
    if (wrong) throw new BrokenBackup(`${wrong.table}: ${wrong.restored} of ${wrong.backedUp} rows`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
    return counted
  } finally {
    await client.end()
  }
}

const enabledAs: Record<string, string> = {
  O: 'ENABLE',
  A: 'ENABLE ALWAYS',
  R: 'ENABLE REPLICA',
  D: 'DISABLE',
}

async function makePartition(client: pg.Client, { name, partition }: BackedUpTable): Promise<void> {
  if (!partition) return
  const stored = partition.options.length > 0 ? ` WITH (${partition.options.join(', ')})` : ''
  await client.query(
    partition.bound === null
      ? `CREATE TABLE ${quoted(name)} (LIKE ${quoted(partition.of)} INCLUDING ALL EXCLUDING IDENTITY)${stored}`
      : `CREATE TABLE ${quoted(name)} PARTITION OF ${quoted(partition.of)} ${partition.bound}${stored}`,
  )
}

/** Tables come in pieces that follow each other: one COPY takes all of a table's. */
async function fill(client: pg.Client, path: string, manifest: Manifest, { dataDir }: Target): Promise<void> {
  const tables = new Map(manifest.tables.map((table) => [table.name, table]))
  const members = membersOf(path)
  const take = async () => {
    const { value, done } = await members.next()
    return done ? undefined : value
  }
  let member = await take()
  while (member) {
    const [folder, name = ''] = member.name.split('/')
    const table = folder === 'tables' ? tables.get(name) : undefined
    if (table) {
      const first = member
      const prefix = `tables/${name}/`
      async function* pieces() {
        let piece: ReadMember | undefined = first
        while (piece?.name.startsWith(prefix)) {
          yield* piece.bytes
          piece = await take()
        }
        member = piece
      }
      const columns = table.columns.map(quoted).join(', ')
      await pipeline(
        pieces,
        client.query(copyFrom(`COPY ${quoted(name)} (${columns}) FROM STDIN (FORMAT binary)`)),
      )
      continue
    }
    if (folder === 'files') await restoreFile(join(dataDir, 'files'), member)
    else if (member.name === sealKeyName) await restoreSealKey(join(dataDir, sealKeyName), member)
    else if (member.name !== manifestName) throw new BrokenBackup(member.name)
    else for await (const _ of member.bytes);
    member = await take()
  }
}

async function restoreFile(directory: string, { name, bytes }: ReadMember): Promise<void> {
  const key = name.slice('files/'.length)
  // The name becomes a path.
  if (idOf(key) === undefined) throw new BrokenBackup(name)
  const path = join(directory, key)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(bytes, createWriteStream(path, { mode: 0o600, flush: true }))
}

async function restoreSealKey(path: string, { bytes }: ReadMember): Promise<void> {
  const key = await buffer(bytes)
  const present = await readFile(path).catch(ignoreMissing)
  if (present && !present.equals(key)) throw new OtherSealKey()
  if (!present) await writeFile(path, key, { mode: 0o600, flush: true })
}
