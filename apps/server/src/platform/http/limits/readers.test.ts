import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { watchReaders } from './readers.ts'

/** A server with endless answers. */
async function listening(leastBytesPerSecond: number) {
  const app = Fastify()
  const slow: string[] = []
  watchReaders(app, { leastBytesPerSecond, windowMs: 500 }, (address) => slow.push(address))
  app.get('/', (_request, reply) =>
    reply.send(
      Readable.from(
        (function* () {
          while (true) yield Buffer.alloc(65_536)
        })(),
      ),
    ),
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  return { slow, port: (app.server.address() as AddressInfo).port }
}

async function asking(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: voltkeep\r\n\r\n')
  onTestFinished(() => void socket.destroy())
  return socket
}

it('a client that reads nothing is disconnected, and one that reads is not', async () => {
  const { slow, port } = await listening(1_000)
  const reader = await asking(port)
  let readBytes = 0
  reader.on('data', (bytes) => {
    readBytes += bytes.length
  })
  const idler = await asking(port)
  idler.pause()
  await expect.poll(() => slow).toEqual(['127.0.0.1'])
  const before = readBytes
  await expect.poll(() => readBytes).toBeGreaterThan(before + 10_000_000)
  expect(slow).toHaveLength(1)
})

it('a client without a pending answer is left alone', async () => {
  const { slow, port } = await listening(1_000)
  const silent = connect(port, '127.0.0.1')
  onTestFinished(() => void silent.destroy())
  const idler = await asking(port)
  idler.pause()
  await expect.poll(() => slow).toHaveLength(1)
  expect(silent.destroyed).toBe(false)
})
