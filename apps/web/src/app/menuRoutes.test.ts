import type { MenuNode } from '@voltkeep/contract/menus'
import { expect, test } from 'vitest'
import { menuRoutesOf } from './menuRoutes.ts'

let lastId = 0
function menu(part: Partial<MenuNode> & Pick<MenuNode, 'name' | 'type'>): MenuNode {
  lastId += 1
  return {
    id: String(lastId),
    parentId: '0',
    path: '',
    remark: part.name,
    icon: null,
    url: null,
    orderNum: lastId,
    openType: 0,
    children: [],
    ...part,
  }
}

const tree = [
  menu({ name: '首页', type: 'C', path: '/dashboard', url: 'dashboard' }),
  menu({
    name: '运维',
    type: 'M',
    path: 'maintenance',
    children: [
      menu({ name: '日志', type: 'C', path: 'logextract', url: 'maintenance/logextract' }),
      menu({
        name: '告警',
        type: 'C',
        path: 'exitWarning',
        url: '/maintenance/exitWarning',
        children: [menu({ name: '恢复', type: 'F', remark: 'alarm:recover' })],
      }),
      menu({ name: '未来', type: 'C', path: 'future', url: 'not/built' }),
    ],
  }),
  menu({
    name: '设备',
    type: 'M',
    path: '/equipment',
    children: [menu({ name: '列表', type: 'C', path: 'list', url: 'equipment/list', orderNum: 1 })],
  }),
  menu({ name: '帮助', type: 'C', path: '/iframe', openType: 1, url: 'https://example.com/help' }),
  menu({ name: '脚本', type: 'C', path: '/iframe', openType: 1, url: 'javascript:alert(1)' }),
  menu({ name: '空', type: 'M', path: '/empty', children: [menu({ name: '码', type: 'F' })] }),
]
const made = menuRoutesOf(tree, (key) => key !== 'not/built')

// proves: rule menu routes; rule allRole
test('pages stand where the menus put them, with the functions that stand on them', () => {
  expect([...made.routes.keys()]).toEqual([
    '/maintenance/logextract',
    '/maintenance/exitWarning',
    '/equipment/list',
  ])
  expect(made.routes.get('/maintenance/exitWarning')).toEqual({
    path: '/maintenance/exitWarning',
    key: 'maintenance/exitWarning',
    name: '告警',
    title: '告警',
    allRole: ['alarm:recover'],
    ancestors: ['运维'],
  })
})

test('a menu whose component is not built is passed over', () => {
  expect(made.routes.has('/maintenance/future')).toBe(false)
  expect(JSON.stringify(made.items)).not.toContain('未来')
})

// proves: route /maintenance
test('/maintenance leads to the alarms, any other directory to its first page', () => {
  expect(made.redirects.get('/maintenance')).toBe('/maintenance/exitWarning')
  expect(made.redirects.get('/equipment')).toBe('/equipment/list')
})

test('without the alarms /maintenance leads to what is there', () => {
  const { redirects } = menuRoutesOf(tree, (key) => key === 'maintenance/logextract')
  expect(redirects.get('/maintenance')).toBe('/maintenance/logextract')
})

// proves: rule menu type F
test('the sidebar shows no functions, no empty directories, and the first page only once', () => {
  expect(made.items.map((item) => item.title)).toEqual(['运维', '设备', '帮助'])
  expect(JSON.stringify(made.items)).toContain('告警')
  expect(JSON.stringify(made.items)).not.toMatch(/恢复|alarm:recover/)
})

// proves: rule openType
test('an external menu leads out by a web address only', () => {
  expect(made.items.at(-1)).toMatchObject({
    title: '帮助',
    href: 'https://example.com/help',
    path: '/iframe',
  })
})

test('of two menus at one path the first in order has it', () => {
  const { routes } = menuRoutesOf(
    [
      menu({ name: '乙', type: 'C', path: '/a', url: 'b', orderNum: 2 }),
      menu({ name: '甲', type: 'C', path: '/a', url: 'a', orderNum: 1 }),
    ],
    () => true,
  )
  expect(routes.get('/a')?.title).toBe('甲')
})
