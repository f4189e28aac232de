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
import { formatCount } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { reading } from '../../lib/wire/reading.ts'
import { useWriting } from '../../lib/wire/writing.ts'
import { Permitted } from '../../ui/Permitted.tsx'
import { TargetState } from './StateTag.tsx'
import { useTargetFilters } from './targets.filters.ts'
import { upgradeTexts } from './upgrades.texts.ts'
import { sharesOf } from './upgrades.words.ts'
import { useRefetch } from './useRefetch.ts'
import styles from './view.module.css'

const words = upgradeTexts.task

/** What an upgrade changes, wherever it is shown. */
export const staleByControl = [
  listUpgradeTasks,
  readUpgradeTask,
  listUpgradeTargets,
  listUpgradeFailures,
] as const

export function useRetry() {
  return useWriting(retryUpgradeTask, staleByControl, { said: false })
}

/**
 * Why targets failed or were left out, the most frequent first; pressed, a reason shows its devices. It stands above
 * the stages, and with nothing to tell it has the height of one reason: the first failure moves nothing.
 */
export function Failures({ task }: { task: UpgradeTaskDetail }) {
  const { failed } = sharesOf(task.counts)
  const skipped = task.counts.skipped
  // Read anew when one more failed.
  const query = useQuery({
    ...reading(listUpgradeFailures, { taskId: task.id }),
    enabled: failed + skipped > 0,
  })
  const { refetch } = query
  useRefetch(refetch, `${failed} ${skipped}`)
  const retrying = useRetry()
  const filters = useTargetFilters()
  if (task.state === 'planned') return null
  return (
    <section className={styles.part} aria-label={words.failures}>
      <h2 className={styles.partTitle}>
        {words.failures}
        {failed > 0 && task.state !== 'cancelled' && (
          <Permitted code={retryUpgradeTask.access}>
            <Button
              size="small"
              loading={retrying.isPending}
              onClick={() =>
                retrying.mutate(
                  { id: task.id },
                  { onSuccess: ({ count }) => notify.success(words.retried(formatCount(count))) },
                )
              }
            >
              {words.retry(formatCount(failed))}
            </Button>
          </Permitted>
        )}
      </h2>
      {(query.data ?? []).length === 0 && <p className={styles.noReason}>{words.noFailures}</p>}
      <ul className={styles.reasons}>
        {(query.data ?? []).map(({ state, reason, count }) => (
          <li key={`${state} ${reason}`}>
            <button
              type="button"
              className={styles.reason}
              onClick={() => filters.show({ states: [state], reason })}
            >
              <TargetState state={state} />
              <span className={styles.reasonText}>{reason}</span>
              <span className={styles.reasonCount}>{formatCount(count)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
