// The form of a new device, which returns its secret, or of a present one.
import { useQueryClient } from '@tanstack/react-query'
import {
  businessStatuses,
  businessStatusNames,
  type DeviceRow,
  insertDevice,
  listDevices,
  readDevice,
  updateDevice,
} from '@voltkeep/contract/devices'
import { id as idOf } from '@voltkeep/contract/fields'
import { listOperators } from '@voltkeep/contract/operators'
import { deviceProtocols, protocolNames } from '@voltkeep/contract/protocols'
import { Form, Input, Select } from 'antd'
import * as z from 'zod/mini'
import { texts } from '../../../lib/texts/index.ts'
import { call } from '../../../lib/wire/call.ts'
import { readingRarely } from '../../../lib/wire/reading.ts'
import { Listbox } from '../../../ui/buttons/Listbox.tsx'
import { regionName } from '../../../ui/choices/choices.trees.ts'
import { useEquipTypes, useOperators, useRegions } from '../../../ui/choices/choices.ts'
import { choicesOf } from '../../../ui/choices/choicesOf.ts'
import OrganizationTree from '../../../ui/choices/OrganizationTree.tsx'
import RegionCascader from '../../../ui/choices/RegionCascader.tsx'
import { unread } from '../../../ui/choices/Unread.tsx'
import { FormDialog } from '../../../ui/form/FormDialog.tsx'
import type { TypedForm } from '../../../ui/form/form.types.ts'
import { useFieldValue } from '../../../ui/form/useFieldValue.ts'
import { SearchSelect } from '../../../ui/typed/SearchSelect.tsx'
import { deviceTexts } from '../devices.texts.ts'
import { confirmationOf } from './devices.confirmation.ts'
import type { FreshSecret } from './devices.secret.ts'

const { fields } = deviceTexts
const stale = [listDevices, readDevice]
/**
 * Used by the form only, to narrow the choice of operators. The server derives a device's manufacturer from its
 * operator.
 */
const manufacturer = { organizationId: idOf(fields.organization, deviceTexts.organizationMissing) }
// The first problem in schema order gets the focus, so the schema has the order of the fields.
const { code, ...others } = insertDevice.input.shape
const AddForm = z.object({ code, ...manufacturer, ...others })
const ChangeForm = z.object({ ...manufacturer, ...updateDevice.input.shape })
type DeviceForm = typeof AddForm | typeof ChangeForm

export default function DeviceDialog({
  device,
  onSecret,
  onClose,
}: {
  device?: DeviceRow
  onSecret: (fresh: FreshSecret) => void
  onClose: () => void
}) {
  const client = useQueryClient()
  const regions = useRegions().data ?? []

  const confirm = (values: { organizationId: string; operatorId: string; regionCode: string }) => {
    // The form has read this list: the operator was chosen from it.
    const read = readingRarely(listOperators, { organId: values.organizationId })
    const operators = client.getQueryData(read.queryKey) ?? []
    return (
      device &&
      confirmationOf(device, values, {
        operator: (chosen) => operators.find(({ id }) => id === chosen)?.name ?? chosen,
        region: (chosen) => regionName(regions, chosen),
      })
    )
  }

  return (
    <FormDialog
      title={device ? deviceTexts.editTitle(device.code) : deviceTexts.add}
      endpoint={device ? updateDevice : insertDevice}
      stale={stale}
      schema={device ? ChangeForm : AddForm}
      initial={device ?? { businessStatus: 2, protocol: 'mqtt' }}
      toInput={({ organizationId: _, ...input }) => input}
      confirm={confirm}
      readPresent={device && (() => call(readDevice, { id: device.id }))}
      onDone={(fresh) => fresh && onSecret(fresh)}
      onClose={onClose}
    >
      {(form) => (
        <>
          {!device && (
            <form.Field name="code" label={fields.code} hint={deviceTexts.codeRule}>
              <Input maxLength={32} autoComplete="off" spellCheck={false} />
            </form.Field>
          )}
          <DeviceFields form={form} />
        </>
      )}
    </FormDialog>
  )
}

function DeviceFields({ form }: { form: TypedForm<DeviceForm> }) {
  const { Field } = form
  const organizationId = useFieldValue(form, 'organizationId')
  const protocol = useFieldValue(form, 'protocol')
  const operators = useOperators(organizationId)
  const types = useEquipTypes()
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="organizationId" label={fields.organization}>
        <OrganizationTree
          placeholder={deviceTexts.choose}
          onChange={() => form.setValues({ operatorId: undefined })}
        />
      </Field>
      {organizationId === undefined ? (
        // No `required` error while the field is disabled.
        <Form.Item label={fields.operator} htmlFor="operatorId" required>
          <Select id="operatorId" disabled placeholder={texts.fields.operatorFirst} />
        </Form.Item>
      ) : (
        <Field name="operatorId" label={fields.operator}>
          <SearchSelect
            loading={operators.isFetching}
            notFoundContent={unread(operators)}
            placeholder={deviceTexts.choose}
            options={(operators.data ?? []).map((operator) => ({ value: operator.id, label: operator.name }))}
          />
        </Field>
      )}
      <Field name="equipModelId" label={fields.model}>
        <SearchSelect
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={deviceTexts.choose}
          // With virtual scrolling, screen readers announce a group's heading as an unselected option.
          virtual={false}
          popupRender={(list) => <Listbox>{list}</Listbox>}
          options={(types.data ?? []).map((type) => ({
            label: type.name,
            options: type.equipModels.map((model) => ({ value: model.id, label: model.name })),
          }))}
        />
      </Field>
      <Field name="regionCode" label={fields.region} hint={deviceTexts.regionAny}>
        <RegionCascader placeholder={deviceTexts.choose} />
      </Field>
      <Field name="address" label={fields.address}>
        <Input maxLength={200} autoComplete="off" />
      </Field>
      <Field name="protocolIdentity" label={fields.protocolIdentity} hint={deviceTexts.protocolIdentityHint}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="businessStatus" label={fields.businessStatus}>
        <Select options={choicesOf(businessStatuses, businessStatusNames)} />
      </Field>
      <Field name="protocol" label={fields.protocol} hint={protocol && deviceTexts.protocolHints[protocol]}>
        <Select options={choicesOf(deviceProtocols, protocolNames)} />
      </Field>
    </>
  )
}
