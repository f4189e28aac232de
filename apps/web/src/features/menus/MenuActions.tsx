import { deleteMenu, insertMenu, listMenus, type MenuRecord, updateMenu } from '@voltkeep/contract/menus'
import { formatCount } from '../../lib/format.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { DeleteRow } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { takesChildren } from './menus.choices.ts'
import { menuTexts } from './menus.texts.ts'

const { remove } = menuTexts

export interface MenuActionsProps {
  menu: MenuRecord
  onAddBelow: (menu: MenuRecord) => void
  onEdit: (menu: MenuRecord) => void
  onDeleted?: () => void
}

/** The actions on one menu, each for a user with its function code. */
export function MenuActions({ menu, onAddBelow, onEdit, onDeleted }: MenuActionsProps) {
  const { id, roleCount } = menu
  const hasChildren = menu.children.length > 0
  return (
    <RowActions
      more={
        <span title={hasChildren ? remove.hasChildren : undefined}>
          <DeleteRow
            endpoint={deleteMenu}
            input={{ id, roleCount }}
            stale={[listMenus]}
            words={remove}
            asks={[remove.ask(menu.name), roleCount > 0 && remove.fromRoles(formatCount(roleCount))]}
            disabled={hasChildren}
            onDeleted={() => {
              tellAccessChanged()
              onDeleted?.()
            }}
          />
        </span>
      }
    >
      {takesChildren(menu) && (
        <RowButton code={insertMenu.access} onClick={() => onAddBelow(menu)}>
          {menuTexts.addChild}
        </RowButton>
      )}
      <RowButton code={updateMenu.access} onClick={() => onEdit(menu)}>
        {menuTexts.edit}
      </RowButton>
    </RowActions>
  )
}
