import { type AlarmRow, listAlarmHistory, readAlarm, recoverAlarm } from '@voltkeep/contract/alarms'
import { Input } from 'antd'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import styles from './alarms.module.css'
import { alarmTexts } from './alarms.texts.ts'

const { recover, fields } = alarmTexts
/** The current list is not among them: it keeps the row and shows how it recovered. */
const stale = [listAlarmHistory, readAlarm]

export default function RecoverDialog({
  alarm,
  onDone,
  onClose,
}: {
  alarm: AlarmRow
  onDone: () => void
  onClose: () => void
}) {
  return (
    <FormDialog
      title={recover.title}
      endpoint={recoverAlarm}
      stale={stale}
      initial={{ id: alarm.id }}
      said={recover.done}
      submitLabel={recover.go}
      confirm={() => ({
        title: recover.title,
        body: recover.ask(alarm.code, alarm.semaphoreName),
        confirmLabel: recover.go,
      })}
      onDone={onDone}
      onClose={onClose}
      intro={
        <p className={styles.hint}>
          {recover.ask(alarm.code, alarm.semaphoreName)}
          {recover.warn}
        </p>
      }
    >
      {({ Field }) => (
        <Field name="note" label={fields.note}>
          <Input.TextArea
            autoFocus
            rows={3}
            maxLength={200}
            showCount
            placeholder={recover.notePlaceholder}
          />
        </Field>
      )}
    </FormDialog>
  )
}
