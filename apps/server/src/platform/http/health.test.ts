import { readReadiness } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { mountHealth, type Part } from './health.ts'
import type { Api } from './mount.ts'

function readinessOf(ping: Part['ping']): () => Promise<unknown> {
  let ask: (() => Promise<unknown>) | undefined
  const api = {
    endpoints: [],
    mount(endpoint: unknown, handle: unknown) {
      if (endpoint === readReadiness) ask = handle as typeof ask
    },
  }
  mountHealth(api as Api, [{ refusal: 'databaseAway', ping }], '1.0.0')
  return () => ask?.() ?? Promise.reject(new Error('readiness is not mounted'))
}

test('everybody who asks whether the server is ready gets one answer of the database', async () => {
  let pings = 0
  const ready = readinessOf(async () => {
    pings += 1
  })
  await Promise.all(Array.from({ length: 50 }, ready))
  await ready()
  expect(pings).toBe(1)
})

test('a database that was away is asked again by the next', async () => {
  let isAway = true
  let pings = 0
  const ready = readinessOf(async () => {
    pings += 1
    if (isAway) throw new Error('away')
  })
  const answers = await Promise.allSettled([ready(), ready()])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(pings).toBe(1)
  isAway = false
  await expect(ready()).resolves.toEqual({ status: 'ready' })
})
