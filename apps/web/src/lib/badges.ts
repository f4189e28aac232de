import { createStore } from './store.ts'

/** The numbers beside a page's line in the sidebar: how many items of each level need attention. */
export interface Badge {
  critical: number
  major: number
}

/** By the page's component key. */
export const badges = createStore<ReadonlyMap<string, Badge>>(new Map())
