import { expect, test } from 'vitest'
import { readLogLine } from './logLine.ts'

test('a log line is split into level, message, fields and stack', () => {
  const line = JSON.stringify({
    level: 'warn',
    time: '2026-11-21T04:05:06.000Z',
    msg: '设备断开',
    code: 'EC1',
    n: 3,
    err: { message: 'x', stack: 'Error: x\n  at y' },
  })
  expect(readLogLine(line)).toMatchObject({
    // The tests run in the zone Asia/Shanghai.
    time: '2026-11-21 12:05:06',
    level: 'warn',
    message: '设备断开',
    rest: 'code=EC1 n=3\nError: x\n  at y',
  })
})

test('a line in another format stays unparsed', () => {
  expect(readLogLine('plain words')).toBeUndefined()
  expect(readLogLine('{"a":1}')).toBeUndefined()
  expect(readLogLine('null')).toBeUndefined()
})
