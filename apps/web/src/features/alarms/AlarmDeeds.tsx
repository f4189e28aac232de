// What can be done about the alarms of the list: after its first row, like all that asks for more than a look.
import type { AlarmRow, listAlarms } from '@voltkeep/contract/alarms'
import type { List } from '../../ui/list/useList.ts'
import type { Selection } from '../../ui/list/useSelection.ts'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'
import { DecodeButton, useDecoding } from './detail/DecodeButton.tsx'
import { HandleActions } from './handle/HandleActions.tsx'
import { HandleChosen } from './handle/HandleChosen.tsx'
import { RecoverButton } from './recover/RecoverButton.tsx'
import { RecoverChosen } from './recover/RecoverChosen.tsx'

export { RecoveryProgress } from './recover/RecoveryProgress.tsx'

/** Of one alarm. */
export function RowDeeds({
  alarm,
  onDone,
}: {
  alarm: AlarmRow
  /** Called with the alarm as it is afterwards. */
  onDone: (alarm: AlarmRow) => void
}) {
  return (
    <span className={styles.operations}>
      <HandleActions alarm={alarm} onHandled={onDone}>
        <DecodeButton alarm={alarm} />
        <RecoverButton alarm={alarm} onRecovered={onDone} />
      </HandleActions>
    </span>
  )
}

/** Of one alarm, on a card: its room is for what changes something, and what the value means stands behind ⋯. */
export function CardDeeds({ alarm, onDone }: Parameters<typeof RowDeeds>[0]) {
  const decoding = useDecoding(alarm)
  return (
    <span className={styles.operations}>
      <HandleActions
        alarm={alarm}
        onHandled={onDone}
        also={
          decoding.isOffered
            ? [{ key: 'decode', label: alarmTexts.content, onSelect: decoding.open }]
            : undefined
        }
      >
        {alarm.value === 0 && <DecodeButton alarm={alarm} />}
        <RecoverButton alarm={alarm} onRecovered={onDone} />
      </HandleActions>
      {decoding.dialog}
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
