import { insertRegion, listRegions, type RegionNode, updateRegion } from '@voltkeep/contract/regions'
import { Input, InputNumber } from 'antd'
import { useCurrentUser } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import RegionCascader from '../../ui/choices/RegionCascader.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'

const { fields } = texts.regions
const stale = [listRegions]

/** Adds a region, below the parent given; or changes one. */
export default function RegionDialog({
  region,
  parent = null,
  onClose,
}: {
  region?: RegionNode
  parent?: RegionNode | null
  onClose: () => void
}) {
  const isSystem = useCurrentUser().resultVOS.some(({ code }) => code === 'SYSTEM')
  if (!region) {
    return (
      <FormDialog
        title={parent ? texts.regions.addBelowTitle(parent.label) : texts.regions.add}
        endpoint={insertRegion}
        stale={stale}
        initial={{ parentCode: parent?.value }}
        onClose={onClose}
      >
        <Field name="parentCode" label={fields.parent}>
          <RegionCascader placeholder={texts.regions.top} />
        </Field>
        <Field name="code" label={fields.code} hint={texts.regions.codeRule}>
          <Input autoFocus maxLength={12} autoComplete="off" spellCheck={false} />
        </Field>
        <RegionFields />
      </FormDialog>
    )
  }
  const { value, label, parentCode, orderNum, version } = region
  return (
    <FormDialog
      title={texts.regions.editTitle(label)}
      endpoint={updateRegion}
      stale={stale}
      initial={{ id: value, name: label, parentCode: parentCode ?? undefined, orderNum, version }}
      onClose={onClose}
    >
      <Field
        name="parentCode"
        label={fields.parent}
        hint={isSystem ? texts.regions.moveHint : texts.regions.moveOnlySystem}
      >
        <RegionCascader placeholder={texts.regions.top} isDisabled={!isSystem} />
      </Field>
      <RegionFields />
    </FormDialog>
  )
}

function RegionFields() {
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input maxLength={64} autoComplete="off" />
      </Field>
      <Field name="orderNum" label={fields.orderNum} hint={texts.regions.orderHint}>
        <InputNumber min={0} max={999_999} precision={0} />
      </Field>
    </>
  )
}
