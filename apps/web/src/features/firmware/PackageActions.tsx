import type { PackageRow } from '@voltkeep/contract/firmware'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { firmwareTexts } from './firmware.texts.ts'
import { type PackageView, packageLists } from './packageViews.ts'

const { remove, kinds } = firmwareTexts

/** The package's name in a sentence. */
export const nameOf = ({ pcbCode, partTypeName, version }: PackageRow) =>
  ` ${pcbCode} ${partTypeName} ${version} `

/** The actions on one package, each for a user with its function code. */
export function PackageActions({
  view,
  row,
  onJson,
  onEdit,
  onDeleted,
}: {
  view: PackageView
  row: PackageRow
  onJson: (row: PackageRow) => void
  onEdit: (row: PackageRow) => void
  onDeleted?: (() => void) | undefined
}) {
  return (
    <RowActions
      more={
        <DeleteRow
          endpoint={view.remove}
          input={{ versionId: row.id }}
          stale={packageLists}
          words={{ ...remove, title: view.words.remove }}
          asks={[remove.ask(nameOf(row), kinds[row.fgRelease]), remove.warn]}
          onDeleted={onDeleted}
        />
      }
    >
      <RowButton onClick={() => onJson(row)}>{firmwareTexts.json}</RowButton>
      <RowButton code={view.update.access} onClick={() => onEdit(row)}>
        {firmwareTexts.edit}
      </RowButton>
    </RowActions>
  )
}
