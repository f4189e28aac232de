import { expect, test } from 'vitest'
import { decode } from './alarm-decoding.ts'

const bits = (...positions: number[]) =>
  positions.map((bitPosition) => ({
    code: 'A',
    equipClassify: 'EC',
    name: `位${bitPosition}`,
    bitPosition,
    analysisType: 'BIT' as const,
  }))
const names = (definitions: { name: string }[]) => definitions.map(({ name }) => name)

test('a value has every definition whose bit is set, lowest first', () => {
  expect(names(decode(bits(5, 2, 0, 1), 0b100101))).toEqual(['位0', '位2', '位5'])
})

test('bits beyond the 32nd are read, up to the largest safe integer', () => {
  expect(names(decode(bits(0, 31, 32, 40, 52), 2 ** 52 + 2 ** 32))).toEqual(['位32', '位52'])
  expect(decode(bits(0, 31, 32, 52), Number.MAX_SAFE_INTEGER)).toHaveLength(4)
})

test('a position beyond all values is never set', () => {
  expect(decode(bits(53, 64, 1_000_000), Number.MAX_SAFE_INTEGER)).toEqual([])
})

test('zero has no definition', () => {
  expect(decode(bits(0, 1), 0)).toEqual([])
})

test('by value, the definition must equal the value', () => {
  const values = bits(1, 2, 3).map((one) => ({ ...one, analysisType: 'VALUE' as const }))
  expect(names(decode(values, 3))).toEqual(['位3'])
  expect(decode(values, 4)).toEqual([])
})
