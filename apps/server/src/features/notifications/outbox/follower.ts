/**
 * Follows alarms to the outbox: what rules want told is written down as items, after the alarms' own commit and never on
 * the way of a report. Notices say which alarms to look at; they may be lost, so everything that began lately is looked
 * at again at the start, after a lost connection and every minute.
 */

import { alarmLevels, type RuleEvent } from '@voltkeep/contract'
import { passesNothing, resolvePlaces, resolveSemaphores } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { NamedIds, Notices } from '../../../platform/database/notices/notices.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { alarmsChanged, alarmsOpened, alarmsUnshelved, isNotQuiet, readQuiet } from '../../alarms/index.ts'
import { type Chain, nextAtMs } from '../escalations/escalations.states.ts'
import { type Escalations, wakeEscalations } from '../escalations/escalations.ts'
import { dueAt, type QuietHours, recoveryDueAt, troubleMs } from '../rules/quiet-hours.ts'
import { type Complain, complainBy, receiversAt } from '../targets/receivers.ts'
import { listTargets, targetsOf } from '../targets/targets.queries.ts'
import { ruleOwner } from './follower-deciders.ts'
import {
  type DueByRule,
  forgetOver,
  insertNews,
  insertRaised,
  insertReturned,
  insertRuns,
  listEnabledRules,
  listUntold,
  type Matched,
  type MatchedRule,
  mayBeAbout,
  type Placed,
  readAbout,
  settleRecovered,
} from './matching.queries.ts'
import { writeOthers } from './others.ts'
import { createStandings, portionsFor, type Standing, type Standings, shareOut } from './standings.ts'
import { wakeChannels } from './waking.ts'

const lookAgainMs = 60_000
const retryMs = 1_000
/** A look that repeats goes back so far, and not beyond the moment at which the rule was switched on. */
const lookBackMs = 86_400_000
/** Rows of one statement. */
const portion = 2_000
/** More are looked at as all. */
const idsAtMost = 20_000

export interface FollowerNeeds {
  db: Db
  notices: Pick<Notices, 'subscribe'>
  log: Log
  escalations: Pick<Escalations, 'settle'>
  now?: () => Date
}

export function createFollower({ db, notices, log, escalations, now = sharedNow }: FollowerNeeds): Worker {
  /** What notices have named since the last look; null: all has to be looked at. */
  let opened: Set<string> | null = null
  let changed: Set<string> | null = null
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isRunning = false
  let stops: (() => void)[] = []
  const startedAt = now()
  const complain = complainBy(log)

  const added = (known: Set<string> | null, ids: NamedIds<string>): Set<string> | null => {
    if (known === null || ids === null) return null
    for (const id of ids) known.add(id)
    return known.size > idsAtMost ? null : known
  }
  const isWaiting = () => opened === null || changed === null || opened.size + changed.size > 0

  /** Returns when the next look is, in ms. */
  async function look(): Promise<number> {
    const [begun, ended] = [opened, changed]
    ;[opened, changed] = [new Set(), new Set()]
    try {
      if (begun === null || begun.size > 0) {
        await writeRaised(db, begun && [...begun], now(), complain)
        await writeReturned(db, begun && [...begun], now())
      }
      if (ended === null || ended.size > 0) {
        // First: what an acknowledgement has ended must not be told meanwhile.
        await escalations.settle(db, ended && [...ended], now())
        await writeNews(db, ended && [...ended], now())
        await writeRecovered(db, ended && [...ended], now())
      }
      // What was passed on by a process that has died since.
      if (begun === null) {
        await writeOthers(db, now(), startedAt, complain)
        await db.transaction().execute(async (trx) => {
          await forgetOver(trx, new Date(now().getTime() - 2 * troubleMs))
          await wakeChannels(trx, null)
        })
      }
      return isWaiting() ? 0 : lookAgainMs
    } catch (err) {
      log.warn(
        { err },
        spoken({
          zh: '告警通知暂时无法生成，将继续重试',
          en: 'notices of alarms could not be made, trying again',
        }),
      )
      ;[opened, changed] = [null, null]
      return retryMs
    }
  }

  function fire(): void {
    if (looking || !isRunning) return
    clearTimeout(timer)
    looking = look().then((inMs) => {
      looking = undefined
      if (!isRunning) return
      timer = setTimeout(() => {
        if (inMs === lookAgainMs) [opened, changed] = [null, null]
        fire()
      }, inMs)
    })
  }

  return {
    start() {
      isRunning = true
      stops = [
        notices.subscribe(alarmsOpened, (ids) => {
          opened = added(opened, ids)
          fire()
        }),
        // What nobody was told of while a shelf kept it quiet.
        notices.subscribe(alarmsUnshelved, (ids) => {
          opened = added(opened, ids)
          fire()
        }),
        notices.subscribe(alarmsChanged, (ids) => {
          changed = added(changed, ids)
          fire()
        }),
      ]
      fire()
    },
    async stop() {
      isRunning = false
      for (const stop of stops) stop()
      clearTimeout(timer)
      await looking
    },
  }
}

/** Writes down alarms that opened, by id or all of late. */
export async function writeRaised(
  db: Db,
  ids: readonly string[] | null,
  now: Date,
  complain?: Complain,
): Promise<void> {
  const enabled = (await listEnabledRules(db)).filter(({ events }) => events.includes('raised'))
  if (enabled.length === 0) return
  // Most rules are of other tenants: what they are about is compared here, and costs no statement.
  const about = ids && (await readAbout(db, ids))
  const rules = about ? enabled.filter((rule) => mayBeAbout(rule, about)) : enabled
  if (rules.length === 0) return
  const standings = createStandings(db)
  await standings.load(rules.map(ruleOwner))
  const filters = new Map<string, Filter>()
  const isTold = isNotQuiet(await readQuiet(db, now))
  for (const rule of rules) {
    const { ruleId, steps, repeatS } = rule
    const owner = standings.of(ruleOwner(rule))
    const within = owner && (await filterWithin(db, rule, owner, filters))
    if (!within || passesNothing(within)) continue
    const filter = { ...within, isTold }
    const escalates = steps.length > 0 || repeatS > 0
    const since = new Date(Math.max(rule.enabledAt.getTime(), now.getTime() - lookBackMs))
    const untold = await listUntold(db, { ruleId, escalates }, filter, { ids, since, limit: idsAtMost })
    if (untold.length > 0) await writeUntold(db, { rule, filter, untold, standings, now, complain })
  }
}

interface Untold {
  rule: MatchedRule
  filter: Matched
  untold: readonly Placed[]
  standings: Standings
  now: Date
  complain: Complain | undefined
}

async function writeUntold(
  db: Db,
  { rule, filter, untold, standings, now, complain }: Untold,
): Promise<void> {
  const { ruleId, groupWaitS, repeatS } = rule
  const quiet = quietHoursOf(rule)
  const named = await listTargets(db, [ruleId])
  const first = targetsOf(named, ruleId, 0)
  const steps = rule.steps.map((step, at) => ({ ...step, ...targetsOf(named, ruleId, at + 1) }))
  const chain: Chain = { first, steps, repeatS, quiet }
  const told = await standings.tellable(await receiversAt(db, rule, first, now, complain))
  const nextMs = nextAtMs({ beganAtMs: now.getTime(), chain, turn: 0 }, now.getTime())
  const due = { critical: now, others: dueAt({ groupWaitS, quiet }, false, now) }
  // All who are told of an alarm are so in one transaction: what comes later is a newcomer.
  for (const part of portionsFor(untold, told.length)) {
    const shares = shareOut(part, told)
    if (shares.length === 0 && nextMs === null) continue
    await db.transaction().execute(async (trx) => {
      if (nextMs !== null) {
        const reached = new Set(shares.flatMap(({ ids }) => ids))
        const ids = part.map(({ id }) => id)
        // Where nobody is there to be told, the first step does not wait.
        for (const [some, atMs] of [
          [ids.filter((id) => reached.has(id)), nextMs],
          [ids.filter((id) => !reached.has(id)), now.getTime()],
        ] as const) {
          const begun = { chain, now, nextAt: new Date(atMs) }
          const count = some.length > 0 ? await insertRuns(trx, rule, begun, filter, some) : 0
          if (count > 0) await wakeEscalations(trx, atMs - now.getTime())
        }
      }
      const channelIds = new Set<number>()
      for (const { ids, receivers } of shares)
        if ((await insertRaised(trx, { ruleId, now, due }, receivers, filter, ids)) > 0)
          for (const { channelId } of receivers) channelIds.add(channelId)
      if (channelIds.size > 0) await wakeChannels(trx, [...channelIds])
    })
  }
}

type Filter = Omit<Matched, 'isTold'>

/** Which alarms a rule tells where its owner decides; of those known by then for who reaches the same. */
async function filterWithin(
  db: Db,
  { filter, alarmLevels: levels }: MatchedRule,
  { n, scope }: Standing,
  known: Map<string, Filter>,
): Promise<Filter> {
  const key = JSON.stringify([n, filter, levels])
  const before = known.get(key)
  if (before) return before
  const within = {
    ...(await resolvePlaces(db, scope, filter)),
    ...(await resolveSemaphores(db, 'ALARM', {
      semaphoreCode: filter.semaphoreCode,
      // All levels are no limit: a code that the dictionary does not know has none.
      ...(levels.length < alarmLevels.length && { alarmLevel: levels }),
    })),
  }
  known.set(key, within)
  return within
}

const quietHoursOf = ({ quietFrom, quietTo }: MatchedRule) =>
  quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo }

/** The enabled rules of an event, with when what they tell is due. */
async function dueOf(
  db: Db,
  event: RuleEvent,
  at: (rule: { groupWaitS: number; quiet: QuietHours | null }) => Date,
): Promise<DueByRule> {
  const rules = (await listEnabledRules(db)).filter(({ events }) => events.includes(event))
  return {
    ruleIds: rules.map(({ ruleId }) => ruleId),
    dueAt: rules.map((rule) => at({ groupWaitS: rule.groupWaitS, quiet: quietHoursOf(rule) })),
  }
}

/** Writes down told alarms that have become graver. */
async function writeNews(db: Db, ids: readonly string[] | null, now: Date): Promise<void> {
  const due = await dueOf(db, 'levelRaised', (rule) => dueAt(rule, false, now))
  if (due.ruleIds.length === 0) return
  const isTold = isNotQuiet(await readQuiet(db, now))
  for (const part of ids === null ? [null] : portionsOf(ids))
    await db.transaction().execute(async (trx) => {
      const channelIds = await insertNews(trx, part, { due, now, isTold })
      if (channelIds.length > 0) await wakeChannels(trx, channelIds)
    })
}

/** Writes down told alarms that a shelf has left while they last. */
async function writeReturned(db: Db, ids: readonly string[] | null, now: Date): Promise<void> {
  const due = await dueOf(db, 'raised', (rule) => dueAt(rule, false, now))
  if (due.ruleIds.length === 0) return
  const isTold = isNotQuiet(await readQuiet(db, now))
  const since = new Date(now.getTime() - lookBackMs)
  for (const part of ids === null ? [null] : portionsOf(ids))
    await db.transaction().execute(async (trx) => {
      const channelIds = await insertReturned(trx, part, { due, now, since, isTold })
      if (channelIds.length > 0) await wakeChannels(trx, channelIds)
    })
}

/** Writes down recoveries of alarms that were told; untold ones that are over wait no more. */
export async function writeRecovered(
  db: Db,
  ids: readonly string[] | null,
  now = sharedNow(),
): Promise<void> {
  const due = await dueOf(db, 'recovered', (rule) => recoveryDueAt(rule, now))
  for (const part of ids === null ? [null] : portionsOf(ids)) {
    let count: number
    do {
      count = await db.transaction().execute(async (trx) => {
        const settled = await settleRecovered(trx, part, { due, now, limit: portion })
        if (settled.channelIds.length > 0) await wakeChannels(trx, settled.channelIds)
        return settled.count
      })
    } while (count === portion)
  }
}

function portionsOf(ids: readonly string[]): string[][] {
  const parts: string[][] = []
  for (let start = 0; start < ids.length; start += portion) parts.push(ids.slice(start, start + portion))
  return parts
}
