// The HTTP server with its limits, and how it is closed.
import type { IncomingMessage } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { parse as parseForm } from 'node:querystring'
import type { Readable } from 'node:stream'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { Refusal } from '../calls/refusal.ts'
import type { Tls } from '../process/tls/tls.ts'
import { createJsonMeter, isStillSending, lingerOver, readBody, strangersBodyBytes } from './body.ts'
import { answerError, answerUnreadable, createRefusalOf, type RefusalOf } from './errors.ts'
import type { HttpLimits } from './limits/index.ts'
import { newRequestId } from './mount.ts'
import { compressAnswers } from './pages/index.ts'
import { CountedResponse, createCallTurns, endTurns, shareTurns, takeOneAtATime } from './turns/index.ts'

const handshakeLimitMs = 10_000
/** A request must have come in whole by then: a gigabyte takes an hour at 2.5 Mbit/s. */
const requestTimeoutMs = 3_600_000
/** For the lines before a body. */
const headersTimeoutMs = 10_000
/** How often Node looks for requests that have exceeded one of these times. */
const timeoutLookMs = 2_000
const bodyWithinMs = 10_000
/** A refused upload may be sent to its end: a browser reads no answer before. */
const uploadLingerMs = 60_000

export interface HttpServerOptions {
  log: FastifyBaseLogger
  /** Addresses or networks of reverse proxies whose X-Forwarded-For is believed; nobody's by default. */
  trustedProxies?: readonly string[]
  /** By default without any constraint's name. */
  refusalOf?: RefusalOf
  /** Told of each request that met a limit. */
  limits?: HttpLimits
  /** A body must have come in whole by then; a form with a file goes by its pace. */
  bodyWithinMs?: number
  /** With it the server speaks HTTPS and nothing else. */
  tls?: Tls | null
  /** How long a browser comes by HTTPS alone after it has once; said on HTTPS alone. */
  hstsMaxAgeSeconds?: number
  /** Shared among the callers of this server. */
  turns?: ReturnType<typeof createCallTurns>
}

/** Where devices change to another protocol; everybody else's wish to is answered by HTTP. */
const socketPaths = /^\/ocpp\//

export const isForDevices = ({ url, headers }: IncomingMessage): boolean =>
  socketPaths.test(url ?? '') && /^websocket$/i.test(headers.upgrade ?? '')

/** Fastify with our envelope for every failure, JSON and form bodies, and no other magic. */
export function createHttpServer({
  log,
  trustedProxies = [],
  refusalOf = createRefusalOf({}),
  limits,
  bodyWithinMs: withinMs = bodyWithinMs,
  tls = null,
  hstsMaxAgeSeconds,
  turns = createCallTurns(),
}: HttpServerOptions): FastifyInstance {
  const connections = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: timeoutLookMs,
    ServerResponse: CountedResponse,
    shouldUpgradeCallback: isForDevices,
  }
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newRequestId,
    bodyLimit: strangersBodyBytes,
    requestTimeout: requestTimeoutMs,
    ...(tls
      ? {
          https: {
            ...tls.current.device,
            handshakeTimeout: handshakeLimitMs,
            // A device's certificate is looked at where the device signs in; browsers have none of this CA.
            requestCert: tls.current.hasClientCa,
            rejectUnauthorized: false,
            ...connections,
          },
        }
      : { http: connections }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // An address that cannot be decoded, before there is a route to refuse it.
    frameworkErrors: (error, request, reply) => void answerError(error, refusalOf(error), request, reply),
    clientErrorHandler: answerUnreadable,
  })
  takeOneAtATime([app.server], (address) => limits?.met('tooManyAhead', { address }))
  shareTurns(app, turns)
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error)
    if (refusal) limits?.metBy(refusal.refusal, { address: request.ip, call: request.routeOptions.url })
    return answerError(error, refusal, request, reply)
  })
  if (tls) {
    const server = app.server as SecureServer
    tls.onChange((current) => server.setSecureContext(current.device))
    // An answer would wait for the handshake that has failed or takes too long.
    server.on('tlsClientError', (_error, socket) => {
      tls.handshakeFailed('http')
      socket.destroy()
    })
  }
  app.setNotFoundHandler(() => {
    throw new Refusal('notFound')
  })

  app.removeAllContentTypeParsers()
  const read = (request: FastifyRequest, content: Readable, meter?: (bytes: Uint8Array) => void) =>
    readBody(request, content, { limitBytes: request.routeOptions.bodyLimit ?? 0, withinMs, meter })
  app.addContentTypeParser('application/json', async (request: FastifyRequest, content: Readable) =>
    readJson(await read(request, content, createJsonMeter())),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    async (request: FastifyRequest, content: Readable) => ({ ...parseForm(await read(request, content)) }),
  )

  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    // Also where a trusted proxy says that the browser has come over HTTPS.
    if (hstsMaxAgeSeconds !== undefined && request.protocol === 'https') {
      reply.header('strict-transport-security', `max-age=${hstsMaxAgeSeconds}`)
    }
    // An answer to one user has no place in anyone's cache.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    // JSON that a browser opens by its address is shown as such, and in nobody's frame.
    if (
      /^application\/json\b/.test(String(reply.getHeader('content-type') ?? '')) &&
      !reply.hasHeader('content-security-policy')
    ) {
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
      reply.header('x-frame-options', 'DENY')
    }
    if (!isStillSending(request)) return
    const isUpload = request.isMultipart?.() ?? false
    if (!isUpload) reply.header('connection', 'close')
    lingerOver(request, reply, isUpload ? { forMs: uploadLingerMs } : { isLast: true })
  })
  compressAnswers(app)
  endTurns(app, turns)
  return app
}

/** An empty body with a JSON content type is what many clients send with a POST that has no fields. */
function readJson(body: string): unknown {
  if (body.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new Refusal('badInput', [{ field: '', message: '请求内容不是有效的 JSON' }])
  }
  if (value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value
  throw new Refusal('badInput', [{ field: '', message: '请求内容应为 JSON 对象' }])
}

/** How long calls in flight may take at a stop. */
const closeGraceMs = 3_000

/** Stops accepting and waits for the calls in flight, but not for idle connections. */
export async function closeHttpServer(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), closeGraceMs)
  await app.close()
  clearTimeout(deadline)
}
