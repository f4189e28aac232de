import { listOperators, searchOperators } from '@voltkeep/contract/operators'
import {
  insertOrganization,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract/organizations'
import { Input, InputNumber } from 'antd'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useCurrentUser, useIsSystem } from '../../lib/session.ts'
import { call } from '../../lib/wire/call.ts'
import { organizationName, organizationShape } from '../../ui/choices/choices.trees.ts'
import { useOrganizations } from '../../ui/choices/choices.ts'
import OrganizationTree from '../../ui/choices/OrganizationTree.tsx'
import { FormDialog } from '../../ui/form/FormDialog.tsx'
import { countBelow, wayTo } from '../../ui/tree/treeRows.ts'
import { organizationTexts } from './organizations.texts.ts'

const { fields, move } = organizationTexts
const stale = [listOrganizations, listOperators, searchOperators]

/** Adds an organization, with the given parent preset; or changes one. */
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
  const tree = useOrganizations().data ?? []
  const isSystem = useIsSystem()
  // Only a SYSTEM user may place an organization at the top.
  const top = isSystem ? organizationTexts.top : undefined
  const isOwn = !isSystem && organization?.id === user.organizationId
  /** The organization as last read: the confirmation compares with it. */
  const [saved, setSaved] = useState(organization)
  const valuesOf = (node: OrganizationNode) => ({ ...node, parentId: isOwn ? undefined : node.parentId })
  const readPresent = async (changed: OrganizationNode) => {
    const present = wayTo(await call(listOrganizations, {}), changed.id, organizationShape).at(-1) ?? changed
    setSaved(present)
    return valuesOf(present)
  }
  const title = organization
    ? organizationTexts.editTitle(organization.name)
    : parent
      ? organizationTexts.addBelowTitle(parent.name)
      : organizationTexts.add

  /** A move includes the whole subtree, hence the confirmation. */
  const confirm = ({ parentId }: { parentId?: string | undefined }) => {
    if (!saved || parentId === undefined || parentId === saved.parentId) return undefined
    const below = countBelow(saved, organizationShape)
    const nameOf = (id: string) => (id === '0' ? move.top : organizationName(tree, id))
    return {
      title: move.title,
      body: move.ask(saved.name, nameOf(saved.parentId), nameOf(parentId), formatCount(below)),
      confirmLabel: move.action,
    }
  }

  return (
    <FormDialog
      title={title}
      endpoint={organization ? updateOrganization : insertOrganization}
      stale={stale}
      initial={
        organization ? valuesOf(organization) : { parentId: parent?.id ?? user.organizationId, orderNum: 0 }
      }
      confirm={confirm}
      readPresent={organization && (() => readPresent(organization))}
      onClose={onClose}
    >
      {({ Field }) => (
        <>
          <Field
            name="parentId"
            label={fields.parent}
            isNeeded={!organization}
            hint={organization && (isOwn ? organizationTexts.ownHint : organizationTexts.moveHint)}
          >
            <OrganizationTree top={top} without={organization?.id} isDisabled={isOwn} />
          </Field>
          <Field name="name" label={fields.name}>
            <Input maxLength={64} autoComplete="off" />
          </Field>
          <Field name="code" label={fields.code}>
            <Input maxLength={64} autoComplete="off" spellCheck={false} />
          </Field>
          <Field name="orderNum" label={fields.orderNum} hint={organizationTexts.orderHint}>
            <InputNumber min={0} max={999_999} precision={0} />
          </Field>
        </>
      )}
    </FormDialog>
  )
}
