import { useQuery } from '@tanstack/react-query'
import { liveOverview, readActiveLevels } from '@voltkeep/contract/overview'
import { useEffect } from 'react'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { reading } from '../../../lib/wire/reading.ts'

/**
 * A hidden page has no live stream, but its title still shows the count. The read is cheap: the server reads kept
 * sums.
 */
const hiddenEveryMs = 60_000
const pauseMs = 3_000

/** The number of active alarms per level in the user's scope: kept figures, at most a few seconds old. */
export function useActiveLevels(): (level: number) => number {
  const query = useQuery({ ...reading(readActiveLevels, {}), retry: false, meta: { isQuiet: true } })
  const { refetch } = query
  useLiveReading(refetch, (event) => concerns(event, liveOverview.noun), pauseMs)
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.hidden) void refetch()
    }, hiddenEveryMs)
    return () => clearInterval(timer)
  }, [refetch])
  const { levels = [] } = query.data ?? {}
  return (level) => levels.find((one) => one.level === level)?.count ?? 0
}
