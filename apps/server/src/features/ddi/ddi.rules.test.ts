import { describe, expect, test } from 'vitest'
import { Refusal } from '../../platform/calls/refusal.ts'
import {
  actionIdOf,
  attributesAfter,
  cancelToldBy,
  partOf,
  sleepText,
  toldBy,
  versionsBySuccess,
} from './ddi.rules.ts'

const feedback = (execution: string, finished?: string, more: object = {}) => ({
  status: { execution, result: { finished, ...more } },
})

test('the pause is told in eight characters', () => {
  expect([1, 59, 300, 3_661, 86_399].map(sleepText)).toEqual([
    '00:00:01',
    '00:00:59',
    '00:05:00',
    '01:01:01',
    '23:59:59',
  ])
})

test('a number of an action is a positive one of 31 bits', () => {
  expect(['1', '2147483647', '2147483648', '01', '0', '-1', ' 1', '1.0', ''].map(actionIdOf)).toEqual([
    1,
    2_147_483_647,
    ...Array(7).fill(null),
  ])
})

describe('feedback', () => {
  test.each([
    ['closed', 'success', { kind: 'ended', outcome: 'success', reason: null }],
    ['closed', 'none', { kind: 'ended', outcome: 'success', reason: null }],
    ['closed', undefined, { kind: 'ended', outcome: 'success', reason: null }],
    ['closed', 'failure', { kind: 'ended', outcome: 'failure', reason: null }],
    ['canceled', 'success', { kind: 'ended', outcome: 'canceled', reason: null }],
    ['rejected', 'none', { kind: 'noted' }],
    ['proceeding', 'none', { kind: 'progress', on: 'running', percent: null }],
    ['resumed', 'failure', { kind: 'progress', on: 'running', percent: null }],
    ['scheduled', 'none', { kind: 'progress', on: 'running', percent: null }],
    ['download', 'none', { kind: 'progress', on: 'download', percent: null }],
    ['downloaded', 'success', { kind: 'progress', on: 'downloaded', percent: null }],
  ])('%s with %s is read as hawkBit reads it', (execution, finished, told) => {
    expect(toldBy(feedback(execution, finished))).toEqual(told)
  })

  test('tells a percentage only where the agent counts', () => {
    const percentOf = (progress: object) => {
      const told = toldBy(feedback('proceeding', 'none', { progress }))
      return told.kind === 'progress' ? told.percent : undefined
    }
    expect(percentOf({ cnt: 1, of: 3 })).toBe(33)
    expect(percentOf({ cnt: 9, of: 3 })).toBe(100)
    for (const progress of [{ cnt: 0, of: 0 }, { cnt: 1 }, { of: 3 }, { cnt: -1, of: 2 }, {}])
      expect(percentOf(progress)).toBeNull()
  })

  test('has its last line for a reason, cut and cleaned', () => {
    const reasonOf = (details: unknown) => {
      const { status } = feedback('closed', 'failure')
      const told = toldBy({ status: { ...status, details } })
      return told.kind === 'ended' ? told.reason : undefined
    }
    expect(reasonOf(['begun', 'no\tspace\u0000left', ' ', 7])).toBe('no space left')
    expect(reasonOf('all in one')).toBe('all in one')
    expect(reasonOf(['x'.repeat(999)])).toHaveLength(200)
    for (const details of [undefined, null, [], {}, [['nested']]]) expect(reasonOf(details)).toBeNull()
  })

  test.each([
    {},
    { status: null },
    { status: { execution: 'done' } },
    { status: { execution: 'closed', result: { finished: 'maybe' } } },
  ])('like %j is refused', (body) => {
    expect(() => toldBy(body)).toThrow(Refusal)
    expect(() => cancelToldBy(body)).toThrow(Refusal)
  })

  test('on a cancellation says whether the agent stops', () => {
    const executions = ['closed', 'rejected', 'proceeding', 'canceled', 'scheduled']
    expect(executions.map((execution) => cancelToldBy(feedback(execution)))).toEqual([
      'stopped',
      'refused',
      'noted',
      'noted',
      'noted',
    ])
  })
})

describe('attributes', () => {
  test('are merged, replaced or removed', () => {
    const before = { a: '1', b: '2' }
    expect(attributesAfter(before, { data: { b: '3', c: 4 } })).toEqual({ a: '1', b: '3', c: '4' })
    expect(attributesAfter(before, { mode: 'replace', data: { c: null } })).toEqual({ c: '' })
    expect(attributesAfter(before, { mode: 'remove', data: { a: '' } })).toEqual({ b: '2' })
    expect(attributesAfter(before, {})).toEqual(before)
    // An object may name whatever a text would be made by.
    expect(attributesAfter({}, { data: { a: { toString: 1, valueOf: 1 } } })).toEqual({
      a: '{"toString":1,"valueOf":1}',
    })
    expect(attributesAfter({}, { data: JSON.parse('{"__proto__":"x"}') })).toEqual({})
  })

  const known = { firstPart: 'MASTER', isKnown: (partType: string) => partType === 'MASTER' }

  test('name the part, or leave it to the model', () => {
    expect(partOf({ version: '1.2' }, known)).toEqual({ partType: 'MASTER', addrId: '0', version: '1.2' })
    expect(partOf({ partType: 'BMS', pcbCode: 'P' }, known)).toMatchObject({ partType: 'BMS', pcbCode: 'P' })
    expect(partOf({}, known)).toBeNull()
    expect(partOf({ version: '1.2' }, { ...known, firstPart: null })).toBeNull()
    // Longer than a part's version can be.
    expect(partOf({ version: 'x'.repeat(33) }, known)).toBeNull()
  })

  test('that tell the version of the upgraded part keep a success from counting by itself', () => {
    const order = {
      partType: 'MASTER',
      addrIds: ['1', '2'],
      pcbCode: 'P',
      version: '1.4',
      fileName: 'x.swu',
    }
    expect(versionsBySuccess(order, { version: '1.3' }, 'MASTER')).toEqual([])
    const both = ['1', '2'].map((addrId) => ({ partType: 'MASTER', addrId, version: '1.4', pcbCode: 'P' }))
    expect(versionsBySuccess(order, {}, 'MASTER')).toEqual(both)
    expect(versionsBySuccess(order, { partType: 'BMS', version: '1.3', pcbCode: 'Q' }, 'MASTER')).toEqual(
      both,
    )
    expect(versionsBySuccess(order, { hwVersion: 'B' }, 'MASTER')[0]).toMatchObject({ hwVersion: 'B' })
  })
})
