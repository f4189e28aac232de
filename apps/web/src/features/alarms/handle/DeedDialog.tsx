// The dialogs of what needs more than a press: a cause, a user, a note.
import { useQuery } from '@tanstack/react-query'
import {
  alarmCauseType,
  assignAlarms,
  closeAlarms,
  listAlarmAssignees,
  noteAlarm,
} from '@voltkeep/contract/alarmHandling'
import { Input, Select } from 'antd'
import { formatCount } from '../../../lib/format.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useEnum } from '../../../ui/choices/choices.ts'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import styles from '../alarms.module.css'
import ShelveDialog from '../shelves/ShelveDialog.tsx'
import type { Deed, DeedAtOnce } from './deeds.ts'
import { handleTexts } from './handle.texts.ts'
import { chosenOf, countOf, type Handled, staleAfterDeed, tellOutcome } from './handled.ts'

interface DeedProps {
  of: Handled
  onDone: () => void
  onClose: () => void
}

/** Which alarms it is about, above the fields. */
function About({ of }: { of: Handled }) {
  return (
    <p className={styles.hint}>
      {'alarm' in of
        ? handleTexts.aboutOne(of.alarm.code, of.alarm.semaphoreName)
        : handleTexts.aboutMany(formatCount(countOf(of)))}
    </p>
  )
}

const note = (
  <Input.TextArea
    rows={3}
    maxLength={200}
    showCount
    className={styles.noteInput}
    placeholder={handleTexts.notePlaceholder}
  />
)

export default function DeedDialog({ deed, ...props }: DeedProps & { deed: Exclude<Deed, DeedAtOnce> }) {
  switch (deed) {
    case 'close':
      return <CloseForm {...props} />
    case 'assign':
      return <AssignForm {...props} />
    case 'note':
      return <NoteForm {...props} />
    case 'shelve':
      return <ShelveDialog {...props} />
  }
}

function CloseForm({ of, onDone, onClose }: DeedProps) {
  const causes = useEnum(alarmCauseType)
  return (
    <FormDialog
      title={handleTexts.titles.close}
      endpoint={closeAlarms}
      stale={staleAfterDeed}
      initial={chosenOf(of)}
      isAnswerShown
      submitLabel={handleTexts.names.close}
      onDone={(outcome) => {
        tellOutcome('close', outcome)
        onDone()
      }}
      onClose={onClose}
      intro={<About of={of} />}
    >
      {({ Field }) => (
        <>
          <Field name="cause" label={handleTexts.cause}>
            <Select
              loading={causes.isFetching}
              options={causes.data?.map(({ code, name }) => ({ value: code, label: name })) ?? []}
            />
          </Field>
          <Field name="note" label={handleTexts.note}>
            {note}
          </Field>
        </>
      )}
    </FormDialog>
  )
}

function AssignForm({ of, onDone, onClose }: DeedProps) {
  const candidates = useQuery({
    ...reading(
      listAlarmAssignees,
      'alarm' in of ? { ids: [of.alarm.id] } : 'ids' in of ? { ids: [...of.ids] } : { filter: of.filter },
    ),
    staleTime: 0,
  })
  return (
    <FormDialog
      title={handleTexts.titles.assign}
      endpoint={assignAlarms}
      stale={staleAfterDeed}
      initial={chosenOf(of)}
      isAnswerShown
      submitLabel={handleTexts.names.assign}
      onDone={(outcome) => {
        tellOutcome('assign', outcome)
        onDone()
      }}
      onClose={onClose}
      intro={<About of={of} />}
    >
      {({ Field }) => (
        <>
          <Field name="userId" label={handleTexts.assignee} hint={handleTexts.assigneeHint}>
            <Select
              showSearch={{ optionFilterProp: 'label' }}
              loading={candidates.isFetching}
              options={candidates.data?.map(({ id, userName }) => ({ value: id, label: userName })) ?? []}
            />
          </Field>
          <Field name="note" label={handleTexts.note}>
            {note}
          </Field>
        </>
      )}
    </FormDialog>
  )
}

/** Of one alarm. */
function NoteForm({ of, onDone, onClose }: DeedProps) {
  if (!('alarm' in of)) return null
  return (
    <FormDialog
      title={handleTexts.titles.note}
      endpoint={noteAlarm}
      stale={staleAfterDeed}
      initial={{ id: of.alarm.id }}
      said={handleTexts.done.note}
      submitLabel={handleTexts.names.note}
      onDone={onDone}
      onClose={onClose}
      intro={<About of={of} />}
    >
      {({ Field }) => (
        <Field name="note" label={handleTexts.note}>
          {note}
        </Field>
      )}
    </FormDialog>
  )
}
