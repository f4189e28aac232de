import type { AddressInfo } from 'node:net'
import { endpoint, keptUpload, one } from '@voltkeep/contract'
import * as z from 'zod/mini'
import { openDatabase } from '../apps/server/src/platform/database/database.ts'
import { readSecret } from '../apps/server/src/platform/database/secrets.ts'
import { openDiskBlobs } from '../apps/server/src/platform/files/kept/disk-blobs.ts'
import { createFiles } from '../apps/server/src/platform/files/kept/files.ts'
import { createRefusalOf } from '../apps/server/src/platform/http/errors.ts'
import { mountDeviceFiles } from '../apps/server/src/platform/http/files/index.ts'
import { createApi } from '../apps/server/src/platform/http/mount.ts'
import { createHttpServer } from '../apps/server/src/platform/http/server.ts'
import { createLog } from '../apps/server/src/platform/process/log.ts'

/**
 * The server of bench/files.ts: the platform's HTTP, uploads, store and addresses on disk, and one call that keeps a
 * file. Without features, intake and jobs, so that its memory is that of the files alone.
 */
export const keep = endpoint({
  method: 'POST',
  path: '/bench/keep',
  access: 'public',
  summary: '',
  fileLimitBytes: 4 * 1024 ** 3,
  keepsFile: true,
  input: z.object({ file: keptUpload() }),
  reply: one(z.object({ id: z.string(), sha256: z.string(), address: z.string() })),
})

export interface FilesOrder {
  databaseUrl: string
  directory: string
}

process.on('disconnect', () => process.exit(0))
process.on('message', async ({ databaseUrl, directory }: FilesOrder) => {
  const log = createLog({ level: 'warn' })
  const { db } = await openDatabase({ url: databaseUrl, zone: 'UTC', poolSize: 4 })
  const http = createHttpServer({ log })
  const files = createFiles({
    db,
    blobs: openDiskBlobs({ directory }),
    log,
    secret: await readSecret(db, 'files'),
    baseUrl: () => '',
  })
  const api = createApi(http, {
    authenticate: () => Promise.reject(new Error('nobody signs in here')),
    recordRefusedWrite: async () => undefined,
    refusalOf: createRefusalOf({}),
    uploadDirectory: directory,
    files,
  })
  const expiresAt = new Date(Date.now() + 3_600_000)
  api.mount(keep, async ({ input: { file } }) => ({
    ...file,
    address: files.addressFor('BENCH', file.id, { expiresAt }),
  }))
  mountDeviceFiles(http, files, async () => true)
  await http.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: (http.server.address() as AddressInfo).port })
})
