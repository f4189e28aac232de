import type { CurrentUser } from '@voltkeep/contract/session'
import { setServerTime } from '../lib/clock.ts'
import { pageKeys, pagePaths } from '../lib/pages.ts'
import { admitPreferences } from '../lib/preferences.ts'
import { currentUser } from '../lib/session.ts'
import { createStore } from '../lib/store.ts'
import { type MenuRoutes, menuRoutesOf } from './menuRoutes.ts'
import { pages } from './pages.ts'

const none: MenuRoutes = { routes: new Map(), redirects: new Map(), items: [] }

pageKeys.set(['dashboard', ...Object.keys(pages)].sort())

/** The routes and the sidebar of the signed-in user. */
export const menus = createStore<MenuRoutes>(none)

/** Sets the signed-in user: from here on the routes are theirs. */
export function admitUser(user: CurrentUser): void {
  const made = menuRoutesOf(user.tree, (key) => key in pages)
  menus.set(made)
  pagePaths.set(new Map([...made.routes.values()].map((route) => [route.key, route.path])))
  if (user.serverTime) setServerTime(user.serverTime)
  // The choices of this page stay while its user does: they may be newer than the server's last answer.
  if (currentUser.get()?.id !== user.id) admitPreferences(user.preferences)
  currentUser.set(user)
}
