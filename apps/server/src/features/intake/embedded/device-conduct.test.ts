import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAttempts } from '../admission/secret-attempts.ts'
import { type Conduct, createConduct } from './device-conduct.ts'

let nowMs: number
let throttled: string[]
let conduct: Conduct
beforeEach(() => {
  nowMs = 1_000_000
  throttled = []
  conduct = createConduct({
    limits: { messagesPerSecond: 50, messageBurst: 1_000, bytesPerSecond: 100_000 },
    throttle: (deviceId, reason) => throttled.push(`${deviceId} ${reason}`),
    now: () => nowMs,
  })
})
afterEach(() => conduct.close())

const send = (deviceId: number, count: number, sizeBytes = 100) => {
  let waitMs = 0
  for (let n = 0; n < count; n += 1) waitMs = conduct.received(deviceId, sizeBytes)
  return waitMs
}
const refuse = (deviceId: number, count: number) => {
  let isEnd = false
  for (let n = 0; n < count; n += 1) isEnd = conduct.refused(deviceId)
  return isEnd
}

test('a thousand messages at once are read immediately, and then fifty a second', () => {
  expect(send(1, 1_000)).toBe(0)
  expect(send(1, 1)).toBe(20)
  expect(send(1, 49)).toBe(1_000)
  expect(send(2, 1)).toBe(0)
  nowMs += 1_000
  expect(send(1, 1)).toBe(20)
  expect(new Set(throttled)).toEqual(new Set(['1 messages']))
})

test('bytes have their own rate limit', () => {
  expect(send(1, 40, 50_000)).toBe(0)
  expect(send(1, 1, 50_000)).toBe(500)
  expect(throttled).toEqual(['1 bytes'])
})

test('without a rate limit nothing waits', () => {
  const free = createConduct({
    limits: { messagesPerSecond: 0, messageBurst: 1, bytesPerSecond: 0 },
    throttle: () => throttled.push('throttled'),
    now: () => nowMs,
  })
  for (let n = 0; n < 5_000; n += 1) expect(free.received(1, 60_000)).toBe(0)
  expect(throttled).toEqual([])
  free.close()
})

test('five hundred refusals end the connection, and the device may reconnect after a growing backoff', () => {
  expect(refuse(1, 500)).toBe(false)
  expect(refuse(1, 1)).toBe(true)
  expect(conduct.connects(1)).toEqual({ reason: 'refusals', forMs: 10_000 })
  expect(conduct.connects(2)).toBeNull()
  nowMs += 10_000
  expect(conduct.connects(1)).toBeNull()
  expect(refuse(1, 100)).toBe(true)
  expect(conduct.connects(1)).toEqual({ reason: 'refusals', forMs: 20_000 })
  nowMs += 20_000 + 3_600_001
  expect(refuse(1, 501)).toBe(true)
  expect(conduct.connects(1)).toMatchObject({ forMs: 10_000 })
})

test('one refusal a second does not end a connection', () => {
  for (let n = 0; n < 5_000; n += 1) {
    nowMs += 1_000
    expect(conduct.refused(1)).toBe(false)
  }
})

test('repeated connections are throttled too', () => {
  for (let n = 0; n < 100; n += 1) expect(conduct.connects(1)).toBeNull()
  for (let n = 0; n < 10; n += 1) conduct.connects(1)
  expect(conduct.connects(1)).toMatchObject({ reason: 'messages' })
  nowMs += 60_000
  expect(conduct.connects(1)).toBeNull()
})

test('wrong secrets are counted per device and address', () => {
  const attempts = createAttempts(() => nowMs)
  for (let n = 0; n < 10; n += 1) {
    expect(attempts.mayTry('EC1', 'a')).toBe(true)
    attempts.failed('EC1', 'a')
  }
  expect(attempts.mayTry('EC1', 'a')).toBe(false)
  expect([attempts.mayTry('EC1', 'b'), attempts.mayTry('EC2', 'a')]).toEqual([true, true])
  nowMs += 6_000
  expect(attempts.mayTry('EC1', 'a')).toBe(true)
  attempts.failed('EC1', 'a')
  expect(attempts.mayTry('EC1', 'a')).toBe(false)
  attempts.succeeded('EC1', 'a')
  expect(attempts.mayTry('EC1', 'a')).toBe(true)
})
