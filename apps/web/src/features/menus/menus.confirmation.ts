import { type MenuRecord, menuPath } from '@voltkeep/contract/menus'
import { formatCount } from '../../lib/format.ts'
import type { Confirmation } from '../../ui/buttons/Confirmation.tsx'
import { countBelow, wayTo } from '../../ui/tree/treeRows.ts'
import { menuShape, top } from './menus.choices.ts'
import { menuTexts } from './menus.texts.ts'

const { save, top: topLabel } = menuTexts

/** The values about to be saved. */
interface Saved {
  parentId?: string | undefined
  path: string
  remark: string
  type: MenuRecord['type']
}

/**
 * The confirmation before a menu changes its place, path or function code, which affects links, the menus below and
 * the roles that have it. Undefined where none of them changes.
 */
export function confirmationOf(
  tree: readonly MenuRecord[],
  menu: MenuRecord,
  { parentId = menu.parentId, path, remark, type }: Saved,
): Confirmation | undefined {
  const changes: string[] = []
  if (parentId !== menu.parentId) {
    const nameOf = (id: string) => (id === top ? topLabel : (wayTo(tree, id, menuShape).at(-1)?.name ?? id))
    changes.push(save.move(menu.name, nameOf(menu.parentId), nameOf(parentId)))
  }
  const from = addressOf(tree, menu.parentId, menu.path)
  const to = addressOf(tree, parentId, path)
  // Functions have no address.
  if (type !== 'F' && from !== to) changes.push(save.path(from, to))
  if (type === 'F' && remark !== menu.remark) changes.push(save.code(menu.remark, remark))
  if (changes.length === 0) return undefined
  const below = countBelow(menu, menuShape)
  if (below > 0) changes.push(save.below(formatCount(below)))
  if (menu.roleCount > 0) changes.push(save.roles(formatCount(menu.roleCount)))
  return { title: save.title, body: changes.join('\n'), confirmLabel: save.action }
}

function addressOf(tree: readonly MenuRecord[], parentId: string, path: string): string {
  const above = wayTo(tree, parentId, menuShape).reduce((address, menu) => menuPath(address, menu.path), '')
  return menuPath(above, path)
}
