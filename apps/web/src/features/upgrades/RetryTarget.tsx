import type { UpgradeTargetRow, UpgradeTargetState } from '@voltkeep/contract/upgrades'
import { Button } from 'antd'
import { formatCount } from '../../lib/format.ts'
import { notify } from '../../lib/notices.ts'
import { useRetry } from './Failures.tsx'
import { upgradeTexts } from './upgrades.texts.ts'

const words = upgradeTexts.task
const retriable: readonly UpgradeTargetState[] = ['failed', 'refused', 'timedOut']

/** Retries one target; renders nothing where no retry is possible. */
export function RetryTarget({ target }: { target: UpgradeTargetRow }) {
  const retrying = useRetry()
  if (!retriable.includes(target.result)) return null
  return (
    <Button
      type="link"
      size="small"
      loading={retrying.isPending}
      onClick={() =>
        retrying.mutate(
          { id: target.taskId, targetIds: [target.id] },
          { onSuccess: ({ count }) => notify.success(words.retried(formatCount(count))) },
        )
      }
    >
      {words.retryOne}
    </Button>
  )
}
