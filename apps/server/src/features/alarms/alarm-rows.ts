import type { AlarmHistoryRow, AlarmRow, InputOf } from '@voltkeep/contract'
import { said } from '../../platform/process/language/speech.ts'
import type { AlarmRecord } from './alarm-records.queries.ts'

/** Alarms that are kept quiet, by id, with the moment until which they are; null: without end. */
export type Shelved = ReadonlyMap<string, Date | null>

const recoveryMethodNames = { 1: '自动恢复', 2: '手动恢复' } as const

/** A record of the current list. An alarm that has recovered has value 0: nothing is wrong any more. */
export function rowOf({ isActive, firstValue: _, ...record }: AlarmRecord, shelved: Shelved) {
  // A recovery that was not reported is implied by a later report of the device.
  const recoveryMethod = record.recoveryMethod ?? (record.recoveryTime && 1)
  return {
    ...record,
    value: isActive ? Number(record.value) : 0,
    recoveryMethod,
    status: isActive ? 1 : 0,
    flag: isActive ? 'fault' : 'normal',
    recoveryMethodName: recoveryMethod && said(recoveryMethodNames[recoveryMethod]),
    isShelved: shelved.has(record.id),
    shelvedUntil: shelved.get(record.id) ?? null,
  } satisfies InputOf<typeof AlarmRow>
}

/** A row of the history keeps its last value other than zero, so that it can still be decoded. */
export function historyRowOf(record: AlarmRecord, shelved: Shelved) {
  return {
    ...rowOf(record, shelved),
    value: Number(record.value),
    firstValue: Number(record.firstValue),
  } satisfies InputOf<typeof AlarmHistoryRow>
}
