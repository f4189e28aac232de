/**
 * Rules as users keep them. A rule is about alarms that its owner may see: who made it, or changed it last. Of a channel
 * of somebody else, the user who set its address has to see them, too.
 */
import type {
  insertNotifyRule,
  listNotifyRules,
  NotifyRuleRow,
  ParsedInputFor,
  updateNotifyRule,
} from '@voltkeep/contract'
import { standingScope } from '../../../domain/access/deciders.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { organizationOf, recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { lockChannelsShared } from '../channels/channels.queries.ts'
import { ownerOf } from './rule-decider.ts'
import * as queries from './rules.queries.ts'

export type Rules = ReturnType<typeof createRules>
type RuleForm = ParsedInputFor<typeof insertNotifyRule>

export function createRules({ db }: { db: Db }) {
  return {
    async listNotifyRules(actor: Actor, input: ParsedInputFor<typeof listNotifyRules>) {
      const { name, channelId, ids } = input
      const filter = {
        name,
        channelId: channelId === undefined ? undefined : idNumber(channelId),
        ids: ids?.map(idNumber),
      }
      const [rows, total] = await Promise.all([
        queries.listRules(db, actor, filter, pageOf(input)),
        queries.countRules(db, actor, filter),
      ])
      return { rows: await Promise.all(rows.map((row) => shownRow(db, row))), total }
    },

    /** Refuses (400) channels that the caller does not see. */
    async insertNotifyRule(actor: Actor, input: RuleForm) {
      return await db.transaction().execute(async (trx) => {
        const channels = await lockChannels(trx, actor, input.channelIds)
        const id = await queries.insertRule(trx, {
          ...valuesOf(input),
          organization_id: actor.organizationId,
          ...decisionOf(actor),
        })
        await queries.writeChannels(
          trx,
          id,
          channels.map((channel) => channel.id),
        )
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: {
            after: shownForm(
              input,
              channels.map((channel) => channel.name),
            ),
          },
        })
        return { id }
      })
    },

    /** Refuses `notifyRuleNotFound` and `conflict`, and (400) channels that the caller does not see. */
    async updateNotifyRule(actor: Actor, input: ParsedInputFor<typeof updateNotifyRule>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...ruleOf(actor, id), version }, async (trx, before) => {
        const channels = await lockChannels(trx, actor, input.channelIds)
        const isSwitchedOn = input.isEnabled === 1 && !before.isEnabled
        await queries.updateRule(trx, before.id, {
          ...valuesOf(input),
          ...decisionOf(actor),
          ...(isSwitchedOn && { enabled_at: new Date() }),
        })
        await queries.writeChannels(
          trx,
          before.id,
          channels.map((channel) => channel.id),
        )
        if (input.isEnabled === 0) await queries.forgetWaiting(trx, before.id)
        return {
          before: shownForm({ ...before, isEnabled: before.isEnabled ? 1 : 0 }, before.channelNames),
          after: shownForm(
            input,
            channels.map((channel) => channel.name),
          ),
        }
      })
    },

    /** Refuses `notifyRuleNotFound`. What waits is not told; what was told stays in the record. */
    async deleteNotifyRule(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, ruleOf(actor, id), async (trx, before) => {
        await queries.forgetWaiting(trx, before.id)
        await queries.deleteRule(trx, before.id)
        return { before: { name: before.name, channels: before.channelNames.join('、') } }
      })
    },
  }
}

async function shownRow(db: Db, { decidedBy, decidedIn, ...row }: queries.RuleRow) {
  const owner = ownerOf({ decidedBy, decidedByName: row.ownerName, decidedIn })
  const { stopped } = await standingScope(db, [owner])
  return { ...row, isEnabled: (row.isEnabled ? 1 : 0) as NotifyRuleRow['isEnabled'], stopped }
}

const ruleOf = (actor: Actor, id: string): Subject<queries.RuleRow> => ({
  lock: (trx) => queries.lockRule(trx, actor, idNumber(id)),
  notFound: 'notifyRuleNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `通知规则 ${name}`

async function lockChannels(trx: Trx, actor: Actor, given: readonly string[]) {
  const ids = [...new Set(given.map(idNumber))]
  const found = await lockChannelsShared(trx, actor, ids)
  if (found.length < ids.length) refuseInput({ field: 'channelIds', message: '通知渠道不存在' })
  return found
}

const valuesOf = (input: RuleForm) => ({
  name: input.name,
  events: [...new Set(input.when)],
  alarm_levels: [...new Set(input.alarmLevels)].toSorted((a, b) => a - b),
  filter: JSON.stringify(input.filter),
  group_wait_s: input.groupWaitS,
  quiet_from: input.quietFrom ?? null,
  quiet_to: input.quietTo ?? null,
  is_enabled: input.isEnabled === 1,
})

const decisionOf = (actor: Actor) => ({
  decided_by: actor.userId,
  decided_by_name: actor.loginName,
  decided_in: organizationOf(actor),
})

const shownForm = (
  {
    name,
    when,
    alarmLevels,
    filter,
    groupWaitS,
    quietFrom,
    quietTo,
    isEnabled,
  }: Pick<RuleForm, 'name' | 'when' | 'groupWaitS' | 'isEnabled'> & {
    alarmLevels: readonly number[]
    filter: object
    quietFrom?: string | null | undefined
    quietTo?: string | null | undefined
  },
  channelNames: readonly string[],
) => ({
  name,
  when,
  alarmLevels,
  ...filter,
  channels: channelNames.join('、'),
  groupWaitS,
  ...(quietFrom && { quiet: `${quietFrom}-${quietTo}` }),
  isEnabled,
})
