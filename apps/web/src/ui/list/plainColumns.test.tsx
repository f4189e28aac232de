// @vitest-environment node
import { isValidElement } from 'react'
import { expect, test } from 'vitest'
import { Nothing } from '../marks/Nothing.tsx'
import { operationColumn, textColumn, timeColumn } from './plainColumns.tsx'

test('a zero is a value; null, undefined and an empty text are shown as nothing', () => {
  const { render } = textColumn('count', '数量')
  expect(render({ count: 0 }, 0)).toBe(0)
  for (const count of [null, undefined, '']) {
    const shown = render({ count }, 0)
    expect(isValidElement(shown) && shown.type).toBe(Nothing)
  }
})

test("a reader's choice of columns finds a column by its former key", () => {
  expect(textColumn('equipTypeName', '设备类型', { key: 'type' }).key).toBe('type')
  expect(textColumn('note', '备注').key).toBe('note')
})

test('a time has room for its seconds, unless the list gives it another width', () => {
  expect(timeColumn('createTime', '创建时间').width).toBe(168)
  expect(timeColumn('createTime', '创建时间', { width: 96 }).width).toBe(96)
})

test('the column of buttons stays at the right, and says which functions it is for', () => {
  const { key, fixed, codes } = operationColumn(104, () => null, ['role:update', 'role:delete'])
  expect([key, fixed, codes]).toEqual(['operation', 'right', ['role:update', 'role:delete']])
})
