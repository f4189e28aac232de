import type { UserRow } from '@voltkeep/contract/users'
import { expect, test } from 'vitest'
import { confirmationOf } from './users.confirmation.ts'

const user = {
  userName: '张三',
  roleIds: ['2', '3'],
  roleNames: ['值班员', '检修员'],
  organizationId: '5',
  organizationName: '华南运维',
} as UserRow
const known = {
  roles: [
    { id: '2', name: '值班员' },
    { id: '4', name: '站长' },
  ],
  organizations: [
    {
      id: '1',
      parentId: '0',
      name: '总部',
      code: 'HQ',
      orderNum: 0,
      version: 1,
      children: [
        { id: '6', parentId: '1', name: '华东运维', code: 'E', orderNum: 0, version: 1, children: [] },
      ],
    },
  ],
}

test('a save that changes neither roles nor organization is not confirmed, whatever the order of the roles', () => {
  expect(confirmationOf(user, { roleIds: ['3', '2'], organizationId: '5' }, known)).toBeUndefined()
})

test('changed roles are confirmed with the names before and after', () => {
  expect(confirmationOf(user, { roleIds: ['2', '4'], organizationId: '5' }, known)).toMatchObject({
    title: '保存用户',
    body: '用户 张三 的角色将由“值班员、检修员”改为“值班员、站长”，可用的功能立即改变。',
  })
})

test('a move to another organization is confirmed with both names', () => {
  expect(confirmationOf(user, { roleIds: ['2', '3'], organizationId: '6' }, known)?.body).toBe(
    '用户 张三 将由“华南运维”移到“华东运维”，可见的设备立即改变。',
  )
})
