import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportDevices, importDevices, insertFirmware, uploadAdvertisementFile } from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from './annex.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { eventually } from './eventually.ts'
import { insertDevice } from './factories.ts'
import { insertBoard, postPackage, remark, uploadPackage } from './packages.ts'
import { canMount, type ServerProcess, startServerProcess } from './server-process.ts'

const megabyte = 1024 ** 2

describe.skipIf(!canMount)('a disk that fills during an upload', () => {
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
  /** Files of the store, complete and incomplete, and of calls in progress. */
  const onDisk = () =>
    ['files', 'incoming'].flatMap((name) =>
      readdirSync(join(server.seenDataDir, name), { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && !entry.name.startsWith('owner'),
      ),
    ).length
  const full = { status: 503, refusal: 'filesFull', message: '文件存储空间不足，请联系管理员' }
  const send = ({ path }: { path: string }, bytes: Uint8Array, name: string) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(bytes)]), name)
    return server.client.request(`/api${path}`, {
      method: 'POST',
      body: form,
      headers: { authorization: token },
    })
  }

  it('with a package is reported, leaves neither a row nor a partial file, and the next package that fits is stored', async () => {
    const board = await insertBoard(database.db)
    const name = (version: string) => `${board.code}_EC_MASTER_V${version}_R.bin`
    const before = { rows: await kept(), files: onDisk() }
    for (const version of ['3.1', '3.2']) {
      const answer = await postPackage(server.client, token, name(version), {
        bytes: randomBytes(10 * megabyte),
      })
      expect(answer).toMatchObject(full)
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
  it('with a sheet of devices is reported, leaves nothing, and the next sheet that fits is read', async () => {
    const before = onDisk()
    const sheet = (bytes: number) =>
      Buffer.from(`设备编号,运营商,设备型号,地区\n${'不存在,无,无,无\n'.repeat(Math.ceil(bytes / 24))}`)
    for (const _ of ['once', 'twice']) {
      expect(await send(importDevices, sheet(8 * megabyte), '设备.csv')).toMatchObject(full)
      expect(onDisk()).toBe(before)
    }
    const answer = await send(importDevices, sheet(1_000), '设备.csv')
    expect([answer.status, answer.refusal]).toEqual([400, 'badInput'])
    expect(onDisk()).toBe(before)
  })

  it('with a video of an advertisement is reported, leaves nothing, and a picture that fits is stored', async () => {
    const before = { rows: await kept(), files: onDisk() }
    const film = Buffer.concat([png, randomBytes(10 * megabyte)])
    for (const _ of ['once', 'twice']) {
      expect(await send(uploadAdvertisementFile, film, '春节.png')).toMatchObject(full)
      expect({ rows: await kept(), files: onDisk() }).toEqual(before)
    }
    expect(await send(uploadAdvertisementFile, png, '春节.png')).toMatchObject({ code: 200 })
    expect(onDisk()).toBe(before.files + 1)
  })

  it('leaves no room for an export: this is reported, leaves nothing, and the export works when there is room again', async () => {
    await insertDevice(database.db, { code: 'EXPORTED' })
    const before = onDisk()
    const filler = join(server.seenDataDir, 'filler')
    const { bavail, bsize } = statfsSync(server.seenDataDir)
    writeFileSync(filler, Buffer.alloc(bavail * bsize))
    const ask = () =>
      server.client.request(`/api${exportDevices.path}`, { headers: { authorization: token } })
    expect(await ask()).toMatchObject(full)
    rmSync(filler)
    expect(onDisk()).toBe(before)
    // Exports leave room for intake, and go on once the next look at the disk has seen that there is enough.
    await eventually(async () => {
      const { status, text } = await ask()
      expect([status, text.length > 1_000]).toEqual([200, true])
    })
  })
})
