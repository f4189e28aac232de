/**
 * Channels as users keep them. What is sent through one reaches at most as far as whoever set its address: another
 * address is another decision, so it carries the user who gave it from then on.
 */
import {
  type insertNotifyChannel,
  type listNotifyChannels,
  type MailSettings,
  type NotifyChannelRow,
  notifyChannelsAtMost,
  type ParsedInputFor,
  type SmsSettings,
  type updateNotifyChannel,
} from '@voltkeep/contract'
import { refuseMoreRows } from '../../../domain/access/row-limits.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { organizationOf, recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { addressSetterOf, mayChangeWhatIsTold, ownerOf, receiverOf } from '../rules/rule-decider.ts'
import { type ChannelSettings, isSms } from '../senders/index.ts'
import { rates, refilled, take } from '../senders/rates.ts'
import { isWebhookSecret } from '../senders/webhook.ts'
import { hintOf, readAddress } from './addresses.ts'
import * as queries from './channels.queries.ts'
import { lockBucket, writeTokens } from './rates.queries.ts'
import { openTarget, rateKeyOf, sealAddress, sealSecret } from './sealed.ts'
import type { TestSend } from './test-send.ts'

export type Channels = ReturnType<typeof createChannels>

export function createChannels({
  db,
  sealer,
  testSend,
  wakeQueue,
}: {
  db: Db
  sealer: Sealer
  testSend: TestSend
  /** Has the queue look at the channel: it may have waited for being enabled. */
  wakeQueue: (id: number) => Promise<void>
}) {
  return {
    async listNotifyChannels(actor: Actor, input: ParsedInputFor<typeof listNotifyChannels>) {
      const { ids, ...texts } = input
      const filter = { name: texts.name, kind: texts.kind, ids: ids?.map(idNumber) }
      const [rows, total] = await Promise.all([
        queries.listChannels(db, actor, filter, pageOf(input)),
        queries.countChannels(db, actor, filter),
      ])
      return {
        rows: rows.map(({ settings, ...row }) => ({
          ...row,
          ...shownSettings(settings),
          isEnabled: (row.isEnabled ? 1 : 0) as NotifyChannelRow['isEnabled'],
        })),
        total,
      }
    },

    nameNotifyChannels: (actor: Actor) => queries.nameChannels(db, actor),

    /** Refuses (400) an address that is none of the kind's, a secret that the kind cannot sign with, `tooManyNotifyChannels`. */
    async insertNotifyChannel(actor: Actor, input: ParsedInputFor<typeof insertNotifyChannel>) {
      const { kind, name } = input
      const address = checkedAddress(kind, input.address)
      const settings = settingsOf(kind, input)
      const secret = checkedSecret(kind, input.secret)
      if (isSms(kind) && secret === null) refuseInput({ field: 'secret', message: '请输入密钥' })
      // A receiver without it could not tell this server's messages from anybody's.
      if (kind === 'webhook' && secret === null) refuseInput({ field: 'secret', message: '请输入密钥' })
      return await db.transaction().execute(async (trx) => {
        await refuseMoreRows(
          trx,
          actor,
          { table: 'notify_channel', by: 'decided_by' },
          notifyChannelsAtMost,
          'tooManyNotifyChannels',
        )
        const id = await queries.insertChannel(trx, {
          rate_key: rateKeyOf(sealer, { id: null, kind, address }),
          organization_id: actor.organizationId,
          kind,
          name,
          address: sealAddress(sealer, address),
          address_hint: hintOf(kind, address),
          secret: secret === null ? null : sealSecret(sealer, secret),
          settings: settings === null ? null : JSON.stringify(settings),
          language: input.language,
          is_enabled: input.isEnabled === 1,
          ...decisionOf(actor),
        })
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: {
            after: {
              kind,
              name,
              address: hintOf(kind, address),
              language: input.language,
              isEnabled: input.isEnabled,
            },
          },
        })
        return { id }
      })
    },

    /**
     * Refuses `notifyChannelNotFound`, `conflict`, `notifyChannelReachesBeyond` where devices are told of through it that
     * the caller does not see, and (400) what `insertNotifyChannel` refuses.
     */
    async updateNotifyChannel(
      actor: Actor,
      input: ParsedInputFor<typeof updateNotifyChannel>,
    ): Promise<void> {
      const { id, version, name } = input
      await changing(db, actor, { ...channelOf(actor, id), version }, async (trx, before) => {
        await mustReach(trx, actor, before)
        const { kind } = before
        const address = input.address === undefined ? null : checkedAddress(kind, input.address)
        const given = input.settings === undefined && input.sms === undefined ? null : settingsOf(kind, input)
        const settings = given ?? before.settings
        const secret = checkedSecret(kind, input.secret)
        if (secret === null && before.secret !== null && isOtherServer(before.settings, settings))
          refuseInput({ field: 'secret', message: kind === 'mail' ? mailSecretAgain : smsSecretAgain })
        // The receivers are somebody's decision: who has another server send to them makes it an own one.
        if (address === null && isOtherServer(before.settings, settings))
          refuseInput({ field: 'address', message: kind === 'mail' ? mailReceiversAgain : smsReceiversAgain })
        await queries.updateChannel(trx, before.id, {
          name,
          ...(input.language !== undefined && { language: input.language }),
          is_enabled: input.isEnabled === 1,
          settings: settings === null ? null : JSON.stringify(settings),
          ...(address !== null && {
            address: sealAddress(sealer, address),
            address_hint: hintOf(kind, address),
            rate_key: rateKeyOf(sealer, { id: before.id, kind, address }),
          }),
          ...(secret !== null && { secret: sealSecret(sealer, secret) }),
          ...(address !== null && decisionOf(actor)),
          last_error: null,
          paused_until: null,
        })
        const shownAddress = address === null ? before.addressHint : hintOf(kind, address)
        return {
          before: shownOf(before),
          after: {
            name,
            address: shownAddress,
            language: input.language ?? before.language,
            isEnabled: input.isEnabled,
          },
        }
      })
      await wakeQueue(idNumber(id))
    },

    /** Refuses `notifyChannelNotFound`, `notifyChannelReachesBeyond`, and 409 where a rule names it. */
    async deleteNotifyChannel(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, channelOf(actor, id), async (trx, before) => {
        await mustReach(trx, actor, before)
        await queries.giveUpDeliveries(trx, before.id)
        await queries.deleteChannel(trx, before.id)
        return { before: shownOf(before) }
      })
    },

    /** Refuses `notifyChannelNotFound`, and 409 `notifyTestedTooOften`. */
    async testNotifyChannel(actor: Actor, { id }: { id: string }) {
      const channel = await db.transaction().execute(async (trx) => {
        const found = await queries.lockChannel(trx, actor, idNumber(id))
        if (!found) refuse('notifyChannelNotFound')
        // Within the rate: who tests must not have alarms blocked.
        const bucket = await lockBucket(trx, sealer, found)
        const taken = take(refilled(bucket, rates[found.kind], bucket.nowMs), rates[found.kind], true)
        if ('waitMs' in taken) refuse('notifyTestedTooOften')
        await writeTokens(trx, bucket.key, taken.left.tokens)
        await recordOperation(trx, actor, { target: targetOf(found) })
        return found
      })
      return await testSend(channel.id, channel, openTarget(sealer, channel), actor)
    },
  }
}

/**
 * What is told through it lies in the reach of who set its address. Where that user is of a higher organization or a SYSTEM
 * user, the owners of what is told through it limit it as well; of what a person is told by an own address, that person.
 */
async function mustReach(trx: Trx, { userId }: Actor, channel: queries.ChannelEntry): Promise<void> {
  const setter = addressSetterOf(channel)
  if (await mayChangeWhatIsTold(trx, userId, setter)) return
  if (!(await mayChangeWhatIsTold(trx, userId, setter, { isWithin: true })))
    refuse('notifyChannelReachesBeyond')
  for (const { filter, personId, ...telling } of await queries.listTelling(trx, channel.id)) {
    if (await mayChangeWhatIsTold(trx, userId, ownerOf(telling), { filter })) continue
    // A person is told of what that person sees: to reach this is enough.
    const person = personId === null ? null : receiverOf(personId, '')
    if (!person || !(await mayChangeWhatIsTold(trx, userId, person, { filter })))
      refuse('notifyChannelReachesBeyond')
  }
}

const channelOf = (actor: Actor, id: string): Subject<queries.ChannelEntry> => ({
  lock: (trx) => queries.lockChannel(trx, actor, idNumber(id)),
  notFound: 'notifyChannelNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `通知渠道 ${name}`

const shownOf = ({ name, addressHint, language, isEnabled }: queries.ChannelEntry) => ({
  name,
  address: addressHint,
  language,
  isEnabled: isEnabled ? 1 : 0,
})

const decisionOf = (actor: Actor) => ({
  decided_by: actor.userId,
  decided_by_name: actor.loginName,
  decided_in: organizationOf(actor),
})

function checkedAddress(kind: queries.ChannelEntry['kind'], text: string): string {
  const read = readAddress(kind, text)
  return 'problem' in read ? refuseInput({ field: 'address', message: read.problem }) : read.address
}

function checkedSecret(kind: queries.ChannelEntry['kind'], secret: string | undefined): string | null {
  if (secret === undefined) return null
  if (kind === 'wecom') refuseInput({ field: 'secret', message: '企业微信机器人没有密钥，请留空' })
  if (kind === 'webhook' && !isWebhookSecret(secret))
    refuseInput({ field: 'secret', message: '密钥应为 whsec_ 开头的 24 到 64 字节的 Base64' })
  return secret
}

const mailSecretAgain = '更换邮件服务器、登录名或关闭加密时，请重新输入密码'
const mailReceiversAgain = '更换邮件服务器、登录名或关闭加密时，请重新输入收件人'
const smsSecretAgain = '更换密钥 ID 或接口地址时，请重新输入密钥'
const smsReceiversAgain = '更换密钥 ID 或接口地址时，请重新输入手机号'

interface GivenSettings {
  settings?: MailSettings | undefined
  sms?: SmsSettings | undefined
}

/** What the kind is used with; null where it needs nothing. */
function settingsOf(
  kind: queries.ChannelEntry['kind'],
  { settings, sms }: GivenSettings,
): ChannelSettings | null {
  if (kind === 'mail') return settings ?? refuseInput({ field: 'settings', message: '请填写邮件服务器' })
  if (!isSms(kind)) return null
  if (!sms) refuseInput({ field: 'sms', message: '请填写短信服务' })
  if (kind === 'tencentSms' && sms.appId === undefined)
    refuseInput({ field: 'sms.appId', message: '请输入 SDK AppID' })
  return sms
}

const shownSettings = (settings: ChannelSettings | null) => ({
  settings: settings && 'host' in settings ? settings : null,
  sms: settings && 'sign' in settings ? settings : null,
})

/** Whether the kept password would go to another server, or for another user, or without the TLS that it was given for. */
function isOtherServer(former: ChannelSettings | null, present: ChannelSettings | null): boolean {
  const [before, after] = [shownSettings(former), shownSettings(present)]
  return (
    before.settings?.host !== after.settings?.host ||
    before.settings?.port !== after.settings?.port ||
    before.settings?.user !== after.settings?.user ||
    (before.settings?.isTls === true && after.settings?.isTls !== true) ||
    before.sms?.account !== after.sms?.account ||
    before.sms?.endpoint !== after.sms?.endpoint
  )
}
