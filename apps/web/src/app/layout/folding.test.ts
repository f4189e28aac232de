import { expect, test } from 'vitest'
import type { MenuItem } from '../menuRoutes.ts'
import { openAtFirst } from './folding.ts'

const item = (path: string, children: MenuItem[] = []): MenuItem => ({
  id: path,
  title: path,
  icon: null,
  path,
  children,
})
const directory = (path: string, pages: number) =>
  item(
    path,
    Array.from({ length: pages }, (_, at) => item(`${path}/${at}`)),
  )
const menus = [directory('/a', 4), directory('/b', 6), directory('/c', 3)]
const open = (path: string, room: number) => [...openAtFirst(menus, path, room)].toSorted()

test('everything is open where there is room for it', () => {
  expect(open('/dashboard', 17)).toEqual(['/a', '/b', '/c'])
})

test('with a line too few one is folded, never the one in use', () => {
  expect(open('/dashboard', 16)).toEqual(['/a', '/b'])
  expect(open('/c/1', 16)).toEqual(['/a', '/c'])
  expect(open('/b/0', 16)).toEqual(['/a', '/b'])
})

test('the one in use is open even where nothing fits', () => {
  expect(open('/b/0', 2)).toEqual(['/b'])
  expect(open('/dashboard', 2)).toEqual([])
})

test('a path that begins alike is another directory', () => {
  expect(open('/bb/0', 2)).toEqual([])
})

test('directories below count with all their lines', () => {
  const deep = [item('/d', [directory('/d/e', 3)]), directory('/f', 1)]
  expect([...openAtFirst(deep, '/dashboard', 7)]).toEqual(['/d'])
  expect([...openAtFirst(deep, '/dashboard', 8)]).toEqual(['/d', '/f'])
})
