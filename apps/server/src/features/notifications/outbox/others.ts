/**
 * What rules are about beside alarms: devices that stay offline, and tasks that pause or end. Looked for each minute: a
 * device counts as offline after minutes, and of a task nobody waits for the second.
 */
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { type Decider, standingScope } from '../../../domain/access/deciders.ts'
import { passesNothing, resolvePlaces } from '../../../domain/history/index.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Quiet, readQuiet } from '../../alarms/index.ts'
import { onDutyAt } from '../duties/duties.queries.ts'
import { dueAt } from '../rules/quiet-hours.ts'
import { ownerOf } from '../rules/rule-decider.ts'
import { listReceivers, listTargets, targetsOf } from '../targets/targets.queries.ts'
import { decidersOf, readersOf } from './follower-deciders.ts'
import { listEnabledRules, type MatchedRule } from './matching.queries.ts'
import { insertOffline, insertTasks, type QuietDevices, readRunBegan, settleBack } from './others.queries.ts'
import { wakeChannels } from './waking.ts'

/** A look goes back so far, and not beyond the moment at which the rule was switched on. */
const lookBackMs = 86_400_000
/** After a start devices have a minute to connect again; what is not heard of meanwhile is this server's own doing. */
const restartGraceMs = 60_000
/** Rows of one statement. */
const portion = 2_000
const taskEvents = ['taskPaused', 'taskEnded']

const quietHoursOf = ({ quietFrom, quietTo }: MatchedRule) =>
  quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo }
const dueOf = (rule: MatchedRule, now: Date) =>
  dueAt({ groupWaitS: rule.groupWaitS, quiet: quietHoursOf(rule) }, false, now)

/** `startedAt`: of the process that looks. */
export async function writeOthers(db: Db, now: Date, startedAt: Date): Promise<void> {
  const rules = (await listEnabledRules(db)).filter(({ events }) =>
    events.some((event) => event === 'deviceOffline' || taskEvents.includes(event)),
  )
  await writeBack(db, rules, now)
  if (rules.length === 0) return
  const quiet = quietDevicesOf(await readQuiet(db, now))
  const named = await listTargets(
    db,
    rules.map(({ ruleId }) => ruleId),
  )
  const standings = new Map<string, DataScope | null>()
  const standing = async (deciders: readonly Decider[]) => {
    const key = JSON.stringify(deciders)
    const known = standings.get(key)
    if (known !== undefined) return known
    const { scope } = await standingScope(db, deciders)
    standings.set(key, scope)
    return scope
  }
  for (const rule of rules) {
    const owner = ownerOf({ decidedBy: rule.ruleBy, decidedByName: rule.ruleByName, decidedIn: rule.ruleIn })
    const first = targetsOf(named, rule.ruleId, 0)
    const onDuty = await onDutyAt(db, first.dutyIds, now)
    const receivers = await listReceivers(db, rule.organizationId, first, onDuty)
    const telling = { ruleId: rule.ruleId, now, due: dueOf(rule, now) }
    const since = new Date(Math.max(rule.enabledAt.getTime(), now.getTime() - lookBackMs))
    // All who are told of it are so in one transaction: what comes later is a newcomer.
    await db.transaction().execute(async (trx) => {
      let count = 0
      for (const receiver of receivers) {
        const scope = await standing([owner, ...decidersOf(receiver)])
        if (!scope) continue
        const places = await resolvePlaces(trx, scope, rule.filter)
        if (passesNothing(places)) continue
        if (rule.events.includes('deviceOffline')) {
          const offlineMs = rule.offlineMinutes * 60_000
          const heardMs = Math.max(startedAt.getTime(), (await readRunBegan(trx))?.getTime() ?? 0)
          // Nobody knows how long a device was away of which this server could not have heard.
          const isLongEnough = now.getTime() - heardMs >= restartGraceMs + offlineMs
          const until = new Date(isLongEnough ? now.getTime() - offlineMs : 0)
          count += await insertOffline(trx, telling, receiver, { places, quiet, since, until })
        }
        const events = rule.events.filter((event) => taskEvents.includes(event))
        if (events.length === 0) continue
        const { organizationId } = rule
        for (const kind of ['upgrade', 'batch'] as const) {
          const reading = await standing(readersOf(kind, owner, receiver))
          if (reading)
            count += await insertTasks(trx, { ...telling, kind, events }, receiver, {
              organizationId,
              scope,
              places,
              since,
            })
        }
      }
      if (count > 0) await wakeChannels(trx, [...new Set(receivers.map(({ channelId }) => channelId))])
    })
  }
}

/** Writes down that devices are back of which it was told that they are offline. */
async function writeBack(db: Db, rules: readonly MatchedRule[], now: Date): Promise<void> {
  const wanting = rules.filter(({ events }) => events.includes('recovered'))
  const due = {
    ruleIds: wanting.map(({ ruleId }) => ruleId),
    dueAt: wanting.map((rule) => dueOf(rule, now)),
  }
  let count: number
  do {
    count = await db.transaction().execute(async (trx) => {
      const settled = await settleBack(trx, due, portion)
      if (settled.channelIds.length > 0) await wakeChannels(trx, settled.channelIds)
      return settled.count
    })
  } while (count === portion)
}

/** Devices of which every alarm but fire is kept quiet: their being offline is no news either. */
function quietDevicesOf({ targets, places }: Quiet): QuietDevices {
  return {
    deviceIds: targets
      .filter(({ code, episodeId, mask, exact }) =>
        [code, episodeId, mask, exact].every((part) => part === null),
      )
      .map(({ deviceId }) => deviceId),
    places: places.filter(({ codes }) => codes === null).map((place) => place.places),
  }
}
