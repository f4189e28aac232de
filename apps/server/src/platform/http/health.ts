import { type RefusalName, readHealth, readReadiness } from '@voltkeep/contract'
import { Refusal } from '../calls/refusal.ts'
import { withinLimit } from '../database/connections/time-limit.ts'
import type { Api } from './mount.ts'

/** Anybody may ask, as often as they like: who asks meanwhile gets the same answer, and a good one lasts for a second. */
const goodForMs = 1_000

/** A part that the process needs: resolves when it answers. */
export interface Part {
  refusal: Extract<RefusalName, 'databaseAway' | 'brokerAway' | 'serverStopping'>
  ping(): Promise<void>
}

export function mountHealth(api: Api, parts: readonly Part[], version: string): void {
  const startTime = new Date()
  api.mount(readHealth, async () => ({ status: 'up' as const, version, startTime }))
  let asking: Promise<unknown> | undefined
  let goodUntilMs = 0
  api.mount(readReadiness, async () => {
    if (performance.now() >= goodUntilMs) {
      asking ??= Promise.all(parts.map(ask))
        .then(() => {
          goodUntilMs = performance.now() + goodForMs
        })
        .finally(() => {
          asking = undefined
        })
      await asking
    }
    return { status: 'ready' as const }
  })
}

async function ask({ refusal, ping }: Part): Promise<void> {
  try {
    await withinLimit(ping())
  } catch {
    throw new Refusal(refusal)
  }
}
