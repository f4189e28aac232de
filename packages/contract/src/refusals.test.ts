import { describe, expect, it } from 'vitest'
import { refusals } from './refusals.ts'

const sessionNumbers = [50008, 50012, 50014]
const statuses = [400, 401, 403, 404, 405, 408, 409, 410, 413, 415, 416, 426, 429, 500, 503, 504]
const all = Object.entries(refusals)

describe('the refusals', () => {
  it('have a valid number: an HTTP status or a session code', () => {
    const odd = all.filter(([, [number]]) => ![...statuses, ...sessionNumbers].includes(number))
    expect(odd).toEqual([])
  })

  it('have a unique Chinese text each', () => {
    const texts = all.map(([, [, text]]) => text)
    expect(texts.filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
  })

  it('end without a full stop, as a line on a page does', () => {
    expect(all.filter(([, [, text]]) => /[。.!！\s]$/.test(text))).toEqual([])
  })

  it('have a name that matches their number: not found is 404, taken or in use is 409', () => {
    const wrong = all.filter(
      ([name, [number]]) =>
        (name.endsWith('NotFound') && number !== 404) || (/(Taken|InUse)$/.test(name) && number !== 409),
    )
    expect(wrong).toEqual([])
  })
})
