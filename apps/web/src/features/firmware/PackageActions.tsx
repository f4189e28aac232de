import type { PackageRow } from '@voltkeep/contract/firmware'
import { Button } from 'antd'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
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
  const deleting = useWriting(view.remove, packageLists, { said: remove.done })
  return (
    <RowActions
      more={
        <Permitted code={view.remove.access}>
          <DeleteButton
            words={{ ...remove, title: view.words.remove }}
            asks={[remove.ask(nameOf(row), kinds[row.fgRelease]), remove.warn]}
            onConfirm={async () => {
              await deleting.mutateAsync({ versionId: row.id })
              onDeleted?.()
            }}
          />
        </Permitted>
      }
    >
      <Button type="link" size="small" onClick={() => onJson(row)}>
        {firmwareTexts.json}
      </Button>
      <Permitted code={view.update.access}>
        <Button type="link" size="small" onClick={() => onEdit(row)}>
          {firmwareTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
}
