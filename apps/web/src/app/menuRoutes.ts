import { type MenuNode, menuComponentKey, menuExternalAddress, menuPath } from '@voltkeep/contract/menus'

/** A page at its place in the user's menus. */
export interface MenuRoute {
  path: string
  /** Component key: the page's key in `pages.ts`. */
  key: string
  /** The menu's remark. */
  name: string
  title: string
  /** Function codes that the page's F menus allow. */
  allRole: string[]
  /** Titles from the top level down, without its own. */
  ancestors: string[]
}

/** A line of the sidebar: a page, an external link, or a directory. */
export interface MenuItem {
  id: string
  title: string
  icon: string | null
  path: string
  /** Opens in a window of its own. */
  href?: string
  children: MenuItem[]
}

export interface MenuRoutes {
  routes: ReadonlyMap<string, MenuRoute>
  /** A directory's path to the page that it shows first. */
  redirects: ReadonlyMap<string, string>
  items: readonly MenuItem[]
}

/** Directories that do not open with their first page. */
const preferredPages: Record<string, string> = { '/maintenance': '/maintenance/exitWarning' }

/** Pages that every user has without a menu. */
const standingPaths = new Set(['/dashboard'])

/** Routes and sidebar from the server's tree. A menu whose component is unknown here is skipped. */
export function menuRoutesOf(tree: readonly MenuNode[], isKnown: (key: string) => boolean): MenuRoutes {
  const routes = new Map<string, MenuRoute>()
  const redirects = new Map<string, string>()

  function itemsOf(nodes: readonly MenuNode[], parentPath: string, ancestors: string[]): MenuItem[] {
    return [...nodes]
      .sort((a, b) => a.orderNum - b.orderNum)
      .map((node) => itemOf(node, parentPath, ancestors))
      .filter((item) => item !== undefined)
  }

  function itemOf(node: MenuNode, parentPath: string, ancestors: string[]): MenuItem | undefined {
    const { id, name: title, icon } = node
    if (node.type === 'F') return undefined
    if (node.openType === 1) {
      const href = menuExternalAddress(node.url)
      return href ? { id, title, icon, path: '/iframe', href, children: [] } : undefined
    }
    const path = menuPath(parentPath, node.path)
    if (standingPaths.has(path)) return undefined
    const isPage = node.type === 'C' && addRoute(node, path, ancestors)
    const children = itemsOf(node.children, path, [...ancestors, title])
    if (!isPage && children.length === 0) return undefined
    if (!isPage) {
      const first = firstPath(children)
      const preferred = preferredPages[path]
      const target = preferred && routes.has(preferred) ? preferred : first
      if (target && !redirects.has(path)) redirects.set(path, target)
    }
    return { id, title, icon, path, children }
  }

  function addRoute(node: MenuNode, path: string, ancestors: string[]): boolean {
    const key = menuComponentKey(node.url)
    if (!key || !isKnown(key)) return false
    // Two menus at one path: the first in order has it.
    if (routes.has(path)) return false
    routes.set(path, {
      path,
      key,
      name: node.remark,
      title: node.name,
      allRole: node.children.filter((child) => child.type === 'F').map((child) => child.remark),
      ancestors,
    })
    return true
  }

  return { items: itemsOf(tree, '', []), routes, redirects }
}

function firstPath(items: readonly MenuItem[]): string | undefined {
  for (const item of items) {
    if (item.href) continue
    const path = item.children.length > 0 ? (firstPath(item.children) ?? item.path) : item.path
    if (path) return path
  }
  return undefined
}
