import { setTimeout as delay } from 'node:timers/promises'
import { type RefusalName, readHealth, readReadiness } from '@voltkeep/contract'
import { Refusal } from '../refusal.ts'
import type { Api } from './mount.ts'

/** Who asks wants an answer soon, and a part that does not give one in this time is away. */
const answerLimitMs = 3_000

/** A part that the process needs: resolves when it answers. */
export interface Part {
  refusal: Extract<RefusalName, 'databaseAway' | 'brokerAway'>
  ping(): Promise<void>
}

export function mountHealth(api: Api, parts: readonly Part[]): void {
  const startTime = new Date()
  api.mount(readHealth, async () => ({ status: 'up' as const, startTime }))
  api.mount(readReadiness, async () => {
    await Promise.all(parts.map(ask))
    return { status: 'ready' as const }
  })
}

async function ask({ refusal, ping }: Part): Promise<void> {
  const silence = new AbortController()
  const limit = delay(answerLimitMs, undefined, { signal: silence.signal }).then(() => {
    throw new Refusal(refusal)
  })
  try {
    await Promise.race([
      ping().catch(() => {
        throw new Refusal(refusal)
      }),
      limit,
    ])
  } finally {
    limit.catch(() => undefined)
    silence.abort()
  }
}
