import {
  deleteDictionaryEntry,
  insertDictionaryEntry,
  listDictionary,
  readNewestAppAddress,
  updateDictionaryEntry,
} from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertOperator, insertOrganization } from '../../../test/factories.ts'

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

test('it is kept by who sees all devices: the users of all organizations follow it', async () => {
  const admin = await app.asAdmin()
  const entry = { type: 'APP_ADDR', code: 'kept', name: 'App', note: 'https://example.com/kept.apk' }
  const { id } = (await app.call(insertDictionaryEntry, entry, admin)).data
  const functionCodes = ['enum:insert', 'enum:update', 'enum:delete']
  const refused = {
    status: 403,
    refusal: 'appAddressReachesBeyond',
    message: '应用下载地址用于所有组织的用户，只有能查看全部设备的用户可以维护',
  }
  for (const user of [
    await app.asUser({ functionCodes, organizationId: await insertOrganization(app.db) }),
    await app.asUser({ functionCodes, authorities: [['O', String(await insertOperator(app.db))]] }),
  ]) {
    const other = { ...entry, note: 'https://evil.example.com/app.apk' }
    expect(await app.call(insertDictionaryEntry, { ...other, code: 'mine' }, user.token)).toMatchObject(
      refused,
    )
    expect(await app.call(updateDictionaryEntry, { id, ...other }, user.token)).toMatchObject(refused)
    expect(await app.call(deleteDictionaryEntry, { id }, user.token)).toMatchObject(refused)
    // Nor by another type of entry that becomes one.
    const own = { type: 'EVENT', code: `E${user.id}`, name: '事件', note: other.note }
    const { id: ownId } = (await app.call(insertDictionaryEntry, own, user.token)).data
    expect(
      await app.call(updateDictionaryEntry, { id: ownId, ...other, code: 'mine' }, user.token),
    ).toMatchObject(refused)
  }
  expect((await app.call(readNewestAppAddress, {})).data).toEqual({ url: entry.note })
  expect((await app.call(listDictionary, { type: 'APP_ADDR', code: 'mine' }, admin)).total).toBe(0)
})
