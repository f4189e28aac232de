import { expect, test, vi } from 'vitest'
import { createTurns, type Turn } from './turns.ts'

const long = 3_600_000

/** `call` tells in `begun` when it has its turn; the turns are ended by name. */
function circle(more: Partial<Parameters<typeof createTurns>[0]> = {}) {
  const turns = createTurns({
    inAll: 2,
    perCaller: 1,
    waiting: 3,
    lastsMs: long,
    ownLastsMs: long,
    ...more,
  })
  const begun: string[] = []
  const taken = new Map<string, Turn>()
  const call = (name: string) => {
    const got = turns.take(name[0] ?? '', () => begun.push(name))
    if (!got) return 'refused'
    if (!got.waits) begun.push(name)
    taken.set(name, got.turn)
    return got.waits ? 'waits' : 'begins'
  }
  const end = async (name: string) => {
    taken.get(name)?.end()
    await new Promise(setImmediate)
  }
  return { turns, begun, call, end }
}

test('a caller with many calls has one turn while others have theirs', async () => {
  const { begun, call, end } = circle({ inAll: 1 })
  expect(['a1', 'a2', 'a3', 'b1', 'c1'].map(call)).toEqual(['begins', 'waits', 'waits', 'waits', 'waits'])
  for (const name of ['a1', 'b1', 'c1', 'a2']) await end(name)
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('a caller never has more turns than its own, however many are free', async () => {
  const { turns, begun, call, end } = circle()
  expect(['a1', 'a2', 'b1'].map(call)).toEqual(['begins', 'waits', 'begins'])
  await end('b1')
  expect(begun).toEqual(['a1', 'b1'])
  await end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  await end('a2')
  expect([turns.underWay, turns.waiting]).toEqual([0, 0])
})

test('one call more than may wait is refused, of that caller alone', async () => {
  const { call } = circle()
  expect(['a1', 'a2', 'a3', 'a4', 'a5', 'b1'].map(call)).toEqual([
    'begins',
    'waits',
    'waits',
    'waits',
    'refused',
    'begins',
  ])
})

test('a wait that is given up never becomes a turn, and a turn that ends twice ends once', async () => {
  const { turns, begun, call, end } = circle({ inAll: 1 })
  for (const name of ['a1', 'a2', 'b1', 'b2']) call(name)
  await end('a2')
  await end('b1')
  await end('a1')
  await end('a1')
  expect(begun).toEqual(['a1', 'b2'])
  expect([turns.underWay, turns.waiting]).toEqual([1, 0])
})

test('a call that takes long leaves its place to others first, and then to its caller', () => {
  vi.useFakeTimers()
  try {
    const { turns, begun, call, end } = circle({ inAll: 1, lastsMs: 1_000, ownLastsMs: 2_000 })
    for (const name of ['a1', 'a2', 'b1']) call(name)
    vi.advanceTimersByTime(1_001)
    expect(begun).toEqual(['a1', 'b1'])
    void end('b1')
    expect(begun).toEqual(['a1', 'b1'])
    vi.advanceTimersByTime(1_001)
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    void end('a1')
    void end('a2')
    vi.advanceTimersByTime(0)
    expect(turns.underWay).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a caller has no more calls under way than may last, though their turns have ended', () => {
  vi.useFakeTimers()
  try {
    const { turns, begun, call, end } = circle({
      inAll: 2,
      waiting: 9,
      lasting: 2,
      lastsMs: 10,
      ownLastsMs: 20,
    })
    for (const name of ['a1', 'a2', 'a3', 'a4']) call(name)
    vi.advanceTimersByTime(10_000)
    expect(begun).toEqual(['a1', 'a2'])
    expect([turns.underWay, turns.waiting]).toEqual([0, 2])
    expect(call('b1')).toBe('begins')
    void end('a1')
    void end('a1')
    vi.advanceTimersByTime(0)
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    for (const name of ['a2', 'a3', 'b1']) void end(name)
    vi.advanceTimersByTime(0)
    expect(begun.at(-1)).toBe('a4')
    void end('a4')
    vi.advanceTimersByTime(0)
    expect([turns.underWay, turns.waiting]).toEqual([0, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('calls that take no time let what comes in be read between them', async () => {
  const { turns, begun, call, end } = circle({ inAll: 1, waiting: 100 })
  call('a0')
  for (let n = 1; n <= 50; n += 1) {
    const got = turns.take('a', () => {
      begun.push(`a${n}`)
      got?.turn.end()
    })
  }
  const ended = end('a0')
  const readAt = new Promise<number>((resolve) => setImmediate(() => resolve(begun.length)))
  await ended
  expect(await readAt).toBeLessThan(5)
  await expect.poll(() => begun.length).toBe(51)
})

test('of calls that come in together and take no time, no more than have turns are answered before others are read', async () => {
  const { turns } = circle({ inAll: 4, perCaller: 2, waiting: 100 })
  let answered = 0
  for (let n = 0; n < 50; n += 1) {
    const got = turns.take('a', () => {
      answered += 1
      got?.turn.end()
    })
    if (got?.waits !== false) continue
    answered += 1
    got.turn.end()
  }
  expect(answered).toBe(2)
  const readAt = new Promise<number>((resolve) => setImmediate(() => resolve(answered)))
  expect(await readAt).toBe(4)
  await expect.poll(() => answered).toBe(50)
})

test('a caller with a burst has one turn at a time until none waits, and rests after each for twice as long', () => {
  vi.useFakeTimers()
  try {
    const { begun, call, end } = circle({ inAll: 4, perCaller: 2, waiting: 100, burst: 2 })
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) call(name)
    expect(begun).toEqual(['a1', 'a2'])
    vi.advanceTimersByTime(40)
    void end('a1')
    void end('a2')
    vi.advanceTimersByTime(79)
    expect(begun).toEqual(['a1', 'a2'])
    expect(call('b1')).toBe('begins')
    vi.advanceTimersByTime(2)
    expect(begun.slice(3)).toEqual(['a3'])
    void end('a3')
    vi.advanceTimersByTime(2)
    expect(begun.slice(3)).toEqual(['a3', 'a4'])
    void end('a4')
    vi.advanceTimersByTime(2)
    expect(call('a6')).toBe('begins')
    expect(begun.slice(3)).toEqual(['a3', 'a4', 'a5', 'a6'])
  } finally {
    vi.useRealTimers()
  }
})
