import type { AlarmRow } from '@voltkeep/contract/alarms'
import { describe, expect, it } from 'vitest'
import { afterReading, highestIdOf, noArrivals, passes, withNewest, withPushed } from './alarms.arrivals.ts'

function alarm(id: string, changes: Partial<AlarmRow> = {}): AlarmRow {
  return {
    id,
    code: 'VK0001',
    equipCode: 'VK0001',
    equipId: '7',
    equipName: null,
    organizationId: '2',
    operatorId: '3',
    operatorName: '运营商',
    equipTypeId: '1',
    equipTypeName: '换电柜',
    equipModelId: '4',
    equipModelName: 'VK-12',
    equipClassify: 'CABINET',
    isOnline: 1,
    semaphoreCode: '0101',
    semaphoreName: '仓位过温',
    alarmLevel: 1,
    value: 5,
    status: 1,
    flag: 'fault',
    occurrenceTime: '2026-11-20 09:30:05',
    recoveryTime: null,
    recoveryMethod: null,
    recoveryMethodName: null,
    recoveredBy: null,
    note: null,
    ...changes,
  }
}

const everything = { highestId: 10n, accepts: () => true }

describe('the live list of alarms', () => {
  it('lets new alarms wait and leaves the rows that are shown where they are', () => {
    const arrivals = withPushed(noArrivals, [alarm('11'), alarm('12')], everything, 1)
    expect([...arrivals.waiting.keys()]).toEqual(['11', '12'])
    expect(withNewest([alarm('10'), alarm('9')], arrivals.newest).map(({ id }) => id)).toEqual(['10', '9'])
  })

  it('changes a shown row in place, also when it has recovered', () => {
    const recovered = alarm('9', { status: 0, value: 0, recoveryTime: '2026-11-20 10:00:00' })
    const arrivals = withPushed(noArrivals, [recovered], everything, 1)
    expect(arrivals.waiting.size).toBe(0)
    expect(withNewest([alarm('10'), alarm('9')], arrivals.newest)[1]).toEqual(recovered)
  })

  it('counts a change of an alarm on another page as no new alarm', () => {
    expect(withPushed(noArrivals, [alarm('3', { value: 6 })], everything, 1).waiting.size).toBe(0)
  })

  it('counts an alarm that changes while it waits once, and no longer when it has recovered', () => {
    const once = withPushed(noArrivals, [alarm('11')], everything, 1)
    const twice = withPushed(once, [alarm('11', { value: 7 })], everything, 2)
    expect(twice.waiting.size).toBe(1)
    expect(withPushed(twice, [alarm('11', { value: 0, status: 0 })], everything, 3).waiting.size).toBe(0)
  })

  it('does not count what the filters would not show', () => {
    const list = { highestId: 10n, accepts: (row: AlarmRow) => row.alarmLevel === 2 }
    expect(withPushed(noArrivals, [alarm('11')], list, 1).waiting.size).toBe(0)
  })

  it('forgets at a new reading what the reading has seen, and keeps what came during it', () => {
    const before = withPushed(noArrivals, [alarm('11')], everything, 100)
    const during = withPushed(before, [alarm('12')], everything, 300)
    const after = afterReading({ ...during, isStale: true }, 200, highestIdOf([alarm('11'), alarm('9')]))
    expect([...after.newest.keys()]).toEqual(['12'])
    expect([...after.waiting.keys()]).toEqual(['12'])
    expect(after.isStale).toBe(false)
  })

  it('compares ids as numbers, beyond what a double holds', () => {
    expect(highestIdOf([alarm('9007199254740993'), alarm('99')])).toBe(9007199254740993n)
  })
})

describe('whether a pushed alarm passes the filters', () => {
  it('passes without filters while it is active, not once it has recovered', () => {
    expect(passes({}, alarm('1'), undefined)).toBe(true)
    expect(passes({}, alarm('1', { status: 0 }), undefined)).toBe(false)
    expect(passes({ status: 'all' }, alarm('1', { status: 0 }), undefined)).toBe(true)
  })

  it('takes a manufacturer with all that stand under it', () => {
    expect(passes({ organizationId: '1' }, alarm('1'), new Set(['1', '2']))).toBe(true)
    expect(passes({ organizationId: '5' }, alarm('1'), new Set(['5']))).toBe(false)
  })

  it('finds a part of the name or of the code', () => {
    expect(passes({ semaphoreName: '过温' }, alarm('1'), undefined)).toBe(true)
    expect(passes({ semaphoreName: '101' }, alarm('1'), undefined)).toBe(true)
    expect(passes({ semaphoreName: '漏水' }, alarm('1'), undefined)).toBe(false)
  })

  it('reads a bare date as the whole day', () => {
    const day = { startTime: '2026-11-20', endTime: '2026-11-20' }
    expect(passes(day, alarm('1'), undefined)).toBe(true)
    expect(passes({ endTime: '2026-11-19' }, alarm('1'), undefined)).toBe(false)
    expect(passes({ startTime: '2026-11-21' }, alarm('1'), undefined)).toBe(false)
  })

  it('does not take an alarm of unknown level for any level', () => {
    expect(passes({ alarmLevel: [1, 2] }, alarm('1'), undefined)).toBe(true)
    expect(passes({ alarmLevel: [1, 2, 3, 4] }, alarm('1', { alarmLevel: null }), undefined)).toBe(false)
  })
})
