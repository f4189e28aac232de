import type { MenuItem } from '../menuRoutes.ts'

/** The lines of these menus with everything below them. */
const linesOf = (items: readonly MenuItem[]): number =>
  items.reduce((sum, { children }) => sum + 1 + linesOf(children), 0)

/**
 * The directories that stand open: the one in use, and of the others, from the top down, those that there is room for.
 * `room`: the lines that the sidebar shows without scrolling, the home page's among them.
 */
export function openAtFirst(items: readonly MenuItem[], path: string, room: number): ReadonlySet<string> {
  const isInUse = (item: MenuItem) => path.startsWith(`${item.path}/`)
  let left = room - 1 - items.length
  const open = new Set<string>()
  for (const item of [...items.filter(isInUse), ...items.filter((one) => !isInUse(one))]) {
    const lines = linesOf(item.children)
    if (lines > left && !isInUse(item)) continue
    open.add(item.id)
    left -= lines
  }
  return open
}
