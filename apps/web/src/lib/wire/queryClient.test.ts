// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { publishLive } from '../live/live.ts'
import { dismiss, notices } from '../notices.ts'
import { createQueryClient } from './queryClient.ts'

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => vi.useRealTimers())

/** Reads the same key twice within a second. Returns how often the server was called. */
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

/** The messages of a first reading that fails, and of one that fails after it succeeded once. */
async function messagesOf(isQuiet: boolean | 'first'): Promise<[first: number, later: number]> {
  const client = createQueryClient()
  const count = () => {
    const found = notices.get()
    for (const { id } of found) dismiss(id)
    return found.length
  }
  const read = (answer: Promise<string>) =>
    client
      .fetchQuery({ queryKey: ['page'], queryFn: () => answer, staleTime: 0, meta: { isQuiet } })
      .catch(() => undefined)
  await read(Promise.reject(new Error('500')))
  const first = count()
  await read(Promise.resolve('rows'))
  await read(Promise.reject(new Error('500')))
  return [first, count()]
}

it('says nothing of a failure that its place shows, at first or ever', async () => {
  expect(await messagesOf(false)).toEqual([1, 1])
  expect(await messagesOf('first')).toEqual([0, 1])
  expect(await messagesOf(true)).toEqual([0, 0])
})
