import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'

/** A line to the database that a test can cut, or stop as a frozen machine would. */
export async function lineTo(databaseUrl: string) {
  const url = new URL(databaseUrl)
  const directory = url.searchParams.get('host')
  const target: NetConnectOpts = directory
    ? { path: `${directory}/.s.PGSQL.${url.port || '5432'}` }
    : { host: url.hostname, port: Number(url.port || 5432) }
  const pairs = new Set<[Socket, Socket]>()
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
      for (const [, upstream] of pairs) upstream.resume()
      if (!server.listening) await open()
    },
    hang: () => {
      isHanging = true
      for (const [, upstream] of pairs) upstream.pause()
    },
    cut: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      await closed
    },
  }
}
