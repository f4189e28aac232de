import { listOperators } from '@voltkeep/contract/operators'
import {
  deleteOrganization,
  insertOrganization,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract/organizations'
import { useWriting } from '../../lib/wire/writing.ts'
import { TreeActions } from '../../ui/tree/TreeActions.tsx'
import { organizationTexts } from './organizations.texts.ts'

const { remove } = organizationTexts

export interface OrganizationActionsProps {
  organization: OrganizationNode
  onAddBelow: (organization: OrganizationNode) => void
  onEdit: (organization: OrganizationNode) => void
  onDeleted?: () => void
}

export function OrganizationActions({ organization, onDeleted, ...actions }: OrganizationActionsProps) {
  const deleting = useWriting(deleteOrganization, [listOrganizations, listOperators], { said: remove.done })
  return (
    <TreeActions
      node={organization}
      access={{
        insert: insertOrganization.access,
        update: updateOrganization.access,
        delete: deleteOrganization.access,
      }}
      labels={organizationTexts}
      removal={remove}
      asks={[remove.ask(organization.name), remove.warn]}
      onDelete={async () => {
        await deleting.mutateAsync({ id: organization.id })
        onDeleted?.()
      }}
      {...actions}
    />
  )
}
