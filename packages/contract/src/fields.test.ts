import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  byId,
  dateTime,
  deviceCodes,
  exactText,
  formatDateTime,
  id,
  idOut,
  integer,
  list,
  oneOf,
  paging,
  range,
  rangeInOrder,
  text,
  timeOut,
  upload,
  version,
} from './fields.ts'

/** The parsed value, or the message of the first problem. */
function read(schema: z.ZodMiniType, value: unknown): unknown {
  const result = z.safeParse(schema, value)
  return result.success ? result.data : (result.error.issues[0]?.message ?? '')
}
const accepts = (schema: z.ZodMiniType, value: unknown) => z.safeParse(schema, value).success

describe('an id', () => {
  it('is a positive integer, as a number or as text, and becomes text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (value) => {
        expect(read(id(), value)).toBe(String(value))
        expect(read(id(), String(value))).toBe(String(value))
      }),
    )
    expect(read(id(), '999999999999999999')).toBe('999999999999999999')
  })

  it.each(['0', '-1', '01', '1.5', '1e3', ' 1', '', 'abc', '1000000000000000000', 0, -1, 1.5, 1e21, true])(
    'is not %j',
    (value) => {
      expect(read(id('角色'), value)).toBe('角色无效')
    },
  )

  it.each([undefined, null, {}, ['1']])('is missing for %j', (value) => {
    expect(read(id('角色'), value)).toBe('角色不能为空')
  })

  it('of the path has the label 编号', () => {
    expect(read(byId, {})).toBe('编号不能为空')
    expect(read(byId, { id: 7 })).toEqual({ id: '7' })
  })

  it('of the database becomes text, also beyond the safe integers', () => {
    expect([read(idOut, 7), read(idOut, 2n ** 62n), read(idOut, '8')]).toEqual(['7', String(2n ** 62n), '8'])
  })
})

describe('a text', () => {
  const name = text('名称', 5)

  it('is trimmed, and then limited in length', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const trimmed = value.trim()
        const wanted =
          trimmed === '' ? '请输入名称' : trimmed.length > 5 ? '名称长度不能超过5个字符' : trimmed
        expect(read(name, value)).toBe(wanted)
      }),
    )
  })

  it.each([
    [undefined, '请输入名称'],
    [null, '名称应为文本'],
    [7, '名称应为文本'],
    [['a'], '名称应为文本'],
  ])('refuses %j', (value, message) => {
    expect(read(name, value)).toBe(message)
  })
})

describe('invisible characters of a text', () => {
  const name = text('名称', 20)

  it.each([
    ['\u202ecod.\u2066exe\u2069', 'cod.exe'],
    ['\u200bEC\u200d00\u00ad1\ufeff ', 'EC001'],
    ['甲\u2028乙\u3164\u{e0041}', '甲乙'],
    ['第一行\n第二行\t完', '第一行\n第二行\t完'],
    ['👩🏽\u200d🚀 值班\ufe0f', '👩🏽\u200d🚀 值班\ufe0f'],
    ['葛\u{e0100}', '葛\u{e0100}'],
    ['\u200b \u2060', '请输入名称'],
  ])('are stripped from %j, and others are kept', (given, wanted) => {
    expect(read(name, given)).toBe(wanted)
  })

  it('stay in a login name and a code, whose rules refuse them', () => {
    expect(read(exactText('编码', 20), 'SYS\u200bTEM')).toBe('SYS\u200bTEM')
  })
})

describe('a whole number', () => {
  const share = integer('比例', 0, 100)

  it('is accepted as a number and as the text of a query string', () => {
    fc.assert(
      fc.property(fc.integer({ min: -200, max: 200 }), (value) => {
        const wanted = value < 0 ? '比例不能小于 0' : value > 100 ? '比例不能大于 100' : value
        expect(read(share, value)).toBe(wanted)
        expect(read(share, String(value))).toBe(wanted)
        expect(read(share, ` ${value} `)).toBe(wanted)
      }),
    )
  })

  it.each(['', '1.0', '1e1', '0x10', 'ten', '99999999999999999', 1.5, Number.NaN, null, true, [1]])(
    'is not %j',
    (value) => {
      expect(read(share, value)).toBe('比例应为整数')
    },
  )

  it('is never a different number than written', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const result = z.safeParse(share, value)
        if (result.success) expect(String(result.data)).toBe(String(Number(value.trim())))
      }),
    )
  })
})

describe('one of a few numbers', () => {
  const state = oneOf('状态', [0, 1, 7])

  it.each([
    [0, 0],
    ['1', 1],
    ['7', 7],
    [true, 1],
    ['true', 1],
    [false, 0],
    ['false', 0],
  ])('%j is %i', (value, wanted) => {
    expect(read(state, value)).toBe(wanted)
  })

  it.each([2, '2', '', ' 1', '1.0', null, undefined, [1], 'yes'])('%j is none of them', (value) => {
    expect(read(state, value)).toBe('状态只能是 0、1、7')
  })
})

describe('a list', () => {
  const codes = list(text('编号', 8), '编号', 3)
  const item = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/)

  it('is accepted as an array, comma-joined, and one item per line', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 3 }), (items) => {
        for (const value of [
          items,
          items.join(','),
          items.join('\n'),
          items.map((one) => ` ${one} `).join(',,'),
        ])
          expect(read(codes, value)).toEqual(items)
      }),
    )
  })

  it('may be a single value, and drops empty items', () => {
    expect(read(codes, 'A1')).toEqual(['A1'])
    expect(read(codes, ['A1', '', ' '])).toEqual(['A1'])
    expect(read(list(id(), '编号'), 7)).toEqual(['7'])
  })

  it('is limited in length, and refuses an invalid item', () => {
    expect(read(codes, 'a,b,c,d')).toBe('编号最多 3 项')
    expect(read(codes, 'a,bbbbbbbbb')).toBe('编号长度不能超过8个字符')
    expect(accepts(codes, null)).toBe(false)
  })
})

describe('a moment', () => {
  const at = dateTime('开始时间')

  // proves: constant date format
  it('is any date of the calendar, with and without a time, and is not reformatted', () => {
    const moments = fc.date({
      min: new Date('1970-01-02'),
      max: new Date('9999-12-30'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, (moment) => {
        const written = formatDateTime(moment)
        for (const value of [written, written.replace(' ', 'T'), written.slice(0, 10)])
          expect(read(at, value)).toBe(value)
      }),
    )
  })

  it.each(['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', '2026-01-01 24:00:00', '1969-12-31'])(
    '%s does not exist',
    (value) => {
      expect(read(at, value)).toBe('开始时间不是有效的日期')
    },
  )

  it.each(['2026-1-1', '2026-01-01 10:00', '20260101', '', 'today', 1_767_225_600_000, null, undefined])(
    '%j is refused',
    (value) => {
      expect(read(at, value)).toBe('开始时间格式应为 YYYY-MM-DD HH:mm:ss')
    },
  )

  it('29 February exists in a leap year', () => {
    expect(read(at, '2028-02-29')).toBe('2028-02-29')
  })

  // proves: constant date format
  it('of a reply is in the time zone of the process', () => {
    expect(read(timeOut, new Date('2026-01-31T17:05:09Z'))).toBe('2026-02-01 01:05:09')
    expect(read(timeOut, '2026-02-01 01:05:09')).toBe('2026-02-01 01:05:09')
  })
})

describe('a range', () => {
  const period = z.object(range).check(rangeInOrder)

  it('may be open at either end', () => {
    expect(accepts(period, {})).toBe(true)
    expect(accepts(period, { startTime: '2026-01-02' })).toBe(true)
    expect(accepts(period, { endTime: '2026-01-02' })).toBe(true)
  })

  it('must not end before it starts; a bare date includes its whole day', () => {
    const messages = (startTime: string, endTime: string) => read(period, { startTime, endTime })
    const refused = '结束时间不能早于开始时间'
    expect(messages('2026-01-02 10:00:00', '2026-01-02')).toEqual(expect.any(Object))
    expect(messages('2026-01-02', '2026-01-02')).toEqual(expect.any(Object))
    expect(messages('2026-01-02T10:00:00', '2026-01-02 10:00:00')).toEqual(expect.any(Object))
    expect(messages('2026-01-02 10:00:01', '2026-01-02T10:00:00')).toBe(refused)
    expect(messages('2026-01-03', '2026-01-02')).toBe(refused)
  })

  it('reports the problem at its end', () => {
    const result = z.safeParse(period, { startTime: '2026-01-03', endTime: '2026-01-02' })
    expect(result.error?.issues.map(({ path }) => path)).toEqual([['endTime']])
  })
})

describe('paging', () => {
  const pages = z.object(paging)

  // proves: constant page number; constant page size
  it('defaults to ten rows of the first page', () => {
    expect(read(pages, {})).toEqual({ pageNum: 1, pageSize: 10 })
    expect(read(pages, { pageNum: '3', pageSize: '500' })).toEqual({ pageNum: 3, pageSize: 500 })
  })

  it.each([
    [{ pageNum: 0 }, '页码不能小于 1'],
    [{ pageNum: 100_000_001 }, '页码不能大于 100000000'],
    [{ pageSize: 0 }, '每页条数不能小于 1'],
    [{ pageSize: 501 }, '每页条数不能大于 500'],
    [{ pageSize: 'all' }, '每页条数应为整数'],
  ])('%j is refused, not clamped', (value, message) => {
    expect(read(pages, value)).toBe(message)
  })
})

describe('further fields', () => {
  it('a version is optional', () => {
    expect(read(version, undefined)).toBeUndefined()
    expect(read(version, '3')).toBe(3)
    expect(read(version, 0)).toBe('版本不能小于 1')
  })

  it('an upload must be a file, not a text', () => {
    expect(accepts(upload(), new Blob(['x']))).toBe(true)
    for (const value of ['x', {}, null, undefined, 7]) expect(read(upload(), value)).toBe('请上传文件')
  })
})

describe('device codes to look up', () => {
  // proves: rule device codes
  it('are accepted one per line, comma-joined, as an array, or alone', () => {
    expect(read(deviceCodes, 'EC001\nEC002\r\nEC003')).toEqual(['EC001', 'EC002', 'EC003'])
    expect(read(deviceCodes, 'EC001,EC002')).toEqual(['EC001', 'EC002'])
    expect(read(deviceCodes, ['EC001', 'EC002'])).toEqual(['EC001', 'EC002'])
    expect(read(deviceCodes, 'EC001')).toEqual(['EC001'])
    expect(read(deviceCodes, 1001)).toEqual(['1001'])
    expect(read(deviceCodes, 'ec1 ec2，ec3、ec4;ec5；ec6\tec7')).toHaveLength(7)
  })

  // proves: rule device codes
  it('lose every character that is neither a letter nor a digit', () => {
    expect(read(deviceCodes, ' EC-001\t\n"EC_002"；\n柜EC003 ')).toEqual(['EC001', 'EC002', 'EC003'])
    expect(read(deviceCodes, ['EC 001', 'EC.002'])).toEqual(['EC', '001', 'EC002'])
    expect(read(deviceCodes, '%_')).toEqual([])
  })

  it('are deduplicated, without empty lines', () => {
    expect(read(deviceCodes, '\nEC001\n\n,EC001,\nEC002\n')).toEqual(['EC001', 'EC002'])
  })

  it('are at most 500 texts of at most 64 characters', () => {
    const codes = Array.from({ length: 501 }, (_, n) => `EC${n}`)
    expect(read(deviceCodes, codes.slice(0, 500).join('\n'))).toHaveLength(500)
    expect(read(deviceCodes, codes)).toBe('设备编号最多 500 项')
    expect(read(deviceCodes, 'E'.repeat(65))).toBe('设备编号长度不能超过64个字符')
    expect(read(deviceCodes, [{}])).toBe('设备编号应为文本')
  })
})
