import { once } from 'node:events'
import { createReadStream, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import {
  endpoint,
  file,
  keptFile,
  keptUpload,
  nothing,
  one,
  type StoredFile,
  upload,
} from '@voltkeep/contract'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { bytesOf, type TestBlobs, testStores } from '../../../../test/blobs.ts'
import { type Answer, clientOf, type TestClient } from '../../../../test/client.ts'
import { databaseOfTests } from '../../../../test/database.ts'
import { refuseInput } from '../../calls/refusal.ts'
import { createFiles, type Files } from '../../files/kept/files.ts'
import { createRefusalOf } from '../errors.ts'
import { createApi } from '../mount.ts'
import { closeHttpServer, createHttpServer } from '../server.ts'
import { openUploadDirectory } from './uploads.ts'

const common = { access: 'public', summary: '' } as const
const readKept = endpoint({
  ...common,
  method: 'GET',
  path: '/test/kept',
  input: z.object({ id: z.string() }),
  reply: keptFile(),
})
const keep = endpoint({
  ...common,
  method: 'POST',
  path: '/test/keep',
  fileLimitBytes: 30 * 1024 * 1024,
  keepsFile: true,
  input: z.object({ file: keptUpload(), title: z.optional(z.string()) }),
  reply: one(
    z.object({
      id: z.string(),
      sizeBytes: z.number(),
      contentType: z.string(),
      title: z.optional(z.string()),
    }),
  ),
})
const refuseAll = endpoint({
  ...common,
  method: 'POST',
  path: '/test/refuse',
  fileLimitBytes: 1_000_000,
  keepsFile: true,
  input: z.object({ file: keptUpload() }),
  reply: nothing(),
})
const echo = endpoint({
  ...common,
  method: 'POST',
  path: '/test/echo',
  fileLimitBytes: 30 * 1024 * 1024,
  input: z.object({ file: upload() }),
  reply: file('application/octet-stream'),
})

const log = pino({ level: 'silent' })
/** Generous, for a busy machine. */
const patience = { timeout: 30_000 }

const database = await databaseOfTests()

describe.each(testStores)('over HTTP, files %s', (_place, openStore) => {
  let store: TestBlobs
  let files: Files
  /** Sources opened for answers. */
  const opened: Readable[] = []
  let uploadDirectory: string
  let server: ReturnType<typeof createHttpServer>
  let port: number
  let client: TestClient

  beforeAll(async () => {
    store = await openStore()
    const secret = Buffer.alloc(32)
    const made = createFiles({ db: database.db, blobs: store.blobs, log, secret, baseUrl: () => '' })
    files = {
      ...made,
      read: async (...asked) => {
        const source = await made.read(...asked)
        opened.push(source)
        return source
      },
    }
    uploadDirectory = mkdtempSync(join(tmpdir(), 'voltkeep-incoming-'))
    openUploadDirectory(uploadDirectory)
    const refusalOf = createRefusalOf({})
    server = createHttpServer({ log, refusalOf })
    const api = createApi(server, {
      authenticate: () => {
        throw new Error('nobody signs in here')
      },
      recordRefusedWrite: async () => undefined,
      refusalOf,
      uploadDirectory,
      files,
    })
    api.mount(readKept, async ({ input }) => ({
      file: await files.find(input.id),
      disposition: 'inline' as const,
    }))
    api.mount(keep, async ({ input: { file: kept, title } }) => ({ ...kept, title }))
    api.mount(refuseAll, async () => refuseInput({ field: 'file', message: '只能上传图片或视频' }))
    api.mount(echo, async ({ input }) => ({
      fileName: input.file.fileName,
      body: createReadStream(input.file.path),
    }))
    await server.listen({ host: '127.0.0.1', port: 0 })
    port = (server.server.address() as AddressInfo).port
    client = clientOf(`http://127.0.0.1:${port}`)
  })
  afterEach(async () => {
    opened.length = 0
    await database.pool.query('DELETE FROM stored_file')
    for (const key of store.keys()) await store.blobs.remove(key.slice(3))
  })
  afterAll(async () => {
    await closeHttpServer(server)
    await store.remove()
    rmSync(uploadDirectory, { recursive: true })
  })

  const keepText = (text: string, name = '数字.txt') =>
    files.keep(Readable.from([Buffer.from(text)]), { name })
  const read = ({ id }: Pick<StoredFile, 'id'>, headers: Record<string, string> = {}, method = 'GET') =>
    client.request(`/api/test/kept?id=${id}`, { headers, method })
  const post = (path: string, parts: Record<string, string | Blob>): Promise<Answer<{ id: string }>> => {
    const body = new FormData()
    for (const [name, value] of Object.entries(parts)) body.append(name, value)
    return client.request(`/api/test/${path}`, { method: 'POST', body }) as never
  }

  describe('are answered', () => {
    test('whole, with length, type, name and a strong ETag', async () => {
      const kept = await files.keep(Readable.from([Buffer.from('GIF89a…')]), { name: `猫 "1"'.gif` })
      const answer = await read(kept)
      expect(answer.status).toBe(200)
      expect(answer.text).toBe('GIF89a…')
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'accept-ranges': 'bytes',
        'content-length': String(kept.sizeBytes),
        'content-type': 'image/gif',
        'content-disposition': `inline; filename="? \\"1\\"'.gif"; filename*=UTF-8''%E7%8C%AB%20%221%22%27.gif`,
        etag: `"${kept.sha256}"`,
        'cache-control': 'private, no-cache',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(/^default-src 'none';.*; sandbox$/),
      })
    })

    test('with headers only for HEAD', async () => {
      const kept = await keepText('0123456789')
      const answer = await read(kept, {}, 'HEAD')
      expect(answer).toMatchObject({ status: 200, text: '' })
      expect(answer.headers.get('content-length')).toBe('10')
      expect(answer.headers.get('etag')).toBe(`"${kept.sha256}"`)
      expect(opened).toHaveLength(0)
    })

    test('in one range', async () => {
      const kept = await keepText('0123456789')
      const answer = await read(kept, { range: 'bytes=2-4' })
      expect(answer).toMatchObject({ status: 206, text: '234' })
      expect(answer.headers.get('content-range')).toBe('bytes 2-4/10')
      expect(answer.headers.get('content-length')).toBe('3')
      expect((await read(kept, { range: 'bytes=-2' })).text).toBe('89')
      expect((await read(kept, { range: 'bytes=7-' })).text).toBe('789')
    })

    test('whole for several or invalid ranges', async () => {
      const kept = await keepText('0123456789')
      for (const range of ['bytes=0-1,4-5', 'bytes=x', 'lines=1-2']) {
        expect(await read(kept, { range })).toMatchObject({ status: 200, text: '0123456789' })
      }
    })

    test('with 416 and the length for a range outside', async () => {
      const answer = await read(await keepText('0123456789'), { range: 'bytes=10-' })
      expect(answer).toMatchObject({ status: 416, code: 416, message: '请求的范围超出文件大小' })
      expect(answer.headers.get('content-range')).toBe('bytes */10')
      expect(answer.headers.get('etag')).toBeNull()
      expect(opened).toHaveLength(0)
    })

    test('in a range only if If-Range matches', async () => {
      const kept = await keepText('0123456789')
      const range = 'bytes=8-'
      expect((await read(kept, { range, 'if-range': `"${kept.sha256}"` })).text).toBe('89')
      for (const other of ['"other"', `W/"${kept.sha256}"`, 'Sun, 22 Nov 2026 00:00:00 GMT']) {
        expect(await read(kept, { range, 'if-range': other })).toMatchObject({
          status: 200,
          text: '0123456789',
        })
      }
    })

    test('with 304 if the client has the version', async () => {
      const kept = await keepText('0123456789')
      const answer = await read(kept, { 'if-none-match': `"x", W/"${kept.sha256}"`, range: 'bytes=0-1' })
      expect(answer).toMatchObject({ status: 304, text: '' })
      expect(answer.headers.get('etag')).toBe(`"${kept.sha256}"`)
      expect(opened).toHaveLength(0)
      expect((await read(kept, { 'if-none-match': '"other"' })).status).toBe(200)
    })

    test('as an envelope if they do not exist', async () => {
      const answer = await read({ id: '00000000-0000-4000-8000-000000000000' })
      expect(answer).toMatchObject({ status: 404, message: '文件不存在或已清理' })
      const kept = await keepText('lost')
      await store.blobs.remove(kept.id)
      const lost = await read(kept)
      expect(lost).toMatchObject({ status: 404, code: 404, data: null })
      expect(lost.headers.get('content-disposition')).toBeNull()
    })

    test('never inline if a browser could execute them', async () => {
      for (const [name, text] of [
        ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
        ['a.png', '<!doctype html><script>alert(1)</script>'],
        ['a.html', '<html><script>alert(1)</script>'],
        [
          'a.jpg',
          '<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
        ],
      ] as const) {
        const { headers } = await read(await keepText(text, name))
        expect(headers.get('content-type')).toBe('application/octet-stream')
        expect(headers.get('content-disposition')).toMatch(/^attachment;/)
        expect(headers.get('content-security-policy')).toContain('sandbox')
        expect(headers.get('x-content-type-options')).toBe('nosniff')
      }
    })

    test('only as fast as they are read, and their source is closed when the client disconnects', async () => {
      const kept = await files.keep(Readable.from([bytesOf(40_000_000)]), { name: 'large' })
      const connected = once(server.server, 'connection') as Promise<[Socket]>
      const asking = httpRequest({
        port,
        host: '127.0.0.1',
        path: `/api/test/kept?id=${kept.id}`,
        agent: false,
      })
      const answer = await new Promise<IncomingMessage>((resolve) => asking.on('response', resolve).end())
      answer.pause()
      const [socket] = await connected
      // The transfer stops long before the end.
      let outBytes = 0
      const hasComeToRest = () => {
        const before = outBytes
        outBytes = socket.bytesWritten + socket.writableLength
        return outBytes === before
      }
      await expect.poll(hasComeToRest, { ...patience, interval: 200 }).toBe(true)
      expect(outBytes).toBeLessThan(20_000_000)
      const [source] = opened as [Readable]
      expect(source.destroyed).toBe(false)
      answer.destroy()
      await expect.poll(() => source.destroyed, patience).toBe(true)
    })
  })

  describe('are uploaded', () => {
    test('directly into the store, with fields before or after the file', async () => {
      const bytes = bytesOf(20_000_000)
      const answer = await post('keep', { file: new File([bytes], 'C:\\ads\\片.mp4'), title: '广告' })
      expect(answer).toMatchObject({
        code: 200,
        data: { sizeBytes: bytes.length, contentType: 'application/octet-stream', title: '广告' },
      })
      expect((await files.find(answer.data.id)).name).toBe('片.mp4')
      expect(readdirSync(uploadDirectory)).toEqual([])
    })

    const nothingIsLeft = async () => {
      const { rows } = await database.pool.query('SELECT id FROM stored_file')
      expect(rows).toEqual([])
      expect(store.keys()).toEqual([])
      await expect.poll(store.unfinished, patience).toEqual([])
    }

    test('and leave nothing if the handler refuses them', async () => {
      const answer = await post('refuse', { file: new File(['x'], 'a.txt') })
      expect(answer).toMatchObject({ status: 400, message: '只能上传图片或视频' })
      await nothingIsLeft()
    })

    test('and leave nothing beyond the limit, without delaying the next call on their connection', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const to = { port, host: '127.0.0.1', agent }
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      const sending = httpRequest({ ...to, method: 'POST', path: '/api/test/refuse', headers })
      sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n')
      sending.write(bytesOf(20_000_000))
      sending.end('\r\n--b--\r\n')
      const [refused] = (await once(sending, 'response')) as [IncomingMessage]
      expect(refused.statusCode).toBe(413)
      refused.resume()
      const next = httpRequest({ ...to, path: '/api/test/kept?id=x' }).end()
      const [answer] = (await once(next, 'response')) as [IncomingMessage]
      expect(answer.statusCode).toBe(404)
      agent.destroy()
      await nothingIsLeft()
    })

    test('and leave nothing if there are two', async () => {
      const body = new FormData()
      body.append('file', new File(['x'], 'a.txt'))
      body.append('file', new File(['y'], 'b.txt'))
      const answer = await client.request('/api/test/keep', { method: 'POST', body })
      expect(answer).toMatchObject({ status: 400, message: '只能上传一个文件，请先删除当前文件!' })
      await nothingIsLeft()
    })

    test('and are required', async () => {
      const answer = await client.request('/api/test/keep', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ file: { id: 'x', sha256: 'mine' } }),
      })
      expect(answer).toMatchObject({ status: 400, message: '请上传文件' })
      const empty = await post('keep', { file: new File([], '') })
      expect(empty).toMatchObject({ status: 400, message: '请上传文件' })
      await nothingIsLeft()
    })

    test.each(['keep', 'echo'])('and leave nothing if the connection is lost (%s)', async (path) => {
      const content = new PassThrough()
      const sending: ClientRequest = httpRequest({
        port,
        host: '127.0.0.1',
        path: `/api/test/${path}`,
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
      })
      sending.on('error', () => undefined)
      content.pipe(sending)
      content.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n')
      content.write(bytesOf(20_000_000))
      const underWay = () => [...store.unfinished(), ...readdirSync(uploadDirectory)]
      await expect.poll(underWay, patience).toHaveLength(1)
      sending.destroy()
      await expect.poll(underWay, patience).toEqual([])
      await nothingIsLeft()
    })

    test('into a temporary file for the time of the call, which the answer may be read from', async () => {
      const bytes = bytesOf(20_000_000)
      const body = new FormData()
      body.append('file', new File([bytes], 'a.bin'))
      const answer = await fetch(`http://127.0.0.1:${port}/api/test/echo`, { method: 'POST', body })
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
      await expect.poll(() => readdirSync(uploadDirectory), patience).toEqual([])
    })
  })
})
