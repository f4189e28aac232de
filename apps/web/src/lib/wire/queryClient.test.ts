// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { publishLive } from '../live/live.ts'
import { createQueryClient } from './queryClient.ts'

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => vi.useRealTimers())

/** Reads the same key twice within a second. Answers how often the server was called. */
async function readTwice(between: () => void): Promise<number> {
  const client = createQueryClient()
  const queryFn = vi.fn(() => Promise.resolve('rows'))
  await client.fetchQuery({ queryKey: ['list'], queryFn })
  vi.advanceTimersByTime(500)
  between()
  vi.advanceTimersByTime(500)
  await client.fetchQuery({ queryKey: ['list'], queryFn })
  return queryFn.mock.calls.length
}

it('reads once for what mounts shortly after', async () => {
  expect(await readTwice(() => {})).toBe(1)
  expect(await readTwice(() => publishLive({ type: 'ready' }))).toBe(1)
})

it('reads again what was read before a change that the stream told of', async () => {
  expect(await readTwice(() => publishLive({ type: 'missed' }))).toBe(2)
})
