// Requests written one after the other on a connection, over real sockets.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request as send } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { connect as connectSecurely } from 'node:tls'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAuthority, skipsTls } from '../../../../test/certificates.ts'
import { createLog } from '../../process/log.ts'
import { openTls } from '../../process/tls/tls.ts'
import { createMetrics } from '../metrics.ts'
import { closeHttpServer, createHttpServer } from '../server.ts'

/** A server whose `/held` answers when it is let go, and which tells what has reached a handler. */
async function listening(more: Partial<Parameters<typeof createHttpServer>[0]> = {}) {
  const app = createHttpServer({ log: createLog({ level: 'silent' }), ...more })
  const begun: string[] = []
  const held: (() => void)[] = []
  const left: string[] = []
  const tell = (request: FastifyRequest) => {
    begun.push(request.url)
    request.raw.socket.once('close', () => left.push(request.url))
  }
  app.get('/held/:name', async (request) => {
    tell(request)
    await new Promise<void>((resolve) => held.push(resolve))
    return { is: request.url }
  })
  app.get('/large', async (request) => {
    tell(request)
    return 'x'.repeat(8_000_000)
  })
  app.get('/free/:name', async (request) => {
    tell(request)
    return { is: request.url }
  })
  app.post('/body', { bodyLimit: 2_000_000 }, async (request) => {
    tell(request)
    return { sizeBytes: JSON.stringify(request.body).length }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    for (const letGo of held) letGo()
    return closeHttpServer(app)
  })
  return { app, begun, left, letGo: () => held.shift()?.() }
}

const portOf = (app: FastifyInstance) => (app.server.address() as AddressInfo).port

async function connected(app: FastifyInstance): Promise<Socket> {
  const socket = connect(portOf(app), '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

function hearing(socket: Socket): () => string {
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  return () => text
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: voltkeep\r\n${headers}\r\n`
const names = (text: string) => [...text.matchAll(/"is":"([^"]+)"/g)].map(([, name]) => name)

describe('of requests sent one after the other on a connection', () => {
  test('one is under way at a time, and each is answered in its order', async () => {
    const { app, begun, letGo } = await listening()
    const socket = await connected(app)
    const heard = hearing(socket)
    socket.write(get('/held/1') + get('/held/2') + get('/free/3') + get('/free/4'))
    await expect.poll(() => begun).toEqual(['/held/1'])
    letGo()
    await expect.poll(() => begun).toEqual(['/held/1', '/held/2'])
    letGo()
    await expect.poll(() => names(heard())).toEqual(['/held/1', '/held/2', '/free/3', '/free/4'])
  })

  test('those of a client that has left reach no handler', async () => {
    const { app, begun, left, letGo } = await listening()
    const socket = await connected(app)
    socket.write(get('/held/1') + get('/free/2').repeat(20))
    await expect.poll(() => begun).toEqual(['/held/1'])
    socket.destroy()
    await expect.poll(() => left).toEqual(['/held/1'])
    letGo()
    const other = await connected(app)
    other.write(get('/free/other'))
    await once(other, 'data')
    expect(begun).toEqual(['/held/1', '/free/other'])
  })

  test('more than a few are refused with 429, and the connection is ended', async () => {
    const met: string[] = []
    const limits = { met: (limit: string) => void met.push(limit), metBy: () => undefined }
    const { app, begun } = await listening({ limits })
    const socket = await connected(app)
    const heard = hearing(socket)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.write(get('/held/1') + get('/free/2').repeat(20_000))
    await closed
    expect(begun).toEqual(['/held/1'])
    expect(met).toEqual(['tooManyAhead'])
    // The reset that follows may overtake the answer while the client still sends.
    expect(heard()).toMatch(
      /^$|^HTTP\/1\.1 429 Too Many Requests\r\n(.|\r\n)*Connection: close(.|\r\n)*"tooManyAhead"/,
    )
  })

  test('the next begins when the answer has been taken', async () => {
    const { app, begun } = await listening()
    const socket = await connected(app)
    socket.pause()
    const heard = hearing(socket)
    socket.write(get('/large') + get('/free/2'))
    await expect.poll(() => begun).toEqual(['/large'])
    const other = await connected(app)
    other.write(get('/free/other'))
    await once(other, 'data')
    expect(begun).toEqual(['/large', '/free/other'])
    socket.resume()
    await expect.poll(() => names(heard())).toEqual(['/free/2'])
  })

  test('bodies are read, with and without a length, however the pieces fall', async () => {
    const { app } = await listening()
    const blank = `{"a":"${'\\r\\n'.repeat(1_800)}"}`
    const withLength = `POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${blank.length}\r\n\r\n${blank}`
    const half = blank.length / 2
    const chunks = [blank.slice(0, half), blank.slice(half), '']
    const chunked = `POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks
      .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
      .join('')}`
    const text = get('/free/1') + withLength + get('/free/2') + chunked + get('/free/3') + withLength
    for (const pieceBytes of [text.length, 9_001, 1_460, 77]) {
      const socket = await connected(app)
      const heard = hearing(socket)
      for (let at = 0; at < text.length; at += pieceBytes) {
        socket.write(text.slice(at, at + pieceBytes))
        await new Promise(setImmediate)
      }
      await expect.poll(() => names(heard())).toEqual(['/free/1', '/free/2', '/free/3'])
      await expect.poll(() => heard().match(new RegExp(`"sizeBytes":${blank.length}`, 'g'))).toHaveLength(3)
      socket.destroy()
    }
  })
})

test('a body is asked for with 100 Continue, and a request without a host is refused', async () => {
  const { app } = await listening()
  const socket = await connected(app)
  const heard = hearing(socket)
  socket.write(
    'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n',
  )
  await expect.poll(heard).toContain('100 Continue')
  socket.write(`{}${get('/free/1')}GET / HTTP/1.1\r\n\r\n${get('/free/2')}`)
  await expect.poll(heard).toContain('400 Bad Request')
  expect(names(heard())).toEqual(['/free/1'])
})

test('a connection is used again, and a body larger than what is read at once comes in', async () => {
  const { app } = await listening()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const text = JSON.stringify({ a: 'x'.repeat(1_500_000) })
  const ports = new Set<number | undefined>()
  const sizes = []
  for (let n = 0; n < 3; n += 1) {
    const request = send(`http://127.0.0.1:${portOf(app)}/body`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': text.length },
    })
    request.end(text)
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    ports.add(answer.socket.localPort)
    sizes.push(((await json(answer)) as { sizeBytes: number }).sizeBytes)
  }
  expect(sizes).toEqual([text.length, text.length, text.length])
  expect(ports.size).toBe(1)
})

test.skipIf(skipsTls)('over TLS, too, one request of a connection is under way at a time', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'voltkeep-turns-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const tls = openTls({
    paths: { ...createAuthority(directory).issue('localhost'), clientCa: undefined, clientCrl: undefined },
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
  })
  onTestFinished(() => tls.close())
  const { app, begun, letGo } = await listening({ tls })
  const socket = connectSecurely({ port: portOf(app), host: '127.0.0.1', rejectUnauthorized: false })
  onTestFinished(() => void socket.destroy())
  const heard = hearing(socket)
  await once(socket, 'secureConnect')
  socket.write(get('/held/1') + get('/free/2'))
  await expect.poll(() => begun).toEqual(['/held/1'])
  letGo()
  await expect.poll(() => names(heard())).toEqual(['/held/1', '/free/2'])
})
