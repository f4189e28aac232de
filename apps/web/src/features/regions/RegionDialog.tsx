import { insertRegion, listRegions, type RegionNode, updateRegion } from '@voltkeep/contract/regions'
import { Input, InputNumber } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useIsSystem } from '../../lib/session.ts'
import { call } from '../../lib/wire/call.ts'
import { regionName, regionShape } from '../../ui/choices/choices.trees.ts'
import { useRegions } from '../../ui/choices/choices.ts'
import RegionCascader from '../../ui/choices/RegionCascader.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { countBelow, wayTo } from '../../ui/tree/treeRows.ts'
import { regionTexts } from './regions.texts.ts'

const { fields, move } = regionTexts
const stale = [listRegions]

const valuesOf = ({ value, label, parentCode, orderNum, version }: RegionNode) => ({
  id: value,
  name: label,
  parentCode,
  orderNum,
  version,
})

/** Adds a region, with the given parent preset; or changes one, except its code. */
export default function RegionDialog({
  region,
  parent = null,
  onClose,
}: {
  region?: RegionNode
  parent?: RegionNode | null
  onClose: () => void
}) {
  const tree = useRegions().data ?? []
  const isSystem = useIsSystem()
  const title = region
    ? regionTexts.editTitle(region.label)
    : parent
      ? regionTexts.addBelowTitle(parent.label)
      : regionTexts.add
  const mayMove = !region || isSystem
  /** The region as last read: the confirmation compares with it. */
  const [saved, setSaved] = useState(region)
  const readPresent = async (changed: RegionNode) => {
    const present = wayTo(await call(listRegions, {}), changed.value, regionShape).at(-1) ?? changed
    setSaved(present)
    return valuesOf(present)
  }

  /** A move includes the whole subtree, hence the confirmation. */
  const confirm = ({ parentCode }: { parentCode?: string | undefined }) => {
    if (!saved || parentCode === undefined || parentCode === saved.parentCode) return undefined
    const nameOf = (code: string | null) => (code === null ? move.top : regionName(tree, code))
    const below = formatCount(countBelow(saved, regionShape))
    return {
      title: move.title,
      body: move.ask(saved.label, nameOf(saved.parentCode), nameOf(parentCode), below),
      confirmLabel: move.action,
    }
  }

  return (
    <FormDialog
      title={title}
      endpoint={region ? updateRegion : insertRegion}
      stale={stale}
      initial={region ? valuesOf(region) : { parentCode: parent?.value }}
      confirm={confirm}
      readPresent={region && (() => readPresent(region))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field
            name="parentCode"
            label={fields.parent}
            hint={region && (isSystem ? regionTexts.moveHint : regionTexts.moveOnlySystem)}
          >
            <RegionCascader placeholder={regionTexts.top} isDisabled={!mayMove} />
          </Field>
          {!region && (
            <Field name="code" label={fields.code} hint={regionTexts.codeRule}>
              <Input maxLength={12} autoComplete="off" spellCheck={false} />
            </Field>
          )}
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="orderNum" label={fields.orderNum} hint={regionTexts.orderHint}>
            <InputNumber min={0} max={999_999} precision={0} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
