import { useEffect, useRef, useState } from 'react'

/** The duration of the highlight's animation. */
const flashMs = 1_600

/** Keys of the values that have just changed, each until its highlight ends. */
export function useChangedValues(
  values: readonly (readonly [key: string, value: unknown])[],
): ReadonlySet<string> {
  const known = useRef<ReadonlyMap<string, string>>(undefined)
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const state = JSON.stringify(values.map(([key, value]) => [key, JSON.stringify(value ?? null)]))
  useEffect(() => {
    const now = new Map(JSON.parse(state) as [string, string][])
    const before = known.current
    known.current = now
    if (!before) return
    const fresh = [...now].filter(([id, value]) => before.get(id) !== value).map(([id]) => id)
    if (fresh.length === 0) return
    setChanged(new Set(fresh))
    const timer = setTimeout(() => setChanged(new Set()), flashMs)
    return () => clearTimeout(timer)
  }, [state])
  return changed
}
