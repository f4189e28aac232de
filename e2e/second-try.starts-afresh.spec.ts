import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

// Tests second-try.ts, which every spec uses: this spec fails once, on purpose.

const done: string[] = []
beforeAll(() => {
  done.push('set up')
})
beforeEach(() => {
  done.push('before')
  return () => {
    done.push('undone')
  }
})
afterEach(() => {
  done.push('after')
})
afterAll(() => {
  done.push('torn down')
})

describe('an earlier part', () => {
  beforeAll(() => {
    done.push('part set up')
  })
  it('is repeated', () => {
    done.push('first')
  })
})

describe('a step that fails once', () => {
  it('has steps before it', () => {
    done.push('second')
  })
  it('finds on its second try what the first one found', ({ task }) => {
    const start = done.lastIndexOf('set up')
    const each = (step: string) => ['before', step, 'after', 'undone']
    expect(done.slice(start)).toEqual([
      'set up',
      'part set up',
      ...each('first'),
      ...each('second'),
      'before',
    ])
    if (!task.result?.retryCount) throw new Error('on purpose: the first try of this step always fails')
    expect(done.slice(0, start).at(-1)).toBe('torn down')
  })
})
