import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { createChecks, createConcurrencyLimit } from './sign-in-concurrency.ts'

const atOnce = Math.max(1, Math.floor(availableParallelism() / 2))

/** Checks that last until they are let go. */
function holding() {
  const checks = createChecks()
  const begun: string[] = []
  const held: (() => void)[] = []
  const check = (name: string, signal?: AbortSignal) =>
    checks.run(
      name[0] ?? '',
      async () => {
        begun.push(name)
        await new Promise<void>((resolve) => held.push(resolve))
        return true
      },
      signal,
    )
  return { begun, check, letGo: () => held.shift()?.() }
}

/** Everything that can go on by itself has gone on: turns are given in the next round of the event loop. */
async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await new Promise(setImmediate)
}

test('of those that wait three known ones go first, then a stranger, and who comes alone waits for nobody', async () => {
  const limit = createConcurrencyLimit(1)
  const order: string[] = []
  const run = (name: string, goesFirst: boolean) =>
    limit(
      async () => {
        order.push(name)
        await settled()
      },
      { goesFirst },
    )
  await Promise.all([
    run('o0', false),
    ...['o1', 'o2', 'o3', 'o4'].map((name) => run(name, false)),
    ...Array.from({ length: 7 }, (_, n) => run(`f${n}`, true)),
  ])
  expect(order.join(' ')).toBe('o0 f0 f1 f2 o1 f3 f4 f5 o2 f6 o3 o4')
  await Promise.all([run('f7', true), run('f8', true), run('f9', true), run('f10', true), run('f11', true)])
  expect(order.slice(12)).toEqual(['f7', 'f8', 'f9', 'f10', 'f11'])
})

test('two hundred checks at a time take half of the processors, one after the other', async () => {
  const { begun, check, letGo } = holding()
  const all = Promise.all(Array.from({ length: 200 }, (_, n) => check(String.fromCharCode(0x4e00 + n))))
  for (let done = 0; done < 200; done += 1) {
    await settled()
    expect(begun).toHaveLength(Math.min(200, done + atOnce))
    letGo()
  }
  await all
})

test('the checks of one address wait behind themselves', async () => {
  const { begun, check, letGo } = holding()
  const all = Promise.all([...Array.from({ length: 20 }, (_, n) => check(`a${n}`)), check('b')])
  for (let done = 0; done < 21; done += 1) {
    await settled()
    letGo()
  }
  await all
  expect(begun.indexOf('b')).toBe(1)
})

test('a check whose client has gone is given up, and takes no turn', async () => {
  const { begun, check, letGo } = holding()
  const gone = new AbortController()
  const running = Array.from({ length: atOnce }, (_, n) => check(`${n}`))
  await settled()
  const leaving = check('x', gone.signal)
  gone.abort()
  expect(await leaving).toBeNull()
  for (let n = 0; n < atOnce; n += 1) letGo()
  await Promise.all(running)
  expect(begun).not.toContain('x')
})
