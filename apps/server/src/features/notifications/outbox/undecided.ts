// Asks once more about what is about to be told.
import type { DataScope } from '../../../domain/access/data-scope.ts'
import { intersectScopes } from '../../../domain/access/data-scope.ts'
import { type Decider, standingScopes } from '../../../domain/access/deciders.ts'
import { resolvePlaces } from '../../../domain/history/index.ts'
import type { Trx } from '../../../platform/database/database.ts'
import type { Escalations } from '../escalations/escalations.ts'
import { addressSetterOf, ownerOf, receiverOf } from '../rules/rule-decider.ts'
import { isTask, readersOf } from './follower-deciders.ts'
import { devicesOfTask } from './others.queries.ts'
import * as queries from './outbox.queries.ts'

/**
 * Forgets what may not be told any more: of people who may not decide, of devices that they do not see, and what somebody
 * has acknowledged meanwhile. Of a task it says the number of devices that they see now.
 */
export async function forgetUndecided(
  trx: Trx,
  escalations: Pick<Escalations, 'settleIn'>,
  told: queries.Told,
  now: Date,
): Promise<void> {
  const escalated = await queries.listEscalated(trx, told)
  if (escalated.length > 0) {
    await escalations.settleIn(trx, escalated, now)
    await queries.forgetEnded(trx, told)
  }
  await queries.forgetRuleless(trx, told)
  const pairs = await queries.listRulesOf(trx, told)
  const reachOf = await readReach(trx, pairs)
  // Many pairs reach equally far: what is told of all of them is asked about at once.
  const alike = Map.groupBy(pairs, (pair) =>
    JSON.stringify([reachOf(pair), isTask(pair.kind) && [pair.kind, pair.filter]]),
  )
  for (const group of alike.values()) {
    const [first] = group
    if (!first) continue
    const { kind, filter } = first
    const scope = reachOf(first)
    await queries.forgetBeyond(trx, told, group, scope)
    if (scope && isTask(kind)) {
      const places = await resolvePlaces(trx, scope, filter)
      await queries.recountTasks(trx, told, group, devicesOfTask(kind, scope, places))
    }
  }
}

/** How far each pair reaches now; null where one of its people may not decide any more. */
async function readReach(
  trx: Trx,
  pairs: readonly queries.WaitingPair[],
): Promise<(pair: queries.WaitingPair) => DataScope | null> {
  const deciders = new Map(pairs.flatMap(decidersOf).map((decider) => [keyOf(decider), decider]))
  const scopes = await standingScopes(trx, [...deciders.values()])
  const scopeOf = new Map([...deciders.keys()].map((key, n) => [key, scopes[n] ?? null]))
  return (pair) => {
    const own = decidersOf(pair).map((decider) => scopeOf.get(keyOf(decider)) ?? null)
    const standing = own.filter((scope) => scope !== null)
    return standing.length < own.length ? null : intersectScopes(standing)
  }
}

const keyOf = ({ userId, decidedIn, functionCodes }: Decider) =>
  JSON.stringify([userId, decidedIn, functionCodes])

/** Everybody whose decision it is that the rule tells this receiver. */
function decidersOf(pair: queries.WaitingPair): Decider[] {
  const owner = ownerOf({ decidedBy: pair.ruleBy, decidedByName: pair.ruleByName, decidedIn: pair.ruleIn })
  return [
    owner,
    ...(isTask(pair.kind) ? readersOf(pair.kind, owner, pair) : []),
    addressSetterOf({
      decidedBy: pair.channelBy,
      decidedByName: pair.channelByName,
      decidedIn: pair.channelIn,
    }),
    ...(pair.userId === null ? [] : [receiverOf(pair.userId, pair.userName ?? '')]),
    ...(pair.runBy === null
      ? []
      : [ownerOf({ decidedBy: pair.runBy, decidedByName: pair.runByName ?? '', decidedIn: pair.runIn })]),
  ]
}
