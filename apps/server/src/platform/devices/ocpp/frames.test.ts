import { describe, expect, test } from 'vitest'
import { readFrame } from './frames.ts'

const read = (text: string) => readFrame(Buffer.from(text))
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a hostile frame is unreadable, and throws nothing', () => {
  test.each([5, 18, 5_000, 30_000])('nested %i deep', (depth) => {
    for (const escaped of ['', String.raw`\u0041`]) {
      const frame = read(`[2,"1","DataTransfer",{"data":${nested(depth)},"vendorId":"A${escaped}"}]`)
      if (depth <= 18) expect(frame).toMatchObject({ kind: 'call', action: 'DataTransfer' })
      else expect(frame).toMatchObject({ kind: 'unreadable', id: '1', detail: '报文嵌套过深' })
      expect(read(`[3,"1",{"data":${nested(depth)}}]`).kind).toBe(depth <= 18 ? 'result' : 'unreadable')
    }
  })

  test.each([
    ['{"toString":1}', ''],
    ['{"toString":null,"valueOf":1}', ''],
    ['null', ''],
    ['7', ''],
    ['"InternalError"', 'InternalError'],
  ])('an error whose code is %s', (third, code) => {
    expect(read(`[4,"1",${third},{"toString":1},{}]`)).toEqual({ kind: 'error', id: '1', code, text: '' })
  })

  test.each([
    '',
    '[',
    'null',
    '7',
    '{}',
    '[]',
    '[2]',
    '[2,7,"A",{}]',
    '[9,"1"]',
    '[2,"1",{},{}]',
    '[3,"1",[]]',
  ])('%s', (text) => expect(read(text).kind).toBe('unreadable'))
})
