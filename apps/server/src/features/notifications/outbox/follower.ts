/**
 * Follows alarms to the outbox: what rules want told is written down as items, after the alarms' own commit and never on
 * the way of a report. Notices say which alarms to look at; they may be lost, so everything that began lately is looked
 * at again at the start, after a lost connection and every minute.
 */

import { alarmLevels } from '@voltkeep/contract'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { standingScope } from '../../../domain/access/deciders.ts'
import { passesNothing, resolvePlaces, resolveSemaphores } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { NamedIds, Notices } from '../../../platform/database/notices/notices.ts'
import { statementsOf } from '../../../platform/database/statements.ts'
import { wake } from '../../../platform/database/work/lease-queue.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { alarmsChanged, alarmsOpened, alarmsUnshelved, isNotQuiet, readQuiet } from '../../alarms/index.ts'
import { dueAt } from '../rules/quiet-hours.ts'
import { addressSetterOf, ownerOf } from '../rules/rule-decider.ts'
import {
  insertRaised,
  type Looked,
  listRulePairs,
  type RulePair,
  scheduleChannels,
  settleRecovered,
} from './matching.queries.ts'
import { channelTable } from './outbox.queue.ts'

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
  now?: () => Date
}

export function createFollower({ db, notices, log, now = () => new Date() }: FollowerNeeds): Worker {
  /** What notices have named since the last look; null: all has to be looked at. */
  let opened: Set<string> | null = null
  let changed: Set<string> | null = null
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isRunning = false
  let stops: (() => void)[] = []

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
      if (begun === null || begun.size > 0) await writeRaised(db, begun && [...begun], now())
      if (ended === null || ended.size > 0) await writeRecovered(db, ended && [...ended])
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
export async function writeRaised(db: Db, ids: readonly string[] | null, now: Date): Promise<void> {
  const standings = new Map<string, DataScope | null>()
  const isTold = isNotQuiet(await readQuiet(db, now))
  for (const pair of await listRulePairs(db)) {
    if (!pair.events.includes('raised')) continue
    const scope = await scopeOfPair(db, pair, standings)
    if (!scope) continue
    const filter = {
      ...(await resolvePlaces(db, scope, pair.filter)),
      ...(await resolveSemaphores(db, 'ALARM', {
        semaphoreCode: pair.filter.semaphoreCode,
        // All levels are no limit: a code that the dictionary does not know has none.
        ...(pair.alarmLevels.length < alarmLevels.length && { alarmLevel: pair.alarmLevels }),
      })),
    }
    if (passesNothing(filter)) continue
    const earliest = new Date(Math.max(pair.enabledAt.getTime(), now.getTime() - lookBackMs))
    const looks: Looked[] =
      ids === null ? [{ since: earliest }] : portionsOf(ids).map((part) => ({ ids: part }))
    const due = {
      critical: now,
      others: dueAt({ groupWaitS: pair.groupWaitS, quiet: quietOf(pair) }, false, now),
    }
    for (const looked of looks) {
      let found: number
      do {
        found = await db.transaction().execute(async (trx) => {
          const count = await insertRaised(trx, pair, filter, isTold, looked, due, portion)
          if (count > 0) await wakeChannels(trx, [pair.channelId])
          return count
        })
      } while (found === portion)
    }
  }
}

/** Writes down recoveries of alarms that were told, and forgets untold ones that are over. */
export async function writeRecovered(db: Db, ids: readonly string[] | null): Promise<void> {
  for (const part of ids === null ? [null] : portionsOf(ids)) {
    let count: number
    do {
      count = await db.transaction().execute(async (trx) => {
        const settled = await settleRecovered(trx, part, portion)
        if (settled.channelIds.length > 0) await wakeChannels(trx, settled.channelIds)
        return settled.count
      })
    } while (count === portion)
  }
}

async function wakeChannels(trx: Parameters<typeof scheduleChannels>[0], channelIds: readonly number[]) {
  await scheduleChannels(trx, channelIds)
  // The queue sleeps until the earliest moment that it knows: it looks at once, and learns the new one.
  await statementsOf(trx).query(wake(channelTable, 0))
}

/** How far rule and channel reach together; null where one of their people may not decide any more. */
async function scopeOfPair(
  db: Db,
  pair: RulePair,
  known: Map<string, DataScope | null>,
): Promise<DataScope | null> {
  const deciders = [
    ownerOf({ decidedBy: pair.ruleBy, decidedByName: pair.ruleByName, decidedIn: pair.ruleIn }),
    addressSetterOf({
      decidedBy: pair.channelBy,
      decidedByName: pair.channelByName,
      decidedIn: pair.channelIn,
    }),
  ]
  const key = JSON.stringify(deciders)
  const before = known.get(key)
  if (before !== undefined) return before
  const { scope } = await standingScope(db, deciders)
  known.set(key, scope)
  return scope
}

export const quietOf = ({ quietFrom, quietTo }: Pick<RulePair, 'quietFrom' | 'quietTo'>) =>
  quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo }

function portionsOf(ids: readonly string[]): string[][] {
  const parts: string[][] = []
  for (let start = 0; start < ids.length; start += portion) parts.push(ids.slice(start, start + portion))
  return parts
}
