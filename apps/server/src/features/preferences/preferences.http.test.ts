import { preferencesAtMost, readCurrentUser, savePreference } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'

const app = await appOfTests()

const save = (key: string, value: unknown, token: string) => app.call(savePreference, { key, value }, token)
const preferencesOf = async (token: string) => (await app.call(readCurrentUser, {}, token)).data.preferences

test('a preference belongs to its user, is replaced by the next value, and removed without a value', async () => {
  const [me, other] = await Promise.all([app.asUser(), app.asUser()])
  expect(await preferencesOf(me.token)).toEqual({})
  const columns = { order: ['code', 'name'], hidden: [] }
  for (const [key, value] of [
    ['density', 'compact'],
    ['pageSize:/alarm/page', 50],
    ['pageSize:/alarm/page', 100],
    ['columns:/equip/list', columns],
  ] as const) {
    expect(await save(key, value, me.token)).toMatchObject({ code: 200 })
  }
  expect(await preferencesOf(me.token)).toEqual({
    density: 'compact',
    'pageSize:/alarm/page': 100,
    'columns:/equip/list': columns,
  })
  expect(await preferencesOf(other.token)).toEqual({})
  await save('density', undefined, me.token)
  expect(await preferencesOf(me.token)).not.toHaveProperty('density')
})

test.each([
  ['an unknown key', 'colour', 'red', '设置项不存在'],
  ['a list setting without its list', 'columns', { order: [], hidden: [] }, '设置项不存在'],
  ['a key of the prototype', 'constructor', 1, '设置项不存在'],
  ['a size that no pager offers', 'pageSize:/alarm/page', 40, '设置的值无效'],
  ['a field of no meaning', 'columns:/alarm/page', { order: [], hidden: [], more: 1 }, '设置的值无效'],
  ['a column that is no key', 'columns:/alarm/page', { order: ['<b>'], hidden: [] }, '设置的值无效'],
  [
    'too many columns',
    'columns:/alarm/page',
    { order: Array.from({ length: 61 }, (_, at) => `c${at}`), hidden: [] },
    '设置的值无效',
  ],
])('%s is refused, and nothing is kept', async (_what, key, value, message) => {
  const { token } = await app.asUser()
  expect(await save(key, value, token)).toMatchObject({ code: 400, message })
  expect(await preferencesOf(token)).toEqual({})
})

test('a value of many kilobytes is refused before it is read', async () => {
  const { token } = await app.asUser()
  const hidden = Array.from({ length: 1000 }, () => 'a'.repeat(39))
  expect(await save('columns:/alarm/page', { order: [], hidden }, token)).toMatchObject({ code: 413 })
})

test('the number of a user’s preferences is limited; existing ones can still be changed', async () => {
  const { token } = await app.asUser()
  const listNamed = (at: number) => `pageSize:/list/n${at}`
  for (let at = 0; at < preferencesAtMost; at += 1) {
    expect(await save(listNamed(at), 20, token)).toMatchObject({ code: 200 })
  }
  expect(await save(listNamed(preferencesAtMost), 20, token)).toMatchObject({
    code: 409,
    refusal: 'tooManyPreferences',
  })
  expect(await save(listNamed(0), 50, token)).toMatchObject({ code: 200 })
})
