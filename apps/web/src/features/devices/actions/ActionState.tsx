import type { RemoteActionRow } from '@voltkeep/contract/actions'
import { StateTag } from '../../../ui/work/StateTag.tsx'
import { markOf, stateWord } from './actions.words.ts'

export const ActionState = ({ of: row }: { of: Pick<RemoteActionRow, 'action' | 'state'> }) => (
  <StateTag state={markOf(row.state)}>{stateWord(row)}</StateTag>
)
