// @vitest-environment happy-dom
import { runInThisContext } from 'node:vm'
import { listAlarms } from '@voltkeep/contract/alarms'
import { listDevices } from '@voltkeep/contract/devices'
import { pageSizes } from '@voltkeep/contract/preferences'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readLeniently } from '../src/lib/schemaInput.ts'
import { call, request } from '../src/lib/wire/call.ts'
import { takeAnswered, takeEarly } from '../src/lib/wire/early.ts'
import { outgoingOf } from '../src/lib/wire/outgoing.ts'
import { fittingSize } from '../src/ui/list/table/fittingSize.ts'
import { begin, type Plan } from './begin.ts'
import { firstListOf } from './firstList.ts'

const plan: Plan = {
  publicPaths: ['/download'],
  files: ['/assets/console.js', '/assets/list.js', '/assets/console.css'],
  pages: {
    '/maintenance/exitWarning': { files: [], list: firstListOf(listAlarms) },
    '/equipment/list': { files: ['/assets/devices.js'], list: firstListOf(listDevices) },
  },
  fitting: { sizes: pageSizes, rowPx: 40, compactRowPx: 32, narrowQuery: '(width < 768px)' },
}
const info = { method: 'GET', address: '/user/info', body: undefined }
const user = {
  functionCodes: ['alarm:page'],
  mustChangePassword: false,
  preferences: { 'pageSize:/alarm/page': 50 } as Record<string, unknown>,
}
const page = { code: 200, message: '', data: [{ id: '1' }], total: 1 }
let answer: object = user
const fetched = vi.fn(async (address: string, _init?: RequestInit) =>
  Response.json(address === '/api/user/info' ? { code: 200, message: '', data: answer } : page),
)
const listCalls = () =>
  fetched.mock.calls.map(([address]) => address).filter((one) => one.includes('/alarm/'))
const input = (pageSize: number) => ({ ...readLeniently(listAlarms.input, {}), pageSize })

function cookies(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) {
    // biome-ignore lint/suspicious/noDocumentCookie: what begin reads
    document.cookie = `${name}=${value}; path=/`
  }
}

beforeEach(() => vi.stubGlobal('fetch', fetched))
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  for (const name of ['voltkeep_token', 'voltkeep_sidebar']) {
    // biome-ignore lint/suspicious/noDocumentCookie: what begin reads
    document.cookie = `${name}=; path=/; max-age=0`
  }
  localStorage.clear()
  document.head.replaceChildren()
  for (const name of ['shell', 'theme']) delete document.documentElement.dataset[name]
  Object.assign(window, { early: undefined })
  answer = user
})

const beginAt = (path: string) => {
  history.replaceState(null, '', path)
  begin(plan, fittingSize)
}
const frame = () => document.documentElement.dataset.shell
const asked = () =>
  [...document.head.querySelectorAll('link')].map((link) => `${link.rel} ${link.getAttribute('href')}`)

test('who is signed in gets the frame, and all files of the console are asked for at once', () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/maintenance/exitWarning/?page=2')
  expect(frame()).toBe('open')
  expect(asked()).toEqual([
    'modulepreload /assets/console.js',
    'modulepreload /assets/list.js',
    'preload /assets/console.css',
  ])
})

test('a sidebar that was folded away is folded away in the frame', () => {
  cookies({ voltkeep_token: 'abc', voltkeep_sidebar: 'closed' })
  beginAt('/equipment/list')
  expect(frame()).toBe('rail')
})

test.each([
  ['signed in', { voltkeep_token: 'abc' }, '/download'],
  ['not signed in', {}, '/equipment/list'],
  ['not signed in', {}, '/login'],
])('%s with %o, %s shows no frame and fetches nothing', (_, given, path) => {
  cookies(given)
  beginAt(path)
  expect(frame()).toBeUndefined()
  expect(asked()).toEqual([])
  expect(fetched).not.toHaveBeenCalled()
})

test('the chosen theme is there before anything is painted, and the system’s where none was chosen', () => {
  beginAt('/login')
  expect(document.documentElement.dataset.theme).toBeUndefined()
  localStorage.setItem('voltkeep-theme', 'dark')
  beginAt('/login')
  expect(document.documentElement.dataset.theme).toBe('dark')
})

test('the user is asked for before the scripts are there, and the first call takes that answer', async () => {
  cookies({ voltkeep_token: 'a%2Bb' })
  beginAt('/equipment/list')
  expect(fetched).toHaveBeenCalledExactlyOnceWith('/api/user/info', {
    headers: { 'X-Requested-With': 'XMLHttpRequest', Authorization: 'Bearer a+b' },
  })
  expect(takeEarly({ ...info, address: '/role/all' })).toBeUndefined()
  expect(await (await takeEarly(info))?.json()).toMatchObject({ data: user })
  expect(takeEarly(info)).toBeUndefined()
})

test('an answer for somebody who has left since is nobody’s', () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/equipment/list')
  cookies({ voltkeep_token: 'other' })
  expect(takeEarly(info)).toBeUndefined()
})

/** Until the rows have been asked for, or would have been. */
const settled = () => new Promise((resolve) => setTimeout(resolve))

test('the rows are asked for when the user is known, once: the list takes the answer of that call', async () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/maintenance/exitWarning/')
  await settled()
  expect(listCalls()).toHaveLength(1)
  expect(await call(listAlarms, input(50))).toEqual({ rows: page.data, total: 1 })
  expect(listCalls()).toHaveLength(1)
  await call(listAlarms, input(50))
  expect(listCalls()).toHaveLength(2)
  // The user that was asked for is still there for the guard.
  expect(await (await takeEarly(info))?.json()).toMatchObject({ data: user })
})

test.each([
  ['normal', 20],
  ['compact', 30],
])('who has chosen no page size gets as many rows of %s height as fill the window', async (density, size) => {
  cookies({ voltkeep_token: 'abc' })
  answer = { ...user, preferences: { density } }
  vi.stubGlobal('innerHeight', 1_000)
  beginAt('/maintenance/exitWarning')
  await settled()
  await call(listAlarms, input(size))
  expect(listCalls()).toHaveLength(1)
})

test('of another page that is opened first, its own files are asked for, and its own rows', async () => {
  cookies({ voltkeep_token: 'abc' })
  answer = { ...user, functionCodes: ['equip:list'], preferences: { 'pageSize:/equip/list': 30 } }
  beginAt('/equipment/list')
  await settled()
  expect(asked()).toContain('modulepreload /assets/devices.js')
  const rowsAsked = () => fetched.mock.calls.filter(([address]) => address.includes('/equip/'))
  expect(rowsAsked()).toHaveLength(1)
  const given = { ...readLeniently(listDevices.input, {}), pageSize: 30 }
  expect(takeAnswered(outgoingOf(listDevices, given))).toBeDefined()
})

test('rows that are there before their list are taken with the time at which they came', async () => {
  cookies({ voltkeep_token: 'abc' })
  const beganAtMs = Date.now()
  beginAt('/maintenance/exitWarning')
  const outgoing = outgoingOf(listAlarms, input(50))
  expect(takeAnswered(outgoing)).toBeUndefined()
  await settled()
  const answered = takeAnswered(outgoing)
  expect(answered?.envelope).toEqual(page)
  expect(answered?.atMs).toBeGreaterThanOrEqual(beganAtMs)
  expect(takeAnswered(outgoing)).toBeUndefined()
})

test('a list that asks for something else asks by itself', async () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/maintenance/exitWarning')
  await settled()
  await call(listAlarms, input(20))
  expect(listCalls()).toHaveLength(2)
})

test.each([
  ['whoever may not read it', { ...user, functionCodes: [] }, '/maintenance/exitWarning'],
  [
    'whoever has to change the password first',
    { ...user, mustChangePassword: true },
    '/maintenance/exitWarning',
  ],
  ['an address with filters', user, '/maintenance/exitWarning?code=A1'],
  ['another page', user, '/equipment/battery'],
])('no rows are asked for: %s', async (_, given, path) => {
  cookies({ voltkeep_token: 'abc' })
  answer = given
  beginAt(path)
  await settled()
  expect(listCalls()).toEqual([])
})

test('the text of the script needs nothing but what it is given', async () => {
  cookies({ voltkeep_token: 'abc' })
  answer = { ...user, preferences: {} }
  history.replaceState(null, '', '/maintenance/exitWarning')
  runInThisContext(`(${begin})(${JSON.stringify(plan)}, ${fittingSize})`)
  await settled()
  expect(listCalls()).toHaveLength(1)
})

test('an early answer that nobody took for long is none', async () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/maintenance/exitWarning')
  await settled()
  const now = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(now + 40_000)
  await request(info)
  vi.restoreAllMocks()
  expect(fetched.mock.calls.filter(([address]) => address.includes('/user/info'))).toHaveLength(2)
})
