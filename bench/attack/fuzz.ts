import { createRandom } from '@voltkeep/simulator/random'
import { faultOf, randomRequest } from '../../apps/server/test/fuzz/requests.ts'
import type { AttackPart } from './part.ts'

const atOnce = 16
const shownFaults = 10
const shownOutput = 6_000

/** Requests generated from the contract's schemas, sent as the administrator, who may make every call. */
export const fuzz: AttackPart = {
  name: 'fuzz',
  about: 'requests made from the schemas of all calls, spoilt at some places',
  server: { environment: { LOG_LEVEL: 'error' } },
  async attack(ground) {
    const { server, options, adminToken } = ground
    const count = Number(options.requests)
    const random = createRandom(Number(options.seed))
    const statuses = new Map<number, number>()
    const faults: string[] = []
    let sent = 0
    const one = async () => {
      const { what, path, init, endpoint } = randomRequest(random, adminToken)
      sent += 1
      try {
        const answer = await fetch(`${server.url}${path}`, {
          ...init,
          redirect: 'manual',
          signal: AbortSignal.timeout(60_000),
        })
        const text = await answer.text()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const fault = faultOf(endpoint, {
          status: answer.status,
          type: answer.headers.get('content-type'),
          text,
        })
        if (fault) faults.push(`${what}\n      ${fault}`)
      } catch (error) {
        faults.push(`${what}\n      ${error instanceof Error ? error.message : 'no answer'}`)
      }
    }
    const run = (end: number) =>
      Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (sent < end) await one()
        }),
      )
    // Warm-up: memory for code that the first requests load and compile is not growth.
    await run(Math.min(2_000, count / 10))
    const before = await ground.measure('before', { forMs: 5_000 })
    await ground.measure('during', () => run(count))
    console.log(
      `  answers: ${[...statuses]
        .toSorted(([a], [b]) => a - b)
        .map(([status, n]) => `${n} × ${status}`)
        .join(', ')}`,
    )
    for (const fault of faults.slice(0, shownFaults)) console.log(`    ${fault}`)
    if (faults.length > 0) console.log(server.output.slice(-shownOutput))
    ground.atMost('requests with a 500, a stack, or no envelope', faults.length, 0, ` of ${sent}`)
    await ground.returnsTo(before)
  },
}
