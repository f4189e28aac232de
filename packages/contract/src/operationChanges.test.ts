import { expect, test } from 'vitest'
import { shownChange, shownFilters } from './operationChanges.ts'

test('of an update, the changed fields are shown with their Chinese names', () => {
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

test('of a creation or a deletion, all fields are shown on their side', () => {
  expect(shownChange(null, { name: '甲', note: null })).toEqual([
    { field: 'name', label: '名称', before: null, after: '甲' },
  ])
  expect(shownChange({ unheardOf: [{ bitPosition: 1, name: '过温' }] }, null)).toEqual([
    { field: 'unheardOf', label: 'unheardOf', before: '位 1，名称 过温', after: null },
  ])
})

test('filters are shown in one line with their names, without empty ones', () => {
  expect(shownFilters({ isOnline: 1, businessStatus: undefined, statuses: [1, 3], address: '科技路' })).toBe(
    '在线状态 在线，业务状态 已激活、调试中，地址 科技路',
  )
  expect(shownFilters({})).toBe('')
})

test('a value with many fields has a line per field', () => {
  const upgradeRule = { attempts: 3, minSample: 5, failurePercent: 20, stallMinutes: 15, alarmLevels: [1, 2] }
  expect(shownChange(null, { upgradeRule })[0]?.after).toBe(
    '尝试次数 3\n最少样本数 5\n失败率上限（%） 20\n无响应时限（分钟） 15\n告警级别 1、2',
  )
})

test('a time recorded by an older build is shown like any other', () => {
  const upgradeTime = new Date(2026, 10, 23, 9, 8, 40).toISOString()
  expect(shownChange(null, { upgradeTime })[0]?.after).toBe('2026-11-23 09:08:40')
})

test('the protocol of a device is shown by its name', () => {
  expect(shownChange({ protocol: 'mqtt' }, { protocol: 'ddi' })).toEqual([
    { field: 'protocol', label: '接入协议', before: 'MQTT', after: 'hawkBit DDI' },
  ])
})

test('names and values of the product are put into the reader’s language, and what people have written is not', () => {
  const say = (text: string) => `<${text}>`
  expect(shownChange({ isOnline: 0, name: '离线' }, { isOnline: 1, name: '在线' }, say)).toEqual([
    { field: 'isOnline', label: '<在线状态>', before: '<离线>', after: '<在线>' },
    { field: 'name', label: '<名称>', before: '离线', after: '在线' },
  ])
  expect(shownChange(null, { definitions: [{ name: '离线', unheardOf: '在线' }] }, say)[0]?.after).toBe(
    '<名称> 离线，unheardOf 在线',
  )
})
