import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createDefects, WriterDefect } from './defects.ts'

function breaker() {
  let nowMs = 0
  const defects = createDefects({ log: pino({ level: 'silent' }), now: () => nowMs })
  return {
    ...defects,
    fail: (deviceId: number) => defects.failed(deviceId, new WriterDefect('alarm', new TypeError('x'))),
    later: (ms: number) => {
      nowMs += ms
    },
  }
}

test('a writer is suspended after the fifth failing device in a row, and retried after half a minute', () => {
  const { fail, isSuspended, later } = breaker()
  for (const deviceId of [1, 2, 3, 4]) fail(deviceId)
  expect(isSuspended('alarm')).toBe(false)
  fail(5)
  expect(isSuspended('alarm')).toBe(true)
  expect(isSuspended('event')).toBe(false)
  later(30_000)
  expect(isSuspended('alarm')).toBe(false)
  for (const deviceId of [1, 2, 3, 4]) fail(deviceId)
  expect(isSuspended('alarm')).toBe(false)
  fail(5)
  expect(isSuspended('alarm')).toBe(true)
})

test('one device that fails repeatedly does not suspend it', () => {
  const { fail, isSuspended } = breaker()
  for (let times = 0; times < 100; times += 1) fail(1)
  expect(isSuspended('alarm')).toBe(false)
})

test('a success resets the count', () => {
  const { fail, isSuspended, worked } = breaker()
  for (const deviceId of [1, 2, 3, 4]) fail(deviceId)
  worked('alarm')
  fail(5)
  expect(isSuspended('alarm')).toBe(false)
})
