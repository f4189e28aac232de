// The form of an error code of charging stations.
import {
  insertOcppCode,
  listOcppCodes,
  listUnknownOcppCodes,
  type OcppCodeRow,
  updateOcppCode,
} from '@voltkeep/contract/ocpp'
import { Input, InputNumber } from 'antd'
import { call } from '../../lib/wire/call.ts'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { ocppCodeTexts } from './ocppCodes.texts.ts'

const { fields, ...words } = ocppCodeTexts
const stale = [listOcppCodes, listUnknownOcppCodes]

const valuesOf = ({ vendor, alarmValue, note, ...row }: OcppCodeRow) => ({
  ...row,
  vendor: vendor || undefined,
  alarmValue: alarmValue ?? undefined,
  note: note ?? undefined,
})

/** Adds a code, with what a station has said preset; or changes one. */
export default function OcppCodeDialog({
  row,
  said,
  onClose,
}: {
  row?: OcppCodeRow
  said?: { vendor: string; code: string } | undefined
  onClose: () => void
}) {
  const readPresent = async (changed: OcppCodeRow) => {
    const { rows } = await call(listOcppCodes, { id: changed.id })
    return valuesOf(rows[0] ?? changed)
  }
  return (
    <FormDialog
      title={row ? words.editTitle(row.code) : words.add}
      endpoint={row ? updateOcppCode : insertOcppCode}
      stale={stale}
      initial={row ? valuesOf(row) : said ? { code: said.code, vendor: said.vendor || undefined } : {}}
      readPresent={row && (() => readPresent(row))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field name="vendor" label={fields.vendor} hint={words.vendorHint}>
            <Input maxLength={100} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="code" label={fields.code} hint={words.codeHint}>
            <Input maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="semaphoreCode" label={fields.semaphoreCode} hint={words.semaphoreHint}>
            <Input maxLength={8} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="alarmValue" label={fields.alarmValue} hint={words.valueHint}>
            <InputNumber min={1} precision={0} />
          </Field>
          <Field name="note" label={fields.note}>
            <Input maxLength={200} autoComplete="off" />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
