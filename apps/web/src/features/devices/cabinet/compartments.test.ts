import { expect, test } from 'vitest'
import { compartmentsOf, drawnCompartments } from './compartments.ts'

const alarm = (meaning: string | null, semaphoreName = '仓位过温', alarmLevel: number | null = 2) => ({
  id: `${meaning}${semaphoreName}`,
  meaning,
  semaphoreName,
  alarmLevel,
  occurrenceTime: '2026-11-20 09:30:05',
})

test('an alarm belongs to the compartments that its meaning names', () => {
  expect(compartmentsOf(alarm('2号仓、4号仓'))).toEqual([2, 4])
  expect(compartmentsOf(alarm('12号仓过温'))).toEqual([12])
  expect(compartmentsOf(alarm('2号、4号'))).toEqual([2, 4])
  expect(compartmentsOf(alarm('3号', '仓门锁反馈异常'))).toEqual([3])
  expect(compartmentsOf(alarm('3号', '充电模块故障'))).toEqual([])
  expect(compartmentsOf(alarm('柜门打开'))).toEqual([])
  expect(compartmentsOf(alarm(null, '3号仓通信中断'))).toEqual([3])
  expect(compartmentsOf(alarm(null, '水浸告警'))).toEqual([])
})

test('the number of compartments follows from the controllers or the model’s name, and includes those that alarms name', () => {
  const versions = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      partType: 'PART_TYPE_EC_BIN',
      partTypeName: '仓控',
      addrId: String(at + 1),
      version: '1.0',
      hwVersion: null,
      pcbCode: null,
      reportTime: '2026-11-20 09:30:05',
    }))
  const device = (count: number, equipModelName: string) => ({
    equipSoftwareVersions: versions(count),
    equipModelName,
    equipTypeName: '换电柜',
  })
  expect(drawnCompartments(device(12, '换电柜'), []).map(({ number }) => number)).toHaveLength(12)
  expect(drawnCompartments(device(0, '8仓换电柜'), [])).toHaveLength(8)
  expect(drawnCompartments(device(0, '储能柜'), [])).toEqual([])
  const drawn = drawnCompartments(device(0, '8仓换电柜'), [
    alarm('2号仓', '过温', 3),
    alarm('2号仓、9号仓', '水浸', 1),
  ])
  expect(drawn.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(drawn[1]?.alarms.map(({ semaphoreName }) => semaphoreName)).toEqual(['水浸', '过温'])
})
