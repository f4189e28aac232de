import { listAlarms } from '@voltkeep/contract/alarms'
import { insertFirmware } from '@voltkeep/contract/firmware'
import { ChangePasswordForm, login } from '@voltkeep/contract/session'
import { expect, test } from 'vitest'
import { fieldsOf, isRequired, problemsOf, readLeniently } from './schemaInput.ts'

// proves: rule password.old; rule password.new; rule password.kinds; rule password.confirmation
// proves: message 长度在6到20个字之间; message 密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!; message 两次密码输入不一致
// proves: constant password length
test('the change-password form says what is wrong in the product’s words', () => {
  const said = (values: Record<string, string>) =>
    Object.fromEntries(problemsOf(ChangePasswordForm, values).map(({ field, message }) => [field, message]))
  expect(said({})).toEqual({
    oldPassword: '请输入原密码',
    newPassword: '请输入新密码',
    confirmPassword: '请再次输入新密码',
  })
  expect(said({ oldPassword: 'a', newPassword: 'Ab1', confirmPassword: 'Ab1' })).toEqual({
    newPassword: '长度在6到20个字之间',
  })
  const lengthOf = (length: number) => {
    const newPassword = 'a1'.repeat(20).slice(0, length)
    return said({ oldPassword: 'a', newPassword, confirmPassword: newPassword }).newPassword
  }
  expect([5, 6, 20, 21].map(lengthOf)).toEqual([
    '长度在6到20个字之间',
    undefined,
    undefined,
    '长度在6到20个字之间',
  ])
  for (const two of ['abcDEF', 'ABC123', 'abc_ef', '12345.', '密码密码a1'])
    expect(said({ oldPassword: 'a', newPassword: two, confirmPassword: two })).toEqual({})
  for (const one of ['ABCDEF', '123456', '......'])
    expect(said({ oldPassword: 'a', newPassword: one, confirmPassword: one })).toEqual({
      newPassword: '密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!',
    })
  expect(said({ oldPassword: 'a', newPassword: 'abcdef', confirmPassword: 'abcdef' })).toEqual({
    newPassword: '密码必须由大写字母、小写字母、数字、特殊符号中的2种及以上类型组成!',
  })
  expect(said({ oldPassword: 'a', newPassword: 'abcdef1', confirmPassword: 'abcdef2' })).toEqual({
    confirmPassword: '两次密码输入不一致',
  })
  expect(said({ oldPassword: 'a', newPassword: 'abcdef1', confirmPassword: 'abcdef1' })).toEqual({})
})

test('an empty text counts as absent', () => {
  expect(problemsOf(login.input, { loginname: '', password: 'x' })).toEqual([
    { field: 'loginname', message: '请输入登录名' },
  ])
})

test('what a schema wants to be there is known before anything is typed', () => {
  expect(isRequired(ChangePasswordForm, 'oldPassword')).toBe(true)
  expect(isRequired(listAlarms.input, 'code')).toBe(false)
  expect(isRequired(listAlarms.input, 'pageNum')).toBe(false)
  expect(isRequired(listAlarms.input, 'unknown')).toBe(false)
  expect(isRequired(insertFirmware.input, 'remark.de')).toBe(true)
  expect(isRequired(insertFirmware.input, 'remark.it')).toBe(false)
})

test('an address is read leniently: what is wrong in it is left out, the rest applies', () => {
  expect(
    readLeniently(listAlarms.input, {
      pageNum: '3',
      pageSize: '9999',
      code: 'A1,A2',
      alarmLevel: '1,2',
      organizationId: 'x',
      status: 'all',
    }),
  ).toEqual({ pageNum: 3, pageSize: 10, code: ['A1', 'A2'], alarmLevel: [1, 2], status: 'all' })
})

test('a range the wrong way round loses its end', () => {
  expect(readLeniently(listAlarms.input, { startTime: '2026-11-09', endTime: '2026-11-01' })).toMatchObject({
    startTime: '2026-11-09',
  })
})

test('an input’s fields are known by name', () => {
  expect(fieldsOf(login.input)).toEqual(['loginname', 'password'])
})
