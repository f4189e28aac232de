// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { reloadWhenServed } from '../lib/browser/reload.ts'
import { notices } from '../lib/notices.ts'
import { reloadWhenOutdated } from './outdated.ts'

const fetched = vi.fn<() => Promise<Response>>()
const reload = vi.spyOn(location, 'reload')

beforeAll(reloadWhenOutdated)
beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  reload.mockImplementation(() => undefined)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  sessionStorage.clear()
  notices.set([])
})

/** A chunk does not come, and the server is asked; resolved when all that follows has happened. */
async function chunkFails(answer: () => Promise<Response>): Promise<void> {
  fetched.mockImplementation(answer)
  const calls = fetched.mock.calls.length
  const event = new Event('vite:preloadError', { cancelable: true })
  window.dispatchEvent(event)
  await new Promise((resolve) => setTimeout(resolve))
  expect(fetched).toHaveBeenCalledTimes(calls + 1)
  // Prevented, the page would go on without what it asked for.
  expect(event.defaultPrevented).toBe(false)
}
const answering = (status: number) => async () => new Response('<div id="root"></div>', { status })
const offline = () => Promise.reject(new TypeError('Failed to fetch'))

test('a chunk that is gone while the server answers reloads the page, once', async () => {
  await chunkFails(answering(200))
  expect(reload).toHaveBeenCalledTimes(1)
  await chunkFails(answering(200))
  expect(reload).toHaveBeenCalledTimes(1)
})

test('a chunk that does not come because nobody answers leaves the page as it is, until somebody does', async () => {
  await chunkFails(offline)
  await chunkFails(answering(502))
  expect(reload).not.toHaveBeenCalled()
  await chunkFails(answering(200))
  expect(reload).toHaveBeenCalledTimes(1)
})

test('a chunk that fails because the page is being left does not take the place of the page that is asked for', async () => {
  window.dispatchEvent(new Event('beforeunload'))
  window.dispatchEvent(new Event('vite:preloadError', { cancelable: true }))
  expect(fetched).not.toHaveBeenCalled()
  // The same page, come back to.
  window.dispatchEvent(new Event('pageshow'))
  await chunkFails(answering(200))
  expect(reload).toHaveBeenCalledTimes(1)
})

test('the button reloads where the server answers, and where it does not, says so', async () => {
  fetched.mockImplementation(offline)
  await reloadWhenServed()
  expect(reload).not.toHaveBeenCalled()
  expect(notices.get()).toMatchObject([{ kind: 'error', text: '无法连接服务器，请稍后重试' }])

  fetched.mockImplementation(answering(200))
  await reloadWhenServed()
  expect(reload).toHaveBeenCalledTimes(1)
})
