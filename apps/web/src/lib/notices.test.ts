import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notices, notify } from './notices.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

const shown = () => notices.get().map(({ text }) => text)

// proves: rule other code
test('an error stays for 5 seconds', () => {
  notify.error('设备不存在')
  vi.advanceTimersByTime(4_999)
  expect(shown()).toEqual(['设备不存在'])
  vi.advanceTimersByTime(1)
  expect(shown()).toEqual([])
})

test('what is already shown is not shown a second time', () => {
  notify.error('网络连接失败')
  notify.error('网络连接失败')
  notify.success('网络连接失败')
  expect(notices.get().map(({ kind }) => kind)).toEqual(['error', 'success'])
})

test('of many at once the last four are shown', () => {
  for (const text of ['一', '二', '三', '四', '五']) notify.info(text)
  expect(shown()).toEqual(['二', '三', '四', '五'])
})
