import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Pace } from '../body.ts'

/**
 * The window is long because an operating system sends in portions: a client of some kilobytes a second may get nothing
 * for half a minute, and then hundreds of kilobytes at once.
 */
const windowMs = 60_000

interface Seen {
  sentBytes: number
  /** Something was waiting for the client when it was looked at. */
  isWaiting: boolean
}

/**
 * Ends connections whose client takes less than the least rate over a window while something waits for it all the time,
 * whatever it asked for: exports, files, pages, the live stream. `onSlow` is told of each.
 */
export function watchReaders(
  app: FastifyInstance,
  { leastBytesPerSecond, windowMs: everyMs = windowMs }: Pace,
  onSlow: (address: string) => void,
): void {
  if (leastBytesPerSecond === 0) return
  const sockets = new Map<Socket, Seen>()
  app.server.on('request', ({ socket }: IncomingMessage) => {
    if (sockets.has(socket)) return
    sockets.set(socket, { sentBytes: 0, isWaiting: false })
    socket.once('close', () => sockets.delete(socket))
  })
  const timer = setInterval(() => {
    for (const [socket, before] of sockets) {
      const isWaiting = socket.writableLength > 0
      const sentBytes = socket.bytesWritten - socket.writableLength
      sockets.set(socket, { sentBytes, isWaiting })
      if (!before.isWaiting || !isWaiting) continue
      if ((sentBytes - before.sentBytes) * 1_000 >= leastBytesPerSecond * everyMs) continue
      onSlow(socket.remoteAddress ?? '')
      socket.destroy()
    }
  }, everyMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
