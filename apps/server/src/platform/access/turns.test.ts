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
  return { turns, begun, call, end: (name: string) => taken.get(name)?.end() }
}

test('a caller with many calls has one turn while others have theirs', () => {
  const { begun, call, end } = circle({ inAll: 1 })
  expect(['a1', 'a2', 'a3', 'b1', 'c1'].map(call)).toEqual(['begins', 'waits', 'waits', 'waits', 'waits'])
  for (const name of ['a1', 'b1', 'c1', 'a2']) end(name)
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('a caller never has more turns than its own, however many are free', () => {
  const { turns, begun, call, end } = circle()
  expect(['a1', 'a2', 'b1'].map(call)).toEqual(['begins', 'waits', 'begins'])
  end('b1')
  expect(begun).toEqual(['a1', 'b1'])
  end('a1')
  expect(begun).toEqual(['a1', 'b1', 'a2'])
  end('a2')
  expect([turns.underWay, turns.waiting]).toEqual([0, 0])
})

test('one call more than may wait is refused, of that caller alone', () => {
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

test('a wait that is given up never becomes a turn, and a turn that ends twice ends once', () => {
  const { turns, begun, call, end } = circle({ inAll: 1 })
  for (const name of ['a1', 'a2', 'b1', 'b2']) call(name)
  end('a2')
  end('b1')
  end('a1')
  end('a1')
  expect(begun).toEqual(['a1', 'b2'])
  expect([turns.underWay, turns.waiting]).toEqual([1, 0])
})

test('a call that takes long leaves its place to others first, and then to its caller', () => {
  vi.useFakeTimers()
  try {
    const { turns, begun, call, end } = circle({ inAll: 1, lastsMs: 1_000, ownLastsMs: 2_000 })
    for (const name of ['a1', 'a2', 'b1']) call(name)
    vi.advanceTimersByTime(1_000)
    expect(begun).toEqual(['a1', 'b1'])
    end('b1')
    expect(begun).toEqual(['a1', 'b1'])
    vi.advanceTimersByTime(1_000)
    expect(begun).toEqual(['a1', 'b1', 'a2'])
    end('a1')
    end('a2')
    expect(turns.underWay).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
