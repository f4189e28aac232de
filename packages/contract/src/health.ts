import * as z from 'zod/mini'
import { endpoint, one } from './endpoint.ts'
import { nothingIn, timeOut } from './fields.ts'

/** Whether the process answers at all; what a supervisor restarts it by. */
export const readHealth = endpoint({
  method: 'GET',
  path: '/health',
  access: 'public',
  summary: '存活检查',
  input: nothingIn,
  reply: one(z.object({ status: z.literal('up'), startTime: timeOut })),
})

/** Whether it can do its work: 503 names the part that is away. What a load balancer sends traffic by. */
export const readReadiness = endpoint({
  method: 'GET',
  path: '/ready',
  access: 'public',
  summary: '就绪检查',
  input: nothingIn,
  reply: one(z.object({ status: z.literal('ready') })),
})
