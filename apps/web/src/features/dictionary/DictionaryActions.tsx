import {
  alarmType,
  type DictionaryRow,
  deleteDictionaryEntry,
  updateDictionaryEntry,
} from '@voltkeep/contract/dictionary'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { stale, useTypeName } from './dictionary.api.ts'
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
  const typeName = useTypeName()
  return (
    <RowActions
      more={
        !entry.isFixed && (
          <DeleteRow
            endpoint={deleteDictionaryEntry}
            input={{ id: entry.id }}
            stale={stale}
            words={remove}
            asks={[
              remove.ask(typeName(entry.type), entry.code, entry.name),
              entry.type === alarmType && remove.alarmWarn,
            ]}
            onDeleted={onDeleted}
          />
        )
      }
    >
      <RowButton code={updateDictionaryEntry.access} onClick={() => onEdit(entry)}>
        {dictionaryTexts.edit}
      </RowButton>
    </RowActions>
  )
}
