import type { LiveTell } from '../../platform/calls/live-noun.ts'
import type { ChangeKind } from './subscriber-inbox.ts'

/** With more ids than these since the last load, rows are not looked up one by one. */
const loadLimit = 2000

/**
 * Gathers the ids that one noun tells of. One load at a time: ids that come during a load wait for the next one,
 * together.
 */
export function createLoads(parts: {
  load: (ids: Record<ChangeKind, Set<string>>) => Promise<void>
  giveUp: () => void
  onError: (error: unknown) => void
}): LiveTell {
  let waiting = nothingWaiting()
  let isLoading = false

  const run = async () => {
    isLoading = true
    while (sizeOf(waiting) > 0) {
      const ids = waiting
      waiting = nothingWaiting()
      try {
        await parts.load(ids)
      } catch (error) {
        parts.onError(error)
        parts.giveUp()
      }
    }
    isLoading = false
  }
  const add = (kind: ChangeKind, ids: readonly (string | number)[] | null) => {
    for (const id of ids ?? []) waiting[kind].add(String(id))
    if (ids === null || sizeOf(waiting) > loadLimit) {
      waiting = nothingWaiting()
      parts.giveUp()
    } else if (!isLoading) void run()
  }
  return {
    added: (ids) => add('added', ids),
    changed: (ids) => add('changed', ids),
  }
}

const nothingWaiting = (): Record<ChangeKind, Set<string>> => ({ added: new Set(), changed: new Set() })
const sizeOf = ({ added, changed }: Record<ChangeKind, Set<string>>) => added.size + changed.size
