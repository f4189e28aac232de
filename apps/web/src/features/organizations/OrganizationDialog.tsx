import { listOperators, searchOperators } from '@voltkeep/contract/operators'
import {
  insertOrganization,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract/organizations'
import { Input, InputNumber } from 'antd'
import { useCurrentUser } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { Field } from '../../ui/form/Field.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'

const { fields } = texts.organizations
const stale = [listOrganizations, listOperators, searchOperators]

/** Adds an organization, below the parent given; or changes one. */
export default function OrganizationDialog({
  organization,
  parent = null,
  onClose,
}: {
  organization?: OrganizationNode
  parent?: OrganizationNode | null
  onClose: () => void
}) {
  const user = useCurrentUser()
  const isSystem = user.resultVOS.some(({ code }) => code === 'SYSTEM')
  // Only a SYSTEM user puts organizations at the top.
  const top = isSystem ? texts.organizations.top : undefined
  if (!organization) {
    return (
      <FormDialog
        title={parent ? texts.organizations.addBelowTitle(parent.name) : texts.organizations.add}
        endpoint={insertOrganization}
        stale={stale}
        initial={{ parentId: parent?.id ?? user.organizationId, orderNum: 0 }}
        onClose={onClose}
      >
        <Field name="parentId" label={fields.parent} isNeeded>
          <OrganizationTree top={top} />
        </Field>
        <OrganizationFields />
      </FormDialog>
    )
  }
  const { id, parentId, name, code, orderNum, version } = organization
  const isOwn = !isSystem && id === user.organizationId
  return (
    <FormDialog
      title={texts.organizations.editTitle(name)}
      endpoint={updateOrganization}
      stale={stale}
      initial={{ id, parentId: isOwn ? undefined : parentId, name, code, orderNum, version }}
      onClose={onClose}
    >
      <Field
        name="parentId"
        label={fields.parent}
        hint={isOwn ? texts.organizations.ownHint : texts.organizations.moveHint}
      >
        <OrganizationTree top={top} without={id} isDisabled={isOwn} />
      </Field>
      <OrganizationFields />
    </FormDialog>
  )
}

function OrganizationFields() {
  return (
    <>
      <Field name="name" label={fields.name}>
        <Input autoFocus maxLength={64} autoComplete="off" />
      </Field>
      <Field name="code" label={fields.code}>
        <Input maxLength={64} autoComplete="off" spellCheck={false} />
      </Field>
      <Field name="orderNum" label={fields.orderNum} hint={texts.organizations.orderHint}>
        <InputNumber min={0} max={999_999} precision={0} />
      </Field>
    </>
  )
}
