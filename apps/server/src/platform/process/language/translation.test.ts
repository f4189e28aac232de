import { describeGate, describeStop, refusals } from '@voltkeep/contract'
import { refusalsInEnglish } from '@voltkeep/contract/english/refusals'
import { expect, test } from 'vitest'
import { growthOf, mostGrowth } from '../../../../test/growth.ts'
import { said, speaking } from './speech.ts'
import { inEnglish } from './translation.ts'

test('a sentence is put in English as a whole, and one with something put in by its pattern', () => {
  expect(inEnglish('设备不存在')).toBe('The device does not exist')
  expect(inEnglish('设备编号不能为空')).toBe('Device code is required')
  expect(inEnglish('角色已分配给 3 个用户，不能删除')).toBe(
    'The role is held by 3 users and cannot be deleted',
  )
})

test('what is put in is put in English too, and what people have written stays', () => {
  const stopped = { role: '创建人', name: '李伟', reason: 'disabled' } as const
  expect(inEnglish(`${describeStop(stopped)}，任务已暂停`)).toBe(
    'creator 李伟 is disabled; the task is paused',
  )
  expect(inEnglish('用户 李伟')).toBe('User 李伟')
  expect(inEnglish('夏季过温点下调')).toBe('夏季过温点下调')
  expect(inEnglish('EC0001')).toBe('EC0001')
})

test('a long sentence of several parts has no Chinese left', () => {
  const gate = {
    verified: 40,
    alarmed: 6,
    code: null,
    alarms: [],
    beforePercent: 1,
    controlPercent: 2,
    allowed: 3,
    windowHours: 0.5,
    alarmLevels: [1, 2],
  }
  const text = inEnglish(`第 2 批：${describeGate(gate as unknown as Parameters<typeof describeGate>[0])}`)
  expect(text).not.toMatch(/\p{Script=Han}/u)
  expect(text).toContain('Stage 2: 40 upgraded devices observed, 6 with new alarms')
})

test('a text that repeats the pieces of a sentence is read as quickly as it is long', () => {
  let n = 0
  // What has been put in English is remembered.
  const another = (text: string) => {
    n += 1
    return `${n}${text}`
  }
  const growth = growthOf(
    (text) => inEnglish(another(text)),
    (length) => '：（目标 ，'.repeat(length / 6),
    60,
  )
  expect(growth).toBeLessThan(mostGrowth)
})

test('every refusal has its English, which no other text stands in for', () => {
  for (const [name, [, chinese]] of Object.entries(refusals)) {
    const english = refusalsInEnglish[name as keyof typeof refusals]
    expect(english).not.toMatch(/\p{Script=Han}/u)
    expect(inEnglish(chinese)).not.toMatch(/\p{Script=Han}/u)
  }
})

test('only who reads English is spoken to in English', async () => {
  expect(said('设备不存在')).toBe('设备不存在')
  expect(speaking('zh', () => said('设备不存在'))).toBe('设备不存在')
  const later = await speaking('en', async () => {
    await new Promise(setImmediate)
    return said('设备不存在')
  })
  expect(later).toBe('The device does not exist')
  expect(said(null)).toBeNull()
})
