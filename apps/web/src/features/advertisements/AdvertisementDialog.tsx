// The form of a new advertisement. The file is uploaded first; the form cannot be sent before.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  createAdvertisement,
  listAdvertisements,
  uploadAdvertisementFile,
} from '@voltkeep/contract/advertisements'
import { countChosenDevices } from '@voltkeep/contract/deviceChoice'
import type { DataFor } from '@voltkeep/contract/endpoint'
import { Input } from 'antd'
import * as z from 'zod/mini'
import { formatCount } from '../../lib/format.ts'
import { reading } from '../../lib/wire/reading.ts'
import { DeviceChoice } from '../../ui/choices/DeviceChoice.tsx'
import { DateTimeInput } from '../../ui/form/DateTimeInput.tsx'
import { FileField } from '../../ui/form/FileField.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
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

export default function AdvertisementDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const running = useQuery(reading(listAdvertisements, { pageSize: 100 }))
  const replaceable = (running.data?.rows ?? []).filter(({ status }) => status !== 'over')
  return (
    <FormDialog
      title={advertisementTexts.add}
      endpoint={createAdvertisement}
      stale={[listAdvertisements]}
      schema={AdvertisementForm}
      initial={{ cabinets: { isAll: 1 } }}
      width={dialogWidth}
      canSend={({ annex }) => annex !== undefined}
      toInput={({ annex, ...input }) => ({ ...input, annexUrl: annex.annexUrl, fileMame: annex.fileMame })}
      confirm={({ adName: name, adStartTime, adEndTime, cabinets, replacedAdId }) => {
        // The device choice has just requested this count, so the cache contains it: of codes as they are sent.
        const { codes, ...others } = cabinets
        const asked = codes ? { codes: codes.join(',') } : others
        const counted = client.getQueryData(reading(countChosenDevices, asked).queryKey)
        const replaced = replaceable.find(({ id }) => id === replacedAdId)
        return {
          title: advertisementTexts.confirmTitle,
          body: [
            advertisementTexts.confirm(
              name,
              `${adStartTime} 至 ${adEndTime}`,
              counted && formatCount(counted.count),
              cabinets.isAll === 1,
            ),
            ...(replaced ? [advertisementTexts.confirmReplace(replaced.adName)] : []),
          ].join('\n'),
          confirmLabel: advertisementTexts.confirmAction,
        }
      }}
      onClose={onClose}
    >
      {({ Field }) => (
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
          <Field name="replacedAdId" label={fields.replaced} hint={advertisementTexts.replacedHint}>
            <SearchSelect
              allowClear
              placeholder={advertisementTexts.none}
              options={replaceable.map(({ id, adName: name }) => ({ value: id, label: name }))}
            />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
