import type { Decider } from '../../../domain/access/deciders.ts'
import { addressSetterOf, receiverOf } from '../rules/rule-decider.ts'
import type { Receiver } from '../targets/targets.queries.ts'

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
