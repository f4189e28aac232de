import type { Access } from '@voltkeep/contract/endpoint'
import { DeleteButton, type DeleteButtonProps } from '../buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../buttons/RowActions.tsx'
import { Permitted } from '../Permitted.tsx'

export interface TreeActionsProps<Node> {
  node: Node
  /** Function codes of the three calls. */
  access: { insert: Access; update: Access; delete: Access }
  labels: { addBelow: string; edit: string }
  /** Texts of the deletion, and what its confirmation says. */
  removal: DeleteButtonProps['words']
  asks: DeleteButtonProps['asks']
  onAddBelow: (node: Node) => void
  onEdit: (node: Node) => void
  onDelete: () => Promise<unknown>
}

/** Add below, edit, delete: the actions of one node, each for a user with its function code. */
export function TreeActions<Node>({
  node,
  access,
  labels,
  removal,
  asks,
  onAddBelow,
  onEdit,
  onDelete,
}: TreeActionsProps<Node>) {
  return (
    <RowActions
      more={
        <Permitted code={access.delete}>
          <DeleteButton words={removal} asks={asks} onConfirm={onDelete} />
        </Permitted>
      }
    >
      <RowButton code={access.insert} onClick={() => onAddBelow(node)}>
        {labels.addBelow}
      </RowButton>
      <RowButton code={access.update} onClick={() => onEdit(node)}>
        {labels.edit}
      </RowButton>
    </RowActions>
  )
}
