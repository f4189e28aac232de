import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type TestBlobs, testStores } from '../../../../test/blobs.ts'
import { databaseOfTests } from '../../../../test/database.ts'
import { createFiles, type Files } from './files.ts'
import { quotasOf } from './upload-quota.ts'

const megabyte = 1024 ** 2

test('a quota is a part of what is left on a small disk, and never less than one file', () => {
  const of = (leftMb: number) => {
    const { userBytes, organizationBytes } = quotasOf({
      perUserBytes: 1024 * megabyte,
      leftBytes: leftMb * megabyte,
      fileLimitBytes: 200 * megabyte,
    })
    return [userBytes / megabyte, organizationBytes / megabyte]
  }
  expect(of(Number.POSITIVE_INFINITY)).toEqual([1024, 3072])
  expect(of(100_000)).toEqual([1024, 3072])
  expect(of(2_000)).toEqual([500, 1000])
  expect(of(100)).toEqual([200, 200])
})

const fileBytes = 400
/** Two files of a user, and seven of an organization. */
const perUserBytes = 1_000
const own = { userId: 7, organizationId: 1 }

const database = await databaseOfTests()
await database.define('CREATE TABLE picture (id int, file_id uuid REFERENCES stored_file (id))')

describe.each(testStores)('unused files %s', (_place, openStore) => {
  let backend: TestBlobs
  let files: Files
  beforeAll(async () => {
    backend = await openStore()
    files = createFiles({
      db: database.db,
      blobs: backend.blobs,
      log: pino({ level: 'silent' }),
      secret: Buffer.alloc(32, 7),
      baseUrl: () => '',
      unusedBytesPerUser: perUserBytes,
    })
  })
  afterEach(async () => {
    await database.pool.query('DELETE FROM picture; DELETE FROM stored_file; DELETE FROM file_upload')
  })
  afterAll(() => backend.remove())

  async function* content() {
    yield Buffer.alloc(fileBytes)
  }
  const keep = (uploader = own) => files.keep(content(), { name: 'one', limitBytes: fileBytes, uploader })
  const outcomes = async (keeping: Promise<unknown>[]) => {
    const settled = await Promise.allSettled(keeping)
    const refused = settled.map((one) => (one.status === 'rejected' ? one.reason.refusal : 'kept'))
    return Object.fromEntries(Object.entries(Object.groupBy(refused, String)).map(([k, v]) => [k, v?.length]))
  }
  const reservations = async () => (await database.pool.query('SELECT FROM file_upload')).rows.length

  test('of a user come to no more than the quota, however many come beside each other', async () => {
    const beside = Array.from({ length: 60 }, () => keep())
    expect(await outcomes(beside)).toEqual({ kept: 2, unusedFilesOfUser: 58 })
    expect(await reservations()).toBe(0)
    const message = '您已上传但未使用的文件超过 0 MB，请先提交，或等待其自动清理（1 小时）'
    await expect(keep()).rejects.toMatchObject({ code: 409, problems: [{ field: 'file', message }] })
    expect(await outcomes([keep({ userId: 8, organizationId: 1 })])).toEqual({ kept: 1 })
  })

  test('of an organization come to no more than three times as much', async () => {
    const ofMany = Array.from({ length: 20 }, (_, user) => keep({ userId: user, organizationId: 1 }))
    expect(await outcomes(ofMany)).toEqual({ kept: 7, unusedFilesOfOrganization: 13 })
    expect(await outcomes([keep({ userId: 30, organizationId: 2 })])).toEqual({ kept: 1 })
  })

  test('make room once they are used, and count again when their last reference has gone', async () => {
    const kept = [await keep(), await keep()]
    for (const { id } of kept) await database.pool.query('INSERT INTO picture VALUES (1, $1)', [id])
    expect(await outcomes([keep(), keep(), keep()])).toEqual({ kept: 2, unusedFilesOfUser: 1 })
    await database.pool.query(
      'DELETE FROM stored_file f WHERE NOT EXISTS (SELECT FROM picture WHERE file_id = f.id)',
    )
    await database.pool.query('DELETE FROM picture')
    await files.collect()
    expect(await outcomes([keep()])).toEqual({ unusedFilesOfUser: 1 })
  })

  test('make room when they are discarded', async () => {
    const [first] = [await keep(), await keep()]
    await files.discard(first.id)
    expect(await outcomes([keep(), keep()])).toEqual({ kept: 1, unusedFilesOfUser: 1 })
  })

  test('count while they come in, by what was announced, and no longer when they broke off', async () => {
    const coming = new PassThrough()
    const keeping = files.keep(coming, {
      name: 'slow',
      limitBytes: 2 * fileBytes,
      announcedBytes: fileBytes + 300,
      uploader: own,
    })
    await expect.poll(reservations).toBe(1)
    expect(await outcomes([keep()])).toEqual({ unusedFilesOfUser: 1 })
    coming.destroy(new Error('gone'))
    await expect(keeping).rejects.toThrow('gone')
    expect(await outcomes([keep(), keep()])).toEqual({ kept: 2 })
  })

  test('of a process that was killed do not count for ever', async () => {
    await database.pool.query(`
      INSERT INTO file_upload VALUES (gen_random_uuid(), 7, 1, 900, now() - interval '1 minute')`)
    expect(await outcomes([keep()])).toEqual({ unusedFilesOfUser: 1 })
    await database.pool.query(`UPDATE file_upload SET touched_at = now() - interval '3 minutes'`)
    expect(await outcomes([keep()])).toEqual({ kept: 1 })
    await files.collect()
    expect(await reservations()).toBe(0)
  })
})
