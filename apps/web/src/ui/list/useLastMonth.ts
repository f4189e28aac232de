import { useMemo } from 'react'
import { formatDay } from '../../lib/format.ts'
import { useNow } from '../time/RelativeTime.tsx'
import { historyDays, lastDays } from './filter/ranges.ts'

/** The default range of history: the last 30 days, today included. Moves on at midnight. */
export function useLastMonth(): { startTime: string; endTime: string } {
  const today = formatDay(useNow())
  return useMemo(() => {
    const [startTime, endTime] = lastDays(historyDays, new Date(`${today}T00:00:00`))
    return { startTime, endTime }
  }, [today])
}
