import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createStationLine, type StationLine, TooMuchUnread } from './line.ts'

const open: WebSocketServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    for (const client of server.clients) client.terminate()
    server.close()
  }
})

/** Far more than what the two sockets' buffers take, in pieces of so many bytes. */
const tooMuchBytes = 32 * 1024 * 1024
const piece = 'x'.repeat(60_000)

async function station() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  open.push(server)
  await once(server, 'listening')
  const coming = once(server, 'connection') as Promise<[WebSocket]>
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  socket.on('error', () => {})
  await once(socket, 'open')
  const [taken] = await coming
  const failed = vi.fn()
  const closed = vi.fn()
  const received = vi.fn(() => 0)
  const line = createStationLine(
    taken,
    { call: async () => ({ result: { piece } }), received, unreadable: () => {}, closed, failed },
    { answerWithinMs: 1 },
  )
  return { socket, line, failed, closed, received }
}

test.each<[string, (socket: WebSocket, line: StationLine) => void]>([
  [
    'calls',
    (socket) => {
      for (let sent = 0; sent < tooMuchBytes; sent += piece.length)
        socket.send(JSON.stringify([2, String(sent), 'Heartbeat', {}]))
    },
  ],
  [
    'nothing, and is asked,',
    (_, line) => {
      for (let sent = 0; sent < tooMuchBytes; sent += piece.length) void line.ask('DataTransfer', { piece })
    },
  ],
])('a station that sends %s and never reads is cut off', async (_, flood) => {
  const { socket, line, failed, closed } = await station()
  socket.pause()
  flood(socket, line)
  await vi.waitFor(() => expect(closed).toHaveBeenCalledExactlyOnceWith(false), 20_000)
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.any(TooMuchUnread))
})

test('a ping and a pong count as what has been sent', async () => {
  const { socket, received } = await station()
  socket.ping('123')
  socket.pong('12345')
  await vi.waitFor(() => expect(received.mock.calls).toEqual([[3], [5]]))
})
