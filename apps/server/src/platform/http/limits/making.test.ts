import { expect, test } from 'vitest'
import { createMakings } from './making.ts'

const here = new AbortController().signal

/** `u1of7` is an export of user 1 of branch 7; they end by name. */
function makings(waiting = 40) {
  const take = createMakings({ waiting })
  const made: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, signal = here) => {
    const [, user, branch] = /^u(\d+)of(\d+)/.exec(name) ?? []
    const taken = take(Number(user), Number(branch), signal).then((end) => {
      made.push(name)
      ends.set(name, end)
    })
    taken.catch(() => undefined)
    return taken
  }
  return { made, ask, end: (name: string) => ends.get(name)?.() }
}

test('two users of one organization do not keep the exports of others waiting', async () => {
  const { made, ask } = makings()
  for (const name of ['u1of1', 'u1of1 more', 'u2of1', 'u2of1 more', 'u3of1']) void ask(name)
  await Promise.all([ask('u4of2'), ask('u5of3')])
  expect(made).toEqual(['u1of1', 'u2of1', 'u4of2', 'u5of3'])
})

test('callers who wait are served in a circle, and their own exports one after the other', async () => {
  const { made, ask, end } = makings()
  for (const name of ['u1of1', 'u2of1', 'u1of1 next', 'u1of1 last', 'u3of1']) void ask(name)
  await expect.poll(() => made).toEqual(['u1of1', 'u2of1'])
  end('u1of1')
  await expect.poll(() => made[2]).toBe('u3of1')
  end('u3of1')
  await expect.poll(() => made[3]).toBe('u1of1 next')
})

test('an export whose client goes gives up its turn, and one more than may wait is refused', async () => {
  const { made, ask, end } = makings(1)
  const gone = new AbortController()
  void ask('u1of1')
  const leaving = ask('u1of1 leaving', gone.signal)
  await expect(ask('u1of1 beyond')).rejects.toMatchObject({ refusal: 'tooManyExports' })
  gone.abort()
  await expect(leaving).rejects.toMatchObject({ refusal: 'serverBusy' })
  void ask('u1of1 last')
  end('u1of1')
  await expect.poll(() => made).toEqual(['u1of1', 'u1of1 last'])
})
