import type { FeedType } from '@voltkeep/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createNews, type Placed } from './news.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A feed of which a test says what is in it. */
function feedOf() {
  let last = 100
  let newest: Placed['newest'] = new Map<FeedType, string>()
  const looks: string[] = []
  const news = createNews(async (after) => {
    looks.push(after)
    return { last: String(last), newest, hasMore: false }
  })
  const waits = async (...kinds: FeedType[]) => {
    const after = String(last)
    let isWoken = false
    void news.wait({ after, kinds }, 5_000, []).then(() => {
      isWoken = true
    })
    await vi.advanceTimersByTimeAsync(1_000)
    return { isWoken: () => isWoken }
  }
  const place = (kind: FeedType) => {
    last += 1
    newest = new Map([[kind, String(last)]])
  }
  const placeMore = () => {
    last += 50_000
    newest = null
  }
  return { news, looks, waits, place, placeMore }
}

test('a hundred notices are one look at once for all that wait, and one half a second later', async () => {
  const { news, looks, waits } = feedOf()
  for (let n = 0; n < 20; n += 1) await waits('alarm.raised')
  looks.length = 0
  for (let n = 0; n < 100; n += 1) {
    news.notice()
    await vi.advanceTimersByTimeAsync(4)
  }
  expect(looks).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(600)
  expect(looks).toHaveLength(2)
})

test('only who wants what was placed is woken', async () => {
  const { news, waits, place, placeMore } = feedOf()
  const [ofAlarms, ofDevices] = [await waits('alarm.raised'), await waits('device.online')]
  place('device.online')
  news.notice()
  await vi.advanceTimersByTimeAsync(600)
  expect([ofAlarms.isWoken(), ofDevices.isWoken()]).toEqual([false, true])
  // Too many to say of which kinds.
  placeMore()
  news.notice()
  await vi.advanceTimersByTimeAsync(600)
  expect(ofAlarms.isWoken()).toBe(true)
})

test('what was placed between the read and the wait wakes at once', async () => {
  const { news, place } = feedOf()
  place('alarm.raised')
  let isWoken = false
  void news.wait({ after: '100', kinds: ['alarm.raised'] }, 5_000, []).then(() => {
    isWoken = true
  })
  await vi.advanceTimersByTimeAsync(1)
  expect(isWoken).toBe(true)
})

test('nobody waits, nothing is looked at; and a wait ends by its time or its signal', async () => {
  const { news, looks, waits } = feedOf()
  news.notice()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(looks).toEqual([])
  const patient = await waits('alarm.raised')
  await vi.advanceTimersByTimeAsync(4_000)
  expect(patient.isWoken()).toBe(true)
  const gone = new AbortController()
  const leaves = news.wait({ after: '100', kinds: [] }, 5_000, [gone.signal])
  gone.abort()
  await leaves
  await news.wait({ after: '100', kinds: [] }, 5_000, [gone.signal])
})
