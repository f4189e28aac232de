import { type AlarmRow, type listAlarms, liveAlarms } from '@voltkeep/contract/alarms'
import { liveDevices } from '@voltkeep/contract/devices'
import type { List } from '../../ui/list/useList.ts'
import { type LiveList, type LiveListOptions, useLiveList } from '../../ui/list/useLiveList.ts'

const options: LiveListOptions<AlarmRow> = {
  // An alarm that recovers stays in the list, marked as recovered, until the next query.
  anyState: { status: 'all', handling: undefined, assigneeId: undefined },
  shows: { [liveDevices.noun]: ({ equipId }) => equipId },
  isChanged: (before, after) =>
    before.value !== after.value ||
    before.status !== after.status ||
    before.note !== after.note ||
    before.handling !== after.handling ||
    before.assigneeName !== after.assigneeName,
}

/** The current alarms as the live stream changes them. */
export function useLiveAlarms(list: List<typeof listAlarms.input, AlarmRow>): LiveList<AlarmRow> {
  return useLiveList(list, liveAlarms, options)
}
