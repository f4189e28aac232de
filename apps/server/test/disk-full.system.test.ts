import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { insertFirmware } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { insertBoard, postPackage, remark, uploadPackage } from './packages.ts'
import { canMount, type ServerProcess, startServerProcess } from './server-process.ts'

const megabyte = 1024 ** 2

describe.skipIf(!canMount)('a disk that fills during the upload of a package', () => {
  let database: TestDatabase
  let server: ServerProcess
  let token: string

  beforeAll(async () => {
    database = await createTestDatabase({ isSeeded: true })
    server = await startServerProcess({
      diskBytes: 6 * megabyte,
      environment: { LOG_LEVEL: 'warn', DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl },
    })
    token = await server.client.signIn('admin', server.adminPassword)
  })
  afterAll(async () => {
    await server?.remove()
    await database?.close()
  })

  const kept = async () => {
    const { rows } = await sql<{ files: number; packages: number }>`
      SELECT (SELECT count(*) FROM stored_file)::int AS files, (SELECT count(*) FROM software_package)::int AS packages`.execute(
      database.db,
    )
    return rows[0]
  }
  /** Files of the store, finished and not. */
  const onDisk = () =>
    readdirSync(join('/proc', String(server.pid), 'root', server.dataDir, 'files'), {
      recursive: true,
      withFileTypes: true,
    }).filter((entry) => entry.isFile() && !entry.name.startsWith('owner')).length

  it('is told, leaves neither a row nor half a file, and the next package that fits is taken', async () => {
    const board = await insertBoard(database.db)
    const name = (version: string) => `${board.code}_EC_MASTER_V${version}_R.bin`
    const before = { rows: await kept(), files: onDisk() }
    for (const version of ['3.1', '3.2']) {
      const answer = await postPackage(server.client, token, name(version), {
        bytes: randomBytes(10 * megabyte),
      })
      expect(answer).toMatchObject({
        status: 503,
        refusal: 'filesFull',
        message: '文件存储空间不足，请联系管理员',
      })
      expect({ rows: await kept(), files: onDisk() }).toEqual(before)
    }
    const upload = await uploadPackage(server.client, token, name('3.1'), { bytes: randomBytes(megabyte) })
    expect(await server.client.call(insertFirmware, { ...upload, remark }, token)).toMatchObject({
      code: 200,
    })
    expect(onDisk()).toBe(before.files + 1)
    expect(await kept()).toEqual({
      files: (before.rows?.files ?? 0) + 1,
      packages: (before.rows?.packages ?? 0) + 1,
    })
  })
})
