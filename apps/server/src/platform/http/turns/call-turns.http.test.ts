// Turns of calls over real sockets: who waits behind whom.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import type { TurnLimits } from '../../calls/turns.ts'
import { createLog } from '../../process/log.ts'
import { closeHttpServer, createHttpServer } from '../server.ts'
import { createCallTurns, turnOf } from './index.ts'

const long = { lastsMs: 3_600_000, ownLastsMs: 3_600_000 }

/** `/held/<name>` answers when it is let go; a token `u7` is of user 7. */
async function listening(limits: Partial<TurnLimits> = {}, sendingLastsMs?: number) {
  const turns = createCallTurns({ ...long, ...limits }, sendingLastsMs)
  const app = createHttpServer({
    log: createLog({ level: 'silent' }),
    trustedProxies: ['127.0.0.1'],
    turns,
  })
  const begun: string[] = []
  const held: (() => void)[] = []
  const isOf = async (request: FastifyRequest) => {
    const id = /^u(\d+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (id) await turnOf(request)?.isOf(Number(id))
  }
  app.get<{ Params: { name: string } }>('/held/:name', { onRequest: isOf }, async ({ params }) => {
    begun.push(params.name)
    await new Promise<void>((resolve) => held.push(resolve))
    return {}
  })
  app.get('/long', async () => 'x'.repeat(64_000_000))
  app.get('/free', { onRequest: isOf }, async () => ({}))
  app.post('/body', { onRequest: isOf }, async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  onTestFinished(async () => {
    app.server.closeAllConnections()
    for (let letGo = held.shift(); letGo; letGo = held.shift()) letGo()
    await closeHttpServer(app)
  })

  /** Sends the head of a request from that address, with a token where one is given. */
  async function send(path: string, { from = '10.0.0.1', token = '', method = 'GET', more = '' } = {}) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n${token && `Authorization: ${token}\r\n`}${more}\r\n`,
    )
    return socket
  }
  const answerTo = async (socket: Socket) => String((await once(socket, 'data'))[0])
  const askFrom = async (from: string, token = '') => answerTo(await send('/free', { from, token }))
  return { turns, begun, send, answerTo, askFrom, letGo: () => held.shift()?.() }
}

test('an address with many calls waits behind itself, and others go on', async () => {
  const { turns, begun, send, askFrom } = await listening()
  await askFrom('10.0.0.1', 'u7')
  for (let n = 0; n < 30; n += 1) await send(`/held/${n}`)
  await expect.poll(() => turns.strangers.waiting).toBe(28)
  expect(begun).toHaveLength(2)
  expect(await askFrom('10.0.0.2')).toContain('200 OK')
  expect(await askFrom('10.0.0.1', 'u7')).toContain('200 OK')
})

test('a user with many calls waits behind himself at whatever address, and others at the same address go on', async () => {
  const { turns, begun, send, askFrom } = await listening()
  await askFrom('10.0.0.1', 'u7')
  for (let n = 0; n < 30; n += 1) await send(`/held/${n}`, { from: `10.0.1.${n}`, token: 'u7' })
  await expect.poll(() => turns.users.waiting).toBe(27)
  expect(begun).toHaveLength(3)
  expect(turns.strangers.underWay).toBe(0)
  expect(await askFrom('10.0.1.1', 'u8')).toContain('200 OK')
  expect(await askFrom('10.0.1.1')).toContain('200 OK')
})

test('a call that waits and whose client leaves reaches no handler', async () => {
  const { turns, begun, send, letGo } = await listening({ perCaller: 1 })
  await send('/held/first')
  await expect.poll(() => begun).toEqual(['first'])
  const leaving = await send('/held/leaving')
  await expect.poll(() => turns.strangers.waiting).toBe(1)
  await send('/held/last')
  await expect.poll(() => turns.strangers.waiting).toBe(2)
  leaving.destroy()
  await expect.poll(() => turns.strangers.waiting).toBe(1)
  letGo()
  await expect.poll(() => begun).toEqual(['first', 'last'])
})

test('a turn of a client that has left is taken until its call has ended', async () => {
  const { turns, begun, send, letGo } = await listening({ perCaller: 1 })
  const leaving = await send('/held/leaving')
  await expect.poll(() => begun).toEqual(['leaving'])
  await send('/held/next')
  await expect.poll(() => turns.strangers.waiting).toBe(1)
  leaving.destroy()
  await once(leaving, 'close')
  expect(begun).toEqual(['leaving'])
  letGo()
  await expect.poll(() => begun).toEqual(['leaving', 'next'])
})

test('a call beyond those that may wait is refused with 429, and told when to come again', async () => {
  const { turns, send, answerTo, askFrom } = await listening({ waiting: 2 })
  for (let n = 0; n < 4; n += 1) await send(`/held/${n}`)
  await expect.poll(() => turns.strangers.waiting).toBe(2)
  const refused = await answerTo(await send('/held/more'))
  expect(refused).toMatch(/^HTTP\/1\.1 429 /)
  expect(refused).toMatch(/^retry-after: 5\r$/m)
  expect(refused).toContain('"refusal":"tooManyCalls"')
  expect(await askFrom('10.0.0.2')).toContain('200 OK')
})

test('a call has no turn while its body comes in', async () => {
  const { turns, send, answerTo, askFrom } = await listening({ perCaller: 1 })
  const more = 'Content-Type: application/json\r\nContent-Length: 2\r\n'
  const slow = []
  for (let n = 0; n < 5; n += 1) slow.push(await send('/body', { method: 'POST', more }))
  expect(await askFrom('10.0.0.1')).toContain('200 OK')
  for (const socket of slow) {
    const answer = answerTo(socket)
    socket.write('{}')
    expect(await answer).toContain('200 OK')
  }
  await expect.poll(() => turns.strangers.underWay).toBe(0)
})

test('a long answer has its turn until the client has taken it', async () => {
  const { turns, send, askFrom } = await listening({ perCaller: 1 }, long.lastsMs)
  const socket = await send('/long')
  socket.pause()
  await expect.poll(() => turns.strangers.underWay).toBe(1)
  const next = askFrom('10.0.0.1')
  await expect.poll(() => turns.strangers.waiting).toBe(1)
  socket.resume()
  expect(await next).toContain('200 OK')
})

test('a long answer that is taken slowly leaves its turn', async () => {
  const { turns, send, askFrom } = await listening({ perCaller: 1 }, 20)
  const socket = await send('/long')
  socket.pause()
  expect(await askFrom('10.0.0.1')).toContain('200 OK')
  expect(socket.destroyed).toBe(false)
  await expect.poll(() => turns.strangers.underWay).toBe(0)
})

test('a user has no more than six calls under way, however long they last, and others go on', async () => {
  const { begun, send, askFrom, letGo } = await listening({ lastsMs: 5, ownLastsMs: 10 })
  await askFrom('10.0.0.1', 'u7')
  for (let n = 0; n < 12; n += 1) await send(`/held/${n}`, { token: 'u7' })
  await expect.poll(() => begun.length).toBe(6)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(begun).toHaveLength(6)
  expect(await askFrom('10.0.0.1', 'u8')).toContain('200 OK')
  letGo()
  await expect.poll(() => begun.length).toBe(7)
})
