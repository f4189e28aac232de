import { expect, test } from 'vitest'
import { levelOf, levels } from './levels.ts'

const named = (head: string) => levels[levelOf(head)]

test.each([
  ['2026-11-22 09:30:05.123 [ERROR] run/bms: timeout', 'error'],
  ['2026-11-22 09:30:05 ERROR [main] c.v.Swap - failed', 'error'],
  ['[FATAL] out of memory', 'error'],
  ['2026-11-22 09:30:05 [WARN ] temp', 'warn'],
  ['WARNING: disk is nearly full', 'warn'],
  ['2026-11-22 09:30:05 INFO door 3 closed', 'info'],
  ['DEBUG can frame', 'debug'],
  ['TRACE enter', 'debug'],
  ['time=09:30 level=error msg="no answer"', 'error'],
  ['{"time":1763602205,"level":"warn","msg":"x"}', 'warn'],
  ['[error] lost', 'error'],
  ['2026-11-22 09:30:05 [错误] 电池通信超时', 'error'],
  ['2026-11-22 09:30:05 警告：温度偏高', 'warn'],
  ['09:30:05 严重 熔断器断开', 'error'],
  ['09:30:05 信息 换电成功', 'info'],
  ['E (12345) wifi: connect failed', 'error'],
  ['11-22 09:30:05.123  812  830 W Modem: signal lost', 'warn'],
  ['I/Swap  ( 812): done', 'info'],
  ['[D] tick', 'debug'],
])('%s', (head, level) => {
  expect(named(head)).toBe(level)
})

test.each([
  ['a sentence with a word for an error is no level', '2026-11-22 09:30:05 bin: 仓位3电池通信错误已恢复'],
  ['nor is one in small letters', '2026-11-22 09:30:05 bin: no error found'],
  ['nor a part of a name', 'ERROR_CODE_TABLE loaded INFORMATION'],
  ['nor an empty line', ''],
])('%s', (_what, head) => {
  expect(named(head)).toBe('none')
})

test('the first of two levels in a line counts', () => {
  expect(named('09:30:05 INFO retry after ERROR 5')).toBe('info')
  expect(named('09:30:05 [警告] ERROR 5')).toBe('warn')
})
