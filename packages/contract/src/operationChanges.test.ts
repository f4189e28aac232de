import { expect, test } from 'vitest'
import { shownChange } from './operationChanges.ts'

test('of a change the fields that differ are shown, by their Chinese names', () => {
  expect(
    shownChange(
      { name: '甲', code: 'A', isEnabled: true, businessStatus: 2, roles: ['运维', '客服'] },
      { name: '乙', code: 'A', isEnabled: false, businessStatus: 1, roles: ['运维'] },
    ),
  ).toEqual([
    { field: 'name', label: '名称', before: '甲', after: '乙' },
    { field: 'isEnabled', label: '启用', before: '是', after: '否' },
    { field: 'businessStatus', label: '业务状态', before: '未交付', after: '已激活' },
    { field: 'roles', label: '角色', before: '运维、客服', after: '运维' },
  ])
})

test('of what was made or deleted everything is shown on its side', () => {
  expect(shownChange(null, { name: '甲', note: null })).toEqual([
    { field: 'name', label: '名称', before: null, after: '甲' },
  ])
  expect(shownChange({ unheardOf: [{ bitPosition: 1, name: '过温' }] }, null)).toEqual([
    { field: 'unheardOf', label: 'unheardOf', before: '位 1，名称 过温', after: null },
  ])
})
