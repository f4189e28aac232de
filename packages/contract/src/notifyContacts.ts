// How users are reached themselves: by a mailbox through a mail server, or mentioned by a robot in its group.
import * as z from 'zod/mini'
import { changing } from './commonCalls.ts'
import { endpoint, nothing, one } from './endpoint.ts'
import { id, idOut, nothingIn, text } from './fields.ts'
import { channelKinds } from './notifications.ts'

/** Of one user. */
export const notifyContactsAtMost = 20

/** A channel of the caller's organizations, and the caller's own address through it. */
export const NotifyContact = z.object({
  channelId: idOut,
  channelName: z.string(),
  kind: z.enum(channelKinds),
  /** A mailbox; for robots of WeCom and DingTalk and short messages a mobile number, for Feishu an Open ID or User ID. */
  address: z.nullable(z.string()),
})
export type NotifyContact = z.output<typeof NotifyContact>

/** Those through which a person can be reached. */
export const listNotifyContacts = endpoint({
  method: 'GET',
  path: '/notify/contact/list',
  access: 'signedIn',
  summary: '本人的通知方式',
  input: nothingIn,
  reply: one(z.array(NotifyContact)),
})

export const saveNotifyContact = endpoint({
  ...changing,
  path: '/notify/contact/save',
  access: 'signedIn',
  summary: '保存本人的通知方式',
  input: z.object({ channelId: id('通知渠道'), address: text('联系方式', 255) }),
})

export const deleteNotifyContact = endpoint({
  method: 'POST',
  path: '/notify/contact/delete',
  access: 'signedIn',
  summary: '删除本人的通知方式',
  isWrite: true,
  done: '删除成功!',
  input: z.object({ channelId: id('通知渠道') }),
  reply: nothing(),
})
