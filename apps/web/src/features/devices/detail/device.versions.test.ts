import { expect, test } from 'vitest'
import { foldVersions } from './device.versions.ts'

test('versions are grouped by part type, the most frequent first', () => {
  const part = (partType: string, addrId: string, version: string) => ({
    partType,
    partTypeName: partType === 'BIN' ? '仓控' : '主控',
    addrId,
    version,
    hwVersion: null,
    pcbCode: null,
    reportTime: '2026-11-20 09:30:05',
  })
  const bins = Array.from({ length: 12 }, (_, at) => part('BIN', String(at + 1), at < 3 ? '1.0' : '2.0'))
  const folded = foldVersions([part('MASTER', '1', '3.1'), ...bins])
  expect(folded.map(({ name, shares }) => [name, shares])).toEqual([
    ['主控', [{ version: '3.1', count: 1 }]],
    [
      '仓控',
      [
        { version: '2.0', count: 9 },
        { version: '1.0', count: 3 },
      ],
    ],
  ])
})
