// What users do about alarms: the calls, the dialogs that ask first, and what is said afterwards.
import {
  type assignAlarms,
  type closeAlarms,
  handledAtOnce,
  readAlarmHandling,
} from '@voltkeep/contract/alarmHandling'
import { type AlarmRow, listAlarmHistory, readAlarm } from '@voltkeep/contract/alarms'
import type { DataFor, ParsedInputFor } from '@voltkeep/contract/endpoint'
import { listTasks } from '@voltkeep/contract/tasks'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { notify } from '../../../lib/notices.ts'
import { useCurrentUser } from '../../../lib/session.ts'
import { call } from '../../../lib/wire/call.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { usePermission } from '../../../ui/Permitted.tsx'
import { alarmTexts } from '../alarms.texts.ts'
import { callsAtOnce, type Deed, type DeedAtOnce, isAtOnce, type Rights } from './deeds.ts'

const DeedDialog = lazyDialog(() => import('./DeedDialog.tsx'))

const { handle } = alarmTexts
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
  else if (done <= 1 && skippedCount === 0) notify.success(handle.done[deed])
  else
    notify.success(
      handle.doneMany(formatCount(done), skippedCount > 0 ? formatCount(skippedCount) : undefined),
    )
}

export function useRights(): Rights {
  const { userName } = useCurrentUser()
  return {
    mayAck: usePermission('alarm:ack'),
    mayAssign: usePermission('alarm:assign'),
    mayClose: usePermission('alarm:close'),
    ownName: userName,
  }
}

/**
 * `begin` does what needs no question at once and opens the dialog for the rest, which stands in `dialog`. Afterwards the
 * alarm is read again and given to `onHandled`: whoever acts sees it without waiting for the stream.
 */
export function useHandling(onHandled: (alarm: AlarmRow) => void, onMany: () => void = () => {}) {
  const [asked, setAsked] = useState<{ deed: Exclude<Deed, DeedAtOnce>; of: Handled }>()
  const atOnce = {
    ack: useWriting(callsAtOnce.ack, staleAfterDeed, { said: false }),
    claim: useWriting(callsAtOnce.claim, staleAfterDeed, { said: false }),
    release: useWriting(callsAtOnce.release, staleAfterDeed, { said: false }),
    unack: useWriting(callsAtOnce.unack, staleAfterDeed, { said: false }),
  }
  const readAgain = async (of: Handled) => {
    if (!('alarm' in of)) return onMany()
    try {
      onHandled(await call(readAlarm, { id: of.alarm.id, occurrenceTime: of.alarm.occurrenceTime }))
    } catch {
      // What was done is confirmed already; the live stream or the next read shows it.
    }
  }
  const isPending = Object.values(atOnce).some((writing) => writing.isPending)
  const begin = (deed: Deed, of: Handled) => {
    if (!isAtOnce(deed)) return setAsked({ deed, of })
    // A second press while the first is on its way.
    if (isPending) return
    atOnce[deed].mutate(chosenOf(of), {
      onSuccess: (outcome) => {
        tellOutcome(deed, outcome)
        void readAgain(of)
      },
      // Somebody was faster, who is named in the message: the row shows what that one did.
      onError: () => void readAgain(of),
    })
  }
  const dialog: ReactNode = asked && (
    <DeedDialog
      deed={asked.deed}
      of={asked.of}
      onDone={() => void readAgain(asked.of)}
      onClose={() => setAsked(undefined)}
    />
  )
  return { begin, dialog, isPending }
}

export const handledLimit = handledAtOnce
