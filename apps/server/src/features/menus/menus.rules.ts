// Which menu may stand where: pure rules over all menus, as they are or as they would be after a change.
import { externalPath, type FieldProblem, menuComponentKey, menuPath } from '@voltkeep/contract'
import type { MenuRow, MenuValues } from './menus.queries.ts'

/** The fields of a form, with those that depend on its type: only pages have a component, external ones one path. */
export function normalised(values: MenuValues): MenuValues {
  const isPage = values.type === 'C'
  return {
    ...values,
    url: isPage ? values.url : null,
    path: values.openType === 1 ? externalPath : values.path,
  }
}

/** Rules of place: M at the top, C at the top or in a directory, F on a page; never below itself. */
export function placeProblems(
  menus: readonly MenuRow[],
  menu: MenuValues,
  id: number | null,
): FieldProblem[] {
  const parent = menus.find((each) => each.id === menu.parentId)
  if (menu.parentId !== null && !parent) return [{ field: 'parentId', message: '上级菜单不存在' }]
  if (parent && id !== null && idsBelow(menus, id).has(parent.id)) {
    return [{ field: 'parentId', message: '不能移动到自身或其下级' }]
  }
  if (menu.type === 'M' && parent) return [{ field: 'type', message: '目录只能位于顶级' }]
  if (menu.type === 'C' && parent && parent.type !== 'M') {
    return [{ field: 'parentId', message: '页面只能位于顶级或目录下' }]
  }
  if (menu.type === 'F' && parent?.type !== 'C') {
    return [{ field: 'parentId', message: '功能只能位于页面下' }]
  }
  const children = id === null ? [] : menus.filter((each) => each.parentId === id)
  const childType = menu.type === 'M' ? 'C' : menu.type === 'C' ? 'F' : null
  if (children.some((child) => child.type !== childType)) {
    return [{ field: 'type', message: '菜单下存在子菜单，不能改为该类型' }]
  }
  return []
}

/** The menu and all that stands below it. */
export function idsBelow(menus: readonly MenuRow[], id: number): Set<number> {
  const found = new Set([id])
  for (let size = 0; size < found.size; ) {
    size = found.size
    for (const menu of menus) if (menu.parentId !== null && found.has(menu.parentId)) found.add(menu.id)
  }
  return found
}

/** Whether a change alters what the menu means or where it leads, and not only its name, icon or order. */
export function leadsElsewhere(before: MenuValues, after: MenuValues): boolean {
  const meaning = ['parentId', 'type', 'path', 'remark', 'url', 'openType'] as const
  return meaning.some((key) => before[key] !== after[key])
}

/** Function codes at the menu and below it. */
export function codesBelow(menus: readonly MenuRow[], id: number): string[] {
  const below = idsBelow(menus, id)
  return menus.filter((menu) => menu.type === 'F' && below.has(menu.id)).map((menu) => menu.remark)
}

/** Function codes that no menu carries any more. */
export function codesLost(before: readonly MenuRow[], after: readonly MenuRow[]): string[] {
  const codesIn = (menus: readonly MenuRow[]) =>
    new Set(menus.filter(({ type }) => type === 'F').map(({ remark }) => remark))
  const left = codesIn(after)
  return [...codesIn(before)].filter((code) => !left.has(code))
}

/** Paths of the product itself, which no page of a menu may have. */
const reservedPaths = new Set([
  '/',
  '/login',
  '/asgoft',
  '/estolife',
  '/agreement_en',
  '/agreement_zh',
  '/privacy_en',
  '/privacy_zh',
  '/privacy',
  '/e-ark',
  '/download',
  '/upgradation',
  '/pic',
  '/404',
  externalPath,
])
const reservedFolders = /^\/(api|assets)(\/|$)/

export const isReserved = (path: string) => reservedPaths.has(path) || reservedFolders.test(path)

/** The whole path of every page that is shown within the console, by the menu's id. */
export function pagePaths(menus: readonly MenuRow[]): Map<number, string> {
  const byId = new Map(menus.map((menu) => [menu.id, menu]))
  const pathOf = (menu: MenuRow): string => {
    const parent = menu.parentId === null ? undefined : byId.get(menu.parentId)
    return menuPath(parent ? pathOf(parent) : '', menu.path)
  }
  return new Map(
    menus.filter((menu) => menu.type === 'C' && menu.openType === 0).map((menu) => [menu.id, pathOf(menu)]),
  )
}

/** Whether a page at or below the menu has the path of another page, or a reserved one. */
export function pathProblems(menus: readonly MenuRow[], id: number): 'taken' | 'reserved' | null {
  const paths = pagePaths(menus)
  const below = idsBelow(menus, id)
  const others = new Set([...paths].filter(([each]) => !below.has(each)).map(([, path]) => path))
  for (const [each, path] of paths) {
    if (!below.has(each)) continue
    if (isReserved(path)) return 'reserved'
    if (others.has(path)) return 'taken'
    others.add(path)
  }
  return null
}

const repairPage = 'system/menu'
const repairCodes = ['menu:list', 'menu:insert', 'menu:update', 'menu:delete']

/**
 * Whether there is a page for menus with all its functions: without it nobody could repair a broken menu. A page
 * shows only the buttons that its own menu allows, so the functions have to stand below that page.
 */
export function hasRepairPage(menus: readonly MenuRow[]): boolean {
  return menus.some((page) => {
    if (page.type !== 'C' || page.openType !== 0 || menuComponentKey(page.url) !== repairPage) return false
    const codes = menus.filter((menu) => menu.parentId === page.id).map((menu) => menu.remark)
    return repairCodes.every((code) => codes.includes(code))
  })
}

/** The next place after a menu's siblings. */
export function lastOrder(menus: readonly MenuRow[], parentId: number | null): number {
  return Math.max(0, ...menus.filter((menu) => menu.parentId === parentId).map((menu) => menu.orderNum)) + 1
}
