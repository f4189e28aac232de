import { describe, expect, test } from 'vitest'
import { compareVersions, foldParts } from './versionFolding.ts'

const part = (addrId: string, version: string, partType = 'PART_TYPE_EC_BIN') => ({
  partType,
  partTypeName: partType === 'PART_TYPE_EC_BIN' ? '仓控' : '主控',
  addrId,
  version,
})

describe('versions', () => {
  test('are sorted by number, newest first, with other texts last', () => {
    const versions = ['1.9', 'debug', '1.10', '2.0', '1.9.1', 'beta', '10.0']
    expect(versions.sort(compareVersions)).toEqual(['10.0', '2.0', '1.10', '1.9.1', '1.9', 'beta', 'debug'])
  })

  test('with and without a trailing zero are equal', () => {
    expect(compareVersions('2.0', '2')).toBe(0)
  })
})

describe('the parts of a device', () => {
  test('are grouped by type and by version, the newest version first', () => {
    const rows = [
      part('1', '1.4', 'PART_TYPE_EC_MASTER'),
      part('1', '1.0'),
      part('2', '2.0'),
      part('3', '2.0'),
    ]
    expect(foldParts(rows)).toMatchObject([
      { partTypeName: '主控', count: 1, versions: [{ version: '1.4', count: 1, addrIds: ['1'] }] },
      {
        partTypeName: '仓控',
        count: 3,
        versions: [
          { version: '2.0', count: 2, addrIds: ['2', '3'] },
          { version: '1.0', count: 1, addrIds: ['1'] },
        ],
        parts: [{ addrId: '1' }, { addrId: '2' }, { addrId: '3' }],
      },
    ])
    expect(foldParts([])).toEqual([])
  })
})
