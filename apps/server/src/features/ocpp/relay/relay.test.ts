// A relay between a station's line and a platform, both real sockets on this machine.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createStationLine, type StationLine } from '../../../platform/devices/ocpp/line.ts'
import { allowingPublicAnd } from '../../../platform/http/outgoing/index.ts'
import type { BackOfficeLimits } from './back-office.ts'
import { createRelay, type Relay } from './relay.ts'

const limits: BackOfficeLimits = { handshakeMs: 2_000, answerMs: 300, retryMs: 20, retryAtMostMs: 50 }
const open: { close(): unknown }[] = []
afterEach(() => {
  for (const one of open.splice(0).reverse()) one.close()
})

async function listening(port = 0): Promise<{ server: WebSocketServer; url: string; port: number }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port, handleProtocols: () => 'ocpp1.6' })
  open.push({
    close() {
      for (const client of server.clients) client.terminate()
      server.close()
    },
  })
  await once(server, 'listening')
  const { port: at } = server.address() as AddressInfo
  return { server, url: `ws://127.0.0.1:${at}`, port: at }
}

/** A station, and the line that the server has to it. */
async function station(): Promise<{ socket: WebSocket; line: StationLine; asked: unknown[][] }> {
  const { server, url } = await listening()
  const coming = once(server, 'connection') as Promise<[WebSocket]>
  const socket = new WebSocket(url, ['ocpp1.6'])
  const asked: unknown[][] = []
  socket.on('message', (data) => asked.push(JSON.parse(String(data))))
  await once(socket, 'open')
  const [taken] = await coming
  const line = createStationLine(taken, {
    call: async () => ({ result: {} }),
    received: () => 0,
    unreadable: () => {},
    closed: () => {},
    failed: () => {},
  })
  return { socket, line, asked }
}

interface Platform {
  url: string
  said: unknown[][]
  sockets: WebSocket[]
}

/** A platform that does with each frame what it is told; `said`: the frames that have come. */
async function platform(answer: (frame: unknown[], socket: WebSocket) => void): Promise<Platform> {
  const { server, url } = await listening()
  const said: unknown[][] = []
  const sockets: WebSocket[] = []
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as unknown[]
      said.push(frame)
      answer(frame, socket)
    })
  })
  return { url, said, sockets }
}

const answering = ([kind, id, action]: unknown[], socket: WebSocket) => {
  if (kind === 2) socket.send(JSON.stringify([3, id, { to: action }]))
}

function relayed(
  line: Pick<StationLine, 'ask'>,
  url: string,
  networks = ['127.0.0.0/8'],
): { relay: Relay; failures: (string | null)[]; configured: unknown[] } {
  const failures: (string | null)[] = []
  const configured: unknown[] = []
  const relay = createRelay({
    edition: '1',
    target: { url, identity: 'CP1', password: null, tls: {} },
    station: line,
    isAllowed: allowingPublicAnd(networks),
    limits,
    changed: (failure) => failures.push(failure),
    configured: (payload) => configured.push(payload),
    complain: (error) => {
      throw error
    },
  })
  open.push(relay)
  return { relay, failures, configured }
}

test('ids of the two sides are told apart, also where they are the same', async () => {
  const { socket, line, asked } = await station()
  // Its calls have the ids that the lines give, and come at the same time.
  const { url, said, sockets } = await platform(([kind, id, action], own) => {
    if (kind === 2 && action === 'Heartbeat') {
      own.send(JSON.stringify([2, id, 'Reset', { type: 'Soft' }]))
      own.send(JSON.stringify([3, id, { currentTime: 'theirs' }]))
    }
  })
  const { relay } = relayed(line, url)
  expect(await relay.pass('Heartbeat', {})).toMatchObject({
    kind: 'result',
    payload: { currentTime: 'theirs' },
  })
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  const [[, id, action, payload]] = asked as [[number, string, string, object]]
  expect([action, payload]).toEqual(['Reset', { type: 'Soft' }])
  // The ids are those of each line, which both count from the beginning.
  expect(said[0]?.[1]).toBe(id)
  socket.send(JSON.stringify([3, id, { status: 'Accepted' }]))
  await vi.waitFor(() => expect(said).toHaveLength(2))
  expect(said[1]).toEqual([3, id, { status: 'Accepted' }])
  // A second call with the same id is another call.
  sockets[0]?.send(JSON.stringify([2, id, 'ClearCache', {}]))
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  const [, second] = asked as [unknown, [number, string, string]]
  expect(second[1]).not.toBe(id)
  socket.send(JSON.stringify([4, second[1], 'Whatever', 'no', {}]))
  await vi.waitFor(() => expect(said[2]).toEqual([4, id, 'GenericError', 'no', {}]))
})

test('answers with ids that nobody waits for change nothing; a platform that never answers is away after a while', async () => {
  const { line } = await station()
  const { url } = await platform(([kind], socket) => {
    if (kind !== 2) return
    for (const id of ['v9', '', 17, null]) socket.send(JSON.stringify([3, id, { status: 'Forged' }]))
    socket.send('nonsense')
    socket.send(JSON.stringify([2, 'x', 'Bad Action!', {}]))
  })
  const { relay, failures } = relayed(line, url)
  expect(await relay.pass('Heartbeat', {})).toEqual({ kind: 'silent' })
  expect(failures).toContain('原平台没有及时应答')
  // Connected anew, it is asked anew.
  await vi.waitFor(() => expect(relay.isConnected).toBe(true))
})

test('a message without an end ends the connection, and it is made again', async () => {
  const { line } = await station()
  let count = 0
  const { url } = await platform((frame, socket) => {
    count += 1
    if (count > 1) return answering(frame, socket)
    socket.send(JSON.stringify([3, frame[1], { endless: 'x'.repeat(200_000) }]))
  })
  const { relay, failures } = relayed(line, url)
  expect(await relay.pass('Heartbeat', {})).toEqual({ kind: 'gone' })
  await vi.waitFor(() => expect(relay.isConnected).toBe(true))
  expect(failures).toEqual([null, '原平台的报文过大', null])
  expect(await relay.pass('Heartbeat', {})).toMatchObject({ kind: 'result' })
})

test('a call of the platform that the station does not answer is answered with an error when the station has gone', async () => {
  const { socket, line, asked } = await station()
  const { url, said, sockets } = await platform(answering)
  const { relay } = relayed(line, url)
  await relay.pass('Heartbeat', {})
  sockets[0]?.send(JSON.stringify([2, 'a', 'Reset', { type: 'Hard' }]))
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  socket.terminate()
  await vi.waitFor(() => expect(said[1]?.slice(0, 3)).toEqual([4, 'a', 'GenericError']))
})

test('what a station was answered meanwhile is told when the platform is back, the last of each', async () => {
  const { line } = await station()
  const before = await listening()
  const { port } = before
  for (const one of open.splice(-1)) one.close()
  const { relay, failures } = relayed(line, `ws://127.0.0.1:${port}`)
  expect(await relay.pass('BootNotification', { n: 1 })).toEqual({ kind: 'gone' })
  expect(failures[0]).toBe('原平台拒绝连接')
  relay.tellLater('BootNotification', { n: 1 })
  relay.tellLater('StatusNotification', { connectorId: 1, status: 'Faulted' })
  relay.tellLater('StatusNotification', { connectorId: 1, status: 'Available' })
  relay.tellLater('Heartbeat', {})
  const said: unknown[][] = []
  const { server } = await listening(port)
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as unknown[]
      said.push(frame)
      answering(frame, socket)
    }),
  )
  await vi.waitFor(() => expect(said).toHaveLength(2), { timeout: 5_000 })
  expect(said.map(([, , action, payload]) => [action, payload])).toEqual([
    ['BootNotification', { n: 1 }],
    ['StatusNotification', { connectorId: 1, status: 'Available' }],
  ])
})

test('an address that is not allowed is not connected to, in any spelling', async () => {
  const { line } = await station()
  const { url, sockets } = await platform(answering)
  const port = new URL(url).port
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]']) {
    const { relay, failures } = relayed(line, `ws://${host}:${port}`, [])
    expect(await relay.pass('Heartbeat', {})).toEqual({ kind: 'gone' })
    expect(failures[0]).toContain('OCPP_RELAY_NETWORKS')
  }
  expect(sockets).toEqual([])
})

test('the password by which the station comes here stays here', async () => {
  const { socket, line, asked } = await station()
  const { url, said, sockets } = await platform(answering)
  const { relay, configured } = relayed(line, url)
  await relay.pass('Heartbeat', {})
  const change = { key: 'AuthorizationKey', value: '00' }
  sockets[0]?.send(JSON.stringify([2, 'a', 'ChangeConfiguration', change]))
  await vi.waitFor(() => expect(said[1]).toEqual([3, 'a', { status: 'Rejected' }]))
  sockets[0]?.send(JSON.stringify([2, 'b', 'GetConfiguration', {}]))
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  const read = { configurationKey: [{ key: 'AuthorizationKey', readonly: false, value: 'secret' }] }
  socket.send(JSON.stringify([3, asked[0]?.[1], read]))
  await vi.waitFor(() => expect(said).toHaveLength(3))
  expect(JSON.stringify(said[2])).not.toContain('secret')
  expect(configured).toEqual([read])
})
