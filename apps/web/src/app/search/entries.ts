// The targets of the search, and the words that find them.
import type { MenuNode } from '@voltkeep/contract/menus'
import type { FoundDevice, FoundUser } from '@voltkeep/contract/search'
import { texts } from '../../lib/texts/index.ts'
import type { MenuRoute } from '../menuRoutes.ts'

/** A target of the search. */
export interface Entry {
  key: string
  kind: 'device' | 'user' | 'page' | 'function'
  title: string
  /** Its place, shown after the title. */
  hint: string
  /** Of a device: its state; null where it was never connected. */
  isOnline?: 0 | 1 | null
  path: string
  search: Record<string, string>
}

const has = (text: string, words: readonly string[]) =>
  words.every((word) => text.toLowerCase().includes(word))

export const wordsOf = (keyword: string): string[] =>
  keyword
    .toLowerCase()
    .split(/[\s,，、;；]+/)
    .filter((word) => word !== '')

/** The pages of the user's menus whose title, or whose place in the menus, has all words. */
export function pageEntries(routes: ReadonlyMap<string, MenuRoute>, keyword: string): Entry[] {
  const words = wordsOf(keyword)
  const home: Entry = {
    key: 'page:/dashboard',
    kind: 'page',
    title: texts.layout.home,
    hint: '',
    path: '/dashboard',
    search: {},
  }
  const pages = [...routes.values()].map(
    (route): Entry => ({
      key: `page:${route.path}`,
      kind: 'page',
      title: route.title,
      hint: route.ancestors.join(' / '),
      path: route.path,
      search: {},
    }),
  )
  return [home, ...pages].filter(({ title, hint }) => has(`${hint} ${title}`, words))
}

/** The functions of these pages by name; each leads to its page. */
export function functionEntries(
  tree: readonly MenuNode[],
  routes: ReadonlyMap<string, MenuRoute>,
  keyword: string,
): Entry[] {
  const words = wordsOf(keyword)
  if (words.length === 0) return []
  const byName = new Map([...routes.values()].map((route) => [route.name, route]))
  const entries: Entry[] = []
  const walk = (nodes: readonly MenuNode[]) => {
    for (const node of nodes) {
      const page = byName.get(node.remark)
      for (const child of page ? node.children : []) {
        if (page && child.type === 'F' && has(child.name, words)) {
          entries.push({
            key: `function:${child.id}`,
            kind: 'function',
            title: child.name,
            hint: page.title,
            path: page.path,
            search: {},
          })
        }
      }
      walk(node.children)
    }
  }
  walk(tree)
  return entries
}

export const deviceEntry = (device: FoundDevice, path: string): Entry => ({
  key: `device:${device.id}`,
  kind: 'device',
  title: device.code,
  hint: [device.name, device.regionName.split(' / ').slice(-2).join(' '), device.operatorName]
    .filter(Boolean)
    .join(' · '),
  isOnline: device.isOnline,
  path,
  search: { open: device.id },
})

export const userEntry = (user: FoundUser, path: string): Entry => ({
  key: `user:${user.id}`,
  kind: 'user',
  title: user.userName,
  hint: `${user.loginName} · ${user.organizationName}`,
  path,
  search: { name: user.loginName },
})
