import { type RefusalName, readHealth, readReadiness } from '@voltkeep/contract'
import { withinLimit } from '../database/time-limit.ts'
import { Refusal } from '../refusal.ts'
import type { Api } from './mount.ts'

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
  try {
    await withinLimit(ping())
  } catch {
    throw new Refusal(refusal)
  }
}
