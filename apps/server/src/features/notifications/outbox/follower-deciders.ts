import { listParameterBatches, listUpgradeTasks } from '@voltkeep/contract'
import type { Decider } from '../../../domain/access/deciders.ts'
import { addressSetterOf, ownerOf, receiverOf } from '../rules/rule-decider.ts'
import type { SubjectKind } from '../senders/message.ts'
import type { Receiver } from '../targets/targets.queries.ts'
import type { MatchedRule } from './matching.queries.ts'

export const ruleOwner = ({
  ruleBy,
  ruleByName,
  ruleIn,
}: Pick<MatchedRule, 'ruleBy' | 'ruleByName' | 'ruleIn'>): Decider =>
  ownerOf({ decidedBy: ruleBy, decidedByName: ruleByName, decidedIn: ruleIn })

/** Whose decision it is that something is told to the receiver, beside the rule's. */
export const decidersOf = ({
  userId,
  userName,
  channelBy,
  channelByName,
  channelIn,
}: Receiver): Decider[] => [
  addressSetterOf({ decidedBy: channelBy, decidedByName: channelByName, decidedIn: channelIn }),
  ...(userId === null ? [] : [receiverOf(userId, userName ?? '')]),
]

export type TaskKind = 'upgrade' | 'batch'
export const isTask = (kind: SubjectKind): kind is TaskKind => kind === 'upgrade' || kind === 'batch'

/** Who has to be allowed to list the tasks: the rule's owner, and the person who is told. */
export function readersOf(
  kind: TaskKind,
  owner: Decider,
  { userId, userName }: Pick<Receiver, 'userId' | 'userName'>,
): Decider[] {
  const { access } = kind === 'upgrade' ? listUpgradeTasks : listParameterBatches
  return [
    { ...owner, functionCodes: [access] },
    ...(userId === null ? [] : [{ ...receiverOf(userId, userName ?? ''), functionCodes: [access] }]),
  ]
}
