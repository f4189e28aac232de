import type { LogExtractionRow } from '@voltkeep/contract/logExtraction'
import { StateTag } from '../../ui/StateTag.tsx'
import { logTexts } from './logs.texts.ts'

export function ExtractionState({ row: { state } }: { row: Pick<LogExtractionRow, 'state'> }) {
  return <StateTag state={state}>{logTexts.states[state]}</StateTag>
}
