import { useQuery } from '@tanstack/react-query'
import {
  listUpgradeFailures,
  listUpgradeTargets,
  listUpgradeTasks,
  readUpgradeTask,
  retryUpgradeTask,
  type UpgradeTaskDetail,
} from '@voltkeep/contract/upgrades'
import { Button } from 'antd'
import { formatCount } from '../../../lib/format.ts'
import { reading } from '../../../lib/wire/reading.ts'
import { useWriting } from '../../../lib/wire/writing.ts'
import { Permitted } from '../../../ui/Permitted.tsx'
import { WorkReasons } from '../../../ui/work/WorkReasons.tsx'
import { upgradeTexts } from '../upgrades.texts.ts'
import { sharesOf } from '../upgrades.words.ts'
import { targetsOfTask } from './targets.filters.ts'
import { useRefetch } from './useRefetch.ts'

const words = upgradeTexts.task

/** The reads that an action on an upgrade makes stale. */
export const staleByControl = [
  listUpgradeTasks,
  readUpgradeTask,
  listUpgradeTargets,
  listUpgradeFailures,
] as const

export function useRetry() {
  return useWriting(retryUpgradeTask, staleByControl, {
    said: ({ count }) => words.retried(formatCount(count)),
  })
}

/** Why targets failed or were left out, above the stages. */
export function Failures({ task }: { task: UpgradeTaskDetail }) {
  const { failed } = sharesOf(task.counts)
  const skipped = task.counts.skipped
  // Read again after each new failure.
  const query = useQuery({
    ...reading(listUpgradeFailures, { taskId: task.id }),
    enabled: failed + skipped > 0,
  })
  const { refetch } = query
  useRefetch(refetch, `${failed} ${skipped}`)
  const retrying = useRetry()
  if (task.state === 'planned') return null
  return (
    <WorkReasons
      title={words.failures}
      aside={
        failed > 0 &&
        task.state !== 'cancelled' && (
          <Permitted code={retryUpgradeTask.access}>
            <Button
              size="small"
              loading={retrying.isPending}
              onClick={() => retrying.mutate({ id: task.id })}
            >
              {words.retry(formatCount(failed))}
            </Button>
          </Permitted>
        )
      }
      reasons={query.data ?? []}
      // Empty while the reasons are read.
      none={failed + skipped === 0 ? words.noFailures : ''}
      states={upgradeTexts.targetStates}
      countOf={upgradeTexts.targetCount}
      devices={targetsOfTask}
    />
  )
}
