/**
 * What rules are about beside alarms: devices that stay offline, and tasks that pause or end. Looked for each minute: a
 * device counts as offline after minutes, and of a task nobody waits for the second.
 */
import { intersectScopes } from '../../../domain/access/data-scope.ts'
import { type PlaceFilter, passesNothing, resolvePlaces } from '../../../domain/history/index.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { type Quiet, readQuiet } from '../../alarms/index.ts'
import { dueAt } from '../rules/quiet-hours.ts'
import { type Complain, receiversAt } from '../targets/receivers.ts'
import { listTargets, type Receiver, targetsOf } from '../targets/targets.queries.ts'
import { decidersOf, readersOf, ruleOwner } from './follower-deciders.ts'
import { listEnabledRules, type MatchedRule } from './matching.queries.ts'
import {
  hasTasks,
  insertOffline,
  insertTasks,
  listOffline,
  type QuietDevices,
  readRunBegan,
  settleBack,
  type Telling,
} from './others.queries.ts'
import {
  createStandings,
  portionsFor,
  type Standing,
  type Standings,
  shareOut,
  sharesByReach,
} from './standings.ts'
import { wakeChannels } from './waking.ts'

/** A look goes back so far, and not beyond the moment at which the rule was switched on. */
const lookBackMs = 86_400_000
/** After a start devices have a minute to connect again; what is not heard of meanwhile is this server's own doing. */
const restartGraceMs = 60_000
/** Rows of one statement. */
const portion = 2_000
const taskEvents = ['taskPaused', 'taskEnded']
const taskKinds = ['upgrade', 'batch'] as const
const nobody = { userId: null, userName: null }

const quietHoursOf = ({ quietFrom, quietTo }: MatchedRule) =>
  quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo }
const dueOf = (rule: MatchedRule, now: Date) =>
  dueAt({ groupWaitS: rule.groupWaitS, quiet: quietHoursOf(rule) }, false, now)

/** `startedAt`: of the process that looks. */
export async function writeOthers(db: Db, now: Date, startedAt: Date, complain?: Complain): Promise<void> {
  const rules = (await listEnabledRules(db)).filter(({ events }) =>
    events.some((event) => event === 'deviceOffline' || taskEvents.includes(event)),
  )
  await writeBack(db, rules, now)
  if (rules.length === 0) return
  const quiet = quietDevicesOf(await readQuiet(db, now))
  const heardMs = Math.max(startedAt.getTime(), (await readRunBegan(db))?.getTime() ?? 0)
  const standings = createStandings(db)
  await standings.load(rules.flatMap((rule) => [ruleOwner(rule), ...readingOwners(rule)]))
  const known = new Map<string, PlaceFilter>()
  for (const rule of rules) {
    const owner = standings.of(ruleOwner(rule))
    if (!owner) continue
    const key = JSON.stringify([owner.n, rule.filter])
    const places = known.get(key) ?? (await resolvePlaces(db, owner.scope, rule.filter))
    known.set(key, places)
    if (passesNothing(places)) continue
    const since = new Date(Math.max(rule.enabledAt.getTime(), now.getTime() - lookBackMs))
    let receivers: Promise<Receiver[]> | undefined
    const look: Look = {
      rule,
      telling: { ruleId: rule.ruleId, now, due: dueOf(rule, now) },
      owner,
      places,
      since,
      standings,
      receivers: () => (receivers ??= receiversOf(db, rule, now, complain)),
    }
    await writeOffline(db, look, quiet, heardMs)
    await writeTasks(db, look)
  }
}

/** Of one rule. */
interface Look {
  rule: MatchedRule
  telling: Telling
  owner: Standing
  places: PlaceFilter
  since: Date
  standings: Standings
  /** Asked for where there is something to tell. */
  receivers: () => Promise<Receiver[]>
}

async function receiversOf(db: Db, rule: MatchedRule, now: Date, complain?: Complain): Promise<Receiver[]> {
  const first = targetsOf(await listTargets(db, [rule.ruleId]), rule.ruleId, 0)
  return await receiversAt(db, rule, first, now, complain)
}

const taskEventsOf = ({ events }: MatchedRule) => events.filter((event) => taskEvents.includes(event))
const readingOwners = (rule: MatchedRule) =>
  taskEventsOf(rule).length === 0 ? [] : taskKinds.flatMap((kind) => readersOf(kind, ruleOwner(rule), nobody))

async function writeOffline(db: Db, look: Look, quiet: QuietDevices, heardMs: number): Promise<void> {
  const { rule, telling, places, since, standings } = look
  const offlineMs = rule.offlineMinutes * 60_000
  const nowMs = telling.now.getTime()
  // Nobody knows how long a device was away of which this server could not have heard.
  if (!rule.events.includes('deviceOffline') || nowMs - heardMs < restartGraceMs + offlineMs) return
  const offline = { places, quiet, since, until: new Date(nowMs - offlineMs) }
  const devices = await listOffline(db, telling, offline)
  if (devices.length === 0) return
  const told = await standings.tellable(await look.receivers())
  // All who are told of it are so in one transaction: what comes later is a newcomer.
  for (const part of portionsFor(devices, told.length))
    await writeShares(db, shareOut(part, told), (trx, share) => insertOffline(trx, telling, offline, share))
}

async function writeTasks(db: Db, { rule, telling, owner, places, since, standings, receivers }: Look) {
  const events = taskEventsOf(rule)
  if (events.length === 0) return
  for (const kind of taskKinds) {
    if (!readersOf(kind, ruleOwner(rule), nobody).every(standings.of)) continue
    const tasks = { kind, events, organizationId: rule.organizationId, scope: owner.scope, places, since }
    if (!(await hasTasks(db, telling, tasks))) continue
    const told = await standings.tellable(await receivers(), (receiver) => [
      ...readersOf(kind, ruleOwner(rule), receiver),
      ...decidersOf(receiver),
    ])
    await writeShares(db, sharesByReach(told), (trx, { receivers, scopes }) =>
      insertTasks(trx, telling, { ...tasks, scope: intersectScopes([owner.scope, ...scopes]) }, receivers),
    )
  }
}

/** In one transaction. */
async function writeShares<Share extends { receivers: readonly Receiver[] }>(
  db: Db,
  shares: readonly Share[],
  write: (trx: Trx, share: Share) => Promise<number>,
): Promise<void> {
  if (shares.length === 0) return
  await db.transaction().execute(async (trx) => {
    const channelIds = new Set<number>()
    for (const share of shares)
      if ((await write(trx, share)) > 0)
        for (const { channelId } of share.receivers) channelIds.add(channelId)
    if (channelIds.size > 0) await wakeChannels(trx, [...channelIds])
  })
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
