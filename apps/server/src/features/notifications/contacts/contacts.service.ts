/** How users are reached themselves, as each of them keeps it. */
import {
  type ChannelKind,
  type deleteNotifyContact,
  notifyContactsAtMost,
  type ParsedInputFor,
  type saveNotifyContact,
} from '@voltkeep/contract'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import type { Db } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import * as queries from './contacts.queries.ts'

export type Contacts = ReturnType<typeof createContacts>

const mailbox = { pattern: /^[^\s@,;<>"]{1,64}@[A-Za-z0-9.-]{1,190}$/, problem: '请输入邮箱地址' }
const mobile = { pattern: /^1\d{10}$/, problem: '请输入 11 位手机号' }

/** Robots of Feishu mention by these alone: no mailbox, no mobile number. */
const openId = { pattern: /^[A-Za-z0-9_-]{3,64}$/, problem: '请输入飞书的 Open ID（ou_ 开头）或 User ID' }

/** What a person's address is through a channel of the kind; a webhook has no persons. */
const forms: Partial<Record<ChannelKind, { pattern: RegExp; problem: string }>> = {
  wecom: mobile,
  dingtalk: mobile,
  feishu: openId,
  mail: mailbox,
  aliyunSms: mobile,
  tencentSms: mobile,
}
const kinds = Object.keys(forms) as ChannelKind[]

export function createContacts({ db }: { db: Db }) {
  return {
    listNotifyContacts: (actor: Actor) => queries.listContacts(db, actor, kinds),

    /** Refuses `notifyChannelNotFound`, `tooManyNotifyContacts`, and (400) an address that is none of the channel's kind. */
    async saveNotifyContact(actor: Actor, input: ParsedInputFor<typeof saveNotifyContact>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const channelId = idNumber(input.channelId)
        const channel = await queries.lockReachable(trx, actor, channelId)
        const form = channel && forms[channel.kind]
        if (!channel || !form) refuse('notifyChannelNotFound')
        if (!form.pattern.test(input.address)) refuseInput({ field: 'address', message: form.problem })
        if (!(await queries.writeContact(trx, actor.userId, channelId, input.address, notifyContactsAtMost)))
          refuse('tooManyNotifyContacts')
        await recordOperation(trx, actor, { target: `通知渠道 ${channel.name}` })
      })
    },

    /** Refuses `notifyChannelNotFound` where the caller has none. */
    async deleteNotifyContact(
      actor: Actor,
      input: ParsedInputFor<typeof deleteNotifyContact>,
    ): Promise<void> {
      await db.transaction().execute(async (trx) => {
        if (!(await queries.deleteContact(trx, actor.userId, idNumber(input.channelId))))
          refuse('notifyChannelNotFound')
        await recordOperation(trx, actor, { target: '本人的通知方式' })
      })
    },
  }
}
