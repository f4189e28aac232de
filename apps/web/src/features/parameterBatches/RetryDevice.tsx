import type { BatchDeviceRow } from '@voltkeep/contract/parameterBatches'
import { Button } from 'antd'
import { useState } from 'react'
import { batchTexts } from './parameterBatches.texts.ts'
import { isFailed } from './parameterBatches.words.ts'
import { useRetry, withoutCallError } from './useBatchActions.tsx'

/** Retries one device; renders nothing where no retry is possible. */
export function RetryDevice({ batchId, device }: { batchId: string; device: BatchDeviceRow }) {
  const retry = useRetry()
  const [isBusy, setBusy] = useState(false)
  if (!isFailed(device.state)) return null
  return (
    <Button
      type="link"
      size="small"
      loading={isBusy}
      onClick={async () => {
        setBusy(true)
        await withoutCallError(() => retry({ id: batchId, targetIds: [device.id] }))
        setBusy(false)
      }}
    >
      {batchTexts.control.retryOne}
    </Button>
  )
}
