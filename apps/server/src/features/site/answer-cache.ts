/**
 * Caches answers for a while, so that any number of strangers cost the database one query in that time. Calls during a
 * read share it; a failed read is not cached.
 */
export function createCache<Value>({
  keptForMs,
  limit,
  now = Date.now,
}: {
  keptForMs: number
  /** The oldest answers beyond it are dropped. */
  limit: number
  now?: () => number
}) {
  const kept = new Map<string, { at: number; value: Promise<Value> }>()
  return {
    async read(key: string, load: () => Promise<Value>): Promise<Value> {
      const known = kept.get(key)
      if (known && now() - known.at < keptForMs) return known.value
      const entry = { at: now(), value: load() }
      // Last of the map: the first ones are the oldest.
      kept.delete(key)
      kept.set(key, entry)
      for (const oldest of kept.keys()) {
        if (kept.size <= limit) break
        kept.delete(oldest)
      }
      try {
        return await entry.value
      } catch (error) {
        if (kept.get(key) === entry) kept.delete(key)
        throw error
      }
    },
  }
}
