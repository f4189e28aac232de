import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../../process/log.ts'
import { createWatch, type Watch } from './watch.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watch whose looks are ended by the test. */
function watchOf(usual: number | null = 60_000) {
  const looks: { isAsked: boolean; end: (inMs?: number | null) => void; fail: () => void }[] = []
  const logged: string[] = []
  let ask: Parameters<Watch['subscribe']>[0] = () => undefined
  let stopped = 0
  const watch = createWatch({
    look: (isAsked) =>
      new Promise((resolve, reject) => {
        looks.push({ isAsked, end: (inMs = usual) => resolve(inMs), fail: () => reject(new Error('away')) })
      }),
    subscribe(given) {
      ask = given
      return [() => (stopped += 1)]
    },
    retryMs: 1_000,
    log: createLog({ level: 'warn', console: { write: (line: string) => logged.push(line) } }),
    complaint: { zh: '暂时无法核对', en: 'could not look' },
  })
  watch.start()
  return {
    watch,
    looks,
    logged,
    ask: (inMs?: number) => ask(inMs),
    stops: () => stopped,
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    last: () => looks[looks.length - 1],
  }
}

test('looks at the start, and again when its time has come', async () => {
  const { looks, last, pass } = watchOf()
  expect(looks.map(({ isAsked }) => isAsked)).toEqual([false])
  last()?.end()
  await pass(59_999)
  expect(looks).toHaveLength(1)
  await pass(1)
  expect(looks.map(({ isAsked }) => isAsked)).toEqual([false, false])
})

test('rests where a look finds nothing to wait for, until somebody asks', async () => {
  const { looks, last, ask, pass } = watchOf(null)
  last()?.end()
  await pass(3_600_000)
  expect(looks).toHaveLength(1)
  ask()
  await pass(0)
  expect(looks[1]?.isAsked).toBe(true)
})

test('looks once more for all who ask during a look', async () => {
  const { looks, last, ask, pass } = watchOf()
  for (const _ of [1, 2, 3]) ask()
  await pass(0)
  expect(looks).toHaveLength(1)
  last()?.end()
  await pass(0)
  expect(looks.map(({ isAsked }) => isAsked)).toEqual([false, true])
  last()?.end()
  await pass(59_999)
  expect(looks).toHaveLength(2)
})

test('gathers what is asked for, and never beyond the moment of the first', async () => {
  const { looks, last, ask, pass } = watchOf()
  last()?.end()
  await pass(0)
  for (let ms = 0; ms < 500; ms += 100) {
    ask(500)
    await pass(100)
  }
  expect(looks).toHaveLength(2)
  last()?.end()
  await pass(0)
  ask(500)
  ask()
  await pass(0)
  expect(looks).toHaveLength(3)
})

test('says that a look has failed, and begins anew a second later', async () => {
  const { looks, last, ask, logged, pass } = watchOf()
  ask()
  last()?.fail()
  await pass(999)
  expect(logged.join('')).toContain('暂时无法核对')
  expect(looks).toHaveLength(1)
  ask()
  await pass(1)
  expect(looks.map(({ isAsked }) => isAsked)).toEqual([false, false])
})

test('has ended its look when it is stopped, and looks no more', async () => {
  const { watch, looks, last, ask, stops, pass } = watchOf()
  ask()
  let isStopped = false
  const stopping = watch.stop().then(() => {
    isStopped = true
  })
  await pass(0)
  expect(isStopped).toBe(false)
  last()?.end()
  await stopping
  ask()
  await pass(3_600_000)
  expect([looks.length, stops()]).toEqual([1, 1])
})
