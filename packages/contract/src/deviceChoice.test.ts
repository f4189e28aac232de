import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { codesIn } from './codes.ts'
import { BatchDevices, DeviceChoice } from './deviceChoice.ts'
import { deviceCodes } from './fields.ts'

const read = (schema: z.ZodMiniType, value: unknown) => z.safeParse(schema, value)
const refusal = (schema: z.ZodMiniType, value: unknown) => read(schema, value).error?.issues[0]?.message

/** What people paste: codes, what stands between them, and what they pick up with them. */
const pasted = fc
  .array(
    fc.constantFrom(
      'EC1',
      'a9',
      ' ',
      '\n',
      '\r\n',
      '\t',
      ',',
      '，',
      '、',
      ';',
      '；',
      '\u3000',
      '-',
      '%',
      '柜',
      '_',
    ),
  )
  .map((parts) => parts.join(''))

describe('device codes', () => {
  // proves: rule device codes
  it('end at a separator, and lose all other characters than letters and digits', () => {
    expect(codesIn('A B')).toEqual(['A', 'B'])
    expect(codesIn('EC-01，ec_02；\tEC 03、%\u3000柜4')).toEqual(['EC01', 'ec02', 'EC', '03', '4'])
    expect(codesIn('%_ \n')).toEqual([])
  })

  // proves: rule device codes
  it('are the same ones in a lookup, an upgrade and a batch, as a text, as a list and beside filters', () => {
    fc.assert(
      fc.property(fc.array(pasted, { maxLength: 4 }), (texts) => {
        const codes = codesIn(texts.join('\n'))
        expect(read(deviceCodes, texts)).toMatchObject({ data: codes })
        for (const given of [texts, texts.join('\n')]) {
          if (codes.length === 0) {
            expect(refusal(DeviceChoice, { codes: given })).toBe('请输入设备编号')
            expect(refusal(BatchDevices, { code: given, isOnline: 1 })).toBe('请输入设备编号')
          } else {
            expect(read(DeviceChoice, { codes: given }).data).toEqual({ codes })
            expect(read(BatchDevices, { code: given }).data).toEqual({ codes })
            expect(read(BatchDevices, { code: given, isOnline: 1 }).data).toEqual({
              filters: { isOnline: 1 },
              codes,
            })
          }
        }
      }),
    )
  })
})

describe.each([
  ['an upgrade or an advertisement', DeviceChoice],
  ['a batch', BatchDevices],
])('the devices of %s', (_, schema) => {
  it.each([
    [{}],
    [{ filters: {} }],
    [{ filters: { operatorId: undefined } }],
    [{ isAll: 0 }],
    [{ isAll: 0, filters: {} }],
  ])('are not all of them for want of a condition: %j', (choice) => {
    expect(refusal(schema, choice)).toBe('请设置筛选条件、输入设备编号，或选择全部设备')
  })

  it.each([
    [{ filters: { organId: '99' } }, '未知的筛选条件 organId'],
    [{ filters: { isOnline: 1, organId: '99', typ: 1 } }, '未知的筛选条件 organId、typ'],
    [{ filters: { isOnline: 1, ids: ['1'] } }, '未知的筛选条件 ids'],
    [{ filters: { statuses: [] } }, '请至少选择一项，或去掉该条件'],
    [{ filters: { isOnline: 1, statuses: [] } }, '请至少选择一项，或去掉该条件'],
    [{ codes: [] }, '请输入设备编号'],
    [{ codes: ['%', '_'] }, '请输入设备编号'],
    [{ isAll: 1, codes: ['EC1'] }, '选择全部设备时不能再有条件或编号'],
    [{ isAll: 1, filters: { isOnline: 1 } }, '选择全部设备时不能再有条件或编号'],
    [{ isAll: 2 }, '全部设备只能是 0、1'],
    [[], '请选择设备'],
    ['', '请选择设备'],
  ])('are refused as %j', (choice, message) => {
    expect(refusal(schema, choice)).toBe(message)
  })

  it.each([[{ isAll: 1 }], [{ isAll: true }], [{ isAll: '1', filters: {} }]])(
    'are all of them by %j',
    (choice) => {
      expect(read(schema, choice).data).toMatchObject({ isAll: 1 })
    },
  )

  it('are those of one condition, such as the online ones', () => {
    expect(read(schema, { filters: { isOnline: 1 } }).data).toEqual({ filters: { isOnline: 1 } })
  })
})

describe('the devices of a batch', () => {
  it('have the filters beside the codes, with the paging of the list that they come from', () => {
    expect(read(BatchDevices, { isOnline: 1, operatorId: 3, pageNum: 1, pageSize: 10 }).data).toEqual({
      filters: { isOnline: 1, operatorId: '3' },
    })
    expect(refusal(BatchDevices, { pageNum: 1, pageSize: 10 })).toBe(
      '请设置筛选条件、输入设备编号，或选择全部设备',
    )
  })

  it.each([[{ organId: '99' }], [{ isOnline: 1, organId: '99' }], [{ code: 'EC1', organId: '99' }]])(
    'are refused where a filter is misspelt: %j',
    (choice) => expect(refusal(BatchDevices, choice)).toBe('未知的筛选条件 organId'),
  )
})

it('the devices of an upgrade are not chosen in two ways', () => {
  expect(refusal(DeviceChoice, { filters: { isOnline: 1 }, codes: ['EC1'] })).toBe('按条件和按编号只能选一种')
})

it('a keyword has at most so many words', () => {
  const words = (count: number) => Array.from({ length: count }, (_, n) => `e${n}`).join(' ')
  expect(read(DeviceChoice, { filters: { keyword: words(100) } }).success).toBe(true)
  expect(refusal(DeviceChoice, { filters: { keyword: words(101) } })).toBe(
    '关键字最多 100 个词，更多设备请按设备编号查询',
  )
})
