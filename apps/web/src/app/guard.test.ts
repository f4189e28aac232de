// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { answering, serveAsHost } from '../../test/host.ts'
import { writeCookie } from '../lib/browser/cookie.ts'
import { notices } from '../lib/notices.ts'
import { admit } from './guard.ts'

afterEach(() => vi.restoreAllMocks())

/** What the guard has said, and where it leads. */
async function turnedAway() {
  const thrown = await admit('/equipment/list').catch((error: unknown) => error)
  return { to: (thrown as { options: object }).options, said: notices.get().map(({ text }) => text) }
}

const toLogin = { to: '/login', search: { redirect: '/equipment/list' } }

// proves: rule session start; message Verification failed, please Login again.
test('a user who cannot be read is led to the sign-in page, and told so', async () => {
  await serveAsHost(answering(500, { code: 500, message: '', data: null }))
  writeCookie('voltkeep_token', 'some', 60)
  const { to, said } = await turnedAway()
  expect(to).toMatchObject(toLogin)
  expect(said).toContain('身份验证失败，请重新登录。Verification failed, please Login again.')
  expect(window.document.cookie).not.toContain('voltkeep_token=some')
})

// proves: message Has Error
test('a failure of the guard itself that says nothing is told as Has Error', async () => {
  await serveAsHost(answering(200, { code: 200, message: '', data: { userName: '张三', tree: [] } }))
  writeCookie('voltkeep_token', 'some', 60)
  // A browser that lets no cookie be renewed.
  vi.spyOn(window.document, 'cookie', 'set').mockImplementationOnce(() => {
    throw new Error()
  })
  const { to, said } = await turnedAway()
  expect(to).toMatchObject(toLogin)
  expect(said).toContain('出错了 Has Error')
})

test('a server that fails once, such as one that is starting up, signs nobody out', async () => {
  let asked = 0
  await serveAsHost((request, response) => {
    asked += 1
    if (asked === 1) return answering(503, { code: 503, message: '正在启动', data: null })(request, response)
    const user = { userName: '张三', tree: [], resultVOS: [], functionCodes: [] }
    answering(200, { code: 200, message: '', data: user })(request, response)
  })
  writeCookie('voltkeep_token', 'some', 60)
  expect(await admit('/equipment/list')).toMatchObject({ userName: '张三' })
  expect(window.document.cookie).toContain('voltkeep_token=some')
})
