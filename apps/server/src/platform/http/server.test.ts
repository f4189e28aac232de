import { expect, test } from 'vitest'
import { createLog } from '../process/log.ts'
import { createHttpServer } from './server.ts'

async function addressSeen(trustedProxies: string[]): Promise<string> {
  const app = createHttpServer({ log: createLog({ level: 'silent' }), trustedProxies })
  app.get('/', async (request) => ({ address: request.ip }))
  const answer = await app.inject({
    url: '/',
    remoteAddress: '10.0.0.9',
    headers: { 'x-forwarded-for': '198.51.100.7' },
  })
  return answer.json<{ address: string }>().address
}

test('a client cannot choose the address that it is counted by', async () => {
  expect(await addressSeen([])).toBe('10.0.0.9')
  expect(await addressSeen(['192.0.2.0/24'])).toBe('10.0.0.9')
})

test('a trusted proxy determines the client’s address', async () => {
  expect(await addressSeen(['10.0.0.0/8'])).toBe('198.51.100.7')
})
