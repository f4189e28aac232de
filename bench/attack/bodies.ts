import { request as send } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { login } from '@voltkeep/contract'
import type { AttackPart } from './part.ts'

const perSecond = 8
const keys = 120_000
/** The limit as a ratio to the neighbour's p50 without the attack; below `quietMs` a ratio means nothing. */
const mostRatio = 1.5
const quietMs = 20

/** A megabyte of JSON that consists of keys: short ones are the most expensive to parse. */
const manyKeys = `{${Array.from({ length: keys }, (_, n) => `"${n.toString(36)}":1`).join(',')}}`

/** Bodies sent without sign-in: large ones with many keys, to the sign-in call. */
export const bodies: AttackPart = {
  name: 'bodies',
  about: `${perSecond} bodies a second of ${keys} JSON keys each, to the sign-in, by a stranger`,
  async attack(ground) {
    const { server, options } = ground
    const url = `${server.url}/api${login.path}`
    await ground.measure('warming up', { forMs: 3_000 })
    const before = await ground.measure('before', { forMs: 5_000 })
    const answers = new Map<number, number>()
    const during = await ground.measure('during', async () => {
      const endsAt = Date.now() + Number(options.seconds) * 1_000
      const sent: Promise<void>[] = []
      while (Date.now() < endsAt) {
        sent.push(
          post(url, manyKeys).then((status) => void answers.set(status, (answers.get(status) ?? 0) + 1)),
        )
        await delay(1_000 / perSecond)
      }
      await Promise.all(sent)
    })
    console.log(
      `  answers: ${[...answers].map(([status, count]) => `${count} × ${status || 'cut off'}`).join(', ')}`,
    )
    ground.atMost(
      "neighbour's p50 against without",
      Math.max(during.p50Ms, quietMs) / Math.max(before.p50Ms, quietMs),
      mostRatio,
    )
    ground.atMost("neighbour's calls that failed", during.failed, 0)
    ground.isTrue('no answer is a 500', !answers.has(500))
    await ground.returnsTo(before)
  },
}

/** The status; 0 if the connection ended without an answer. Not fetch, which waits until the body has been sent. */
function post(url: string, body: string): Promise<number> {
  return new Promise((resolve) => {
    const request = send(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    request.on('error', () => resolve(0))
    request.end(body)
  })
}
