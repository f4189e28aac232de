/**
 * Reports by mail, as users keep them. A mail is about what its owner may see when it is made: who made the
 * subscription, or changed it last.
 */
import {
  type insertReportSubscription,
  type listReportSubscriptions,
  type ParsedInputFor,
  type ReportSubscriptionRow,
  reportSubscriptionsAtMost,
  type updateReportSubscription,
} from '@voltkeep/contract'
import { refuseMoreRows } from '../../../domain/access/row-limits.ts'
import { type Actor, mayCall } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { organizationOf, recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { isTimeZone } from '../../../platform/process/clocks/zone-clock.ts'
import type { Letters } from '../../notifications/index.ts'
import { issuesAround } from './schedule.rules.ts'
import { accessOf, ownersOf } from './subscriptions.deciders.ts'
import * as queries from './subscriptions.queries.ts'

export type Subscriptions = ReturnType<typeof createSubscriptions>
type Form = ParsedInputFor<typeof insertReportSubscription>

export function createSubscriptions({
  db,
  letters,
  now = sharedNow,
}: {
  db: Db
  letters: Letters
  now?: () => Date
}) {
  /** Refuses what the caller may not read, a zone that nobody knows, and a channel that the caller does not see. */
  async function valuesOf(trx: Trx, actor: Actor, input: Form) {
    if (!accessOf(input.kind).every((access) => mayCall(actor, access))) refuse('notPermitted')
    if (!isTimeZone(input.timeZone)) refuseInput({ field: 'timeZone', message: '时区不存在' })
    const channel = await letters.lockMailChannel(trx, actor, idNumber(input.channelId))
    if (!channel) refuseInput({ field: 'channelId', message: '邮件渠道不存在' })
    const isEnabled = input.isEnabled === 1
    return {
      name: input.name,
      kind: input.kind,
      group_by: input.groupBy,
      filter: JSON.stringify(input.filter),
      every: input.every,
      hour: input.hour,
      time_zone: input.timeZone,
      channel_id: channel.id,
      is_enabled: isEnabled,
      problem: null,
      next_at: isEnabled ? issuesAround(input, now()).next.at : null,
      decided_by: actor.userId,
      decided_by_name: actor.loginName,
      decided_in: organizationOf(actor),
    }
  }

  async function mustReach(trx: Trx, { userId }: Actor, before: queries.Subscription): Promise<void> {
    for (const owner of ownersOf(before))
      if (!(await letters.mayChange(trx, userId, owner, before.filter)))
        refuse('reportSubscriptionReachesBeyond')
  }

  return {
    nameMailChannels: (actor: Actor) => letters.nameMailChannels(db, actor),

    async listReportSubscriptions(actor: Actor, input: ParsedInputFor<typeof listReportSubscriptions>) {
      const { name, kind, ids } = input
      const filter = { name, kind, ids: ids?.map(idNumber) }
      const [rows, total] = await Promise.all([
        queries.listSubscriptions(db, actor, filter, pageOf(input)),
        queries.countSubscriptions(db, actor, filter),
      ])
      return {
        rows: await Promise.all(
          rows.map(async ({ decidedBy: _, decidedByName, decidedIn: __, ...row }, at) => ({
            ...row,
            ownerName: decidedByName,
            isEnabled: (row.isEnabled ? 1 : 0) as ReportSubscriptionRow['isEnabled'],
            stopped: await letters.stopOf(db, row.channelId, ownersOf(rows[at] as queries.SubscriptionRow)),
          })),
        ),
        total,
      }
    },

    /**
     * Refuses `tooManyReportSubscriptions`, `notPermitted` for a report that the caller may not read or export, and (400)
     * another's channel.
     */
    async insertReportSubscription(actor: Actor, input: Form) {
      return await db.transaction().execute(async (trx) => {
        await refuseMoreRows(
          trx,
          actor,
          { table: 'report_subscription', by: 'decided_by' },
          reportSubscriptionsAtMost,
          'tooManyReportSubscriptions',
        )
        const values = await valuesOf(trx, actor, input)
        const id = await queries.insertSubscription(trx, {
          ...values,
          organization_id: actor.organizationId,
        })
        await recordOperation(trx, actor, { target: targetOf(input), changes: { after: shown(input) } })
        return { id }
      })
    },

    /**
     * Refuses `reportSubscriptionNotFound`, `conflict`, `reportSubscriptionReachesBeyond` where its mails are about devices
     * that the caller does not see, and what `insertReportSubscription` refuses.
     */
    async updateReportSubscription(
      actor: Actor,
      input: ParsedInputFor<typeof updateReportSubscription>,
    ): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...subscriptionOf(actor, id), version }, async (trx, before) => {
        await mustReach(trx, actor, before)
        await queries.updateSubscription(trx, before.id, await valuesOf(trx, actor, input))
        if (input.isEnabled === 0) await letters.withdraw(trx, queries.seriesOf(before.id), '报表订阅已停用')
        return {
          before: shown({ ...before, isEnabled: before.isEnabled ? 1 : 0 }),
          after: shown(input),
        }
      })
    },

    /** Refuses `reportSubscriptionNotFound` and `reportSubscriptionReachesBeyond`. What waits to be sent is not sent. */
    async deleteReportSubscription(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, subscriptionOf(actor, id), async (trx, before) => {
        await mustReach(trx, actor, before)
        await letters.withdraw(trx, queries.seriesOf(before.id), '报表订阅已删除')
        await queries.deleteSubscription(trx, before.id)
        return { before: { name: before.name } }
      })
    },
  }
}

const subscriptionOf = (actor: Actor, id: string): Subject<queries.Subscription> => ({
  lock: (trx) => queries.lockSubscription(trx, actor, idNumber(id)),
  notFound: 'reportSubscriptionNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `报表订阅 ${name}`

const shown = ({
  name,
  kind,
  groupBy,
  filter,
  every,
  hour,
  timeZone,
  isEnabled,
}: Pick<Form, 'name' | 'kind' | 'groupBy' | 'every' | 'hour' | 'timeZone' | 'isEnabled'> & {
  filter: object
}) => ({ name, kind, groupBy, ...filter, every, hour, timeZone, isEnabled })
