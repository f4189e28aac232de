import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/**
 * A TCP proxy to the database or another server. A test can cut its connections, freeze them, or drop them silently
 * like a firewall.
 */
export async function lineTo(address: string) {
  const url = new URL(address)
  const directory = url.searchParams.get('host')
  const target: NetConnectOpts = directory
    ? { path: `${directory}/.s.PGSQL.${url.port || '5432'}` }
    : { host: url.hostname, port: Number(url.port || 5432) }
  const pairs = new Set<[Socket, Socket]>()
  const stranded = new Set<[Socket, Socket]>()
  let isHanging = false
  let server: Server
  let port = 0
  const open = () =>
    new Promise<void>((resolve) => {
      server = createServer((client) => {
        const upstream = connect(target)
        const pair: [Socket, Socket] = [client, upstream]
        pairs.add(pair)
        for (const socket of pair) {
          socket.on('error', () => undefined)
          socket.on('close', () => {
            // Neither end of a stranded connection learns of the other's close.
            if (stranded.has(pair)) return
            pairs.delete(pair)
            for (const one of pair) one.destroy()
          })
        }
        client.pipe(upstream)
        upstream.on('data', (bytes) => client.write(bytes))
        if (isHanging) upstream.pause()
      })
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as { port: number }).port
        resolve()
      })
    })
  await open()
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    restore: async () => {
      isHanging = false
      for (const pair of pairs) if (!stranded.has(pair)) pair[1].resume()
      if (!server.listening) await open()
    },
    hang: () => {
      isHanging = true
      for (const [, upstream] of pairs) upstream.pause()
    },
    /** Drops open connections silently: no data passes in either direction, not even a close. New connections work. */
    strand: () => {
      for (const pair of pairs) {
        const [client, upstream] = pair
        stranded.add(pair)
        client.unpipe()
        client.pause()
        upstream.pause()
      }
    },
    cut: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      await closed
    },
  }
}
