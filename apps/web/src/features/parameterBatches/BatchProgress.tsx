import type { BatchCounts } from '@voltkeep/contract/parameterBatches'
import { WorkProgress } from '../../ui/work/WorkProgress.tsx'
import { batchTexts } from './parameterBatches.texts.ts'
import { sharesOf } from './parameterBatches.words.ts'

export function BatchProgress({ counts }: { counts: BatchCounts }) {
  return <WorkProgress shares={sharesOf(counts)} total={counts.total} words={batchTexts.counted} />
}
