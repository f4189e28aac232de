// The form of a new advertisement. The file is uploaded first; the form cannot be sent before.
import { useQuery } from '@tanstack/react-query'
import {
  type AdvertisementRow,
  createAdvertisement,
  type DeliveryPreview,
  exportLeftOutOfAdvertisement,
  listAdvertisements,
  previewDeliveries,
  uploadAdvertisementFile,
} from '@voltkeep/contract/advertisements'
import type { DataFor } from '@voltkeep/contract/endpoint'
import { Input } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { formatCount } from '../../lib/format.ts'
import { reading } from '../../lib/wire/reading.ts'
import { DeviceChoice } from '../../ui/choices/DeviceChoice.tsx'
import { DateTimeInput } from '../../ui/form/DateTimeInput.tsx'
import { FileField } from '../../ui/form/FileField.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../ui/form/form.types.ts'
import { Generated } from '../../ui/form/Generated.tsx'
import { useFieldValue } from '../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { LeftOutFile } from '../../ui/work/LeftOutFile.tsx'
import { WorkPreview, type WorkPreviewProps } from '../../ui/work/WorkPreview.tsx'
import styles from './advertisements.module.css'
import { advertisementTexts } from './advertisements.texts.ts'
import { Shown } from './Preview.tsx'

const { fields } = advertisementTexts
const dialogWidth = 720

type Annex = DataFor<typeof uploadAdvertisementFile>
const {
  annexUrl: _url,
  fileMame: _name,
  fgDelete: _deleted,
  adName,
  ...others
} = createAdvertisement.input.shape
const AdvertisementForm = z.object({
  adName,
  annex: z.custom<Annex, Annex>((value) => value !== undefined, advertisementTexts.fileMissing),
  ...others,
})

const isChosen = (chosen: unknown) => z.safeParse(others.cabinets, chosen).success

export default function AdvertisementDialog({
  replaced: given,
  onClose,
}: {
  /** The one in whose place it comes, where that is known already. */
  replaced?: AdvertisementRow
  onClose: () => void
}) {
  const [preview, setPreview] = useState<DeliveryPreview>()
  const running = useQuery(reading(listAdvertisements, { pageSize: 100 }))
  const replaceable = (running.data?.rows ?? []).filter(({ status }) => status !== 'over')
  return (
    <FormDialog
      title={advertisementTexts.add}
      endpoint={createAdvertisement}
      stale={[listAdvertisements]}
      schema={AdvertisementForm}
      initial={{
        cabinets: { isAll: 1 },
        ...(given && { replacedAdId: given.id, adEndTime: given.adEndTime }),
      }}
      width={dialogWidth}
      // The user must not confirm before the cabinets have been counted.
      canSend={({ annex, cabinets }) => annex !== undefined && (!isChosen(cabinets) || preview !== undefined)}
      toInput={({ annex, ...input }) => ({ ...input, annexUrl: annex.annexUrl, fileMame: annex.fileMame })}
      confirm={({ adName: name, adStartTime, adEndTime, cabinets, replacedAdId }) => {
        if (!preview) return undefined
        const replaced = replaceable.find(({ id }) => id === replacedAdId)
        const isAll = cabinets.isAll === 1
        return {
          title: advertisementTexts.confirmTitle,
          body: [
            preview.devices > 0
              ? advertisementTexts.confirm(name, `${adStartTime} 至 ${adEndTime}`, reachedBy(preview), isAll)
              : advertisementTexts.confirmNone(name),
            ...(replaced ? [advertisementTexts.confirmReplace(replaced.adName)] : []),
          ].join('\n'),
          confirmLabel: advertisementTexts.confirmAction,
        }
      }}
      onClose={onClose}
    >
      {(form) => <Fields form={form} replaceable={replaceable} onPreview={setPreview} />}
    </FormDialog>
  )
}

function Fields({
  form,
  replaceable,
  onPreview,
}: {
  form: TypedForm<typeof AdvertisementForm>
  replaceable: readonly AdvertisementRow[]
  onPreview: (preview: DeliveryPreview | undefined) => void
}) {
  const { Field } = form
  const cabinets = useFieldValue(form, 'cabinets')
  return (
    <>
      <Field name="annex" label={fields.file}>
        <FileField
          endpoint={uploadAdvertisementFile}
          describe={({ fileMame, sizeBytes }) => ({ name: fileMame, sizeBytes })}
          accept=".jpg,.jpeg,.png,.gif,.webp,.mp4,.webm"
          hint={advertisementTexts.fields.fileHint}
          preview={(file) => <Shown blob={file} name={file.name} />}
        />
      </Field>
      <Field name="adName" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="adStartTime" label={fields.startTime}>
        <DateTimeInput />
      </Field>
      <Field name="adEndTime" label={fields.endTime} dependsOn={['adStartTime']}>
        <DateTimeInput endsDay />
      </Field>
      <Field name="cabinets" label={fields.cabinets} hint={advertisementTexts.cabinetsHint}>
        <DeviceChoice />
      </Field>
      {cabinets && isChosen(cabinets) && (
        <Generated label={advertisementTexts.effect}>
          <Effect asked={{ cabinets }} onPreview={onPreview} />
        </Generated>
      )}
      <Field name="replacedAdId" label={fields.replaced} hint={advertisementTexts.replacedHint}>
        <SearchSelect
          allowClear
          placeholder={advertisementTexts.none}
          options={replaceable.map(({ id, adName: name }) => ({ value: id, label: name }))}
        />
      </Field>
    </>
  )
}

/** The cabinets that the advertisement would reach now. */
function Effect(asked: Pick<WorkPreviewProps<typeof previewDeliveries>, 'asked' | 'onPreview'>) {
  const words = advertisementTexts.effects
  return (
    <WorkPreview endpoint={previewDeliveries} {...asked}>
      {(preview) => (
        <>
          <p>{preview.devices > 0 ? words.devices(reachedBy(preview)) : words.nobody}</p>
          {preview.offline > 0 && (
            <p className={styles.quiet}>{words.offline(formatCount(preview.offline))}</p>
          )}
          {preview.chosen > preview.devices && (
            <p>
              {words.others(formatCount(preview.chosen - preview.devices))}{' '}
              <LeftOutFile endpoint={exportLeftOutOfAdvertisement} asked={asked.asked} />
            </p>
          )}
        </>
      )}
    </WorkPreview>
  )
}

/** `279 台柜机（换电柜 229，充电柜 50）`; a single type stands for itself. */
function reachedBy({ devices, types }: DeliveryPreview): string {
  const named = types.map(({ equipTypeName, devices: own }) => `${equipTypeName} ${formatCount(own)}`)
  return advertisementTexts.reached(formatCount(devices), named.join('，'))
}
