import type { recoverAlarms } from '@voltkeep/contract/alarmRecovery'
import type { ParsedInputFor } from '@voltkeep/contract/endpoint'

/** Which alarms to recover: some by id, or all that match the list's filters. */
export type RecoveredAlarms = Omit<ParsedInputFor<typeof recoverAlarms>, 'note' | 'count'>

/** What the user has recovered since the page was loaded, by the recovery's id: its report leads to the alarms. */
const begun = new Map<string, RecoveredAlarms>()

export function rememberRecovery(id: string, alarms: RecoveredAlarms): void {
  begun.set(id, alarms)
}

/** The filters of the list of current alarms that show what a recovery was asked for. */
export function searchOfRecovery(id: string): object | undefined {
  const alarms = begun.get(id)
  if (!alarms) return undefined
  const { isAll: _all, ids, ...narrowing } = alarms
  return ids ? { ids, status: 'all' } : { ...narrowing, status: '0' }
}
