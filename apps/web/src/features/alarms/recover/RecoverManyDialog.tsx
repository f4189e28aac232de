import { listAlarmHistory } from '@voltkeep/contract/alarmHistory'
import { recoverAlarms } from '@voltkeep/contract/alarmRecovery'
import { readAlarm } from '@voltkeep/contract/alarms'
import { listTasks } from '@voltkeep/contract/tasks'
import { formatCount } from '../../../lib/format.ts'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import styles from '../alarms.module.css'
import { alarmTexts } from '../alarms.texts.ts'
import { NoteInput } from './NoteInput.tsx'
import { recoverTexts } from './recover.texts.ts'
import { type RecoveredAlarms, rememberRecovery } from './recoveries.ts'

const { fields } = alarmTexts
const stale = [listAlarmHistory, readAlarm, listTasks]

/** Asks for the note; the same dialog confirms how many alarms are meant. */
export default function RecoverManyDialog({
  alarms,
  count,
  onDone,
  onClose,
}: {
  alarms: RecoveredAlarms
  /** The present number: it may change while the dialog is open. */
  count: number
  onDone: () => void
  onClose: () => void
}) {
  const isAll = alarms.ids === undefined
  return (
    <FormDialog
      title={recoverTexts.manyTitle(formatCount(count))}
      endpoint={recoverAlarms}
      stale={stale}
      initial={{ ...alarms, count }}
      toInput={(values) => ({ ...values, count: Math.max(1, count) })}
      canSend={() => count > 0}
      said={recoverTexts.begun}
      submitLabel={recoverTexts.goMany(formatCount(count))}
      onDone={({ id }) => {
        rememberRecovery(id, alarms)
        onDone()
      }}
      onClose={onClose}
      intro={
        <p className={styles.hint}>
          {isAll ? recoverTexts.askAll(formatCount(count)) : recoverTexts.askMany(formatCount(count))}
          {recoverTexts.warn}
        </p>
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
