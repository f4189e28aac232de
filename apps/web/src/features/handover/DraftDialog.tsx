// The form of a handover: which shift, and what the next one has to know beside the alarms.
import { draftHandover, type HandoverRow, listHandovers, readHandover } from '@voltkeep/contract/handover'
import { Input } from 'antd'
import { serverNow } from '../../lib/clock.ts'
import { call } from '../../lib/wire/call.ts'
import { DateTimeInput } from '../../ui/form/DateTimeInput.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { handoverTexts } from './handover.texts.ts'
import { presentShift } from './shifts.ts'

const { fields } = handoverTexts

const valuesOf = ({ id, startTime, endTime, note, version }: HandoverRow) => ({
  id,
  startTime,
  endTime,
  note,
  version,
})

export default function DraftDialog({
  page,
  last,
  onDone,
  onClose,
}: {
  /** The one that is drawn anew. */
  page?: HandoverRow
  /** The latest one known, which a new one follows. */
  last?: HandoverRow | undefined
  onDone?: (id: string) => void
  onClose: () => void
}) {
  const readPresent = async (id: string) => valuesOf(await call(readHandover, { id }))
  return (
    <FormDialog
      title={page ? handoverTexts.againTitle : handoverTexts.add}
      endpoint={draftHandover}
      stale={[listHandovers, readHandover]}
      initial={page ? valuesOf(page) : presentShift(serverNow(), last)}
      {...(page && { readPresent: () => readPresent(page.id), intro: <p>{handoverTexts.againHint}</p> })}
      submitLabel={page ? handoverTexts.again : handoverTexts.add}
      onDone={({ id }) => onDone?.(id)}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="note" label={fields.note} hint={handoverTexts.noteHint}>
            <Input.TextArea maxLength={2_000} autoSize={{ minRows: 4, maxRows: 12 }} />
          </Field>
          <Field name="startTime" label={fields.startTime}>
            <DateTimeInput label={fields.startTime} />
          </Field>
          <Field name="endTime" label={fields.endTime} dependsOn={['startTime']}>
            <DateTimeInput label={fields.endTime} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
