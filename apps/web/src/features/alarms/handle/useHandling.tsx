// What users do about alarms: the calls, the dialogs that ask first, and what is said afterwards.
import { handledAtOnce } from '@voltkeep/contract/alarmHandling'
import { type AlarmRow, readAlarm } from '@voltkeep/contract/alarms'
import { type ReactNode, useState } from 'react'
import { call } from '../../../lib/wire/call.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { lazyDialog } from '../../../ui/lazyDialog.tsx'
import { callsAtOnce, type Deed, type DeedAtOnce, isAtOnce } from './deeds.ts'
import { chosenOf, type Handled, staleAfterDeed, tellOutcome } from './handled.ts'

const DeedDialog = lazyDialog(() => import('./DeedDialog.tsx'))

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
