import { expect, test, vi } from 'vitest'
import { createIdentities, type Device } from './device-identities.ts'

const device = (code: string, id = 1): Device => ({
  id,
  code,
  protocolIdentity: null,
  modelId: 1,
  secretHash: Buffer.from(code),
  protocol: 'mqtt',
})

test('concurrent lookups are one query', async () => {
  const questions: string[][] = []
  const identities = createIdentities({
    read: async (codes) => {
      questions.push(codes)
      return codes.filter((code) => code !== 'C3').map((code) => device(code))
    },
  })
  const found = await Promise.all(['C1', 'C2', 'C3', 'C1'].map((code) => identities.find(code)))
  expect(questions).toEqual([['C1', 'C2', 'C3']])
  expect(found.map((one) => one?.code ?? null)).toEqual(['C1', 'C2', null, 'C1'])
})

test('known devices are cached until they are stale; unknown ones are looked up each time', async () => {
  const questions: string[] = []
  const identities = createIdentities({
    read: async (codes) => {
      questions.push(...codes)
      return codes.filter((code) => code === 'C1').map((code) => device(code))
    },
  })
  await identities.find('C1')
  await identities.find('C1')
  await identities.find('X')
  await identities.find('X')
  expect(questions).toEqual(['C1', 'X', 'X'])
  identities.forget(['C1'])
  await identities.find('C1')
  expect(questions).toEqual(['C1', 'X', 'X', 'C1'])
})

test('after a minute a device is looked up again, with or without a notice', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const registered = [device('C1')]
    const identities = createIdentities({
      read: async (codes) => registered.filter(({ code }) => codes.includes(code)),
    })
    await identities.find('C1')
    registered.length = 0
    expect((await identities.find('C1'))?.code).toBe('C1')
    vi.advanceTimersByTime(60_000)
    expect(await identities.find('C1')).toBeNull()
  } finally {
    vi.useRealTimers()
  }
})

test('once a minute everything is forgotten, by one sweep for all whose connections hang on it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    const questions: string[][] = []
    const identities = createIdentities({
      read: async (codes) => {
        questions.push(codes)
        return codes.map((code) => device(code))
      },
    })
    expect(vi.getTimerCount()).toBe(0)
    await identities.find('C1')
    const found: (string | undefined)[] = []
    const rechecks: Promise<unknown>[] = []
    const recheck = () => rechecks.push(identities.find('C1').then((known) => found.push(known?.code)))
    const stops = [identities.onSweep(recheck), identities.onSweep(() => recheck())]
    vi.advanceTimersByTime(60_000)
    await Promise.all(rechecks)
    // Each looks again, and what the first has found the second still knows: one question for both.
    expect(found).toEqual(['C1', 'C1'])
    expect(questions).toEqual([['C1'], ['C1']])
    stops[0]?.()
    vi.advanceTimersByTime(60_000)
    await Promise.all(rechecks)
    expect([found.length, questions.length]).toEqual([3, 3])
    stops[1]?.()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('an answer that became stale during the lookup is not cached', async () => {
  const answers: ((devices: Device[]) => void)[] = []
  const identities = createIdentities({ read: () => new Promise((resolve) => answers.push(resolve)) })
  const asked = async (count: number) => {
    while (answers.length < count) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const first = identities.find('C1')
  await asked(1)
  identities.forget(null)
  answers[0]?.([device('C1', 1)])
  await first
  const second = identities.find('C1')
  await asked(2)
  answers[1]?.([device('C1', 2)])
  expect((await second)?.id).toBe(2)
})

test('an unavailable database is reported to every caller', async () => {
  const identities = createIdentities({ read: () => Promise.reject(new Error('away')) })
  const outcomes = await Promise.allSettled([identities.find('C1'), identities.find('C2')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('the cache is bounded', async () => {
  let questionCount = 0
  const identities = createIdentities({
    capacity: 2,
    read: async (codes) => {
      questionCount += 1
      return codes.map((code) => device(code))
    },
  })
  for (const code of ['C1', 'C2', 'C3']) await identities.find(code)
  await identities.find('C3')
  expect(questionCount).toBe(3)
  await identities.find('C1')
  expect(questionCount).toBe(4)
})

test('a device is found by what it calls itself, and forgotten by its code', async () => {
  let secret = 'first'
  const identities = createIdentities({
    read: async () => [{ ...device('C1'), protocolIdentity: 'SN-1', secretHash: Buffer.from(secret) }],
  })
  expect((await identities.find('SN-1'))?.code).toBe('C1')
  secret = 'second'
  expect((await identities.find('SN-1'))?.secretHash.toString()).toBe('first')
  identities.forget(['C1'])
  expect((await identities.find('SN-1'))?.secretHash.toString()).toBe('second')
})
