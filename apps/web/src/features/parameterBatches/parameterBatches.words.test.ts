import {
  type BatchCounts,
  batchDeviceStates,
  failedBatchDeviceStates,
} from '@voltkeep/contract/parameterBatches'
import { namedReason } from '@voltkeep/contract/parameterBatchWords'
import { expect, test } from 'vitest'
import {
  assignmentOf,
  changesLine,
  failedCount,
  isFailed,
  openCount,
  parametersLine,
  sharesOf,
  skipLine,
  statesInSight,
} from './parameterBatches.words.ts'

const counts: BatchCounts = {
  total: 45,
  held: 0,
  waiting: 1,
  sent: 2,
  confirming: 3,
  succeeded: 4,
  failed: 5,
  refused: 6,
  expired: 7,
  skipped: 8,
  stopped: 9,
}

test('shares group the states of devices, and their sum is the total', () => {
  expect(sharesOf(counts)).toEqual({ good: 4, failed: 18, underWay: 5, open: 1, leftOut: 17 })
  expect(Object.values(sharesOf(counts)).reduce((sum, count) => sum + count)).toBe(counts.total)
  expect([failedCount(counts), openCount(counts)]).toEqual([18, 6])
})

test('the devices that count as failed are those of the Excel file', () => {
  expect(batchDeviceStates.filter(isFailed)).toEqual(failedBatchDeviceStates)
})

test('states are listed with failures first, and states without devices are left out', () => {
  expect(statesInSight({ ...counts, refused: 0, sent: 0 })).toEqual([
    'failed',
    'expired',
    'waiting',
    'confirming',
    'succeeded',
    'skipped',
    'stopped',
  ])
})

test('devices that are left out are listed by reason, the most frequent first', () => {
  expect(
    skipLine([
      { reason: 'busy', devices: 2 },
      { reason: 'sameValue', devices: 1_010 },
      { reason: 'unknownFormer', devices: 0 },
    ]),
  ).toBe('不设置 1,012 台：已是该值 1,010，其他批次设置中 2')
  expect(skipLine([{ reason: 'busy', devices: 0 }])).toBeUndefined()
})

test('values are written with units, and a restoration names only the parameters', () => {
  const hot = { id: '02121006', name: '过温点' }
  const lamps = { id: '02121010', name: '指示灯颜色编码' }
  expect(assignmentOf({ ...hot, value: '60' })).toBe('过温点 → 60℃')
  expect(assignmentOf({ ...hot, value: null })).toBe('过温点 → 各设备原值')
  expect(
    parametersLine({
      kind: 'set',
      param: [
        { ...hot, value: '60' },
        { ...lamps, value: '2222220' },
      ],
    }),
  ).toBe('过温点 60℃、指示灯颜色编码')
  expect(parametersLine({ kind: 'restore', param: [{ ...hot, value: null }] })).toBe('恢复原值：过温点')
  expect(changesLine([{ ...hot, former: '65', value: '60', current: '65' }])).toBe('过温点 65℃ → 60℃')
  expect(changesLine([{ ...hot, former: null, value: '60', current: null }])).toBe('过温点 — → 60℃')
})

test('a known parameter id in a device’s reason gets its name, any other number is unchanged', () => {
  expect(namedReason('不支持的参数：02121006')).toBe('不支持的参数：过温点（02121006）')
  expect(namedReason('02121010、02121099 写入失败')).toBe('指示灯颜色编码（02121010）、02121099 写入失败')
  expect(namedReason('序号 102121006 无效')).toBe('序号 102121006 无效')
})
