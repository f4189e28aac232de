import { insertDictionaryEntry, readNewestAppAddress } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'

const app = await appOfTests()

// proves: call GET /app/newest/addr; message 下载地址不存在
test('the mobile app’s address is the note of the newest APP_ADDR entry, and missing without one', async () => {
  expect(await app.call(readNewestAppAddress, {})).toMatchObject({
    status: 404,
    code: 404,
    message: '下载地址不存在',
  })
  for (const version of [1, 2]) {
    await app.db
      .insertInto('dictionary_entry')
      .values({
        type: 'APP_ADDR',
        code: String(version),
        name: 'App',
        note: `https://example.com/${version}.apk`,
      })
      .execute()
  }
  expect(await app.call(readNewestAppAddress, {})).toMatchObject({
    code: 200,
    data: { url: 'https://example.com/2.apk' },
  })
})

test('a stored address that is not a web address is treated as missing, since anybody may follow it', async () => {
  await app.db
    .insertInto('dictionary_entry')
    .values({ type: 'APP_ADDR', code: 'evil', name: 'App', note: 'javascript:alert(1)' })
    .execute()
  expect(await app.call(readNewestAppAddress, {})).toMatchObject({ code: 404, message: '下载地址不存在' })
})

test('a note that is not a web address is refused', async () => {
  const token = await app.asAdmin()
  const form = { type: 'APP_ADDR', code: 'new', name: 'App' }
  for (const note of ['javascript:alert(1)', 'ftp://example.com/a.apk', 'example.com'])
    expect(await app.call(insertDictionaryEntry, { ...form, note }, token)).toMatchObject({
      code: 400,
      message: '应用下载地址应以 http:// 或 https:// 开头',
    })
  expect(
    await app.call(insertDictionaryEntry, { ...form, note: 'https://example.com/a.apk' }, token),
  ).toMatchObject({
    code: 200,
  })
})
