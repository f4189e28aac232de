import { randomBytes } from 'node:crypto'
import { readOverview } from '@voltkeep/contract'
import { floodInTurns, get, tokenOfUser } from './flood.ts'
import type { AttackPart } from './part.ts'

const connections = 300

/** Ordinary requests, each sent after the answer to the one before, on many connections. */
export const turns: AttackPart = {
  name: 'turns',
  about: `${connections} connections that call one after the other: of a user, with invented tokens, on a public page`,
  server: { demoDevices: 20 },
  async attack(ground) {
    const summary = `/api${readOverview.path}`
    const token = await tokenOfUser(ground)
    const invented = Array.from({ length: connections }, () =>
      get(summary, randomBytes(32).toString('base64url')),
    )
    const ordinary = { connections, times: 1, reads: true }
    await floodInTurns(ground, [
      { name: 'summary of a user', requests: [get(summary, token)], ...ordinary },
      { name: 'invented tokens', requests: invented, ...ordinary },
      { name: 'public page', requests: [get('/site/release/page')], ...ordinary },
      { name: 'API document', requests: [get('/api/openapi.json')], ...ordinary },
    ])
  },
}
