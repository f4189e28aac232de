// Device connections that come while the server is starting, kept until it can serve them.
import { createServer, type Server, type Socket } from 'node:net'

/** How ports of devices are opened. In a reconnect storm ten thousand devices connect within a second or two. */
export const deviceSockets = { noDelay: true, highWaterMark: 16_384 }
export const deviceBacklog = 4_096

export interface EarlyArrivals {
  /** The port's server, which is listening, and what has come; undefined where the port is not open. */
  take(port: number): { server: Server; sockets: Socket[] } | undefined
  /** Ends what was not taken. */
  close(): void
}

/** A server that starts for longer is not worth waiting for: devices try again by themselves. */
const waitLimitMs = 30_000

/**
 * Opens these ports before the server can serve them. A device that is refused waits for a random time within a window
 * that doubles with each refusal, up to 8 s after a start of one second; one that has a connection waits as long as the
 * start takes. What it sends is not read meanwhile, so that a connection costs a socket and nothing else. A port that
 * cannot be opened is left to whoever opens it later, and says why.
 */
export async function openEarly({
  host,
  ports,
  most,
}: {
  host: string
  /** 0, any free port, is left out: nobody knows it yet. */
  ports: readonly number[]
  /** The most connections of all ports. */
  most: number
}): Promise<EarlyArrivals> {
  const waiting = new Map<number, { server: Server; sockets: Socket[] }>()
  let count = 0
  const close = () => {
    clearTimeout(timer)
    for (const { server, sockets } of waiting.values()) {
      server.close()
      for (const socket of sockets) socket.destroy()
    }
    waiting.clear()
  }
  const timer = setTimeout(close, waitLimitMs).unref()

  const open = (port: number) =>
    new Promise<void>((resolve) => {
      const sockets: Socket[] = []
      const server = createServer({ ...deviceSockets, pauseOnConnect: true }, (socket) => {
        count += 1
        if (count > most) socket.destroy()
        else sockets.push(socket)
      })
      server.once('error', () => resolve())
      server.listen({ host, port, backlog: deviceBacklog }, () => {
        waiting.set(port, { server, sockets })
        resolve()
      })
    })
  await Promise.all(ports.filter((port) => port !== 0).map(open))

  return {
    take(port) {
      const taken = waiting.get(port)
      waiting.delete(port)
      if (waiting.size === 0) clearTimeout(timer)
      return taken
    },
    close,
  }
}
