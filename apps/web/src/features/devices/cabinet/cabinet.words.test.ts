import { parameterCatalogue } from '@voltkeep/contract/parameters'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { contactOf, indicatorsOf, type Reading, type Reported, readingsOf } from './cabinet.words.ts'

const reportTime = '2026-11-22 10:00:00'
const readingOf = (id: string, value: string) =>
  readingsOf([{ id, value, reportTime }]).find(({ parameter }) => parameter.id === id)

// proves: screen 17; rule parameter 02121001; rule parameter 02121005; rule parameter 02121006; rule parameter 02121007; rule parameter 02121008; rule parameter 02121009; rule parameter 02121010; rule parameter 02121011
it.each([
  ['02121001', '0', '常开', false],
  ['02121004', '1', '常闭', false],
  ['02121001', 'true', '常闭', false],
  ['02121001', '2', '无法识别', true],
  ['02121005', '95', '95 %', false],
  ['02121005', '101', '无法识别', true],
  ['02121006', '65.0', '65 ℃', false],
  ['02121007', '0', '常开', false],
  ['02121008', '', '无法识别', true],
  ['02121009', '500', '500 ms', false],
  ['02121010', '2222220', '2222220', false],
  ['02121010', '8', '0000008', false],
  ['02121010', '222x220', '无法识别', true],
  ['02121010', '22222200', '无法识别', true],
  ['02121011', '10.0.0.1:1883', '10.0.0.1:1883', false],
  ['02121011', 'nowhere', '无法识别', true],
])('parameter %s of value %s reads %s', (id, value, word, isOdd) => {
  expect(readingOf(id, value)).toMatchObject({ value, word, isOdd, time: reportTime })
})

test('a parameter without a report is shown as not reported', () => {
  const readings = readingsOf([])
  expect(readings).toHaveLength(parameterCatalogue.length)
  expect(
    readings.every(({ word, value, time }) => word === '未上报' && value === null && time === null),
  ).toBe(true)
})

test('an unreadable indicator leaves the others readable', () => {
  const lamps = readingOf('02121010', '62x1000')
  expect(lamps && indicatorsOf(lamps)?.map(({ word }) => word)).toEqual([
    '绿灯闪烁',
    '绿灯常亮',
    '未知',
    '红灯常亮',
    '熄灭',
    '熄灭',
    '熄灭',
  ])
})

test('every parameter has a reading, whatever the device reports', () => {
  const parameter = fc.record({
    id: fc.constantFrom(...parameterCatalogue.map(({ id }) => id), 'OTHER'),
    value: fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[0-9]{0,9}$/)),
    reportTime: fc.constant(reportTime),
  })
  const ids = parameterCatalogue.map(({ id }) => id)
  const isReadable = (reading: Reading) =>
    ['open', 'closed', 'odd', 'unreported'].includes(contactOf(reading)) &&
    (indicatorsOf(reading)?.length ?? 7) === 7 &&
    reading.word !== ''
  fc.assert(
    fc.property(fc.array(parameter, { maxLength: 12 }), (reported: Reported[]) => {
      const readings = readingsOf(reported)
      expect(readings.map((reading) => reading.parameter.id)).toEqual(ids)
      expect(readings.filter((reading) => !isReadable(reading))).toEqual([])
    }),
    { numRuns: 50 },
  )
})
