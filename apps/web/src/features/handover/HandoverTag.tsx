import type { HandoverRow } from '@voltkeep/contract/handover'
import { StateTag } from '../../ui/work/StateTag.tsx'
import { handoverTexts } from './handover.texts.ts'

const looks = { drafted: 'waiting', signed: 'done', overdue: 'expired' } as const

export function HandoverTag({ of: { state } }: { of: Pick<HandoverRow, 'state'> }) {
  return <StateTag state={looks[state]}>{handoverTexts.states[state]}</StateTag>
}
