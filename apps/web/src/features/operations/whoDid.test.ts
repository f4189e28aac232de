import { expect, test } from 'vitest'
import { operationTexts } from './operations.texts.ts'
import { whoDid } from './whoDid.ts'

test.each([
  ['a user by both names', { userId: '2', userName: '张三', loginName: 'zs' }, '张三（zs）'],
  ['a user with one name once', { userId: '1', userName: 'admin', loginName: 'admin' }, 'admin'],
  ['a failed sign-in by what was typed', { userId: null, userName: null, loginName: 'nobody' }, 'nobody'],
  [
    'a deleted user as gone',
    { userId: '9', userName: null, loginName: 'li' },
    `li（${operationTexts.goneUser}）`,
  ],
  ['the system as nobody', { userId: null, userName: null, loginName: null }, operationTexts.nobody],
])('names %s', (_, row, name) => {
  expect(whoDid(row)).toBe(name)
})
