import type { MenuRecord, MenuType } from '@voltkeep/contract/menus'
import { type TreeShape, wayTo } from '../../ui/tree/treeRows.ts'

// What the form offers. The server enforces the same rules.

/** `parentId` of the top level. */
export const top = '0'

/** The types allowed below a parent: directories at the top level only, pages in directories, functions on pages. */
export function typesBelow(parent: Pick<MenuRecord, 'type'> | undefined): readonly MenuType[] {
  if (!parent) return ['M', 'C']
  return parent.type === 'M' ? ['C'] : parent.type === 'C' ? ['F'] : []
}

/** Whether a menu may have children. */
export const takesChildren = ({ type, openType }: Pick<MenuRecord, 'type' | 'openType'>): boolean =>
  type === 'M' || (type === 'C' && openType === 0)

export interface ParentChoice {
  value: string
  title: string
  children: ParentChoice[]
}

/** Possible parents of a menu: the top level, directories and pages, but not its own subtree. */
export function parentChoices(
  tree: readonly MenuRecord[],
  moved: Pick<MenuRecord, 'id'> | undefined,
  topTitle: string,
): ParentChoice[] {
  const choicesOf = (menus: readonly MenuRecord[]): ParentChoice[] =>
    menus
      .filter((menu) => takesChildren(menu) && menu.id !== moved?.id)
      .map(({ id, name, children }) => ({ value: id, title: name, children: choicesOf(children) }))
  return [{ value: top, title: topTitle, children: choicesOf(tree) }]
}

/** How the page searches the tree: by name, path, component and function code. */
export const menuShape: TreeShape<MenuRecord> = {
  keyOf: ({ id }) => id,
  childrenOf: ({ children }) => children,
  textOf: ({ name, path, remark, url }) => [name, path, remark, url].join(' '),
}

/** The menu with this id, at any depth. */
export function findMenu(tree: readonly MenuRecord[], id: string | undefined): MenuRecord | undefined {
  return wayTo(tree, id, menuShape).at(-1)
}
