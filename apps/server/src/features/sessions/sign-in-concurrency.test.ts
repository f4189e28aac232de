import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { createChecks } from './sign-in-concurrency.ts'

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
