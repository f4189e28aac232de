import type { RemoteAction } from '@voltkeep/contract'
import { expect, test } from 'vitest'
import { presentDoubtMs } from '../../platform/devices/ingest/reports.ts'
import { concerns, isShownBy, madeAtMs, problemOf } from './actions.rules.ts'

const of = (action: RemoteAction, compartment: number | null = null) => ({ action, compartment })

test.each([
  ['a door that is open', of('openDoor', 3), [{ no: 3, isDoorOpen: true }], true],
  ['a door that is closed', of('openDoor', 3), [{ no: 3, isDoorOpen: false }], false],
  ['another door', of('openDoor', 3), [{ no: 2, isDoorOpen: true }], false],
  ['a door of which nothing is said', of('openDoor', 3), [{ no: 3, state: 'full' }], false],
  ['no compartments', of('openDoor', 3), undefined, false],
  ['a compartment that is disabled', of('disableCompartment', 1), [{ no: 1, state: 'disabled' }], true],
  ['a compartment still in use', of('disableCompartment', 1), [{ no: 1, state: 'empty' }], false],
  ['a compartment in use again', of('enableCompartment', 1), [{ no: 1, state: 'empty' }], true],
  ['a compartment still disabled', of('enableCompartment', 1), [{ no: 1, state: 'disabled' }], false],
  ['a compartment without a state', of('enableCompartment', 1), [{ no: 1 }], false],
  ['a state that is no charging', of('stopCharging', 1), [{ no: 1, state: 'idle', current: 0 }], true],
  ['a current of zero alone', of('stopCharging', 1), [{ no: 1, current: 0 }], true],
  ['a current that still flows', of('stopCharging', 1), [{ no: 1, state: 'idle', current: 1.2 }], false],
  ['neither state nor current', of('stopCharging', 1), [{ no: 1, soc: 40 }], false],
  [
    'no compartment that charges',
    of('stopCharging'),
    [
      { no: 1, state: 'full' },
      { no: 2, current: 0 },
    ],
    true,
  ],
  [
    'one compartment that charges',
    of('stopCharging'),
    [
      { no: 1, state: 'full' },
      { no: 2, state: 'charging' },
    ],
    false,
  ],
  ['any report', of('reportStatus'), undefined, true],
  ['any report', of('restart'), [{ no: 1 }], false],
] as const)('%s shows the result or does not (%o)', (_, subject, compartments, isShown) => {
  expect(isShownBy(subject, compartments)).toBe(isShown)
})

test('a report is dated by how long it was under way, whatever its device’s clock shows', () => {
  const receivedAtMs = 1_767_225_600_000
  for (const offsetMs of [0, 600_000, -600_000]) {
    const clockMs = receivedAtMs + offsetMs
    const clockLimitMs = clockMs + presentDoubtMs
    expect(madeAtMs({ receivedAtMs, clockLimitMs, occurredAtMs: clockMs - 700 })).toBe(receivedAtMs - 700)
    // A report of the same moment may be a little ahead of what is known of the clock.
    expect(madeAtMs({ receivedAtMs, clockLimitMs, occurredAtMs: clockMs + 50 })).toBe(receivedAtMs)
  }
  expect(madeAtMs({ receivedAtMs, clockLimitMs: null, occurredAtMs: receivedAtMs })).toBeNull()
})

test('only a cabinet has compartments, and only as many as its model', () => {
  const cabinet = { equipClassify: 'EC', compartmentCount: 12 } as const
  expect(problemOf(of('openDoor', 12), cabinet)).toBeNull()
  expect(problemOf(of('openDoor', 13), cabinet)).toEqual({
    field: 'compartment',
    message: '该设备只有 12 个仓位',
  })
  expect(problemOf(of('openDoor', 64), { ...cabinet, compartmentCount: null })).toBeNull()
  const battery = { equipClassify: 'BAT', compartmentCount: null } as const
  for (const action of ['openDoor', 'disableCompartment', 'enableCompartment', 'stopCharging'] as const)
    expect(problemOf(of(action, action === 'stopCharging' ? null : 1), battery)?.field).toBe('action')
  for (const action of ['restart', 'reportStatus'] as const) expect(problemOf(of(action), battery)).toBeNull()
})

test('an alarm of compartments concerns these, and one that names none concerns all', () => {
  const hot = { name: '仓位过温', meanings: ['2号仓位过温', '4号仓位过温'] }
  expect([1, 2, 3, 4].filter((no) => concerns(no, hot))).toEqual([2, 4])
  expect(concerns(1, { name: '烟感告警', meanings: ['柜顶烟感触发'] })).toBe(true)
  expect(concerns(1, { name: '仓位过温', meanings: [] })).toBe(true)
  expect(concerns(12, { name: '仓位过温', meanings: ['1号仓位过温'] })).toBe(false)
})
