import type { ParameterBatchDetail } from '@voltkeep/contract/parameterBatches'
import { formatCount } from '../../../lib/format.ts'
import { WatchNote, WatchNow } from '../../../ui/work/WatchPage.tsx'
import { batchTexts } from '../parameterBatches.texts.ts'
import { openCount } from '../parameterBatches.words.ts'

const { batch: words } = batchTexts

/** What the batch is doing now; while it is on trial, and waits after it, the trial says so itself. */
export function Now({ batch }: { batch: ParameterBatchDetail }) {
  const isOnTrial = batch.trial?.state === 'running' || batch.trial?.state === 'waiting'
  return (
    <>
      {!batch.isWhole && (
        <WatchNote>{isOnTrial && !batch.isStoppable ? words.partlyOnTrial : words.partly}</WatchNote>
      )}
      {!isOnTrial && <WatchNow>{nowOf(batch)}</WatchNow>}
    </>
  )
}

function nowOf({ state, counts, finishTime }: ParameterBatchDetail): string {
  const open = formatCount(openCount(counts))
  switch (state) {
    case 'paused':
    case 'running':
      return words.runningNow(open)
    case 'stopping':
      return words.stoppingNow(open)
    case 'stopped':
      return words.stoppedNow(finishTime ?? '')
    case 'finished':
      return words.finishedNow(finishTime ?? '')
  }
}
