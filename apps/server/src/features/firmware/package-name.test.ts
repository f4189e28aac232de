import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPartName, parsePackageName, partCodesOf, splitsOf } from './package-name.ts'

describe('a file name by the convention', () => {
  test.each([
    ['MB100_EC_MASTER_V1.4_R.bin', { major: 1, minor: 4, hwVersion: null, mcuNum: null, isRelease: true }],
    ['MB100_wifi_V0.0_T.tar.gz', { head: 'MB100_wifi', major: 0, minor: 0, isRelease: false }],
    ['A-1_BMS_V12.305_HW2.1_M3_R.hex', { head: 'A-1_BMS', minor: 305, hwVersion: '2.1', mcuNum: 3 }],
    ['MB100_ADS_V1.4_M12_T.img', { hwVersion: null, mcuNum: 12 }],
    ['MB_V2_EC_BIN_V1.4_R.bin', { head: 'MB_V2_EC_BIN', major: 1, minor: 4 }],
  ])('%s is read', (name, expected) => {
    expect(parsePackageName(name)).toMatchObject(expected)
  })

  test.each([
    'firmware.bin',
    'MB100_V1.4_R.bin',
    'MB100_BMS_V1_R.bin',
    'MB100_BMS_V1.4.2_R.bin',
    'MB100_BMS_V01.4_R.bin',
    'MB100_BMS_V1.04_R.bin',
    'MB100_BMS_V1.4.bin',
    'MB100_BMS_V1.4_X.bin',
    'MB100_BMS_V1.4_R',
    'MB100_BMS_V1.4_M0_R.bin',
    'MB100_BMS_V1.4_HW_R.bin',
    'MB100_BMS_V1.4_M1_HW2_R.bin',
    'MB100_BMS_V123456.4_R.bin',
    'MB100__BMS_V1.4_R.bin',
    '_BMS_V1.4_R.bin',
    'MB 100_BMS_V1.4_R.bin',
    '板卡_BMS_V1.4_R.bin',
    '../MB100_BMS_V1.4_R.bin',
    'MB100_BMS_V1.4_R.bin\n',
    'MB100_BMS_V1.4_R (1).bin',
  ])('%j is refused', (name) => {
    expect(parsePackageName(name)).toBeNull()
  })

  const word = fc.stringMatching(/^[A-Za-z0-9-]{1,8}$/)
  const named = fc.record({
    words: fc.array(word, { minLength: 2, maxLength: 5 }),
    major: fc.nat(99_999),
    minor: fc.nat(99_999),
    hwVersion: fc.option(fc.stringMatching(/^[A-Za-z0-9.-]{1,12}$/)),
    mcuNum: fc.option(fc.integer({ min: 1, max: 999 })),
    isRelease: fc.boolean(),
  })

  test('round-trips: the parsed fields are those that the name was made of', () => {
    fc.assert(
      fc.property(named, ({ words, major, minor, hwVersion, mcuNum, isRelease }) => {
        const head = words.join('_')
        const name = [
          head,
          `V${major}.${minor}`,
          ...(hwVersion === null ? [] : [`HW${hwVersion}`]),
          ...(mcuNum === null ? [] : [`M${mcuNum}`]),
          `${isRelease ? 'R' : 'T'}.bin`,
        ].join('_')
        expect(parsePackageName(name)).toEqual({ head, major, minor, hwVersion, mcuNum, isRelease })
      }),
    )
  })

  test('is parsed in linear time, also for hostile input', () => {
    for (const name of [`${'a_'.repeat(50_000)}V1.4_R.bin`, `A_B_V1.4_HW${'.'.repeat(100_000)}`])
      expect(parsePackageName(name)).toSatisfy((read) => read === null || typeof read === 'object')
  })

  test('can be split at each underscore without losing anything', () => {
    expect(splitsOf('A_B_EC_MASTER')).toEqual([
      { pcbCode: 'A_B_EC', partName: 'MASTER' },
      { pcbCode: 'A_B', partName: 'EC_MASTER' },
      { pcbCode: 'A', partName: 'B_EC_MASTER' },
    ])
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 6 }), (words) => {
        const splits = splitsOf(words.join('_'))
        expect(splits).toHaveLength(words.length - 1)
        for (const { pcbCode, partName } of splits) expect(`${pcbCode}_${partName}`).toBe(words.join('_'))
      }),
    )
  })
})

describe('a part’s name', () => {
  test.each([
    ['wifi', 'WIFI', true],
    ['EC_MASTER', 'PART_TYPE_EC_MASTER', true],
    ['ec_master', 'PART_TYPE_EC_MASTER', true],
    ['PART_TYPE_EC_MASTER', 'PART_TYPE_EC_MASTER', true],
    ['part_type_ec_bin', 'PART_TYPE_EC_BIN', true],
    ['MASTER', 'PART_TYPE_EC_MASTER', false],
    ['PART_TYPE_WIFI', 'WIFI', false],
  ])('%s for %s: %s', (name, code, isThat) => {
    expect(isPartName(name, code)).toBe(isThat)
  })

  test('may be given as its code or its long form', () => {
    expect(partCodesOf('bms')).toEqual(['BMS', 'PART_TYPE_BMS'])
    expect(partCodesOf('PART_TYPE_BMS')).toEqual(['PART_TYPE_BMS'])
  })
})
