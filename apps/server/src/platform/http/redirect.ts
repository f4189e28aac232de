// The plain port of a server with TLS: sends browsers on, and answers what asks whether the server is well.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Envelope } from '@voltkeep/contract'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import type { HttpLimits } from './limits/index.ts'
import { isForDevices } from './server.ts'
import { CountedResponse, takeOneAtATime } from './turns/index.ts'

/** Where to: the address by which the server is known, or else the port of TLS under the name in the request. */
export interface RedirectTarget {
  url: string | undefined
  port: number
}

export interface Redirect {
  server: Server
  /** Resolves with the port. */
  listen(at: { host: string; port: number }): Promise<number>
  close(): Promise<void>
}

const healthPaths = new Set(['/api/health', '/api/ready'])
const namePattern = /^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/
const timeLimitMs = 10_000

/**
 * GET and HEAD of pages and files are redirected. A call that carries data could be read on its way, and is refused
 * rather than redirected: whoever configured the address must learn of it.
 */
export function createRedirect(
  app: FastifyInstance,
  to: () => RedirectTarget,
  limits?: Pick<HttpLimits, 'met'>,
): Redirect {
  const connections = {
    headersTimeout: timeLimitMs,
    requestTimeout: timeLimitMs,
    connectionsCheckingInterval: 1_000,
    ServerResponse: CountedResponse,
    shouldUpgradeCallback: isForDevices,
  }
  const server = createServer(connections, (request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?')
    if (healthPaths.has(path) && isRead(request)) app.routing(request, response)
    else sendOn(request, response, to())
  })
  takeOneAtATime([server], (address) => limits?.met('tooManyAhead', { address }))
  return {
    server,
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function sendOn(request: IncomingMessage, response: ServerResponse, to: RedirectTarget): void {
  // The body of the request is not read.
  response.setHeader('connection', 'close')
  response.setHeader('cache-control', 'no-store')
  const origin = originOf(request.headers.host, to)
  if (!isRead(request) || origin === undefined) {
    const { code, message, refusal } = new Refusal('notEncrypted')
    response.writeHead(code, {
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      upgrade: 'TLS/1.2',
    })
    response.end(JSON.stringify({ code, message, data: null, refusal } satisfies Envelope<null>))
    return
  }
  // Not permanently: a browser would keep a permanent redirect even when TLS is switched off here.
  response.writeHead(307, { location: `${origin}${pathOf(request.url)}` }).end()
}

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD'

/** A path that is `//host` or a whole address would lead to another host. */
function pathOf(url = '/'): string {
  return url.startsWith('/') ? `/${url.replace(/^[/\\]+/, '')}` : '/'
}

function originOf(name: string | undefined, { url, port }: RedirectTarget): string | undefined {
  if (url?.startsWith('https:')) return url
  const [, host] = namePattern.exec(name ?? '') ?? []
  if (host === undefined) return undefined
  return port === 443 ? `https://${host}` : `https://${host}:${port}`
}
