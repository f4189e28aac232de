import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../../lib/format.ts'
import { WatchNote, WatchNow } from '../../../ui/work/WatchPage.tsx'
import { batchTexts } from '../parameterBatches.texts.ts'
import { openCount } from '../parameterBatches.words.ts'

const { batch: words } = batchTexts

/** What the batch is doing now. */
export function Now({ batch }: { batch: ParameterBatchDetail }) {
  return (
    <>
      {!batch.isWhole && <WatchNote>{words.partly}</WatchNote>}
      <WatchNow>{nowOf(batch)}</WatchNow>
    </>
  )
}

function nowOf({ state, counts, finishTime, trial }: ParameterBatchDetail): string {
  const open = formatCount(openCount(counts))
  switch (state) {
    case 'paused':
      return words.pausedNow(formatCount(counts.held))
    case 'running':
      if (trial?.state === 'running')
        return words.trialNow(formatCount(trial.devices), formatCount(counts.held))
      return words.runningNow(open)
    case 'stopping':
      return words.stoppingNow(open)
    case 'stopped':
      return words.stoppedNow(finishTime ?? '')
    case 'finished':
      return words.finishedNow(finishTime ?? '')
  }
}
