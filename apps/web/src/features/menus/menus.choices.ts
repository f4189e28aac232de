import type { MenuRecord, MenuType } from '@voltkeep/contract/menus'

// What the form offers: the server refuses the rest anyway.

/** `parentId` of the top level. */
export const top = '0'

/** The types that may stand below a parent: M at the top only, pages in directories, functions on pages. */
export function typesBelow(parent: Pick<MenuRecord, 'type'> | undefined): readonly MenuType[] {
  if (!parent) return ['M', 'C']
  return parent.type === 'M' ? ['C'] : parent.type === 'C' ? ['F'] : []
}

/** Whether a menu may have something below it at all. */
export const takesChildren = ({ type, openType }: Pick<MenuRecord, 'type' | 'openType'>): boolean =>
  type === 'M' || (type === 'C' && openType === 0)

export interface ParentChoice {
  value: string
  title: string
  children: ParentChoice[]
}

/** Where a menu may be put: the top, directories and pages; not the menu itself nor what is below it. */
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

/** Whether a menu passes the keyword: by its name, its paths, its code. */
export function mentions(menu: MenuRecord, keyword: string): boolean {
  const typed = keyword.trim().toLowerCase()
  return [menu.name, menu.path, menu.remark, menu.url ?? ''].some((text) =>
    text.toLowerCase().includes(typed),
  )
}
