import { expect, test } from 'vitest'
import { readLogLine } from './logLine.ts'

test('a line of the log is taken apart: level, message, fields, stack', () => {
  const line = JSON.stringify({
    level: 'warn',
    time: '2026-11-21T04:05:06.000Z',
    msg: '设备断开',
    code: 'EC1',
    n: 3,
    err: { message: 'x', stack: 'Error: x\n  at y' },
  })
  expect(readLogLine(line)).toMatchObject({
    // In the tests' zone, Asia/Shanghai.
    time: '2026-11-21 12:05:06',
    level: 'warn',
    message: '设备断开',
    rest: 'code=EC1 n=3\nError: x\n  at y',
  })
})

test('what is no such line is left as it is', () => {
  expect(readLogLine('plain words')).toBeUndefined()
  expect(readLogLine('{"a":1}')).toBeUndefined()
  expect(readLogLine('null')).toBeUndefined()
})
