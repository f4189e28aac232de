// A bucket for tests, of an S3 server in this process (s3rver, which checks signatures and keeps objects on disk). It
// lacks AbortMultipartUpload and ListMultipartUploads, which are implemented here on its directories.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

const name = 'voltkeep-test'
const prefix = 'here'

export interface TestBucket {
  /** The settings of a server that uses the bucket. */
  environment: { S3_URL: string; S3_ACCESS_KEY_ID: string; S3_SECRET_ACCESS_KEY: string }
  /** Keys below the prefix. */
  keys(): string[]
  /** Multipart uploads that are neither completed nor aborted. */
  uploads(): string[]
  /** Sets the age of an object or an upload. */
  age(key: string, at: Date): void
  /** A fault injector: a returned status replaces the usual answer; undefined leaves it. */
  fault:
    | ((method: string, key: string, query: Record<string, string | undefined>) => number | undefined)
    | null
  /** Refuses connections until `start` is called. */
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

export async function createTestBucket(): Promise<TestBucket> {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-bucket-'))
  const folder = join(directory, name)
  const uploadFolder = join(folder, '._S3rver_uploads')
  let server: S3rver | undefined
  let port = 0

  const filesIn = (path: string) =>
    existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : []
  const uploads = () => (existsSync(uploadFolder) ? readdirSync(uploadFolder) : [])
  const uploadList = () =>
    uploads()
      .map((id) => {
        const key = readFileSync(join(uploadFolder, id, 'key'), 'utf8')
        const initiated = statSync(join(uploadFolder, id, 'key')).mtime.toISOString()
        return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`
      })
      .join('')

  const bucket: TestBucket = {
    environment: { S3_URL: '', S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    fault: null,
    uploads,
    keys: () =>
      filesIn(join(folder, prefix))
        .filter((path) => path.endsWith('._S3rver_object'))
        .map((path) => path.replace('._S3rver_object', '')),
    age(key, at) {
      const isUpload = uploads().includes(key)
      utimesSync(
        isUpload ? join(uploadFolder, key, 'key') : join(folder, prefix, `${key}._S3rver_object`),
        at,
        at,
      )
    },
    async start() {
      server = new S3rver({
        address: '127.0.0.1',
        port,
        silent: true,
        directory,
        configureBuckets: [{ name }],
      })
      server.middleware.unshift(async (context, next) => {
        const { method, path, query } = context
        // s3rver signs `/bucket` where the client signs `/bucket/`, so signatures of calls on the bucket itself never
        // match.
        if (path === `/${name}/`) {
          context.app = Object.create(context.app, { allowMismatchedSignatures: { value: true } })
        }
        const status = bucket.fault?.(method, path.slice(`/${name}/${prefix}/`.length), query)
        if (status !== undefined) {
          context.status = status
        } else if (method === 'DELETE' && query.uploadId !== undefined) {
          rmSync(join(uploadFolder, query.uploadId), { recursive: true, force: true })
          context.status = 204
        } else if (method === 'GET' && query.uploads !== undefined) {
          context.type = 'application/xml'
          context.body = `<?xml version="1.0"?><ListMultipartUploadsResult>${uploadList()}</ListMultipartUploadsResult>`
        } else {
          await next()
        }
      })
      port = (await server.run()).port
      bucket.environment.S3_URL = `http://127.0.0.1:${port}/${name}/${prefix}`
    },
    async stop() {
      const stopping = server
      server = undefined
      await stopping?.close()
    },
    async remove() {
      await bucket.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  await bucket.start()
  return bucket
}
