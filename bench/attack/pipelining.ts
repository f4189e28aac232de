import { readHealth, readOverview, readReadiness } from '@voltkeep/contract'
import { floodInTurns, get, tokenOfUser } from './flood.ts'
import type { AttackPart } from './part.ts'

/** Requests written one after the other without waiting for answers, by strangers, and by a user. */
export const pipelining: AttackPart = {
  name: 'pipelining',
  about: 'thousands of requests written at once on each of a few connections, whose answers nobody reads',
  server: { demoDevices: 20 },
  async attack(ground) {
    const token = await tokenOfUser(ground)
    const ready = get(`/api${readReadiness.path}`)
    const unread = { reads: false }
    await floodInTurns(ground, [
      { name: '8 × ready', connections: 8, requests: [ready], times: 20_000, ...unread },
      { name: '1 × ready, 1.26 million', connections: 1, requests: [ready], times: 1_260_000, ...unread },
      {
        name: '8 × ready, left after 2 s',
        connections: 8,
        requests: [ready],
        times: 20_000,
        leavesAfterMs: 2_000,
        ...unread,
      },
      {
        name: '8 × health',
        connections: 8,
        requests: [get(`/api${readHealth.path}`)],
        times: 20_000,
        ...unread,
      },
      {
        name: '20 × API document',
        connections: 20,
        requests: [get('/api/openapi.json')],
        times: 2_000,
        ...unread,
      },
      { name: '30 × page', connections: 30, requests: [get('/')], times: 20_000, ...unread },
      {
        name: '8 × summary of a user',
        connections: 8,
        requests: [get(`/api${readOverview.path}`, token)],
        times: 2_000,
        ...unread,
      },
    ])
  },
}
