import type { UpgradeTargetRow, UpgradeTargetState } from '@voltkeep/contract/upgrades'
import { RetryButton } from '../../../ui/work/RetryButton.tsx'
import { useRetry } from './Failures.tsx'

const retriable: readonly UpgradeTargetState[] = ['failed', 'refused', 'timedOut']

/** Renders nothing where no retry is possible. */
export function RetryTarget({ target: { id, taskId, result } }: { target: UpgradeTargetRow }) {
  const retrying = useRetry()
  if (!retriable.includes(result)) return null
  return <RetryButton workId={taskId} targetId={id} retrying={retrying} />
}
