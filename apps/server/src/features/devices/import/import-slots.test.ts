import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createLog } from '../../../platform/process/log.ts'
import { createImportSlots } from './import-slots.ts'

/** `u1of7` is an import of caller 1 of branch 7; they end by name. */
function slots(patienceMs = 60_000) {
  const inSlot = createImportSlots({
    log: createLog({ level: 'silent' }),
    metrics: new Registry(),
    patienceMs,
  })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, signal = new AbortController().signal) => {
    const [, caller, branch] = /^u(-?\d+)of(\d+)/.exec(name) ?? []
    const ended = inSlot({ caller: Number(caller), branch: Number(branch), signal }, () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
    ended.catch(() => undefined)
    return ended
  }
  return { begun, ask, end: (name: string) => ends.get(name)?.() }
}

test('one caller has one import, one branch half of the places, and others wait for theirs in a circle', async () => {
  const { begun, ask, end } = slots()
  void ask('u-1of1')
  await expect(ask('u-1of1 by another key')).rejects.toMatchObject({ refusal: 'importRunning' })
  for (const name of ['u2of1', 'u3of1', 'u4of2', 'u5of3']) void ask(name)
  await expect.poll(() => begun).toEqual(['u-1of1', 'u4of2'])
  end('u-1of1')
  await expect.poll(() => begun[2]).toMatch(/u2of1|u5of3/)
  end(begun[2] ?? '')
  await expect.poll(() => begun.slice(2, 4).sort()).toEqual(['u2of1', 'u5of3'])
  void ask('u-1of1 again')
})

test('whoever waits for long is refused, and whose client goes gives up the wait', async () => {
  const { begun, ask, end } = slots(50)
  void ask('u1of1')
  const gone = new AbortController()
  const leaving = ask('u2of1', gone.signal)
  gone.abort()
  await expect(leaving).rejects.toMatchObject({ refusal: 'serverBusy' })
  await expect(ask('u3of1')).rejects.toMatchObject({ refusal: 'tooManyImports' })
  end('u1of1')
  void ask('u3of1')
  await expect.poll(() => begun).toEqual(['u1of1', 'u3of1'])
})
