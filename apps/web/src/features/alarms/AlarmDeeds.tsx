// What can be done about the alarms of the list: after its first row, like all that asks for more than a look.
import type { AlarmRow, listAlarms } from '@voltkeep/contract/alarms'
import type { List } from '../../ui/list/useList.ts'
import type { Selection } from '../../ui/list/useSelection.ts'
import styles from './alarms.module.css'
import { DecodeButton } from './detail/DecodeButton.tsx'
import { HandleActions } from './handle/HandleActions.tsx'
import { HandleChosen } from './handle/HandleChosen.tsx'
import { RecoverButton } from './recover/RecoverButton.tsx'
import { RecoverChosen } from './recover/RecoverChosen.tsx'

export { RecoveryProgress } from './recover/RecoveryProgress.tsx'

/** Of one alarm. */
export function RowDeeds({
  alarm,
  onDone,
  isCard = false,
}: {
  alarm: AlarmRow
  /** Called with the alarm as it is afterwards. */
  onDone: (alarm: AlarmRow) => void
  /** A card has no room for the recovery, which its detail has. */
  isCard?: boolean
}) {
  return (
    <span className={styles.operations}>
      <HandleActions alarm={alarm} onHandled={onDone}>
        <DecodeButton alarm={alarm} />
        {!isCard && <RecoverButton alarm={alarm} onRecovered={onDone} />}
      </HandleActions>
    </span>
  )
}

/** Of the selected alarms, and of all that match. */
export function ChosenDeeds({
  list,
  total,
  selection,
  rows,
  mayRecover,
}: {
  list: List<typeof listAlarms.input, AlarmRow>
  total: number
  selection: Selection<AlarmRow>
  rows: readonly AlarmRow[]
  mayRecover: boolean
}) {
  return (
    <>
      <HandleChosen list={list} total={total} selection={selection} />
      {mayRecover && <RecoverChosen list={list} total={total} selection={selection} rows={rows} />}
    </>
  )
}
