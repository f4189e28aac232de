import { deleteEquipType, type EquipType, updateEquipType } from '@voltkeep/contract/equipTypes'
import { Button } from 'antd'
import { texts } from '../../lib/texts/index.ts'
import { Permitted } from '../../ui/Permitted.tsx'
import { RowActions } from '../../ui/RowActions.tsx'
import { DeletePermitted } from './DeletePermitted.tsx'

/** What may be done to one type, each for who may. */
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
    <RowActions>
      <Permitted code={updateEquipType.access}>
        <Button type="link" size="small" onClick={() => onEdit(type)}>
          {texts.equipTypes.edit}
        </Button>
      </Permitted>
      <DeletePermitted
        endpoint={deleteEquipType}
        input={{ id: type.id }}
        title={texts.equipTypes.remove.title}
        body={texts.equipTypes.remove.ask(type.name)}
        onDeleted={onDeleted}
      />
    </RowActions>
  )
}
