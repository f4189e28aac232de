import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createLanes } from './lanes.ts'

interface Entry {
  key: number
  n: number
}

/** Lanes whose batches last until the test releases them. */
function makeLanes({ count = 2, batchSize = 10, lingerMs = 5 } = {}) {
  const batches: Entry[][] = []
  const running = new Map<Entry[], () => void>()
  const lanes = createLanes<Entry>({
    count,
    batchSize,
    lingerMs,
    run: (batch) =>
      new Promise((resolve) => {
        batches.push(batch)
        running.set(batch, () => {
          running.delete(batch)
          resolve()
        })
      }),
  })
  let n = 0
  return {
    batches,
    running,
    put: (key: number, times = 1) => {
      for (let i = 0; i < times; i += 1) lanes.put(key, { key, n: n++ })
    },
    letGo: () => {
      for (const end of [...running.values()]) end()
    },
    drained: () => lanes.drained(),
  }
}
const keysOf = (batch: Entry[] | undefined) => batch?.map(({ key }) => key).sort()

describe('lanes', () => {
  test('with little to do share one batch', async () => {
    const { put, batches } = makeLanes()
    put(0)
    put(1)
    put(0)
    expect(batches).toEqual([])
    await vi.waitFor(() => expect(batches.map(keysOf)).toEqual([[0, 0, 1]]), { timeout: 20_000 })
  })

  test('with a full share of a batch run separately and in parallel', () => {
    const { put, batches } = makeLanes()
    put(0, 5)
    put(1, 5)
    expect(batches.map(keysOf)).toEqual([
      [0, 0, 0, 0, 0],
      [1, 1, 1, 1, 1],
    ])
  })

  test('never have two batches in progress, and take at most a batch', async () => {
    const { put, batches, letGo } = makeLanes()
    put(0, 5)
    put(0, 25)
    await delay(20)
    expect(batches.map(({ length }) => length)).toEqual([5])
    letGo()
    await vi.waitFor(() => expect(batches.map(({ length }) => length)).toEqual([5, 10]), { timeout: 20_000 })
    expect(batches.flat().map(({ n }) => n)).toEqual(Array.from({ length: 15 }, (_, n) => n))
  })

  test('with little to do wait for running ones, but only for a while', async () => {
    // With this delay, four times of it exceed any pause of the machine.
    const { put, batches } = makeLanes({ lingerMs: 200 })
    put(0, 5)
    put(1)
    await delay(210)
    expect(batches).toHaveLength(1)
    await vi.waitFor(() => expect(batches.map(keysOf)).toEqual([[0, 0, 0, 0, 0], [1]]), { timeout: 20_000 })
  })

  test('are drained when nothing waits or runs', async () => {
    const { put, batches, letGo, running, drained } = makeLanes({ lingerMs: 60_000 })
    put(0, 3)
    put(1, 1)
    let isDrained = false
    const done = drained().then(() => {
      isDrained = true
    })
    await delay(1)
    expect(batches).toHaveLength(1)
    put(0)
    letGo()
    await delay(1)
    expect([isDrained, running.size]).toEqual([false, 1])
    letGo()
    await done
    expect(batches.flat()).toHaveLength(5)
  })
})

test('entries of a key keep their order, in any order of events', async () => {
  const seen = new Map<number, number[]>()
  const busy = new Set<number>()
  const lanes = createLanes<Entry>({
    count: 3,
    batchSize: 9,
    lingerMs: 1,
    run: async (batch) => {
      const keys = new Set(batch.map(({ key }) => key))
      for (const key of keys) {
        expect(busy.has(key)).toBe(false)
        busy.add(key)
      }
      await delay(batch.length % 3)
      for (const { key, n } of batch) seen.set(key, [...(seen.get(key) ?? []), n])
      for (const key of keys) busy.delete(key)
    },
  })
  for (let n = 0; n < 2_000; n += 1) {
    lanes.put((n * 7919) % 11, { key: (n * 7919) % 11, n })
    if (n % 37 === 0) await delay(n % 4)
  }
  await lanes.drained()
  expect([...seen.values()].flat()).toHaveLength(2_000)
  for (const order of seen.values()) expect(order).toEqual(order.toSorted((a, b) => a - b))
})
