import { expect, test } from 'vitest'
import { encodingFor, problemOfForm, reportName, saidOf } from './mappings.words.ts'

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

test('what is wrong in the document stands under it, with the rule and the place', () => {
  const shown = (field: string) => Object.values(problemOfForm({ field, message: '有误' }))
  expect(shown('rules.0.target')).toEqual(['document', '第 1 条规则 target：有误'])
  expect(shown('commands.1')).toEqual(['document', '第 2 条命令：有误'])
  // The server says the place itself where the whole is read.
  expect(shown('rules')).toEqual(['document', '有误'])
  expect(shown('topic')).toEqual(['document', '有误'])
  expect(shown('time.timeUnit')).toEqual(['document', 'timeUnit：有误'])
  expect(shown('modelIds.0')).toEqual(['modelIds.0', '有误'])
  expect(shown('name')).toEqual(['name', '有误'])
})

test('a report is called as the rules that make it', () => {
  expect(['alarm', 'status', 'unheardOf'].map(reportName)).toEqual(['告警', '读数', 'unheardOf'])
})
