import fc from 'fast-check'
import { expect, test } from 'vitest'
import { databaseOfTests } from '../../../test/database.ts'
import {
  booleanArray,
  int2Array,
  int4Array,
  int8Array,
  readNumbers,
  textArray,
  timestampArray,
  unparsed,
} from './arrays.ts'

const database = await databaseOfTests({ poolSize: 1 })

const orNull = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values, { nil: null, freq: 4 }))

async function backAndForth(array: Buffer, type: string, as = 'v'): Promise<(number | null)[]> {
  const { rows } = await database.pool.query({
    text: `SELECT array_agg(${as} ORDER BY n) AS back FROM unnest($1::${type}[]) WITH ORDINALITY AS t(v, n)`,
    values: [array],
    types: unparsed,
  })
  return readNumbers(rows[0].back)
}

test('numbers, times and booleans round-trip through the database', async () => {
  await fc.assert(
    fc.asyncProperty(
      orNull(fc.maxSafeInteger()),
      fc.array(fc.integer()),
      orNull(fc.integer({ min: -32_768, max: 32_767 })),
      orNull(fc.integer({ min: 0, max: 9_999_999_999_999 })),
      fc.array(fc.boolean()),
      async (int8, int4, int2, times, truths) => {
        expect(await backAndForth(int8Array(int8), 'int8')).toEqual(int8)
        expect(await backAndForth(int4Array(int4), 'int4')).toEqual(int4)
        expect(await backAndForth(int2Array(int2), 'int2')).toEqual(int2)
        const epochMs = "date_part('epoch', v) * 1000"
        const back = await backAndForth(timestampArray(times), 'timestamptz', epochMs)
        expect(back.map((time) => time && Math.round(time))).toEqual(times)
        expect(await backAndForth(booleanArray(truths), 'bool', 'v::int')).toEqual(truths.map(Number))
      },
    ),
    { numRuns: 40 },
  )
})

test.each([
  ['int2', () => int2Array([2 ** 15])],
  ['int4', () => int4Array([2 ** 31])],
  ['int4', () => int4Array([-(2 ** 31) - 1])],
  ['int4', () => int4Array([Number.NaN])],
  ['int8', () => int8Array([2 ** 63])],
  ['timestamptz', () => timestampArray([Number.POSITIVE_INFINITY])],
])('what is out of the range of %s is refused as the database refuses it', (_, array) => {
  expect(array).toThrow(expect.objectContaining({ code: '22003' }))
})

test('a time of minus infinity is -infinity in the database', async () => {
  const { rows } = await database.pool.query(
    `SELECT nullif(($1::timestamptz[])[1], '-infinity') AS never, ($1::timestamptz[])[2] AS once`,
    [timestampArray([Number.NEGATIVE_INFINITY, 1_000])],
  )
  expect(rows).toEqual([{ never: null, once: new Date(1_000) }])
})

test('texts in any script arrive unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      orNull(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))),
      async (values) => {
        const { rows } = await database.pool.query('SELECT $1::text[] AS back', [textArray(values)])
        expect(rows[0].back).toEqual(values)
      },
    ),
    { numRuns: 40 },
  )
})

test('a time is the moment that SQL understands', async () => {
  const moment = Date.UTC(2026, 10, 21, 1, 2, 3, 456)
  const { rows } = await database.pool.query('SELECT ($1::timestamptz[])[1] AS at', [
    timestampArray([moment]),
  ])
  expect((rows[0].at as Date).getTime()).toBe(moment)
})
