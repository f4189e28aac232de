import type { Entry } from './entries.ts'

const keptAtMost = 8
const keyOf = (userId: string) => `voltkeep_search_${userId}`

/** The targets that this user opened by the search in this browser, the newest first. */
export function readRecent(userId: string): Entry[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isEntry) : []
  } catch {
    return []
  }
}

/** Puts it first. A browser without storage has no list of recent ones. */
export function keepRecent(userId: string, entry: Entry): void {
  // The state would be outdated later.
  const { isOnline: _state, ...kept } = entry
  const rest = readRecent(userId).filter(({ key }) => key !== entry.key)
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify([kept, ...rest].slice(0, keptAtMost)))
  } catch {
    // Private browsing, or the disk is full.
  }
}

export function forgetRecent(userId: string): void {
  try {
    localStorage.removeItem(keyOf(userId))
  } catch {
    // Then there is no list.
  }
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' &&
  value !== null &&
  ['key', 'kind', 'title', 'hint', 'path'].every(
    (field) => typeof (value as Record<string, unknown>)[field] === 'string',
  ) &&
  typeof (value as Entry).search === 'object'
