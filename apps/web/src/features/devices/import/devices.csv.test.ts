import { expect, test } from 'vitest'
import { csvOf } from './devices.csv.ts'

test('cells with commas, quotes and line breaks are quoted, formulas become texts', () => {
  expect(csvOf([[2, '地区', 'a,"b"\n', '=1+1']])).toBe(`\ufeff2,地区,"a,""b""\n",'=1+1\r\n`)
})
