/**
 * Rules as users keep them. A rule is about alarms that its owner may see: who made it, or changed it last. Of a channel
 * of somebody else, the user who set its address has to see them, too.
 */
import {
  type insertNotifyRule,
  type listNotifyRules,
  type NotifyRuleRow,
  notifyRulesAtMost,
  type ParsedInputFor,
  type updateNotifyRule,
} from '@voltkeep/contract'
import { standingScope } from '../../../domain/access/deciders.ts'
import { refuseMoreRows } from '../../../domain/access/row-limits.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { organizationOf, recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { lockChannelsShared } from '../channels/channels.queries.ts'
import { stopRuns } from '../escalations/escalations.queries.ts'
import type { Targets } from '../escalations/escalations.states.ts'
import { receiversAt, refuseMoreReceivers } from '../targets/receivers.ts'
import * as targets from '../targets/targets.queries.ts'
import { mayChangeWhatIsTold, ownerOf } from './rule-decider.ts'
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
      const named = await targets.listTargets(
        db,
        rows.map(({ id }) => id),
      )
      return { rows: await Promise.all(rows.map((row) => shownRow(db, row, named))), total }
    },

    /** Refuses (400) channels, people, roles and rotas that the caller does not see, `tooManyNotifyRules` and `tooManyNotifyReceivers`. */
    async insertNotifyRule(actor: Actor, input: RuleForm) {
      return await db.transaction().execute(async (trx) => {
        await refuseMoreRows(
          trx,
          actor,
          { table: 'notify_rule', by: 'decided_by' },
          notifyRulesAtMost,
          'tooManyNotifyRules',
        )
        const chosen = await lockTargets(trx, actor, actor.organizationId, input)
        const id = await queries.insertRule(trx, {
          ...valuesOf(input),
          organization_id: actor.organizationId,
          ...decisionOf(actor),
        })
        await targets.writeTargets(trx, id, chosen.rows)
        await recordOperation(trx, actor, {
          target: targetOf(input),
          changes: { after: shownForm(input, chosen.words) },
        })
        return { id }
      })
    },

    /**
     * Refuses `notifyRuleNotFound`, `conflict`, `notifyRuleReachesBeyond` where the rule tells of devices that the caller
     * does not see, and (400) what `insertNotifyRule` refuses. Escalations that run keep their steps, unless the rule is
     * switched off.
     */
    async updateNotifyRule(actor: Actor, input: ParsedInputFor<typeof updateNotifyRule>): Promise<void> {
      const { id, version } = input
      await changing(db, actor, { ...ruleOf(actor, id), version }, async (trx, before) => {
        await mustReach(trx, actor, before)
        const chosen = await lockTargets(trx, actor, before.organizationId, input)
        const named = await targets.listTargets(trx, [before.id])
        const isSwitchedOn = input.isEnabled === 1 && !before.isEnabled
        await queries.updateRule(trx, before.id, {
          ...valuesOf(input),
          ...decisionOf(actor),
          ...(isSwitchedOn && { enabled_at: sharedNow() }),
        })
        await targets.writeTargets(trx, before.id, chosen.rows)
        if (input.isEnabled === 0) {
          await queries.forgetWaiting(trx, before.id)
          await stopRuns(trx, before.id)
        } else {
          const first = targets.targetsOf(await targets.listTargets(trx, [before.id]), before.id, 0)
          const rule = { ruleId: before.id, organizationId: before.organizationId }
          const kept = await receiversAt(trx, rule, first, sharedNow())
          await targets.forgetOthers(trx, before.id, kept)
        }
        return {
          before: shownForm({ ...before, isEnabled: before.isEnabled ? 1 : 0 }, wordsOf(named, before.steps)),
          after: shownForm(input, chosen.words),
        }
      })
    },

    /**
     * Refuses `notifyRuleNotFound` and `notifyRuleReachesBeyond`. What waits is not told; what was told stays in the
     * record.
     */
    async deleteNotifyRule(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, ruleOf(actor, id), async (trx, before) => {
        await mustReach(trx, actor, before)
        await queries.forgetWaiting(trx, before.id)
        await queries.deleteRule(trx, before.id)
        return { before: { name: before.name } }
      })
    },
  }
}

async function shownRow(
  db: Db,
  { decidedBy, decidedIn, organizationId: _, steps, ...row }: queries.RuleRow,
  named: readonly targets.NamedTarget[],
) {
  const owner = ownerOf({ decidedBy, decidedByName: row.ownerName, decidedIn })
  const { stopped } = await standingScope(db, [owner])
  const fallback = named.find(({ ruleId, step }) => ruleId === row.id && step === targets.fallbackStep)
  return {
    ...row,
    ...shownTargets(named, row.id, 0),
    fallbackChannelId: fallback?.id ?? null,
    fallbackChannelName: fallback?.name ?? null,
    steps: steps.map((step, at) => ({ ...step, ...shownTargets(named, row.id, at + 1) })),
    isEnabled: (row.isEnabled ? 1 : 0) as NotifyRuleRow['isEnabled'],
    stopped,
  }
}

function shownTargets(named: readonly targets.NamedTarget[], ruleId: number, step: number) {
  const of = (kind: keyof Targets) =>
    named.filter((one) => one.ruleId === ruleId && one.step === step && one.kind === kind)
  const idsOf = (kind: keyof Targets) => of(kind).map(({ id }) => id)
  const namesOf = (kind: keyof Targets) => of(kind).map(({ name }) => name)
  const [duty] = of('dutyIds')
  return {
    channelIds: idsOf('channelIds'),
    channelNames: namesOf('channelIds'),
    userIds: idsOf('userIds'),
    userNames: namesOf('userIds'),
    roleIds: idsOf('roleIds'),
    roleNames: namesOf('roleIds'),
    dutyId: duty?.id ?? null,
    dutyName: duty?.name ?? null,
  }
}

async function mustReach(trx: Trx, { userId }: Actor, rule: queries.RuleRow): Promise<void> {
  const { decidedBy, ownerName, decidedIn, filter } = rule
  const owner = ownerOf({ decidedBy, decidedByName: ownerName, decidedIn })
  if (!(await mayChangeWhatIsTold(trx, userId, owner, { filter }))) refuse('notifyRuleReachesBeyond')
}

const ruleOf = (actor: Actor, id: string): Subject<queries.RuleRow> => ({
  lock: (trx) => queries.lockRule(trx, actor, idNumber(id)),
  notFound: 'notifyRuleNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `通知规则 ${name}`

type GivenTargets = Pick<RuleForm, 'channelIds' | 'userIds' | 'roleIds' | 'dutyId'>

/** What the form names, kept from being deleted until the transaction ends; with its names. */
async function lockTargets(trx: Trx, actor: Actor, organizationId: number, input: RuleForm) {
  const steps: GivenTargets[] = [input, ...input.steps]
  const rows = steps.map(({ channelIds, userIds, roleIds, dutyId }, step) => ({
    step,
    channelIds: [...new Set(channelIds.map(idNumber))],
    userIds: [...new Set(userIds.map(idNumber))],
    roleIds: [...new Set(roleIds.map(idNumber))],
    dutyIds: dutyId === undefined ? [] : [idNumber(dutyId)],
  }))
  const { fallbackChannelId } = input
  if (fallbackChannelId !== undefined)
    rows.push({
      step: targets.fallbackStep,
      channelIds: [idNumber(fallbackChannelId)],
      userIds: [],
      roleIds: [],
      dutyIds: [],
    })
  const check = async (
    kind: keyof Targets,
    lock: (ids: number[]) => Promise<{ id: number; name: string }[]>,
    noun: string,
  ) => {
    const ids = [...new Set(rows.flatMap((row) => row[kind]))]
    if (ids.length === 0) return []
    const found = await lock(ids)
    const known = new Set(found.map(({ id }) => id))
    const wrong = rows.find((row) => row[kind].some((id) => !known.has(id)))
    if (wrong)
      refuseInput({
        field: fieldOf(wrong.step, kind === 'dutyIds' ? 'dutyId' : kind),
        message: `${noun}不存在`,
      })
    return rows.flatMap((row) =>
      row[kind].map((id) => ({
        ruleId: 0,
        step: row.step,
        kind,
        id,
        name: found.find((one) => one.id === id)?.name ?? '',
      })),
    )
  }
  const named = [
    ...(await check('channelIds', (ids) => lockChannelsShared(trx, actor, ids), '通知渠道')),
    ...(await check('userIds', (ids) => targets.lockPeople(trx, organizationId, ids), '通知人员')),
    ...(await check('roleIds', (ids) => targets.lockRoles(trx, ids), '通知角色')),
    ...(await check('dutyIds', (ids) => targets.lockDuties(trx, organizationId, ids), '值班表')),
  ]
  if (input.isEnabled === 1) await refuseMoreReceivers(trx, organizationId, rows, sharedNow())
  return { rows, words: wordsOf(named, input.steps) }
}

function fieldOf(step: number, field: string): string {
  if (step === targets.fallbackStep) return 'fallbackChannelId'
  return step === 0 ? field : `steps.${step - 1}.${field}`
}

/** Whom the rule tells, in words. */
function wordsOf(
  named: readonly targets.NamedTarget[],
  steps: readonly { afterMinutes: number }[],
): Record<string, string> {
  const namesOf = (step: number) =>
    named
      .filter((one) => one.step === step)
      .map(({ name }) => name)
      .join('、')
  return {
    channels: namesOf(0),
    ...(namesOf(targets.fallbackStep) !== '' && { fallback: namesOf(targets.fallbackStep) }),
    ...(steps.length > 0 && {
      steps: steps.map(({ afterMinutes }, at) => `${afterMinutes} 分钟 ${namesOf(at + 1)}`).join('；'),
    }),
  }
}

const valuesOf = (input: RuleForm) => ({
  name: input.name,
  events: [...new Set(input.when)],
  alarm_levels: [...new Set(input.alarmLevels)].toSorted((a, b) => a - b),
  filter: JSON.stringify(input.filter),
  steps: JSON.stringify(input.steps.map(({ afterMinutes, unless }) => ({ afterMinutes, unless }))),
  repeat_s: input.repeatS,
  group_wait_s: input.groupWaitS,
  offline_minutes: input.offlineMinutes,
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
  words: Record<string, string>,
) => ({
  name,
  when,
  alarmLevels,
  ...filter,
  ...words,
  groupWaitS,
  ...(quietFrom && { quiet: `${quietFrom}-${quietTo}` }),
  isEnabled,
})
