import fc from 'fast-check'
import pg from 'pg'
import { expect, test } from 'vitest'
import { parseTimestamp } from './timestamps.ts'

const byPg: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

test.each([
  '2026-11-22 15:10:35.474+08',
  '2026-11-22 15:10:35+08',
  '2026-11-22 15:10:35.4+00',
  '2026-11-22 15:10:35.123456-11',
  '2026-02-28 23:59:59.999999+08',
  '1900-12-31 23:59:59+08:05',
  '1900-12-31 23:59:59+08:05:43',
  '2026-11-22 15:10:35.474+05:30',
  '12026-11-22 15:10:35.474+08',
  '0044-03-15 12:00:00+00 BC',
  '0044-03-15 12:00:00+00',
  'infinity',
  '-infinity',
])('%s is read as pg reads it', (text) => {
  expect(parseTimestamp(text)).toEqual(byPg(text))
})

test('every timestamp is parsed as pg does, with any number of digits and any offset', () => {
  const two = (value: number) => String(value).padStart(2, '0')
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.stringMatching(/^(\.\d{1,6})?$/),
      fc.integer({ min: -12, max: 14 }),
      (moment, fraction, hours) => {
        const [day, time] = moment.toISOString().slice(0, 19).split('T')
        const text = `${day} ${time}${fraction}${hours < 0 ? '-' : '+'}${two(Math.abs(hours))}`
        expect(parseTimestamp(text)).toEqual(byPg(text))
      },
    ),
    { numRuns: 2_000 },
  )
})
