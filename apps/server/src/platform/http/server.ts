import { parse as parseForm } from 'node:querystring'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { Refusal } from '../refusal.ts'
import { answerError, answerUnreadable, createRefusalOf, type RefusalOf } from './errors.ts'
import { newRequestId } from './mount.ts'

const bodyLimitBytes = 1_048_576
/** A request must have come in whole by then: a gigabyte over a line of 2.5 Mbit/s. */
const requestTimeoutMs = 3_600_000

export interface HttpServerOptions {
  log: FastifyBaseLogger
  /** Addresses or networks of reverse proxies whose X-Forwarded-For is believed; nobody's by default. */
  trustedProxies?: readonly string[]
  /** By default without any constraint's name. */
  refusalOf?: RefusalOf
}

/** Fastify with our envelope for every failure, JSON and form bodies, and no other magic. */
export function createHttpServer({
  log,
  trustedProxies = [],
  refusalOf = createRefusalOf({}),
}: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: newRequestId,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // An address that cannot be decoded, before there is a route to refuse it.
    frameworkErrors: (error, request, reply) => void answerError(error, refusalOf(error), request, reply),
    clientErrorHandler: answerUnreadable,
  })
  app.setErrorHandler((error, request, reply) => answerError(error, refusalOf(error), request, reply))
  app.setNotFoundHandler(() => {
    throw new Refusal('notFound')
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, readJson(body))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, { ...parseForm(body) }),
  )

  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    // What an answer to one user holds has no place in anyone's cache.
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  return app
}

/** An empty body with a JSON content type is what many clients send with a POST that has no fields. */
function readJson(body: string): unknown {
  if (body.trim() === '') return {}
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new Refusal('badInput', [{ field: '', message: '请求内容不是有效的JSON' }])
  }
  if (value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value
  throw new Refusal('badInput', [{ field: '', message: '请求内容应为JSON对象' }])
}

/** What is in flight gets this long; a browser's spare connection, on which nothing ever came, no longer. */
const closeGraceMs = 3_000

/** Stops accepting and waits for the calls in flight, but not for whoever holds a connection open. */
export async function closeHttpServer(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), closeGraceMs)
  await app.close()
  clearTimeout(deadline)
}
