import { deleteMenu, insertMenu, listMenus, type MenuRecord, updateMenu } from '@voltkeep/contract/menus'
import { Button } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { tellAccessChanged } from '../../lib/session.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { DeleteButton } from '../../ui/buttons/DeleteButton.tsx'
import { RowActions } from '../../ui/buttons/RowActions.tsx'
import { Permitted } from '../../ui/Permitted.tsx'
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
  const deleting = useWriting(deleteMenu, [listMenus], { said: remove.done })
  const { id, roleCount } = menu
  const hasChildren = menu.children.length > 0
  return (
    <RowActions
      more={
        <Permitted code={deleteMenu.access}>
          <span title={hasChildren ? remove.hasChildren : undefined}>
            <DeleteButton
              words={remove}
              asks={[remove.ask(menu.name), roleCount > 0 && remove.fromRoles(formatCount(roleCount))]}
              disabled={hasChildren}
              onConfirm={async () => {
                await deleting.mutateAsync({ id, roleCount })
                tellAccessChanged()
                onDeleted?.()
              }}
            />
          </span>
        </Permitted>
      }
    >
      {takesChildren(menu) && (
        <Permitted code={insertMenu.access}>
          <Button type="link" size="small" onClick={() => onAddBelow(menu)}>
            {menuTexts.addChild}
          </Button>
        </Permitted>
      )}
      <Permitted code={updateMenu.access}>
        <Button type="link" size="small" onClick={() => onEdit(menu)}>
          {menuTexts.edit}
        </Button>
      </Permitted>
    </RowActions>
  )
}
