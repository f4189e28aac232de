import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { bytesOf, openBlobsOf, openTestBucket, type TestBlobs, testStores } from '../../../../test/blobs.ts'
import { createTestBucket } from '../../../../test/bucket.ts'
import { createTestDatabase, databaseOfTests } from '../../../../test/database.ts'
import { createLog } from '../../process/log.ts'
import type { Blobs } from './blobs.ts'
import { createFiles, type Files } from './files.ts'

const log = pino({ level: 'silent' })
/** Generous, for a busy machine. */
const patience = { timeout: 30_000 }

const dayMs = 86_400_000
const twoDaysAgo = () => new Date(Date.now() - 2 * dayMs)
const noFile = '00000000-0000-4000-8000-000000000000'

/** In pieces of an odd size, like those of sockets. */
async function* piecesOf(bytes: Buffer, size = 65_521) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function* failingAfter(bytes: Buffer) {
  yield* piecesOf(bytes)
  throw new Error('the line is cut')
}
const hashOf = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest('hex')

const database = await databaseOfTests({ poolSize: 10 })
// Like a feature's migration: the platform knows these tables from the catalog only.
await database.define(`
  CREATE TABLE picture (id int PRIMARY KEY, file_id uuid REFERENCES stored_file (id));
  CREATE TABLE "Film part" (at date, "the file" uuid NOT NULL REFERENCES stored_file (id)) PARTITION BY RANGE (at);
  CREATE TABLE film_2026 PARTITION OF "Film part" FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')`)

test('every column that refers to a file has an index, because the collector queries each of them for every file', async () => {
  const { rows } = await database.pool.query(`
    SELECT k.conrelid::regclass || '.' || a.attname AS column
    FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND k.confrelid = 'stored_file'::regclass
      AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = k.conrelid AND i.indkey[0] = a.attnum)`)
  // The query finds this file's own two tables, so it can fail.
  const others = rows.map(({ column }) => column).filter((column) => !/^(picture|"?Film|film_)/.test(column))
  expect(rows.length).toBeGreaterThanOrEqual(3)
  expect(others).toEqual([])
})

const filesOn = (blobs: Blobs): Files =>
  createFiles({
    db: database.db,
    blobs,
    log,
    secret: Buffer.alloc(32, 7),
    baseUrl: () => 'http://localhost:8080',
  })

const rowCount = async () => {
  const { rows } = await database.pool.query('SELECT count(*)::int4 AS n FROM stored_file')
  return rows[0].n
}
/** Simulates this number of minutes without a reference. */
const ageRows = (minutes = 61) =>
  database.pool.query(`UPDATE stored_file SET unused_since = now() - $1 * interval '1 minute'`, [minutes])

describe.each(testStores)('files %s', (_place, openStore) => {
  let backend: TestBlobs
  let files: Files
  beforeAll(async () => {
    backend = await openStore()
    files = filesOn(backend.blobs)
  })
  afterEach(async () => {
    await database.pool.query('DELETE FROM picture; DELETE FROM "Film part"; DELETE FROM stored_file')
    for (const key of backend.keys()) await backend.blobs.remove(key.slice(3))
  })
  afterAll(() => backend.remove())

  const nothingIsLeft = async () => {
    expect(await rowCount()).toBe(0)
    expect(backend.keys()).toEqual([])
    expect(backend.unfinished()).toEqual([])
  }
  const contentOf = async (id: string, range?: { start: number; end: number }) =>
    buffer(await files.read({ id }, range))

  test.each([
    ['nothing', 0],
    ['a byte', 1],
    ['one part of a bucket', 8 * 1024 * 1024],
    ['a byte more', 8 * 1024 * 1024 + 1],
    ['several parts', 17_000_003],
  ])('keep %s with size and hashes, and give it back', async (_size, length) => {
    const bytes = bytesOf(length)
    const file = await files.keep(piecesOf(bytes), {
      name: '广告.bin',
      uploader: { userId: 7, organizationId: 1 },
    })
    expect(file).toMatchObject({
      name: '广告.bin',
      sizeBytes: length,
      md5: hashOf('md5', bytes),
      sha1: hashOf('sha1', bytes),
      sha256: hashOf('sha256', bytes),
      contentType: 'application/octet-stream',
      uploadedBy: 7,
      createdAt: expect.any(Date),
    })
    expect(await files.find(file.id)).toEqual(file)
    expect((await contentOf(file.id)).equals(bytes)).toBe(true)
    expect(backend.unfinished()).toEqual([])
  })

  test('detect the type by the content, whatever the name', async () => {
    const { contentType } = await files.keep(piecesOf(Buffer.from('\x89PNG\r\n\x1a\n…', 'latin1'), 3), {
      name: 'film.mp4',
    })
    expect(contentType).toBe('image/png')
  })

  test('return a range of bytes, both ends inclusive', async () => {
    const { id } = await files.keep(piecesOf(Buffer.from('0123456789')), { name: 'digits' })
    expect(await text(await files.read({ id }, { start: 2, end: 4 }))).toBe('234')
    expect(await text(await files.read({ id }, { start: 9, end: 9 }))).toBe('9')
  })

  test('are stored concurrently without conflicts', async () => {
    const contents = Array.from({ length: 12 }, (_, at) => bytesOf(500_000 + at * 100_000))
    const kept = await Promise.all(contents.map((bytes) => files.keep(piecesOf(bytes), { name: 'one' })))
    for (const [at, { id, sha256 }] of kept.entries()) {
      expect(sha256).toBe(hashOf('sha256', contents[at] as Buffer))
      expect(hashOf('sha256', await contentOf(id))).toBe(sha256)
    }
  })

  describe('leave nothing behind', () => {
    test.each([
      ['early', 1_000],
      ['late', 17_000_000],
    ])('when the stream fails %s', async (_when, length) => {
      const keeping = files.keep(failingAfter(bytesOf(length)), { name: 'cut' })
      await expect(keeping).rejects.toThrow('the line is cut')
      await nothingIsLeft()
    })

    test('when the limit is exceeded, but not by the last byte below it', async () => {
      const bytes = bytesOf(20 * 1024 * 1024)
      const kept = await files.keep(piecesOf(bytes), { name: 'full', limitBytes: bytes.length })
      await files.discard(kept.id)
      const refused = files.keep(piecesOf(bytes), { name: 'over', limitBytes: bytes.length - 1 })
      await expect(refused).rejects.toMatchObject({
        refusal: 'bodyTooLarge',
        problems: [{ field: 'file', message: '文件大小不能超过 19 MB' }],
      })
      await nothingIsLeft()
    })

    test('when the caller disconnects', async () => {
      const gone = new AbortController()
      const stalled = new PassThrough()
      const keeping = files.keep(stalled, { name: 'left', signal: gone.signal })
      stalled.write(bytesOf(20_000_000))
      await expect.poll(backend.unfinished, patience).toHaveLength(1)
      gone.abort()
      await expect(keeping).rejects.toThrow()
      await nothingIsLeft()
    })

    test('when the row cannot be inserted', async () => {
      await database.owner.query('ALTER TABLE stored_file RENAME TO stored_file_away')
      try {
        await expect(files.keep(piecesOf(bytesOf(10)), { name: 'lost' })).rejects.toThrow()
      } finally {
        await database.owner.query('ALTER TABLE stored_file_away RENAME TO stored_file')
      }
      await nothingIsLeft()
    })
  })

  test('that do not exist are refused', async () => {
    for (const id of [noFile, 'x', "'"]) {
      await expect(files.find(id)).rejects.toMatchObject({ refusal: 'fileNotFound' })
    }
    await expect(files.read({ id: noFile })).rejects.toMatchObject({ refusal: 'fileNotFound' })
  })

  test('are deleted at once, unless a row refers to them', async () => {
    const [one, other] = await Promise.all([
      files.keep(piecesOf(bytesOf(10)), { name: 'one' }),
      files.keep(piecesOf(bytesOf(10)), { name: 'other' }),
    ])
    await database.pool.query('INSERT INTO picture VALUES (1, $1)', [other.id])
    await files.discard(one.id)
    await files.discard(other.id)
    await expect(files.find(one.id)).rejects.toMatchObject({ refusal: 'fileNotFound' })
    expect(backend.keys()).toEqual([`${other.id.slice(0, 2)}/${other.id}`])
  })

  describe('without a reference', () => {
    const keepOne = () => files.keep(piecesOf(bytesOf(10)), { name: 'one' })

    test('are collected after an hour, and not before', async () => {
      const young = await keepOne()
      await ageRows(59)
      expect(await files.collect()).toBe(0)
      await ageRows()
      const younger = await keepOne()
      expect(await files.collect()).toBe(1)
      await expect(files.find(young.id)).rejects.toMatchObject({ refusal: 'fileNotFound' })
      expect(backend.keys()).toEqual([`${younger.id.slice(0, 2)}/${younger.id}`])
    })

    test('are found by every foreign key that exists, including those of a partitioned table', async () => {
      const [inPicture, inFilm, inNone] = await Promise.all([keepOne(), keepOne(), keepOne()])
      await database.pool.query('INSERT INTO picture VALUES (1, $1)', [inPicture.id])
      await database.pool.query(`INSERT INTO "Film part" VALUES ('2026-05-01', $1)`, [inFilm.id])
      await ageRows()
      expect(await files.collect()).toBe(1)
      await files.find(inPicture.id)
      await files.find(inFilm.id)
      await expect(files.find(inNone.id)).rejects.toMatchObject({ refusal: 'fileNotFound' })
    })

    test('have an hour from the end of the last reference', async () => {
      const { id } = await keepOne()
      await database.pool.query('INSERT INTO picture VALUES (1, $1)', [id])
      await ageRows()
      await files.collect()
      await database.pool.query('DELETE FROM picture')
      expect(await files.collect()).toBe(0)
      await ageRows()
      expect(await files.collect()).toBe(1)
    })

    test('are collected by the thousand', async () => {
      await database.pool.query(`
        INSERT INTO stored_file (id, name, size_bytes, md5, sha1, sha256, content_type)
        SELECT gen_random_uuid(), 'x', 0, '', '', '', '' FROM generate_series(1, 1200)`)
      await ageRows()
      expect(await files.collect()).toBe(1_200)
    })

    test('stay if a reference is being created at that moment', async () => {
      const { id } = await keepOne()
      await ageRows()
      const client = await database.pool.connect()
      await client.query('BEGIN')
      await client.query('INSERT INTO picture VALUES (1, $1)', [id])
      expect(await files.collect()).toBe(0)
      await client.query('COMMIT')
      client.release()
      expect(await files.collect()).toBe(0)
      expect((await contentOf(id)).length).toBe(10)
    })

    test('cannot be referenced once they are being collected', async () => {
      const { id } = await keepOne()
      await ageRows()
      const results = await Promise.allSettled([
        files.collect(),
        ...Array.from({ length: 8 }, (_, at) =>
          database.pool.query('INSERT INTO picture VALUES ($1, $2)', [at, id]),
        ),
      ])
      const [collected, ...references] = results
      const made = references.filter(({ status }) => status === 'fulfilled').length
      // All or none succeed: no row ever refers to a deleted file.
      expect(collected).toMatchObject({ status: 'fulfilled', value: made === 0 ? 1 : 0 })
      expect(made === 0 || made === 8).toBe(true)
      expect(backend.keys()).toHaveLength(made === 0 ? 0 : 1)
    })
  })

  describe('left over by a crash', () => {
    const orphan = async (id: string) => {
      await backend.blobs.put(id, piecesOf(bytesOf(10)))
      return `${id.slice(0, 2)}/${id}`
    }

    test('without a row are swept after a day', async () => {
      const kept = await files.keep(piecesOf(bytesOf(10)), { name: 'one' })
      const old = await orphan('11111111-0000-4000-8000-000000000001')
      const young = await orphan('11111111-0000-4000-8000-000000000002')
      const keptKey = `${kept.id.slice(0, 2)}/${kept.id}`
      for (const key of [old, keptKey]) backend.age(key, twoDaysAgo())
      expect(await files.sweep()).toBe(1)
      expect(backend.keys().sort()).toEqual([young, keptKey].sort())
    })

    test('unfinished are swept after a day', async () => {
      const endless = new PassThrough()
      const keeping = files.keep(endless, { name: 'slow' }).catch(() => 'gone')
      endless.write(bytesOf(40_000_000))
      await expect.poll(backend.unfinished, patience).toHaveLength(1)
      expect(await files.sweep()).toBe(0)
      // Repeated until nothing is written any more, since writing makes a file young.
      const sweepOld = () => {
        for (const name of backend.unfinished()) backend.age(name, twoDaysAgo())
        return files.sweep()
      }
      await expect.poll(sweepOld, patience).toBe(1)
      expect(backend.unfinished()).toEqual([])
      endless.destroy()
      expect(await keeping).toBe('gone')
    })

    test('are not touched in the store of another installation', async () => {
      await files.sweep()
      const key = await orphan('11111111-0000-4000-8000-000000000003')
      backend.age(key, twoDaysAgo())
      const other = await createTestDatabase()
      const lines: string[] = []
      const stranger = createFiles({
        db: other.db,
        blobs: backend.blobs,
        log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
        secret: Buffer.alloc(32),
        baseUrl: () => '',
      })
      expect(await stranger.sweep()).toBe(0)
      await other.close()
      expect(backend.keys()).toEqual([key])
      expect(lines.join()).toContain('另一套 Voltkeep')
      expect(await files.sweep()).toBe(1)
    })
  })
})

describe('a bucket that', () => {
  let backend: Awaited<ReturnType<typeof openTestBucket>>
  let files: Files
  beforeAll(async () => {
    backend = await openTestBucket()
    files = filesOn(backend.blobs)
  })
  afterAll(() => backend.remove())

  test('fails during an upload keeps nothing of it', async () => {
    backend.bucket.fault = (method, _key, { partNumber }) =>
      method === 'PUT' && partNumber === '3' ? 500 : undefined
    const keeping = files.keep(piecesOf(bytesOf(40_000_000)), { name: 'large' })
    await expect(keeping).rejects.toMatchObject({ refusal: 'filesAway', code: 503 })
    backend.bucket.fault = null
    expect(backend.keys()).toEqual([])
    expect(backend.unfinished()).toEqual([])
    expect(await rowCount()).toBe(0)
  })

  test('is unreachable leads to a refusal, and works again when it is back', async () => {
    const { id } = await files.keep(piecesOf(bytesOf(10)), { name: 'one' })
    await backend.bucket.stop()
    const refusal = { refusal: 'filesAway' }
    await expect(files.keep(piecesOf(bytesOf(10)), { name: 'two' })).rejects.toMatchObject(refusal)
    await expect(files.read({ id })).rejects.toMatchObject(refusal)
    await expect(files.ping()).rejects.toThrow()
    await backend.bucket.start()
    await files.ping()
    expect((await buffer(await files.read({ id }))).length).toBe(10)
    await files.discard(id)
  })

  test('does not know the secret leads to a refusal', async () => {
    const stranger = filesOn(openBlobsOf(backend.bucket, { secretAccessKey: 'wrong' }))
    await expect(stranger.keep(piecesOf(bytesOf(10)), { name: 'one' })).rejects.toMatchObject({
      refusal: 'filesAway',
    })
    expect(backend.keys()).toEqual([])
  })

  test('returns its own signed address, with our name and type', async () => {
    const { id } = await files.keep(piecesOf(Buffer.from('hello')), { name: 'one' })
    if (backend.blobs.place.kind !== 'bucket') throw new Error('not a bucket')
    const address = await backend.blobs.place.addressOf(id, {
      expiresInSeconds: 60,
      contentType: 'image/png',
      contentDisposition: 'attachment; filename="a.png"',
    })
    const answer = await fetch(address, { headers: { range: 'bytes=1-2' } })
    expect(answer.status).toBe(206)
    expect(answer.headers.get('content-type')).toBe('image/png')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a.png"')
    expect(await answer.text()).toBe('el')
    expect((await fetch(address.replace(/Signature=\w/, 'Signature=z'))).status).toBe(403)
  })
})

test('a bucket that cannot list unfinished uploads is told of once, in a line, and unknown bytes are swept all the same', async () => {
  const bucket = await createTestBucket()
  const lines: string[] = []
  const blobs = openBlobsOf(bucket, {
    log: createLog({ level: 'warn', console: { write: (line) => lines.push(line) } }),
  })
  bucket.fault = (_method, _key, { uploads }) => (uploads === undefined ? undefined : 501)
  try {
    expect(await blobs.removeUnfinished(new Date())).toBe(0)
    expect(await blobs.removeUnfinished(new Date())).toBe(0)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/ListMultipartUploads.*\n$/)
  } finally {
    blobs.close()
    await bucket.remove()
  }
})
