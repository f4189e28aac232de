import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { nothingIn, timeOut } from './fields.ts'

/** Liveness: the process responds. Otherwise a supervisor should restart it. */
export const readHealth = endpoint({
  method: 'GET',
  path: '/health',
  access: 'public',
  summary: '存活检查',
  input: nothingIn,
  reply: one(z.object({ status: z.literal('up'), version: z.string(), startTime: timeOut })),
})

/** Readiness: 503 names the unavailable part. For load balancers. */
export const readReadiness = endpoint({
  method: 'GET',
  path: '/ready',
  access: 'public',
  summary: '就绪检查',
  input: nothingIn,
  reply: one(z.object({ status: z.literal('ready') })),
})
