import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type CallWork, tracedCalls } from '../process/telemetry/tracing.ts'

/** Asked every few seconds by a balancer, and of no interest to anybody. */
const untraced = new Set(['/api/health', '/api/ready'])

/** Says of each call when it begins and ends, and does what belongs to it as its part. */
export function traceCalls(app: FastifyInstance): void {
  const calls = new WeakMap<FastifyRequest, CallWork>()
  app.addHook('onRequest', (request, reply, done) => {
    const { method, routeOptions } = request
    if (untraced.has(routeOptions.url ?? '')) return done()
    const work: CallWork = { method, requestId: request.id }
    calls.set(request, work)
    // Also where the client leaves before the answer.
    reply.raw.once('close', () => {
      if (routeOptions.url !== undefined) work.route = routeOptions.url
      work.status = reply.statusCode
      tracedCalls.asyncEnd.publish(work)
    })
    tracedCalls.start.runStores(work, done)
  })
  // Behind the body, which comes in by events of the connection.
  app.addHook('preValidation', (request, _reply, done) => {
    const work = calls.get(request)
    if (work) tracedCalls.start.runStores(work, done)
    else done()
  })
}
