import {
  insertNotifyChannel,
  insertNotifyRule,
  listAlarmHistory,
  listAlarms,
  updateNotifyChannel,
  updateNotifyRule,
} from '@voltkeep/contract'
import type { Decider } from '../../../domain/access/deciders.ts'

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
