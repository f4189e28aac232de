// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notices } from '../lib/notices.ts'
import { dropToken, keepToken, readToken } from '../lib/session.ts'
import { CallError, sessionEnd } from '../lib/wire/call.ts'
import { admit } from './guard.ts'
import { watchSessionEnd } from './sessionEnd.ts'

const reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
  dropToken()
})

// proves: rule code 401
test('after a 401 the user is signed out at once and the page reloads 1.5 seconds later, and leads nowhere until then', async () => {
  keepToken('t0ken')
  watchSessionEnd()
  sessionEnd.set(new CallError(401, '请先登录', { refusal: 'notSignedIn' }))
  expect(readToken()).toBeUndefined()
  expect(notices.get()).toMatchObject([{ kind: 'error', text: '请先登录' }])
  // A page that the user asks for now would be the sign-in page, which the reload takes away under the user's hands.
  const ended = vi.fn<() => void>()
  void admit('/equipment/list').then(ended, ended)
  await vi.advanceTimersByTimeAsync(1_499)
  expect(ended).not.toHaveBeenCalled()
  expect(reload).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(reload).toHaveBeenCalledOnce()
})
