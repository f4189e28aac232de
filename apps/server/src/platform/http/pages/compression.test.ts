import { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../process/log.ts'
import { createHttpServer } from '../server.ts'

const rows = Array.from({ length: 200 }, (_, at) => ({ id: String(at), name: '北京市 / 朝阳区' }))
const answer = JSON.stringify({ code: 200, message: '操作成功', data: rows })

let app: ReturnType<typeof createHttpServer>
beforeEach(() => {
  app = createHttpServer({ log: createLog({ level: 'silent' }) })
  app.get('/rows', async () => JSON.parse(answer))
  app.get('/short', async () => ({ code: 200, message: '操作成功', data: null }))
  for (const [url, type] of [
    ['/stream', 'text/event-stream; charset=utf-8'],
    ['/file', 'application/json'],
  ] as const) {
    app.get(url, async (_request, reply) => reply.type(type).send(Readable.from([Buffer.from(answer)])))
  }
})
afterEach(() => app.close())

const get = (url: string, accepted?: string) =>
  app.inject({ url, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } })

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
])('a long answer is compressed with %s where the client accepts it', async (encoding, decompress) => {
  const { headers, rawPayload } = await get('/rows', encoding)
  expect(headers['content-encoding']).toBe(encoding)
  expect(headers['content-length']).toBe(String(rawPayload.length))
  expect(rawPayload.length).toBeLessThan(answer.length / 5)
  expect(decompress(rawPayload).toString()).toBe(answer)
})

test('a client that accepts both gets the smaller, and one that accepts none an uncompressed answer', async () => {
  expect((await get('/rows', 'gzip, deflate, br')).headers['content-encoding']).toBe('br')
  for (const accepted of [undefined, 'identity', 'br;q=0, gzip;q=0']) {
    const { headers, body } = await get('/rows', accepted)
    expect(headers['content-encoding']).toBeUndefined()
    // A cache must not serve one variant for the other.
    expect(headers.vary).toBe('accept-encoding')
    expect(body).toBe(answer)
  }
})

test('a short answer is not compressed', async () => {
  const { headers, body } = await get('/short', 'br')
  expect(headers['content-encoding']).toBeUndefined()
  expect(JSON.parse(body)).toMatchObject({ code: 200 })
})

test('neither the live stream nor a file is compressed', async () => {
  for (const url of ['/stream', '/file']) {
    const { headers, body } = await get(url, 'br, gzip')
    expect(headers['content-encoding']).toBeUndefined()
    expect(body).toBe(answer)
  }
})
