// What is handled, and what is said of it afterwards.
import { type assignAlarms, type closeAlarms, readAlarmHandling } from '@voltkeep/contract/alarmHandling'
import { listAlarmHistory } from '@voltkeep/contract/alarmHistory'
import { type AlarmRow, readAlarm } from '@voltkeep/contract/alarms'
import type { DataFor, ParsedInputFor } from '@voltkeep/contract/endpoint'
import { listTasks } from '@voltkeep/contract/tasks'
import { formatCount } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import type { Deed } from './deeds.ts'
import { handleTexts } from './handle.texts.ts'

/** The current list is not refetched: it follows the live stream. */
export const staleAfterDeed = [listAlarmHistory, readAlarm, readAlarmHandling, listTasks] as const

export type Outcome = DataFor<typeof closeAlarms>

/** One alarm, several, or all that match the current list's filter, of which `count` are known. */
export type Handled =
  | { alarm: AlarmRow }
  | { ids: readonly string[] }
  | { filter: ParsedInputFor<typeof assignAlarms>['filter']; count: number }

export const countOf = (of: Handled) => ('alarm' in of ? 1 : 'ids' in of ? of.ids.length : of.count)

/** The part of a call's input that says which alarms; of one, also as what it was shown. */
export const chosenOf = (of: Handled) =>
  'alarm' in of
    ? { ids: [of.alarm.id], version: of.alarm.handlingVersion }
    : 'ids' in of
      ? { ids: [...of.ids] }
      : of

/** Says what became of it: the number, or why nothing was done. */
export function tellOutcome(deed: Deed, { done, skipped, skippedCount }: Outcome): void {
  if (done === 0 && skippedCount === 1 && skipped[0]) notify.info(skipped[0].reason)
  else if (done <= 1 && skippedCount === 0) notify.success(handleTexts.done[deed])
  else
    notify.success(
      handleTexts.doneMany(formatCount(done), skippedCount > 0 ? formatCount(skippedCount) : undefined),
    )
}
