import {
  insertNotifyChannel,
  insertNotifyRule,
  listAlarmHistory,
  listAlarms,
  updateNotifyChannel,
  updateNotifyRule,
} from '@voltkeep/contract'
import { type Decider, standingScope } from '../../../domain/access/deciders.ts'
import { type PlaceFilters, reachesChoiceOf } from '../../../domain/access/reaches.ts'
import type { Db } from '../../../platform/database/database.ts'

interface Decided {
  decidedBy: number
  decidedByName: string
  decidedIn: number | null
}

/** Whose decision a rule is. */
export const ownerOf = ({ decidedBy, decidedByName, decidedIn }: Decided): Decider => ({
  userId: decidedBy,
  name: decidedByName,
  role: '负责人',
  functionCodes: [insertNotifyRule.access, updateNotifyRule.access],
  decidedIn,
})

/** Whose decision the address of a channel is. */
export const addressSetterOf = ({ decidedBy, decidedByName, decidedIn }: Decided): Decider => ({
  userId: decidedBy,
  name: decidedByName,
  role: '渠道设置人',
  functionCodes: [insertNotifyChannel.access, updateNotifyChannel.access],
  decidedIn,
})

/** The person who is told: of what this user may see, as in the console. */
export const receiverOf = (userId: number, name: string): Decider => ({
  userId,
  name,
  role: '接收人',
  functionCodes: [listAlarms.access, listAlarmHistory.access],
})

/**
 * Whether the user may take away or change what this decision tells: where the user reaches all that it is about, by its
 * filter, or where it tells nothing any more. A narrower user would leave devices untold that the user does not see.
 */
export async function mayChangeWhatIsTold(
  db: Db,
  userId: number,
  decider: Decider,
  { filter = {}, isWithin = false }: { filter?: PlaceFilters; isWithin?: boolean } = {},
): Promise<boolean> {
  if (decider.userId === userId) return true
  if ((await standingScope(db, [decider])).stopped) return true
  const decided = { userId: decider.userId, decidedIn: decider.decidedIn ?? null }
  return await reachesChoiceOf(db, userId, decided, filter, { isWithin })
}
