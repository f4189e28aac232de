import { catalogueKey, compartmentKey, parseCompartmentKey } from '@voltkeep/contract'
import { describe, expect, it } from 'vitest'
import { isWithin, namedByKey, ordinaryRule, rulesBy } from './catalogue.rules.ts'

describe('a key', () => {
  it('of a compartment is known in the catalogue for all compartments', () => {
    expect(catalogueKey(compartmentKey(12, 'soc'))).toBe('compartments.*.soc')
    expect(catalogueKey('compartments.x.soc')).toBe('compartments.x.soc')
    expect(catalogueKey('柜内温度')).toBe('柜内温度')
  })

  it('of a compartment is taken apart, and no other', () => {
    expect(parseCompartmentKey('compartments.12.isDoorOpen')).toEqual({ no: 12, field: 'isDoorOpen' })
    for (const key of [
      'compartments.0.soc',
      'compartments.1.no',
      'compartments.1.toString',
      '柜内温度',
      '',
    ]) {
      expect(parseCompartmentKey(key)).toBeNull()
    }
  })

  it.each([
    ['输入电压（V）', '输入电压', 'V'],
    ['SOC (%)', 'SOC', '%'],
    ['柜内温度', '柜内温度', null],
    ['（V）', '（V）', null],
    ['温度（上）（℃）', '温度（上）', '℃'],
  ])('that the catalogue does not know, %s, is a name with or without a unit', (key, name, unit) => {
    expect(namedByKey(key)).toEqual({ name, unit })
  })
})

describe('a range', () => {
  it('contains its ends, and is open where it has none', () => {
    expect([-1, 0, 5, 10, 11].map((value) => isWithin(value, { min: 0, max: 10 }))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
    expect(isWithin(-1e9, { min: null, max: 10 })).toBe(true)
    expect(isWithin(1e9, { min: 0, max: null })).toBe(true)
  })

  it('judges numbers alone', () => {
    for (const value of ['99', true, false]) expect(isWithin(value, { min: 0, max: 1 })).toBe(true)
  })
})

it('the rule of a reading that the catalogue does not know keeps it as it comes', () => {
  const rule = { ...ordinaryRule, deadband: 2 }
  const rules = rulesBy(new Map([['compartments.*.soc', rule]]))
  expect(rules('compartments.3.soc')).toBe(rule)
  expect(rules('compartments.64.soc')).toBe(rule)
  expect(rules('compartments.3.soh')).toBe(ordinaryRule)
  expect(rules('toString')).toBe(ordinaryRule)
})
