// Places of exports over real sockets: whose client leaves does not make room for the next.
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { exportDevices } from '@voltkeep/contract'
import { expect, onTestFinished, test } from 'vitest'
import type { Actor } from '../../calls/actor.ts'
import type { Files } from '../../files/kept/index.ts'
import { createLog } from '../../process/log.ts'
import { createApi } from '../mount.ts'
import { closeHttpServer, createHttpServer } from '../server.ts'
import { createCallTurns } from '../turns/index.ts'

async function listening() {
  const turns = createCallTurns()
  const app = createHttpServer({ log: createLog({ level: 'silent' }), turns })
  const api = createApi(app, {
    authenticate: (_token, client) =>
      Promise.resolve({
        userId: 7,
        makerId: null,
        organizationId: 1,
        isSystem: true,
        functionCodes: new Set<string>(),
        mustChangePassword: false,
        loginName: 'somebody',
        tokenHash: Buffer.alloc(32),
        client,
      } satisfies Actor),
    recordRefusedWrite: () => Promise.resolve(),
    refusalOf: (error) => error as never,
    uploadDirectory: tmpdir(),
    files: {} as Files,
    perUser: { exports: 2, streams: 2, uploads: 2 },
  })
  const held: (() => void)[] = []
  const hold = () => new Promise<void>((resolve) => held.push(resolve))
  const under = { way: 0, counted: 0, made: 0 }
  async function* content() {
    under.made += 1
    under.way += 1
    try {
      for (;;) {
        await hold()
        yield Buffer.from('rows')
      }
    } finally {
      under.way -= 1
    }
  }
  api.mount(exportDevices, async () => {
    under.counted += 1
    under.way += 1
    await hold()
    under.way -= 1
    return { fileName: 'devices.xlsx', body: content() }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const letGo = () => held.shift()?.()
  onTestFinished(async () => {
    app.server.closeAllConnections()
    const letting = setInterval(letGo, 1)
    await closeHttpServer(app)
    clearInterval(letting)
  })
  async function send() {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(`GET /api${exportDevices.path} HTTP/1.1\r\nHost: x\r\nAuthorization: t\r\n\r\n`)
    return socket
  }
  /** Comes and goes, when the server has begun with it or refused it. */
  async function comeAndGo() {
    const socket = await send()
    await Promise.race([once(socket, 'data'), new Promise((resolve) => setTimeout(resolve, 25))])
    socket.destroy()
  }
  return { under, turns, send, comeAndGo, letGo, held }
}

test('of clients that come and leave, no more exports are under way than one user may have', async () => {
  const { under, turns, send, comeAndGo, letGo, held } = await listening()
  for (let n = 0; n < 12; n += 1) await comeAndGo()
  expect(under).toEqual({ way: 2, counted: 2, made: 0 })
  expect(turns.users.underWay).toBe(2)
  letGo()
  letGo()
  await expect.poll(() => under.way).toBe(0)
  expect(under.made).toBe(0)
  await send()
  await expect.poll(() => under.counted).toBe(3)
  expect(held).toHaveLength(1)
})

test('an export that is made for a client which has left ends behind its batch, and its place with it', async () => {
  const { under, send, comeAndGo, letGo } = await listening()
  const leaving = await send()
  await expect.poll(() => under.counted).toBe(1)
  letGo()
  await expect.poll(() => under.made).toBe(1)
  leaving.destroy()
  const waiting = await send()
  await expect.poll(() => under.counted).toBe(2)
  for (let n = 0; n < 5; n += 1) await comeAndGo()
  expect(under).toEqual({ way: 2, counted: 2, made: 1 })
  letGo()
  await expect.poll(() => under.way).toBe(1)
  waiting.destroy()
})
