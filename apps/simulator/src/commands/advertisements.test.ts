import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AdvertisementStore } from './advertisements.ts'

const dayMs = 24 * 3_600_000

describe('the advertisements of a device', () => {
  let lists: string[]
  let store: AdvertisementStore

  beforeEach(() => {
    vi.useFakeTimers({ now: 0 })
    lists = []
    store = new AdvertisementStore(
      () => Date.now(),
      () =>
        lists.push(
          store
            .list()
            .map(({ advertisementId, state }) => `${advertisementId} ${state}`)
            .join(),
        ),
    )
  })
  afterEach(() => vi.useRealTimers())

  const advertisement = (advertisementId: string, startTime: number, endTime: number) => ({
    advertisementId,
    name: '',
    sizeBytes: 100,
    sha256: '',
    contentType: 'image/png',
    startTime,
    endTime,
  })

  it('are shown from the start to the end of their period, then removed; each change is reported once', () => {
    store.put(advertisement('1', 1_000, 3_000))
    store.put(advertisement('2', 2_000, 3_000))
    vi.advanceTimersByTime(10_000)
    expect(lists).toEqual(['1 stored', '1 stored,2 stored', '1 shown,2 stored', '1 shown,2 shown', ''])
    expect(store.sizeBytes).toBe(0)
  })

  it('wait for periods further away than the maximum of a timer', () => {
    store.put(advertisement('1', 60 * dayMs, 90 * dayMs))
    vi.advanceTimersByTime(61 * dayMs)
    expect(lists).toEqual(['1 stored', '1 shown'])
  })

  it('that began and ended without power are reported when the device is back', () => {
    store.put(advertisement('1', 1_000, 3_000))
    store.put(advertisement('2', 2_000, 9_000))
    store.stop()
    vi.advanceTimersByTime(5_000)
    expect(lists).toHaveLength(2)
    store.start()
    expect(lists.at(-1)).toBe('2 shown')
  })

  it('are reported only when the list changes', () => {
    store.put(advertisement('1', 0, 3_000))
    store.put(advertisement('1', 0, 4_000))
    store.remove('never')
    expect(lists).toEqual(['1 shown'])
    store.remove('1')
    expect(lists).toEqual(['1 shown', ''])
  })
})
