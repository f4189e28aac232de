import { listAlarmHistory } from '@voltkeep/contract/alarmHistory'
import { type AlarmRow, readAlarm, recoverAlarm } from '@voltkeep/contract/alarms'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'
import { NoteInput } from './NoteInput.tsx'
import { recoverTexts } from './recover.texts.ts'

const { fields } = alarmTexts
/** The current list is not refetched: it keeps the row and shows its recovery. */
const stale = [listAlarmHistory, readAlarm]

/** Asks for the note; the same dialog confirms which alarm is meant. */
export default function RecoverDialog({
  alarm,
  onDone,
  onClose,
}: {
  /** Its present state: the alarm may recover by itself while the dialog is open. */
  alarm: AlarmRow
  onDone: () => void
  onClose: () => void
}) {
  const isOver = alarm.status === 0
  return (
    <FormDialog
      title={recoverTexts.title}
      endpoint={recoverAlarm}
      stale={stale}
      initial={{ id: alarm.id }}
      canSend={() => !isOver}
      said={recoverTexts.done}
      submitLabel={recoverTexts.go}
      onDone={onDone}
      onClose={onClose}
      intro={
        <>
          <p className={styles.hint}>
            {recoverTexts.ask(alarm.code, alarm.semaphoreName)}
            {recoverTexts.warn}
          </p>
          {/* Also shown while the dialog closes after the answer, since it is still true. */}
          <p role="status" className={styles.isOver} hidden={!isOver}>
            {isOver && recoverTexts.isOver(alarm.recoveryTime, alarm.recoveryMethodName)}
          </p>
        </>
      }
    >
      {({ Field }) => (
        <Field name="note" label={fields.note}>
          <NoteInput />
        </Field>
      )}
    </FormDialog>
  )
}
