import { createStore } from './store.ts'

/** What a line of the sidebar says beside its page: how much there is of each level that needs somebody. */
export interface Badge {
  critical: number
  major: number
}

/** By the page's component key. */
export const badges = createStore<ReadonlyMap<string, Badge>>(new Map())
