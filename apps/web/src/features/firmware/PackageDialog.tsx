// The form of a package: the file first, which fills and locks the rest.
import type { DataFor } from '@voltkeep/contract/endpoint'
import {
  type countFirmwareReach,
  insertFirmware,
  type PackageRow,
  remarkLanguages,
  type UploadedPackage,
} from '@voltkeep/contract/firmware'
import { Form, Input, Switch } from 'antd'
import { useEffect, useId, useState } from 'react'
import * as z from 'zod/mini'
import { formatCount } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { call } from '../../lib/wire/call.ts'
import { FileField } from '../../ui/form/FileField.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import styles from './firmware.module.css'
import { firmwareTexts } from './firmware.texts.ts'
import { type PackageView, packageLists } from './packageViews.ts'
import { remarkOf } from './remark.ts'

const { fields, kinds } = firmwareTexts
const dialogWidth = 640

const PackageForm = z.object({
  file: z.custom<UploadedPackage, UploadedPackage>((value) => value !== undefined, firmwareTexts.fileMissing),
  remark: insertFirmware.input.shape.remark,
  isAutoUpgrade: z._default(z.boolean(), false),
  lockVersion: z.optional(z.number()),
})

/**
 * Adds a package or changes one. The file's name fills the fields that identify the package; the user adds the
 * description.
 */
export default function PackageDialog({
  view,
  row,
  onClose,
}: {
  view: PackageView
  /** The package to change; absent for a new one. */
  row?: PackageRow
  onClose: () => void
}) {
  /** The package as last read: the confirmation compares with it. */
  const [saved, setSaved] = useState(row)
  const readPresent = async (changed: PackageRow) => {
    const { rows } = await call(view.list, { ids: [changed.id] })
    const present = rows[0] ?? changed
    setSaved(present)
    return valuesOf(present)
  }
  return (
    <FormDialog
      title={row ? view.words.edit : view.words.add}
      endpoint={row ? view.update : view.insert}
      stale={packageLists}
      schema={PackageForm}
      initial={row ? valuesOf(row) : { isAutoUpgrade: false }}
      readPresent={row && (() => readPresent(row))}
      width={dialogWidth}
      canSend={({ file }) => file !== undefined}
      toInput={({ file, remark, isAutoUpgrade, lockVersion }) => ({
        ...sentOf(file),
        remark,
        isAutoUpgrade,
        ...(row && { id: row.id, lockVersion }),
      })}
      confirm={({ file, isAutoUpgrade: isAuto }) => ({
        title: firmwareTexts.confirmTitle,
        body: (
          <>
            {[
              firmwareTexts.confirm(
                ` ${file.pcbCode} ${file.partTypeName} ${file.version} `,
                kinds[file.fgRelease],
              ),
              ...(saved && saved.filePath !== file.filePath ? [firmwareTexts.confirmFile] : []),
              ...(isAuto ? [firmwareTexts.confirmAuto] : []),
            ].join('\n')}
            {isAuto && file.fgRelease === 1 && (
              <AutomaticReach view={view} filePath={file.filePath} id={row?.id} />
            )}
          </>
        ),
        confirmLabel: firmwareTexts.confirmAction,
      })}
      onDone={({ automaticApprovalId }) => {
        if (automaticApprovalId !== undefined) notify.info(firmwareTexts.autoWaits)
      }}
      onClose={onClose}
    >
      {(form) => (
        <>
          <form.Field name="file" label={fields.file}>
            <FileField
              endpoint={view.upload}
              input={row ? { type: 'update', versionId: row.id } : { type: 'create' }}
              describe={({ fileName, fileSize }) => ({ name: fileName, sizeBytes: fileSize })}
              hint={firmwareTexts.fileHint}
            />
          </form.Field>
          <Revealed form={form} />
        </>
      )}
    </FormDialog>
  )
}

/** How many devices are upgraded automatically once the form is saved. */
function AutomaticReach({
  view,
  filePath,
  id,
}: {
  view: PackageView
  filePath: string
  id: string | undefined
}) {
  const [reach, setReach] = useState<DataFor<typeof countFirmwareReach>>()
  // Questions stand outside the provider of queries.
  useEffect(() => {
    let isGone = false
    void call(view.reach, { filePath, ...(id !== undefined && { id }) }).then(
      (data) => isGone || setReach(data),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [view, filePath, id])
  if (!reach) return null
  return (
    <>
      <p>{firmwareTexts.confirmReach(formatCount(reach.devices))}</p>
      {reach.needsConsent && <p>{firmwareTexts.confirmConsent}</p>}
    </>
  )
}

const valuesOf = (row: PackageRow) => ({
  file: row,
  remark: remarkOf(row),
  isAutoUpgrade: row.isAutoUpgrade,
  lockVersion: row.lockVersion,
})

/** The properties of the file, which the server compares with its own. */
function sentOf(file: UploadedPackage) {
  const { filePath, fileName, md5, sha256, fileSize, pcbCode, partType, version } = file
  const { hwVersion, mcuNum, fgRelease, equipTypeId, pcbVersion } = file
  return {
    ...{ filePath, fileName, md5, sha256, fileSize, pcbCode, partType, version, fgRelease },
    ...{ equipTypeId, pcbVersion },
    ...(hwVersion !== null && { hwVersion }),
    ...(mcuNum !== null && { mcuNum }),
  }
}

/** Writes the Chinese notes into the languages that have none. */
function repeatChinese({ instance }: TypedForm<typeof PackageForm>): void {
  const written = (language: string) =>
    (instance.getFieldValue(['remark', language]) as string | undefined) ?? ''
  const chinese = written('zh')
  if (chinese.trim() === '') return
  const empty = remarkLanguages.filter((language) => written(language).trim() === '')
  instance.setFields(
    empty.map((language) => ({ name: ['remark', language], value: chinese, errors: [], touched: true })),
  )
}

/** The other fields, shown once a file is uploaded. */
function Revealed({ form }: { form: TypedForm<typeof PackageForm> }) {
  const { Field } = form
  const file = useFieldValue(form, 'file')
  if (!file) return null
  return (
    <>
      <p className={styles.locked}>{firmwareTexts.lockedHint}</p>
      <Locked label={fields.pcbCode} value={file.pcbCode} />
      <Locked label={fields.firmwareType} value={`${file.partTypeName}（${file.partType}）`} />
      <Locked label={fields.version} value={file.version} />
      <Locked label={fields.kind} value={kinds[file.fgRelease]} />
      <Locked label={fields.applyTo} value={file.applyTo} />
      {file.hwVersion !== null && <Locked label={fields.hwVersion} value={file.hwVersion} />}
      {file.mcuNum !== null && <Locked label={fields.mcuNum} value={String(file.mcuNum)} />}
      {remarkLanguages.map((language) => (
        <Field
          key={language}
          name={`remark.${language}`}
          label={firmwareTexts.remarkIn(language)}
          {...(language === 'zh' && {
            hint: (
              <button type="button" className="link-button" onClick={() => repeatChinese(form)}>
                {firmwareTexts.sameAsChinese}
              </button>
            ),
          })}
        >
          <Input.TextArea lang={language} maxLength={2000} autoSize={{ minRows: 1, maxRows: 6 }} />
        </Field>
      ))}
      <Field
        name="isAutoUpgrade"
        label={fields.isAutoUpgrade}
        hint={firmwareTexts.autoHint}
        valuePropName="checked"
      >
        <Switch />
      </Field>
    </>
  )
}

/** A field that is filled from the file and read only. */
function Locked({ label, value }: { label: string; value: string }) {
  const id = useId()
  return (
    <Form.Item label={label} htmlFor={id} className={styles.lockedField ?? ''}>
      <Input id={id} className={styles.lockedValue ?? ''} disabled value={value} />
    </Form.Item>
  )
}
