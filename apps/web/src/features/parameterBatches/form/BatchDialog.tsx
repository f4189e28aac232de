// The form of a parameter batch.
import {
  insertParameterBatch,
  listParameterBatches,
  type ParameterBatchPreview,
  previewParameterBatch,
} from '@voltkeep/contract/parameterBatches'
import { parameterOf } from '@voltkeep/contract/parameters'
import { Input, InputNumber } from 'antd'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { parsedBy } from '../../../lib/schemaInput.ts'
import { DeviceChoice } from '../../../ui/choices/DeviceChoice.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { Generated } from '../../../ui/form/Generated.tsx'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import styles from '../parameterBatches.module.css'
import { batchTexts } from '../parameterBatches.texts.ts'
import { assignmentOf } from '../parameterBatches.words.ts'
import { EntriesField } from './EntriesField.tsx'
import { Preview } from './Preview.tsx'
import { TrialField } from './TrialField.tsx'

const { fields, form: words } = batchTexts
const dialogWidth = 760
/** The preset rule: three attempts, five minutes apart, put little load on the fleet. */
const usualRule = { upgradeCount: 3, interval: 5 }

type BatchForm = TypedForm<typeof insertParameterBatch.input>

/** Sets parameters of many devices: the devices, the values and the retries; a preview of the effect is shown below. */
export default function BatchDialog({
  onClose,
  onAdded,
}: {
  onClose: () => void
  onAdded: (id: string) => void
}) {
  const [preview, setPreview] = useState<ParameterBatchPreview>()
  return (
    <FormDialog
      title={batchTexts.add}
      endpoint={insertParameterBatch}
      stale={[listParameterBatches]}
      initial={{ queryParam: { filters: { isOnline: 1 } }, entitys: [], paramSetRule: usualRule }}
      width={dialogWidth}
      submitLabel={words.submit}
      // A complete form waits for its preview: the user must not confirm an unknown number of devices, or none.
      canSend={(values) =>
        previewInput(values) === undefined ||
        (preview !== undefined && preview.devices > 0 && preview.trialUnknownCodes.length === 0)
      }
      confirm={({ entitys, queryParam }) => {
        if (!preview) return undefined
        return {
          title: words.confirmTitle,
          body: (
            <>
              <p>{words.confirm(formatCount(preview.devices), queryParam.isAll === 1)}</p>
              {preview.trial && (
                <p>
                  {words.confirmTrial(formatCount(preview.trial.devices), formatCount(preview.trial.rest))}
                </p>
              )}
              <ul className={styles.asked}>
                {entitys.map(({ id, value }) => (
                  <li key={id}>{assignmentOf({ id, name: parameterOf(id)?.name ?? id, value })}</li>
                ))}
              </ul>
            </>
          ),
          confirmLabel: words.confirmAction,
        }
      }}
      onDone={({ id, approvalId }) => {
        if (approvalId === undefined) onAdded(id)
      }}
      onClose={onClose}
    >
      {(form) => <Fields form={form} onPreview={setPreview} />}
    </FormDialog>
  )
}

function Fields({
  form,
  onPreview,
}: {
  form: BatchForm
  onPreview: (preview: ParameterBatchPreview | undefined) => void
}) {
  const { Field } = form
  const entitys = useFieldValue(form, 'entitys')
  const queryParam = useFieldValue(form, 'queryParam')
  const trial = useFieldValue(form, 'trial')
  const asked = previewInput({ entitys, queryParam, trial })
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" placeholder={words.namePlaceholder} />
      </Field>
      <Field name="queryParam" label={fields.devices} hint={words.devicesHint}>
        <DeviceChoice />
      </Field>
      <Field name="entitys" label={fields.parameters} hint={words.entriesHint}>
        <EntriesField />
      </Field>
      <Field name="paramSetRule.upgradeCount" label={fields.upgradeCount} hint={words.countHint}>
        <Counted unit={batchTexts.times} />
      </Field>
      <Field name="paramSetRule.interval" label={fields.interval} hint={words.intervalHint}>
        <Counted unit={batchTexts.minutes} />
      </Field>
      <Field name="trial" label={fields.trial}>
        <TrialField />
      </Field>
      <Generated label={fields.preview}>
        <div className={styles.previewPlace}>
          {asked ? (
            <Preview asked={asked} onPreview={onPreview} />
          ) : (
            <p className={styles.quiet}>{batchTexts.preview.incomplete}</p>
          )}
        </div>
      </Generated>
      <Field name="remark" label={fields.remark}>
        <Input.TextArea maxLength={200} autoSize={{ minRows: 1, maxRows: 4 }} />
      </Field>
    </>
  )
}

/** The input of the preview; undefined while devices or values are missing or invalid. */
function previewInput(values: object) {
  const { problems } = parsedBy(previewParameterBatch.input, values)
  return problems ? undefined : (values as Parameters<typeof Preview>[0]['asked'])
}

/** A number as typed: a number beyond its limits stays visible, with the message that names the limits. */
function Counted({
  unit,
  value,
  ...control
}: {
  unit: ReactNode
  id?: string
  value?: number | string
  onChange?: (value: number | string | null) => void
}) {
  return <InputNumber {...control} className={styles.counted ?? ''} value={value ?? null} suffix={unit} />
}
