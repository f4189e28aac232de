import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { Refusal } from '../refusal.ts'
import { handleErrors } from './errors.ts'
import { newRequestId } from './mount.ts'

const bodyLimitBytes = 1_048_576
/** The spec's clients wait this long: an export or a log extraction may take it. */
const requestTimeoutMs = 300_000

/** Fastify with our envelope for every failure, JSON and form bodies, and no other magic. */
export function createHttpServer(log: FastifyBaseLogger): FastifyInstance {
  const app = Fastify({
    loggerInstance: log,
    disableRequestLogging: true,
    genReqId: newRequestId,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
  })
  handleErrors(app)
  app.setNotFoundHandler(() => {
    throw new Refusal('notFound')
  })

  // An empty body with a JSON content type is what many clients send with a POST that has no fields.
  const parseJson = app.getDefaultJsonParser('ignore', 'ignore')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.trim() === '') return done(null, {})
    return parseJson(request, body, (error, value) =>
      error
        ? done(new Refusal('badInput', [{ field: '', message: '请求内容不是有效的JSON' }]))
        : done(null, value),
    )
  })
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  )
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
  })
  return app
}
