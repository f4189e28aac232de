import { createContext, use } from 'react'
import { createStore } from './store.ts'
import { queryOf } from './wire/outgoing.ts'

// What a page may know of where it stands, without knowing the router or the other pages.

export interface PageAccess {
  /** The menu's name, as the sidebar and the breadcrumb show it. */
  title: string
  /** The function codes that this page's menu allows its reader. */
  allRole: readonly string[]
}

export const PageContext = createContext<PageAccess>({ title: '', allRole: [] })

export function usePage(): PageAccess {
  return use(PageContext)
}

/** Where each page stands in this user's menus: component key to path. */
export const pagePaths = createStore<ReadonlyMap<string, string>>(new Map())

/**
 * The address of a page by its component key (`maintenance/exitWarning`), with filters; undefined
 * where this user does not have the page.
 */
export function pageAddress(key: string, search: object = {}): string | undefined {
  const path = pagePaths.get().get(key)
  if (path === undefined) return undefined
  const query = queryOf(search)
  return query ? `${path}?${query}` : path
}
