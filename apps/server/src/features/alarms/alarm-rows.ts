import type { AlarmHistoryRow, AlarmRow, InputOf } from '@voltkeep/contract'
import type { AlarmRecord } from './alarm-records.queries.ts'

const recoveryMethodNames = { 1: '自动恢复', 2: '手动恢复' } as const

/** A record of the current list. An alarm that has recovered has value 0: nothing is wrong any more. */
export function rowOf({ isActive, firstValue: _, ...record }: AlarmRecord) {
  // A recovery that was not reported is implied by a later report of the device.
  const recoveryMethod = record.recoveryMethod ?? (record.recoveryTime && 1)
  return {
    ...record,
    value: isActive ? Number(record.value) : 0,
    recoveryMethod,
    status: isActive ? 1 : 0,
    flag: isActive ? 'fault' : 'normal',
    recoveryMethodName: recoveryMethod && recoveryMethodNames[recoveryMethod],
  } satisfies InputOf<typeof AlarmRow>
}

/** A row of the history keeps its last value other than zero, so that it can still be decoded. */
export function historyRowOf(record: AlarmRecord) {
  return {
    ...rowOf(record),
    value: Number(record.value),
    firstValue: Number(record.firstValue),
  } satisfies InputOf<typeof AlarmHistoryRow>
}
