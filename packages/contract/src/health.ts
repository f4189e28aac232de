import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { nothingIn, timeOut } from './fields.ts'

/** Liveness: the process answers. A supervisor restarts it otherwise. */
export const readHealth = endpoint({
  method: 'GET',
  path: '/health',
  access: 'public',
  summary: '存活检查',
  input: nothingIn,
  reply: one(z.object({ status: z.literal('up'), startTime: timeOut })),
})

/** Readiness: 503 names the part that is unavailable. A load balancer sends traffic by this. */
export const readReadiness = endpoint({
  method: 'GET',
  path: '/ready',
  access: 'public',
  summary: '就绪检查',
  input: nothingIn,
  reply: one(z.object({ status: z.literal('ready') })),
})
