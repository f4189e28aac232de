import { createContext, use } from 'react'
import { createStore } from './store.ts'

// A page's place in the menus, without importing the router or other pages.

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

/** Component keys of all pages: a menu may name these. */
export const pageKeys = createStore<readonly string[]>([])

/** The path of each page in this user's menus, by component key. */
export const pagePaths = createStore<ReadonlyMap<string, string>>(new Map())
