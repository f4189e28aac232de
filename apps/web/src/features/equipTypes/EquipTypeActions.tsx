import { deleteEquipType, type EquipType, updateEquipType } from '@voltkeep/contract/equipTypes'
import { Button } from 'antd'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { DeletePermitted } from './DeletePermitted.tsx'
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
        <DeletePermitted
          endpoint={deleteEquipType}
          input={{ id: type.id }}
          title={equipTypeTexts.remove.title}
          body={equipTypeTexts.remove.ask(type.name)}
          onDeleted={onDeleted}
        />
      }
    >
      <Permitted code={updateEquipType.access}>
        <Button type="link" size="small" onClick={() => onEdit(type)}>
          {equipTypeTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
}
