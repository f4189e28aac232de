import { expect, test } from 'vitest'
import type { Row } from './logText.ts'
import { createRowCache } from './rowCache.ts'

const rowOf = (place: number) => ({ line: place }) as unknown as Row

/** A cache whose requests are answered by hand, in any order. */
function made() {
  const asked: { from: number; answer: (rows: Row[]) => void }[] = []
  const cache = createRowCache((from) => new Promise((answer) => asked.push({ from, answer })))
  const answer = async (at: number, count = 64) => {
    const { from, answer: give } = asked[at] as (typeof asked)[number]
    give(Array.from({ length: count }, (_, n) => rowOf(from + n)))
    await Promise.resolve()
    await Promise.resolve()
  }
  return { cache, asked, answer }
}

test('the blocks of a window are asked for once', async () => {
  const { cache, asked, answer } = made()
  cache.want(60, 70, 1_000)
  cache.want(61, 71, 1_000)
  expect(asked.map(({ from }) => from)).toEqual([0, 64])
  await answer(1)
  expect(cache.at(65)).toEqual(rowOf(65))
  expect(cache.at(60)).toBeUndefined()
  cache.want(64, 70, 1_000)
  expect(asked).toHaveLength(2)
})

test('the last block is asked for again once the text has grown', async () => {
  const { cache, asked, answer } = made()
  cache.want(0, 10, 10)
  await answer(0, 10)
  cache.want(0, 10, 10)
  expect(asked).toHaveLength(1)
  cache.want(0, 20, 20)
  expect(asked).toHaveLength(2)
})

test('an answer to a question from before the filter changed is dropped', async () => {
  const { cache, answer } = made()
  cache.want(0, 10, 1_000)
  cache.clear()
  await answer(0)
  expect(cache.at(0)).toBeUndefined()
  cache.want(0, 10, 1_000)
  await answer(1)
  expect(cache.at(0)).toEqual(rowOf(0))
})

test('the oldest blocks make room for new ones', async () => {
  const { cache, answer } = made()
  for (let block = 0; block <= 100; block += 1) {
    cache.want(block * 64, block * 64 + 1, 1_000_000)
    await answer(block)
  }
  expect(cache.at(0)).toBeUndefined()
  expect(cache.at(64)).toEqual(rowOf(64))
})
