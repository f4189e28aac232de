// @vitest-environment happy-dom
import { listAlarms } from '@voltkeep/contract/alarms'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readLeniently } from '../lib/schemaInput.ts'
import { keepToken } from '../lib/session.ts'
import { call, request } from '../lib/wire/call.ts'
import { takeEarly } from '../lib/wire/early.ts'
import { askForFirstList } from './firstList.ts'

const user = {
  functionCodes: ['alarm:page'],
  mustChangePassword: false,
  preferences: { 'pageSize:/alarm/page': 50 } as Record<string, unknown>,
}
const page = { code: 200, message: '', data: [{ id: '1' }], total: 1 }
const fetched = vi.fn(async (_address: string, _init?: RequestInit) => Response.json(page))
const listCalls = () => fetched.mock.calls.filter(([address]) => address.includes('/alarm/page'))
const input = (pageSize: number) => ({ ...readLeniently(listAlarms.input, {}), pageSize })

/** The user is on the way, as index.html has asked. */
function given(answer: object): void {
  const response = Promise.resolve(Response.json({ code: 200, message: '', data: answer }))
  const asked = {
    method: 'GET',
    address: '/user/info',
    body: undefined,
    token: 'abc',
    askedAtMs: performance.now(),
  }
  Object.assign(window, { early: [{ ...asked, response }] })
}

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  keepToken('abc')
  history.replaceState(null, '', '/maintenance/exitWarning')
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  Object.assign(window, { early: undefined })
})

test('the first rows are asked for once: the list takes the answer of the call that was made before', async () => {
  given(user)
  await askForFirstList()
  expect(await call(listAlarms, input(50))).toEqual({ rows: page.data, total: 1 })
  expect(listCalls()).toHaveLength(1)
  await call(listAlarms, input(50))
  expect(listCalls()).toHaveLength(2)
})

test('a list that asks for something else asks by itself', async () => {
  given(user)
  await askForFirstList()
  await call(listAlarms, input(20))
  expect(listCalls()).toHaveLength(2)
})

test('the user that was asked for is still there for the guard', async () => {
  given(user)
  await askForFirstList()
  const response = await takeEarly({ method: 'GET', address: '/user/info', body: undefined })
  expect(await response?.json()).toMatchObject({ data: { functionCodes: ['alarm:page'] } })
})

test.each([
  ['whoever may not read it', { ...user, functionCodes: [] }, '/maintenance/exitWarning'],
  [
    'whoever has to change the password first',
    { ...user, mustChangePassword: true },
    '/maintenance/exitWarning',
  ],
  ['an address with filters', user, '/maintenance/exitWarning?code=A1'],
  ['another page', user, '/equipment/list'],
])('nothing is asked for %s', async (_, answer, path) => {
  history.replaceState(null, '', path)
  given(answer)
  await askForFirstList()
  expect(fetched).not.toHaveBeenCalled()
})

test('an early answer that nobody took for long is none', async () => {
  given(user)
  await askForFirstList()
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 20_000)
  await request({ method: 'GET', address: '/user/info', body: undefined })
  vi.restoreAllMocks()
  expect(fetched.mock.calls.some(([address]) => address.includes('/user/info'))).toBe(true)
})
