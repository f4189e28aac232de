import { listOperators } from '@voltkeep/contract/operators'
import {
  deleteOrganization,
  insertOrganization,
  listOrganizations,
  type OrganizationNode,
  updateOrganization,
} from '@voltkeep/contract/organizations'
import { Button } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeleteButton } from '../../ui/DeleteButton.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { RowActions } from '../../ui/RowActions.tsx'

const { remove } = texts.organizations

export interface OrganizationActionsProps {
  organization: OrganizationNode
  onAddBelow: (organization: OrganizationNode) => void
  onEdit: (organization: OrganizationNode) => void
  onDeleted?: () => void
}

/** What may be done to one organization, each for who may. */
export function OrganizationActions({
  organization,
  onAddBelow,
  onEdit,
  onDeleted,
}: OrganizationActionsProps) {
  const deleting = useWriting(deleteOrganization, [listOrganizations, listOperators], { said: remove.done })
  const { id, name } = organization
  return (
    <RowActions>
      <Permitted code={insertOrganization.access}>
        <Button type="link" size="small" onClick={() => onAddBelow(organization)}>
          {texts.organizations.addBelow}
        </Button>
      </Permitted>
      <Permitted code={updateOrganization.access}>
        <Button type="link" size="small" onClick={() => onEdit(organization)}>
          {texts.organizations.edit}
        </Button>
      </Permitted>
      <Permitted code={deleteOrganization.access}>
        <DeleteButton
          words={remove}
          asks={[remove.ask(name), remove.warn]}
          onConfirm={async () => {
            await deleting.mutateAsync({ id })
            onDeleted?.()
          }}
        />
      </Permitted>
    </RowActions>
  )
}
