import { deleteEquipType, type EquipType, updateEquipType } from '@voltkeep/contract/equipTypes'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { staleTypes } from './equipTypes.api.ts'
import { equipTypeTexts } from './equipTypes.texts.ts'

/** The actions on one type, each for a user with its function code. */
export function EquipTypeActions({
  type,
  onEdit,
  onDeleted,
}: {
  type: EquipType
  onEdit: (type: EquipType) => void
  onDeleted?: () => void
}) {
  return (
    <RowActions
      more={
        <DeleteRow
          endpoint={deleteEquipType}
          input={{ id: type.id }}
          stale={staleTypes}
          words={equipTypeTexts.remove}
          asks={[equipTypeTexts.remove.ask(type.name)]}
          onDeleted={onDeleted}
        />
      }
    >
      <RowButton code={updateEquipType.access} onClick={() => onEdit(type)}>
        {equipTypeTexts.edit}
      </RowButton>
    </RowActions>
  )
}
