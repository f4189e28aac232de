import {
  alarmType,
  type DictionaryRow,
  deleteDictionaryEntry,
  updateDictionaryEntry,
} from '@voltkeep/contract/dictionary'
import { Button } from 'antd'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
import { useDeleting, useTypeName } from './dictionary.api.ts'
import { dictionaryTexts } from './dictionary.texts.ts'

const { remove } = dictionaryTexts

/**
 * The actions on one entry, each for a user with its function code. Entries that the server depends on cannot be
 * deleted.
 */
export function DictionaryActions({
  entry,
  onEdit,
  onDeleted,
}: {
  entry: DictionaryRow
  onEdit: (entry: DictionaryRow) => void
  onDeleted?: () => void
}) {
  const deleting = useDeleting()
  const typeName = useTypeName()
  return (
    <RowActions
      more={
        !entry.isFixed && (
          <Permitted code={deleteDictionaryEntry.access}>
            <DeleteButton
              words={remove}
              asks={[
                remove.ask(typeName(entry.type), entry.code, entry.name),
                entry.type === alarmType && remove.alarmWarn,
              ]}
              onConfirm={async () => {
                await deleting.mutateAsync({ id: entry.id })
                onDeleted?.()
              }}
            />
          </Permitted>
        )
      }
    >
      <Permitted code={updateDictionaryEntry.access}>
        <Button type="link" size="small" onClick={() => onEdit(entry)}>
          {dictionaryTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
}
