import { useEffect, useRef, useState } from 'react'
import type { Reading } from './cabinet.words.ts'

/** The duration of the highlight's animation. */
const flashMs = 1_600

/** Ids of the readings whose value has just changed, each until its highlight ends. */
export function useChangedValues(readings: readonly Reading[]): ReadonlySet<string> {
  const known = useRef<ReadonlyMap<string, string | null>>(undefined)
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set())
  const state = JSON.stringify(readings.map(({ parameter, value }) => [parameter.id, value]))
  useEffect(() => {
    const now = new Map(JSON.parse(state) as [string, string | null][])
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
