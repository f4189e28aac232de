// The language of a call is that of its page; the language of a user goes along to other browsers.
import {
  apiKeyPrefix,
  exportDevices,
  insertApiKey,
  insertRole,
  insertUser as insertUserCall,
  listOperations,
  readCurrentUser,
  readDevice,
  saveLanguage,
} from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { appOfTests } from './app.ts'
import { clientOf } from './client.ts'
import { insertDevice } from './factories.ts'
import { rowsOfSheet } from './sheets.ts'

const app = await appOfTests()
const inEnglish = clientOf(app.url, { cookie: 'voltkeep_language=en' })
const han = /\p{Script=Han}/u

test('a refusal and what is wrong with an input are told in the language of the page, Chinese by default', async () => {
  const { token } = await app.asUser()
  const admin = await app.asAdmin()
  expect((await app.call(readDevice, { id: '99' }, admin)).message).toBe('设备不存在')
  expect((await inEnglish.call(readDevice, { id: '99' }, admin)).message).toBe('The device does not exist')
  // What a browser would like by itself is not asked.
  const accepting = clientOf(app.url, { 'accept-language': 'en-US,en;q=0.9' })
  expect((await accepting.call(readDevice, { id: '99' }, admin)).message).toBe('设备不存在')
  const wrong = await inEnglish.call(insertUserCall, { userName: '' }, admin)
  expect(wrong.code).toBe(400)
  expect(JSON.stringify(wrong.data)).not.toMatch(han)
  expect((await inEnglish.call(insertRole, {}, token)).message).toBe('You lack the right to do this')
})

test('a user keeps a language, which the next sign-in tells the browser', async () => {
  const user = await app.asUser()
  const languageAtSignIn = async () => {
    const answer = await app.request('/api/user/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ loginname: user.loginName, password: user.password }),
    })
    return /voltkeep_language=(\w+)/.exec(answer.headers.getSetCookie().join('\n'))?.[1]
  }
  expect(await languageAtSignIn()).toBe('zh')
  expect(await app.call(saveLanguage, { language: 'en' }, user.token)).toMatchObject({ code: 200 })
  expect(await languageAtSignIn()).toBe('en')
  expect(await app.call(saveLanguage, { language: 'de' }, user.token)).toMatchObject({ code: 400 })
  expect(await languageAtSignIn()).toBe('en')
})

test('the menu is in English, unless somebody has named a page', async () => {
  const admin = await app.asAdmin()
  await app.database.pool.query(`UPDATE menu SET name = '我们的告警' WHERE name = '告警管理'`)
  const { data } = await inEnglish.call(readCurrentUser, {}, admin)
  const names = JSON.stringify(data.tree)
  expect(names).toContain('"Devices"')
  expect(names).toContain('我们的告警')
  expect(names).not.toContain('设备列表')
  expect(JSON.stringify((await app.call(readCurrentUser, {}, admin)).data.tree)).toContain('设备列表')
})

test('the operation log and an export are in the language of who reads them', async () => {
  const admin = await app.asAdmin()
  await insertDevice(app.db, { code: 'ENG1' })
  await app.database.pool.query(`UPDATE device SET name = '一号柜' WHERE code = 'ENG1'`)
  const { data } = await inEnglish.call(listOperations, { pageSize: 100 }, admin)
  expect(data.map(({ summary }) => summary)).toContain('Sign in')
  expect(data.map(({ target }) => target)).toContain('User admin')
  const response = await fetch(`${app.url}/api${exportDevices.path}?code=ENG1`, {
    headers: { authorization: admin, cookie: 'voltkeep_language=en' },
  })
  expect(response.headers.get('content-disposition')).toContain('Device_')
  const [titles, row] = await rowsOfSheet(response)
  expect(titles?.join()).not.toMatch(han)
  expect(row).toContain('一号柜')
  expect(row).toContain('Never online')
})

test('an API key, which has no page, says its language itself', async () => {
  const admin = await app.asAdmin()
  const { data } = await app.call(
    insertApiKey,
    { name: 'MES', functionCodes: ['equip:list'], validDays: 1 },
    admin,
  )
  expect(data.secret.startsWith(apiKeyPrefix)).toBe(true)
  const other = clientOf(app.url, { 'accept-language': 'en' })
  expect((await other.call(readDevice, { id: '99' }, data.secret)).message).toBe('The device does not exist')
  expect((await app.call(readDevice, { id: '99' }, data.secret)).message).toBe('设备不存在')
})
