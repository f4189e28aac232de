import { expect, test } from 'vitest'
import { entitiesOf } from '../permissions/permissions.entities.ts'
import { AddForm } from './users.addForm.ts'

const filled = {
  userName: '张三',
  phone: '13800000000',
  loginName: 'zhangsan',
  password: 'Abc12345',
  organizationId: '2',
  roleIds: ['2'],
  type: '1',
  sight: 'chosen' as const,
}
const problemsOf = (form: object) =>
  AddForm.safeParse(form).error?.issues.map(({ path }) => path.join('.')) ?? []

test('a user sees chosen devices only by a choice, which is asked for at the first of its fields', () => {
  expect(problemsOf(filled)).toEqual(['ET'])
  expect(problemsOf({ ...filled, ET: [], O: [] })).toEqual(['ET'])
  expect(problemsOf({ ...filled, R: ['440305'] })).toEqual([])
})

test('all devices are seen by a choice of their own', () => {
  expect(problemsOf({ ...filled, sight: 'all' })).toEqual([])
  expect(problemsOf({ ...filled, sight: undefined, O: ['1'] })).toEqual(['sight'])
})

test('the missing choice is told together with the problems of other fields', () => {
  expect(problemsOf({ ...filled, organizationId: undefined }).sort()).toEqual(['ET', 'organizationId'])
})

test('the call gets an entry for each kind that has a choice', () => {
  expect(entitiesOf({ ET: ['1', '2'], O: [], R: undefined as never })).toEqual([
    { authorityType: 'ET', type: 'ET', value: ['1', '2'] },
  ])
  expect(entitiesOf({})).toEqual([])
})
