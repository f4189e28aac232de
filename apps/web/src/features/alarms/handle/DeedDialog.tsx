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
import { alarmTexts } from '../alarms.texts.ts'
import ShelveDialog from '../shelves/ShelveDialog.tsx'
import type { Deed, DeedAtOnce } from './deeds.ts'
import { chosenOf, countOf, type Handled, staleAfterDeed, tellOutcome } from './handled.ts'

const { handle } = alarmTexts

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
        ? handle.aboutOne(of.alarm.code, of.alarm.semaphoreName)
        : handle.aboutMany(formatCount(countOf(of)))}
    </p>
  )
}

const note = (
  <Input.TextArea
    rows={3}
    maxLength={200}
    showCount
    className={styles.noteInput}
    placeholder={handle.notePlaceholder}
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
      title={handle.titles.close}
      endpoint={closeAlarms}
      stale={staleAfterDeed}
      initial={chosenOf(of)}
      isAnswerShown
      submitLabel={handle.names.close}
      onDone={(outcome) => {
        tellOutcome('close', outcome)
        onDone()
      }}
      onClose={onClose}
      intro={<About of={of} />}
    >
      {({ Field }) => (
        <>
          <Field name="cause" label={handle.cause}>
            <Select
              loading={causes.isFetching}
              options={causes.data?.map(({ code, name }) => ({ value: code, label: name })) ?? []}
            />
          </Field>
          <Field name="note" label={handle.note}>
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
      title={handle.titles.assign}
      endpoint={assignAlarms}
      stale={staleAfterDeed}
      initial={chosenOf(of)}
      isAnswerShown
      submitLabel={handle.names.assign}
      onDone={(outcome) => {
        tellOutcome('assign', outcome)
        onDone()
      }}
      onClose={onClose}
      intro={<About of={of} />}
    >
      {({ Field }) => (
        <>
          <Field name="userId" label={handle.assignee} hint={handle.assigneeHint}>
            <Select
              showSearch={{ optionFilterProp: 'label' }}
              loading={candidates.isFetching}
              options={candidates.data?.map(({ id, userName }) => ({ value: id, label: userName })) ?? []}
            />
          </Field>
          <Field name="note" label={handle.note}>
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
      title={handle.titles.note}
      endpoint={noteAlarm}
      stale={staleAfterDeed}
      initial={{ id: of.alarm.id }}
      said={handle.done.note}
      submitLabel={handle.names.note}
      onDone={onDone}
      onClose={onClose}
      intro={<About of={of} />}
    >
      {({ Field }) => (
        <Field name="note" label={handle.note}>
          {note}
        </Field>
      )}
    </FormDialog>
  )
}
