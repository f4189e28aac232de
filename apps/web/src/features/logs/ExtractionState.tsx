import type { LogExtractionRow } from '@voltkeep/contract/logExtraction'
import { WorkState } from '../../ui/work/StateTag.tsx'
import { logTexts } from './logs.texts.ts'

export function ExtractionState({ row: { state } }: { row: Pick<LogExtractionRow, 'state'> }) {
  return <WorkState state={state} words={logTexts.states} />
}
