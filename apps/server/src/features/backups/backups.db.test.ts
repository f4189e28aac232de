import { createHash, randomUUID } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createTestDatabase, databaseOfTests, type TestDatabase } from '../../../test/database.ts'
import { insertAlarm, insertDevice, insertUser } from '../../../test/factories.ts'
import { onServer, withDatabase } from '../../../test/postgres.ts'
import { openPool } from '../../platform/database/database.ts'
import { readCatalog } from '../../platform/database/schema/catalog.ts'
import { schemaText } from '../../platform/database/schema/schema-text.ts'
import { keyOf } from '../../platform/files/kept/blobs.ts'
import { StartupError } from '../../platform/process/startup-error.ts'
import { listTables, quoted } from './backups.queries.ts'
import type { Manifest } from './manifest.ts'
import { backUpWhenDue, readKept } from './nightly.ts'
import { NotEmpty, OtherSealKey, restoreBackup } from './restore.ts'
import { takeBackup } from './take.ts'
import { BrokenBackup, verifyBackup } from './verify.ts'

const source = await databaseOfTests({ isSeeded: true })
let directory: string
let dataDir: string
let path: string
const databases: { pool: pg.Pool; url: string }[] = []

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voltkeep-backup-'))
  dataDir = join(directory, 'data')
  path = join(directory, 'one.tar.zst')
  mkdirSync(dataDir)
})
afterEach(async () => {
  await Promise.all(databases.splice(0).map(({ pool }) => pool.end()))
  rmSync(directory, { recursive: true })
})

/** A database of the same server without any table. */
async function emptyDatabase() {
  const name = `voltkeep_restored_${randomUUID().slice(0, 8)}`
  const serverUrl = inject('postgresUrl')
  await onServer(serverUrl, `CREATE DATABASE ${name}`)
  const url = withDatabase(serverUrl, name)
  const one = { pool: openPool({ url, zone: 'Asia/Shanghai', poolSize: 2 }), url }
  databases.push(one)
  return one
}

const take = (of: TestDatabase = source) =>
  takeBackup(
    { database: { connectionString: of.ownerUrl }, dataDir, hasBucket: false },
    { path, release: '1.2.3' },
  )

/** Every table with the number and a hash of its rows, whatever their order. */
async function contentsOf(pool: pg.Pool): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const { name } of await listTables(pool)) {
    // When a migration was applied is the one thing that a restore says anew.
    const row = name === 'schema_migrations' ? 'row(t.name, t.checksum)' : 't'
    const { rows } = await pool.query(
      `SELECT count(*) || ' ' || coalesce(sum(('x' || substr(md5(${row}::text), 1, 15))::bit(60)::int8), 0) AS of
       FROM ${quoted(name)} t`,
    )
    contents[name] = rows[0].of
  }
  return contents
}

const triggersOf = async (pool: pg.Pool) =>
  (
    await pool.query(`
      SELECT tgrelid::regclass::text || ' ' || tgname || ' ' || tgenabled::text AS line FROM pg_trigger
      WHERE NOT tgisinternal ORDER BY 1`)
  ).rows

async function keptFile(of: TestDatabase, text: string | null): Promise<string> {
  const id = randomUUID()
  const hashOf = (kind: string) =>
    createHash(kind)
      .update(text ?? '')
      .digest('hex')
  await of.owner.query(
    `INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type)
     VALUES ($1, 'a.bin', $2, $3, $4, $5, 'application/octet-stream')`,
    [id, text?.length ?? 0, hashOf('md5'), hashOf('sha1'), hashOf('sha256')],
  )
  if (text === null) return id
  const file = join(dataDir, 'files', keyOf(id))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return id
}

describe('a backup', () => {
  test('brings back every row, partition, number and trigger, the files and the key', async () => {
    const { owner } = source
    for (let n = 0; n < 20; n += 1) await insertAlarm(source.db, await insertDevice(source.db), 'T1', n)
    await insertUser(source.db)
    await owner.query(`
      CREATE TABLE alarm_history_2020_01 PARTITION OF alarm_history
      FOR VALUES FROM ('2019-12-31 16:00+00') TO ('2020-01-31 16:00+00') WITH (fillfactor = 90)`)
    const fileId = await keptFile(source, 'the bytes of a file')
    writeFileSync(join(dataDir, 'seal.key'), Buffer.alloc(32, 7))
    await owner.query(`SELECT setval('episode_id', 123456000)`)

    const { manifest } = await take()
    expect(manifest.release).toBe('1.2.3')
    expect(await verifyBackup(path)).toEqual(manifest)
    // What comes after it is not in it.
    const before = await contentsOf(owner)
    await insertDevice(source.db)

    const target = await emptyDatabase()
    const targetDir = join(directory, 'restored')
    mkdirSync(targetDir)
    const counted = await restoreBackup(path, manifest, { databaseUrl: target.url, dataDir: targetDir })
    expect(counted.filter(({ backedUp, restored }) => backedUp !== restored)).toEqual([])
    expect(await contentsOf(target.pool)).toEqual(before)
    expect(Number(before.device?.split(' ')[0])).toBeGreaterThanOrEqual(20)
    expect(schemaText(await readCatalog(target.pool))).toBe(schemaText(await readCatalog(owner)))
    expect(await triggersOf(target.pool)).toEqual(await triggersOf(owner))
    const { rows } = await target.pool.query(`
      SELECT nextval('episode_id')::text AS next, pg_get_expr(relpartbound, oid) AS bound, reloptions AS options
      FROM pg_class WHERE relname = 'alarm_history_2020_01'`)
    expect(rows[0].next).toBe('123457000')
    expect(rows[0].bound).toContain('2020-01-01 00:00:00+08')
    expect(rows[0].options).toEqual(['fillfactor=90'])
    expect(readFileSync(join(targetDir, 'files', keyOf(fileId)), 'utf8')).toBe('the bytes of a file')
    expect(readFileSync(join(targetDir, 'seal.key'))).toEqual(Buffer.alloc(32, 7))
  })

  test('says which files have a row and no bytes', async () => {
    const own = await createTestDatabase()
    const lost = await keptFile(own, null)
    await keptFile(own, 'there')
    const { manifest } = await take(own)
    expect(manifest.files).toEqual({ place: 'disk', count: 1, missing: [lost] })
    await own.close()
  })

  test('has what is emptied and dropped while it is taken, and lets partitions be made', async () => {
    const own = await createTestDatabase()
    const march = `FOR VALUES FROM ('2020-02-29 16:00+00') TO ('2020-03-31 16:00+00')`
    await own.owner.query(`
      CREATE TABLE event_history_2020_01 PARTITION OF event_history
      FOR VALUES FROM ('2019-12-31 16:00+00') TO ('2020-01-31 16:00+00');
      INSERT INTO reading_sealing (arrived_hour) SELECT now() - n * interval '1 hour' FROM generate_series(1, 10) AS n`)
    const others = openPool({ url: own.ownerUrl, zone: 'Asia/Shanghai', poolSize: 3 })
    const meanwhile: Promise<unknown>[] = []
    let made: string | undefined
    // The first table has been read when it is asked the second time.
    let asked = 0
    const signal = Object.assign(new AbortController().signal, {
      throwIfAborted: () => {
        asked += 1
        if (asked === 1)
          for (const statement of ['DROP TABLE event_history_2020_01', 'TRUNCATE reading_sealing'])
            meanwhile.push(others.query(statement))
        if (asked === 2)
          meanwhile.push(
            others
              .query(`CREATE TABLE alarm_history_2020_03 PARTITION OF alarm_history ${march}`)
              .then(() => (made ??= 'before the end')),
          )
      },
    })
    const { manifest } = await takeBackup(
      { database: { connectionString: own.ownerUrl }, dataDir, hasBucket: false },
      { path, release: '1', signal },
    )
    made ??= 'behind the end'
    await Promise.all(meanwhile)
    const rowsOf = Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows]))
    expect(rowsOf).toMatchObject({ reading_sealing: 10, event_history_2020_01: 0 })
    expect(rowsOf).not.toHaveProperty('alarm_history_2020_03')
    expect(made).toBe('before the end')
    expect(await verifyBackup(path)).toEqual(manifest)
    await others.end()
    await own.close()
  })
})

describe('a restore refuses', () => {
  let manifest: Manifest
  beforeEach(async () => {
    manifest = (await take()).manifest
  })

  test('an archive that is cut, changed, or none', async () => {
    const whole = readFileSync(path)
    const damaged = [
      whole.subarray(0, whole.length - 40),
      whole.subarray(0, whole.length / 2),
      whole.map((byte, at) => (at === Math.floor(whole.length / 2) ? byte ^ 1 : byte)),
      Buffer.from('no archive'),
      Buffer.alloc(0),
    ]
    for (const bytes of damaged) {
      writeFileSync(path, bytes)
      await expect(verifyBackup(path)).rejects.toThrow(BrokenBackup)
    }
  })

  test('a database that has tables', async () => {
    const other = await createTestDatabase()
    await expect(restoreBackup(path, manifest, { databaseUrl: other.ownerUrl, dataDir })).rejects.toThrow(
      NotEmpty,
    )
    await other.close()
  })

  test('a data directory with the key of another installation, and leaves that key and the database alone', async () => {
    writeFileSync(join(dataDir, 'seal.key'), Buffer.alloc(32, 7))
    const backup = (await take()).manifest
    const { pool, url } = await emptyDatabase()
    const otherDir = join(directory, 'other')
    mkdirSync(otherDir)
    writeFileSync(join(otherDir, 'seal.key'), Buffer.alloc(32, 8))
    const into = (to: string) => restoreBackup(path, backup, { databaseUrl: url, dataDir: to })
    await expect(into(otherDir)).rejects.toThrow(OtherSealKey)
    expect(readFileSync(join(otherDir, 'seal.key'))).toEqual(Buffer.alloc(32, 8))
    expect(await listTables(pool)).toEqual([])
    // Its own is no other.
    expect(await into(dataDir)).not.toEqual([])
  })

  test('a backup of a newer release, and one of another history of migrations', async () => {
    const { pool, url } = await emptyDatabase()
    const later = { name: '9999_later.sql', checksum: 'x' }
    const newer = { ...manifest, migrations: [...manifest.migrations, later] }
    await expect(restoreBackup(path, newer, { databaseUrl: url, dataDir })).rejects.toThrow('数据库比程序新')
    const [first, ...rest] = manifest.migrations
    const other = { ...manifest, migrations: [{ name: first?.name ?? '', checksum: 'x' }, ...rest] }
    await expect(restoreBackup(path, other, { databaseUrl: url, dataDir })).rejects.toThrow(StartupError)
    expect((await pool.query("SELECT to_regclass('device') AS device")).rows[0].device).toBeNull()
  })

  test('rows that are fewer than the backup says, and leaves the database empty', async () => {
    const { pool, url } = await emptyDatabase()
    const tables = manifest.tables.map((table) => (table.name === 'role' ? { ...table, rows: 9_999 } : table))
    const restoring = restoreBackup(path, { ...manifest, tables }, { databaseUrl: url, dataDir })
    await expect(restoring).rejects.toThrow(BrokenBackup)
    expect(await listTables(pool)).toEqual([])
    // And can be done again.
    expect(await restoreBackup(path, manifest, { databaseUrl: url, dataDir })).not.toEqual([])
  })
})

describe('the nightly backup', () => {
  let nights: string
  beforeEach(() => {
    nights = join(directory, 'nights')
  })
  const of = (now: Date, from = source.ownerUrl) => ({
    directory: nights,
    hour: 3,
    source: { database: { connectionString: from }, dataDir, hasBucket: false },
    release: '1.2.3',
    spareBytes: () => Promise.resolve(Number.POSITIVE_INFINITY),
    now: () => now,
  })
  const nameless = { database: { host: '/nowhere' } }
  const lastGood = async (now: Date) => (await readKept(nights, now)).last

  test('is taken once, verified, and makes room for itself', async () => {
    const first = new Date(2026, 9, 1, 3, 0, 5)
    expect(await lastGood(first)).toBeNull()
    expect(await backUpWhenDue(of(first))).toBe(true)
    expect(await backUpWhenDue(of(new Date(2026, 9, 1, 3, 10)))).toBe(false)
    expect(await lastGood(first)).toMatchObject({ at: first })
    // Nothing else is of these days and weeks, and the newest of a month is kept.
    for (let day = 1; day <= 31; day += 1)
      writeFileSync(join(nights, `voltkeep-202101${String(day).padStart(2, '0')}-030000.tar.zst`), '')
    writeFileSync(join(nights, 'notes.txt'), '')
    const second = new Date(2026, 9, 2, 4)
    expect(await backUpWhenDue(of(second))).toBe(true)
    expect(existsSync(join(nights, 'voltkeep-20210103-030000.tar.zst'))).toBe(false)
    expect(existsSync(join(nights, 'voltkeep-20210131-030000.tar.zst'))).toBe(true)
    expect(existsSync(join(nights, 'notes.txt'))).toBe(true)
    const last = await lastGood(second)
    expect(await verifyBackup(join(nights, 'voltkeep-20261002-040000.tar.zst'))).toMatchObject({
      release: '1.2.3',
    })
    // One that fails leaves nothing that looks like a backup.
    const third = of(new Date(2026, 9, 3, 4))
    await expect(backUpWhenDue({ ...third, source: { ...third.source, ...nameless } })).rejects.toThrow()
    expect(await lastGood(third.now())).toEqual(last)
  })

  test('is taken although a clock was ahead once; what was named then is told, and neither counts nor goes', async () => {
    const [tonight, tomorrow] = [new Date(2026, 9, 1, 3), new Date(2026, 9, 2, 3)]
    // More of them than days, weeks and months are kept.
    const ahead = Array.from({ length: 30 }, (_, n) => `voltkeep-${2050 - n}0101-030000.tar.zst`).filter(
      (name) => name > 'voltkeep-2027',
    )
    mkdirSync(nights)
    for (const name of ahead) writeFileSync(join(nights, name), '')
    expect(await readKept(nights, tonight)).toEqual({ last: null, ahead })
    expect(await backUpWhenDue(of(tonight))).toBe(true)
    expect(await backUpWhenDue(of(new Date(tonight.getTime() + 60_000)))).toBe(false)
    // Set back by as much as clocks are corrected.
    expect(await backUpWhenDue(of(new Date(tonight.getTime() - 60_000)))).toBe(false)
    expect(await backUpWhenDue(of(tomorrow))).toBe(true)
    expect(await readKept(nights, tomorrow)).toMatchObject({ last: { at: tomorrow }, ahead })
    expect(existsSync(join(nights, 'voltkeep-20261001-030000.tar.zst'))).toBe(true)
  })

  test('is not begun where one like the last has no room, and leaves no more than that one', async () => {
    const night = new Date(2026, 9, 1, 3)
    await backUpWhenDue(of(night))
    const before = readdirSync(nights)
    const { bytes = 0 } = (await lastGood(night)) ?? {}
    const next = of(new Date(2026, 9, 2, 3))
    const source = { ...next.source, ...nameless }
    const spareBytes = () => Promise.resolve(bytes - 1)
    await expect(backUpWhenDue({ ...next, source, spareBytes })).rejects.toThrow('未开始备份')
    expect(readdirSync(nights)).toEqual(before)
    expect(await backUpWhenDue({ ...next, spareBytes: () => Promise.resolve(bytes) })).toBe(true)
  })

  test('is not kept from its room by what a killed process has left; one that is being written stays', async () => {
    const night = new Date(2026, 9, 1, 3)
    await backUpWhenDue(of(night))
    const { bytes = 0 } = (await lastGood(night)) ?? {}
    const left = ['20261002-030000.tar.zst.unverified', '20261002-030000.tar.zst.unverified.partial'].map(
      (name) => join(nights, `voltkeep-${name}`),
    )
    const longAgo = new Date(Date.now() - 2 * 3_600_000)
    for (const file of left) {
      writeFileSync(file, '')
      utimesSync(file, longAgo, longAgo)
    }
    const byHand = join(nights, 'voltkeep-20261002-040000.tar.zst.partial')
    writeFileSync(byHand, '')
    const spareBytes = async () => (left.some(existsSync) ? bytes - 1 : bytes)
    expect(await backUpWhenDue({ ...of(new Date(2026, 9, 3, 3)), spareBytes })).toBe(true)
    expect(left.filter(existsSync)).toEqual([])
    expect(existsSync(byHand)).toBe(true)
  })

  test('is given up where intake comes to need the room, and leaves nothing', async () => {
    const own = await createTestDatabase()
    await keptFile(own, 'x'.repeat(40 * 1024 * 1024))
    const night = new Date(2026, 9, 1, 3)
    const spare = [1, 1, -1]
    const writing = of(night, own.ownerUrl)
    await expect(backUpWhenDue({ ...writing, spareBytes: async () => spare.shift() ?? 1 })).rejects.toThrow(
      '备份中止',
    )
    expect(spare).toEqual([])
    expect(readdirSync(nights)).toEqual([])
    expect(await backUpWhenDue(writing)).toBe(true)
    await own.close()
  })
})
