// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { takeEarly } from '../src/lib/wire/early.ts'
import { begin, type Plan } from './begin.ts'

const plan: Plan = {
  publicPaths: ['/download'],
  files: ['/assets/console.js', '/assets/console.css', '/assets/AlarmPage.js', '/assets/DevicePage.js'],
  always: [0, 1],
  byPath: { '/maintenance/exitWarning': [2], '/equipment/list': [3] },
}
const info = { method: 'GET', address: '/user/info', body: undefined }
const fetched = vi.fn(async (_address: string, _init?: RequestInit) => new Response('{}'))

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
  void takeEarly(info)
})

const beginAt = (path: string) => {
  history.replaceState(null, '', path)
  begin(plan)
}
const frame = () => document.documentElement.dataset.shell
const asked = () =>
  [...document.head.querySelectorAll('link')].map((link) => `${link.rel} ${link.getAttribute('href')}`)

test('who is signed in gets the frame, and all files of the page are asked for at once', () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/maintenance/exitWarning/?page=2')
  expect(frame()).toBe('open')
  expect(asked()).toEqual([
    'modulepreload /assets/console.js',
    'preload /assets/console.css',
    'modulepreload /assets/AlarmPage.js',
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
  expect(await (await takeEarly(info))?.text()).toBe('{}')
  expect(takeEarly(info)).toBeUndefined()
})

test('an answer for somebody who has left since is nobody’s', () => {
  cookies({ voltkeep_token: 'abc' })
  beginAt('/equipment/list')
  cookies({ voltkeep_token: 'other' })
  expect(takeEarly(info)).toBeUndefined()
})
