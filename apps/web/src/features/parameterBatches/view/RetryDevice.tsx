import type { BatchDeviceRow } from '@voltkeep/contract/parameterBatches'
import { RetryButton } from '../../../ui/work/RetryButton.tsx'
import { isFailed } from '../parameterBatches.words.ts'
import { useRetry } from '../useBatchActions.tsx'

/** Renders nothing where no retry is possible. */
export function RetryDevice({ batchId, device: { id, state } }: { batchId: string; device: BatchDeviceRow }) {
  const retrying = useRetry()
  if (!isFailed(state)) return null
  return <RetryButton workId={batchId} targetId={id} retrying={retrying} />
}
