import type { MenuRecord } from '@voltkeep/contract/menus'
import { expect, test } from 'vitest'
import { confirmationOf } from './menus.confirmation.ts'

function menu(id: string, type: MenuRecord['type'], path: string, children: MenuRecord[] = []): MenuRecord {
  const shown = { name: `菜单${id}`, remark: `noun:${id}`, icon: null, url: null, orderNum: 0 }
  const own = children.map((child) => ({ ...child, parentId: id }))
  return { id, parentId: '0', type, path, ...shown, openType: 0, version: 1, roleCount: 0, children: own }
}

const page = { ...menu('2', 'C', 'user', [menu('3', 'F', 'insert')]), roleCount: 12 }
const tree = [menu('1', 'M', 'system', [page]), menu('4', 'M', 'reference')]
const child = (tree[0]?.children[0] as MenuRecord) ?? page
const action = child.children[0] as MenuRecord

test('a save that changes only name or icon is not confirmed', () => {
  expect(confirmationOf(tree, child, { ...child, parentId: '1' })).toBeUndefined()
})

test('a new path is confirmed with the whole path, the menus below and the roles that have the menu', () => {
  expect(confirmationOf(tree, child, { ...child, path: 'people' })).toMatchObject({
    title: '保存菜单',
    body: [
      '路由地址将由“/system/user”改为“/system/people”，指向原地址的链接失效。',
      '其下 1 项随之改变。',
      '已分配给 12 个角色，持有者立即生效。',
    ].join('\n'),
  })
})

test('a move is confirmed with both places and both addresses', () => {
  expect(confirmationOf(tree, child, { ...child, parentId: '4' })?.body).toContain(
    '“菜单2”将由“菜单1”移到“菜单4”。\n路由地址将由“/system/user”改为“/reference/user”',
  )
})

test('a new function code is confirmed; a new path of a function is not, for it has no address', () => {
  expect(confirmationOf(tree, action, { ...action, remark: 'user:add' })?.body).toContain(
    '功能编码将由“noun:3”改为“user:add”',
  )
  expect(confirmationOf(tree, action, { ...action, path: 'add' })).toBeUndefined()
})
