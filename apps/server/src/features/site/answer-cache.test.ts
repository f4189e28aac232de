import { expect, test } from 'vitest'
import { createCache } from './answer-cache.ts'

function counted() {
  let now = 0
  let loads = 0
  const cache = createCache<number>({ keptForMs: 1_000, limit: 2, now: () => now })
  return {
    read: (key: string) => cache.read(key, async () => ++loads),
    pass: (ms: number) => {
      now += ms
    },
    cache,
  }
}

test('an answer is read once per period, also for concurrent callers', async () => {
  const { read, pass } = counted()
  expect(await Promise.all([read('a'), read('a')])).toEqual([1, 1])
  pass(999)
  expect(await read('a')).toBe(1)
  pass(1)
  expect(await read('a')).toBe(2)
})

test('at most the limit of answers is cached, the newest ones', async () => {
  const { read } = counted()
  for (const key of ['a', 'b', 'c']) await read(key)
  expect(await read('c')).toBe(3)
  expect(await read('b')).toBe(2)
  expect(await read('a')).toBe(4)
})

test('a failure is not kept', async () => {
  const { cache, read } = counted()
  await expect(cache.read('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await read('a')).toBe(1)
})
