import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'

let server: Server | undefined

/**
 * A real HTTP server that answers as `listener` says, as the host of the test's page (happy-dom); closed after the
 * test.
 */
export async function serveAsHost(listener: RequestListener): Promise<void> {
  server = createServer(listener)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { happyDOM } = window as unknown as { happyDOM: { setURL(url: string): void } }
  happyDOM.setURL(`http://127.0.0.1:${port}/`)
}

/** Answers every request with this envelope. */
export function answering(status: number, envelope: object): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(envelope))
  }
}

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})
