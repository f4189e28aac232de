// The form of an upgrade task.
import {
  insertUpgradeTask,
  listUpgradeTasks,
  type UpgradePreview,
  type UpgradeTaskRow,
  updateUpgradeTask,
} from '@voltkeep/contract/upgrades'
import { Input } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { formatCount } from '../../../lib/format.ts'
import { call } from '../../../lib/wire/call.ts'
import { DeviceChoice } from '../../../ui/choices/DeviceChoice.tsx'
import { PackageSelect, usePackages } from '../../../ui/choices/PackageSelect.tsx'
import { DateTimeInput, sentMoment } from '../../../ui/form/DateTimeInput.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { Generated } from '../../../ui/form/Generated.tsx'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import styles from '../upgrades.module.css'
import { upgradeTexts } from '../upgrades.texts.ts'
import { planLine } from '../upgrades.words.ts'
import { Preview } from './Preview.tsx'
import { RuleField } from './RuleField.tsx'

const { fields, form: words } = upgradeTexts
/** The fields and, beside them, how it is done and what it would do. */
const dialogWidth = 1200

const { upgradeTime, remark, upgradeRule, devices } = insertUpgradeTask.input.shape
const TaskForm = z.object({
  softwareVersionIds: z.array(z.string(), words.filesMissing).check(z.minLength(1, words.filesMissing)),
  upgradeTime: z.pipe(z.transform(sentMoment), upgradeTime),
  remark,
  upgradeRule,
  devices,
})

/** Converts the row to the form's values. */
const valuesOf = (task: UpgradeTaskRow) => ({
  softwareVersionIds: task.packages.map(({ softwareVersionId }) => softwareVersionId),
  upgradeTime: task.upgradeTime,
  remark: task.remark,
  upgradeRule: task.upgradeRule,
  devices: task.devices,
})

/** A choice that the user left as it was is not sent: the row may show less of it than is kept. */
const changed = <Values extends { devices: unknown }>(
  { devices: chosen, ...values }: Values,
  { devices: kept }: UpgradeTaskRow,
) => (JSON.stringify(chosen) === JSON.stringify(kept) ? values : { ...values, devices: chosen })

const isChosen = (chosen: unknown) => z.safeParse(devices, chosen).success

/** Plans an upgrade, or changes one that has not begun. */
export default function UpgradeTaskDialog({
  task,
  file,
  onClose,
  onAdded,
}: {
  task?: UpgradeTaskRow
  /** The software file of a new one, where it is chosen already. */
  file?: string
  onClose: () => void
  onAdded?: (id: string) => void
}) {
  const [present, setPresent] = useState(task)
  const [preview, setPreview] = useState<UpgradePreview>()
  const kind = present ? 'update' : 'insert'
  return (
    <FormDialog
      title={present ? upgradeTexts.editTitle : upgradeTexts.add}
      endpoint={present ? updateUpgradeTask : insertUpgradeTask}
      stale={[listUpgradeTasks]}
      schema={TaskForm}
      initial={
        present
          ? valuesOf(present)
          : { devices: { isAll: 1 }, ...(file !== undefined && { softwareVersionIds: [file] }) }
      }
      width={dialogWidth}
      // The user must not confirm before the preview has counted the devices.
      canSend={({ softwareVersionIds = [], devices: chosen }) =>
        softwareVersionIds.length === 0 || !isChosen(chosen) || preview !== undefined
      }
      toInput={(values) =>
        present ? { ...changed(values, present), id: present.id, lockVersion: present.lockVersion } : values
      }
      {...(present && {
        readPresent: async () => {
          const { rows } = await call(listUpgradeTasks, { ids: [present.id], type: 'ALL' })
          const now = rows[0] ?? present
          setPresent(now)
          return valuesOf(now)
        },
      })}
      confirm={({ upgradeTime: time, devices: chosen }) => {
        if (!preview) return undefined
        const what = preview.parts
          .map(({ partTypeName, version }) => upgradeTexts.task.goal(partTypeName, version))
          .join('、')
        return {
          title: words.confirmTitle[kind],
          body:
            preview.devices > 0 ? (
              <>
                <p>{words.confirm(time, formatCount(preview.devices), what, chosen.isAll === 1)}</p>
                <p>{planLine(preview)}</p>
              </>
            ) : (
              <p>{words.confirmNone(time, what)}</p>
            ),
          confirmLabel: words.confirmAction[kind],
        }
      }}
      onDone={(answer) => {
        const { id } = (answer ?? {}) as { id?: string }
        if (id !== undefined) onAdded?.(id)
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
  form: TypedForm<typeof TaskForm>
  onPreview: (preview: UpgradePreview | undefined) => void
}) {
  const { Field } = form
  const packages = usePackages()
  const ids = useFieldValue(form, 'softwareVersionIds') ?? []
  const rule = useFieldValue(form, 'upgradeRule')
  const chosen = useFieldValue(form, 'devices')
  const files = packages.rows.filter(({ id }) => ids.includes(id))
  const [first] = files
  return (
    <div className={styles.sides}>
      <div className={styles.side}>
        <Field name="softwareVersionIds" label={fields.packages} hint={words.filesHint}>
          <PackageSelect packages={packages} />
        </Field>
        <Generated label={`${fields.equipType}、${fields.partTypes}`}>
          <span className={first ? undefined : styles.quiet}>
            {first
              ? words.appliesTo(first.equipTypeName, files.map(({ partTypeName }) => partTypeName).join('、'))
              : words.filesFirst}
          </span>
        </Generated>
        <Field name="upgradeTime" label={fields.upgradeTime}>
          <DateTimeInput hasPresets />
        </Field>
        <Field name="devices" label={fields.devices} hint={words.devicesHint}>
          <DeviceChoice />
        </Field>
        <Field name="remark" label={fields.remark}>
          <Input.TextArea maxLength={200} autoSize={{ minRows: 1, maxRows: 4 }} />
        </Field>
      </div>
      <div className={styles.side}>
        <Field name="upgradeRule" label={fields.rule}>
          <RuleField />
        </Field>
        {ids.length > 0 && chosen && isChosen(chosen) && (
          <Generated label={fields.preview}>
            <Preview
              asked={{ softwareVersionIds: ids, upgradeRule: rule, devices: chosen }}
              onPreview={onPreview}
            />
          </Generated>
        )}
      </div>
    </div>
  )
}
