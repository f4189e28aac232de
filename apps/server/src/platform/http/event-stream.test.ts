import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test, vi } from 'vitest'
import * as z from 'zod/mini'
import { eventStream } from './event-stream.ts'

afterEach(() => vi.useRealTimers())

const schema = z.object({ n: z.number() })

/** A source whose events a test pushes one by one, and which knows when the client has disconnected. */
function createSource() {
  const waiting: ((result: IteratorResult<unknown>) => void)[] = []
  const source = {
    isLeft: false,
    next: () => new Promise<IteratorResult<unknown>>((resolve) => waiting.push(resolve)),
    return: () => {
      source.isLeft = true
      return Promise.resolve({ done: true as const, value: undefined })
    },
    put: (value: unknown) => waiting.shift()?.({ done: false, value }),
    [Symbol.asyncIterator]: () => source,
  }
  return source
}

test('events are encoded by their schema, and silence is interrupted by comments', async () => {
  vi.useFakeTimers()
  const source = createSource()
  const stream = eventStream(source, schema, new AbortController().signal)
  expect(String((await stream.next()).value)).toBe(': open\n\n')
  const first = stream.next()
  source.put({ n: 1, more: 'than the schema has' })
  expect(String((await first).value)).toBe('data: {"n":1}\n\n')
  const second = stream.next()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(String((await second).value)).toBe(': still here\n\n')
  const third = stream.next()
  source.put({ n: 2 })
  expect(String((await third).value)).toBe('data: {"n":2}\n\n')
})

test('a client that disconnects ends the stream and its source, and a failing source ends the stream', async () => {
  const gone = new AbortController()
  const source = createSource()
  const stream = eventStream(source, schema, gone.signal)
  await stream.next()
  const last = stream.next()
  gone.abort()
  expect(await last).toEqual({ done: true, value: undefined })
  expect(source.isLeft).toBe(true)

  const failing = { ...createSource(), next: () => Promise.reject(new Error('failed')) }
  const broken = eventStream({ [Symbol.asyncIterator]: () => failing }, schema, new AbortController().signal)
  await broken.next()
  await expect(broken.next()).rejects.toThrow('failed')
})

test('an open stream keeps no sent events in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const source = createSource()
  const stream = eventStream(source, schema, new AbortController().signal)
  await stream.next()
  const sent: WeakRef<object>[] = []
  for (let n = 0; n < 50; n += 1) {
    const next = stream.next()
    const event = { n }
    sent.push(new WeakRef(event))
    source.put(event)
    await next
  }
  // A WeakRef keeps its target until the end of the current job.
  await new Promise((resolve) => setImmediate(resolve))
  collect()
  expect(sent.filter((event) => event.deref() !== undefined).length).toBeLessThan(5)
})
