import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstRanks, planStages } from './stage-sizes.ts'

const sizes = (devices: number, stages?: Parameters<typeof planStages>[1]) =>
  planStages(devices, stages).map((stage) => stage.devices)

describe('the stages of a task', () => {
  test('are one for few devices, and three for many', () => {
    expect(sizes(20)).toEqual([20])
    expect(sizes(21)).toEqual([1, 5, 15])
    expect(sizes(100_000)).toEqual([5_000, 25_000, 70_000])
  })

  test('soak by default after each but the last', () => {
    expect(planStages(100).map(({ soakMinutes }) => soakMinutes)).toEqual([30, 30, 0])
  })

  test('have the sizes of the rule, and the last takes the rest', () => {
    const rest = { percent: 1, soakMinutes: 0 }
    expect(sizes(100, [{ count: 3, soakMinutes: 5 }, { percent: 20, soakMinutes: 5 }, rest])).toEqual([
      3, 20, 77,
    ])
    expect(sizes(2, [{ count: 3, soakMinutes: 5 }, rest])).toEqual([2])
    expect(sizes(10, [{ percent: 5, soakMinutes: 5 }, rest])).toEqual([1, 9])
  })

  test('are none without devices', () => {
    expect(planStages(0)).toEqual([])
  })

  test('contain every device once, in numbered stages without a gap', () => {
    const stage = fc.oneof(
      fc.record({ percent: fc.integer({ min: 1, max: 100 }), soakMinutes: fc.constant(0) }),
      fc.record({ count: fc.integer({ min: 1, max: 500 }), soakMinutes: fc.constant(0) }),
    )
    fc.assert(
      fc.property(fc.nat(2_000), fc.array(stage, { maxLength: 20 }), (devices, stages) => {
        const planned = planStages(devices, stages)
        expect(planned.reduce((sum, one) => sum + one.devices, 0)).toBe(devices)
        expect(planned.map(({ number }) => number)).toEqual(planned.map((_, index) => index + 1))
        expect(planned.every((one) => one.devices > 0)).toBe(true)
        expect(firstRanks(planned)).toEqual(
          planned.map((_, index) => planned.slice(0, index).reduce((sum, one) => sum + one.devices, 0)),
        )
      }),
    )
  })
})
