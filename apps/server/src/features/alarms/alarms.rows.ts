import type { AlarmHistoryRow, AlarmRow, InputOf } from '@voltkeep/contract'
import type { AlarmRecord } from './alarms.queries.ts'

const recoveryMethodNames = { 1: '自动恢复', 2: '手动恢复' } as const

/** A record as the wire shows it. An alarm that has recovered has value 0: nothing is wrong any more. */
export function rowOf({ isActive, firstValue: _, ...record }: AlarmRecord) {
  const { recoveryMethod } = record
  return {
    ...record,
    value: isActive ? Number(record.value) : 0,
    status: isActive ? 1 : 0,
    flag: isActive ? 'fault' : 'normal',
    recoveryMethodName: recoveryMethod && recoveryMethodNames[recoveryMethod],
  } satisfies InputOf<typeof AlarmRow>
}

export function historyRowOf(record: AlarmRecord) {
  return {
    ...rowOf(record),
    firstValue: Number(record.firstValue),
  } satisfies InputOf<typeof AlarmHistoryRow>
}
