// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Burst, createBurst, waitAfter } from './burst.ts'

let burst: Burst | undefined
const act = vi.fn(async () => undefined)

beforeEach(() => {
  vi.useFakeTimers()
  burst = createBurst(act)
})
afterEach(() => {
  burst?.stop()
  show(true)
  vi.useRealTimers()
  vi.clearAllMocks()
})

function show(isSeen: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, value: !isSeen })
  document.dispatchEvent(new Event('visibilitychange'))
}

test('a burst of events is one act, and the next burst waits for the pause', async () => {
  for (let at = 0; at < 100; at += 1) burst?.ask()
  await vi.advanceTimersByTimeAsync(300)
  expect(act).toHaveBeenCalledTimes(1)
  for (let at = 0; at < 100; at += 1) burst?.ask()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(act).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(act).toHaveBeenCalledTimes(2)
})

test('what comes while an act is under way is acted on after it', async () => {
  let end: (() => void) | undefined
  act.mockImplementationOnce(() => new Promise((resolve) => (end = () => resolve(undefined))))
  burst?.ask()
  await vi.advanceTimersByTimeAsync(10_000)
  burst?.ask()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(act).toHaveBeenCalledTimes(1)
  end?.()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(act).toHaveBeenCalledTimes(2)
})

test('nothing is done while the page is hidden, and once when it is seen', async () => {
  show(false)
  burst?.ask()
  burst?.ask(4_000)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(act).not.toHaveBeenCalled()
  show(true)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(act).toHaveBeenCalledTimes(1)
})

test('an urgent event is not kept back by one that may wait', async () => {
  burst?.ask(5_000)
  burst?.ask()
  await vi.advanceTimersByTimeAsync(300)
  expect(act).toHaveBeenCalledTimes(1)
})

test('pages that missed something read again at moments spread over the time that the server names', () => {
  const missed = { type: 'missed', spreadMs: 5_000 } as const
  expect([0, 0.5, 1].map((value) => waitAfter(missed, () => value))).toEqual([0, 2_500, 5_000])
  expect(new Set(Array.from({ length: 50 }, () => waitAfter(missed))).size).toBeGreaterThan(10)
  expect([waitAfter({ type: 'missed' }), waitAfter({ type: 'ready' })]).toEqual([0, 0])
})
