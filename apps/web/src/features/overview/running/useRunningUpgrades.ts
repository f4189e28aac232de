import { useQuery } from '@tanstack/react-query'
import { listUpgradeTasks, liveUpgradeTasks, type UpgradeTaskRow } from '@voltkeep/contract/upgrades'
import { concerns, useLiveReading } from '../../../lib/live/live.ts'
import { useCurrentUser } from '../../../lib/session.ts'
import { reading } from '../../../lib/wire/reading.ts'
import type { ReadRows } from './Running.tsx'

const shownCount = 5

export interface RunningUpgrades extends ReadRows<UpgradeTaskRow> {
  /** Whether the user may see upgrade tasks. */
  isSeen: boolean
  /** The first read is still under way: after a failure it is not waited for. */
  isAwaited: boolean
}

/** Running and paused upgrade tasks. */
export function useRunningUpgrades(): RunningUpgrades {
  const isSeen = useCurrentUser().functionCodes.includes(listUpgradeTasks.access)
  const { data, isPending, isLoading, failureCount, error, refetch } = useQuery({
    ...reading(listUpgradeTasks, { type: 'ALL', status: 1, pageNum: 1, pageSize: shownCount }),
    enabled: isSeen,
    meta: { isQuiet: 'first' },
  })
  useLiveReading(
    refetch,
    (event) => isSeen && event.type !== 'ready' && concerns(event, liveUpgradeTasks.noun),
  )
  return {
    isSeen,
    rows: data?.rows ?? [],
    total: data?.total ?? 0,
    isPending,
    isAwaited: isLoading && failureCount === 0,
    error,
    retry: () => void refetch(),
  }
}
