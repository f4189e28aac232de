import { useNavigate } from '@tanstack/react-router'
import type { PackageRow } from '@voltkeep/contract/firmware'
import { insertUpgradeTask } from '@voltkeep/contract/upgrades'
import { pagePaths } from '../../lib/pages.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { useStore } from '../../lib/store.ts'
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
        <>
          <RowButton onClick={() => onJson(row)}>{firmwareTexts.json}</RowButton>
          <DeleteRow
            endpoint={view.remove}
            input={{ versionId: row.id }}
            stale={packageLists}
            words={{ ...remove, title: view.words.remove }}
            asks={[remove.ask(nameOf(row), kinds[row.fgRelease]), remove.warn]}
            onDeleted={onDeleted}
          />
        </>
      }
    >
      <Upgrading row={row} />
      <RowButton code={view.update.access} onClick={() => onEdit(row)}>
        {firmwareTexts.edit}
      </RowButton>
    </RowActions>
  )
}

/** Leads to the form of an upgrade with this package; for a user who has that page and may plan one. */
function Upgrading({ row }: { row: PackageRow }) {
  const navigate = useNavigate()
  const path = useStore(pagePaths).get('upgrade/upgradeTask')
  const { functionCodes } = useCurrentUser()
  if (path === undefined || !functionCodes.includes(insertUpgradeTask.access)) return null
  return (
    <RowButton onClick={() => void navigate({ to: path, search: { file: row.id } as never })}>
      {firmwareTexts.upgrade}
    </RowButton>
  )
}
