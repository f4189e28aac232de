import {
  businessStatuses,
  type DeviceRow,
  insertDevice,
  listDevices,
  readDevice,
  updateDevice,
} from '@voltkeep/contract/devices'
import { id as idOf } from '@voltkeep/contract/fields'
import { Form, type FormInstance, Input, Select } from 'antd'
import * as z from 'zod/mini'
import { texts } from '../../lib/texts/index.ts'
import { withoutEmpty } from '../../lib/wire/outgoing.ts'
import { useEquipTypes, useOperators } from '../../ui/choices/choices.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import RegionCascader from '../../ui/choices/RegionCascader.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import type { FreshSecret } from './devices.secret.ts'

const { fields } = texts.devices
const stale = [listDevices, readDevice]
/** Not on the wire: without a manufacturer there is no operator to choose. Before it, as the eye meets them. */
const manufacturer = { organizationId: idOf(fields.organization) }
const { code, ...others } = insertDevice.input.shape
const AddForm = z.object({ code, ...manufacturer, ...others })
const ChangeForm = z.object({ ...manufacturer, ...updateDevice.input.shape })

/** Adds a device, which answers its secret; or changes one. */
export default function DeviceDialog({
  device,
  onSecret,
  onClose,
}: {
  device?: DeviceRow
  onSecret: (fresh: FreshSecret) => void
  onClose: () => void
}) {
  if (!device) {
    return (
      <FormDialog
        title={texts.devices.add}
        endpoint={insertDevice}
        stale={stale}
        schema={AddForm}
        initial={{ businessStatus: 2 }}
        toInput={(values) => inputOf(values) as never}
        onDone={onSecret}
        onClose={onClose}
      >
        {(form) => (
          <>
            <Field name="code" label={fields.code} hint={texts.devices.codeRule}>
              <Input autoFocus maxLength={32} autoComplete="off" spellCheck={false} />
            </Field>
            <DeviceFields form={form} />
          </>
        )}
      </FormDialog>
    )
  }
  const { id, name, organizationId, operatorId, equipModelId, regionCode, address, businessStatus } = device
  return (
    <FormDialog
      title={texts.devices.editTitle(device.code)}
      endpoint={updateDevice}
      stale={stale}
      schema={ChangeForm}
      initial={{
        id,
        name: name ?? undefined,
        organizationId,
        operatorId,
        equipModelId,
        regionCode,
        address: address ?? undefined,
        businessStatus,
      }}
      toInput={(values) => inputOf(values) as never}
      onClose={onClose}
    >
      {(form) => <DeviceFields form={form} />}
    </FormDialog>
  )
}

/** The manufacturer only narrows the choice of operators: a device's follows from its operator. */
function inputOf({ organizationId: _, ...values }: Record<string, unknown>) {
  return withoutEmpty(values)
}

function DeviceFields({ form }: { form: FormInstance }) {
  const organizationId = Form.useWatch<string | undefined>('organizationId', form)
  const operators = useOperators(organizationId)
  const types = useEquipTypes()
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="organizationId" label={fields.organization}>
        <OrganizationTree
          placeholder={texts.devices.choose}
          onChange={() => form.setFieldValue('operatorId', undefined)}
        />
      </Field>
      {organizationId === undefined ? (
        // Not blamed for being empty while it cannot be filled in.
        <Form.Item label={fields.operator} htmlFor="operatorId" required>
          <Select id="operatorId" disabled placeholder={texts.alarms.fields.operatorFirst} />
        </Form.Item>
      ) : (
        <Field name="operatorId" label={fields.operator}>
          <Select
            loading={operators.isFetching}
            notFoundContent={unread(operators)}
            placeholder={texts.devices.choose}
            showSearch={{ optionFilterProp: 'label' }}
            options={(operators.data ?? []).map((operator) => ({ value: operator.id, label: operator.name }))}
          />
        </Field>
      )}
      <Field name="equipModelId" label={fields.model}>
        <Select
          loading={types.isPending}
          notFoundContent={unread(types)}
          placeholder={texts.devices.choose}
          showSearch={{ optionFilterProp: 'label' }}
          options={(types.data ?? []).map((type) => ({
            label: type.name,
            options: type.equipModels.map((model) => ({ value: model.id, label: model.name })),
          }))}
        />
      </Field>
      <Field name="regionCode" label={fields.region} hint={texts.devices.regionAny}>
        <RegionCascader placeholder={texts.devices.choose} />
      </Field>
      <Field name="address" label={fields.address}>
        <Input maxLength={200} autoComplete="off" />
      </Field>
      <Field name="businessStatus" label={fields.businessStatus}>
        <Select
          options={businessStatuses.map((status) => ({
            value: status,
            label: texts.devices.businessStatuses[status],
          }))}
        />
      </Field>
    </>
  )
}
