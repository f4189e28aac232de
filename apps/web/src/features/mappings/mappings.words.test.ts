import { expect, test } from 'vitest'
import { encodingFor, saidOf } from './mappings.words.ts'

test('a report is shown with its time as people write it, and without the id that was made for it', () => {
  const time = new Date(2026, 0, 1, 8, 0, 5).getTime()
  expect(saidOf({ id: 'q3LKAU6M', time, code: '01110002', value: 1 })).toEqual({
    time: '2026-01-01 08:00:05',
    said: '{\n "code": "01110002",\n "value": 1\n}',
  })
  expect(saidOf({ status: { 柜内温度: 23.5 } })).toEqual({
    time: '',
    said: '{\n "status": {\n  "柜内温度": 23.5\n }\n}',
  })
})

test('messages of bytes are typed as digits, others and those of a document that has not come as text', () => {
  expect([
    encodingFor({ format: 'binary' }),
    encodingFor({ format: 'json' }),
    encodingFor(undefined),
  ]).toEqual(['hex', 'text', 'text'])
})
