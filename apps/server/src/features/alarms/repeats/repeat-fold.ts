/**
 * Puts alarms together that are the same trouble, after the commit of their reports: ingest says which semaphores have come
 * again, which it knows without asking, and has no statement for it. What people did about a trouble goes on with it.
 *
 * Notices may be lost, so the newest states are looked at again at the start, after a lost connection, when there were too
 * many to name, and every ten minutes. A flood of alarms is worth no more than a small part of the machine: after each
 * portion the next one waits many times as long as it took, and finds more to do for the same statements.
 */
import type { Db, Trx } from '../../../platform/database/database.ts'
import type { NamedIds, Notices } from '../../../platform/database/notices/notices.ts'
import type { Worker } from '../../../platform/database/work/worker.ts'
import { sharedNowMs } from '../../../platform/process/clocks/shared-clock.ts'
import type { Log } from '../../../platform/process/log.ts'
import { spoken } from '../../../platform/process/sentences.ts'
import { alarmsChanged, alarmsHandled, alarmsRepeated } from '../alarms.notices.ts'
import {
  type EpisodePlace,
  type Handled,
  insertUntouched,
  lockHandlings,
  readNow,
  type Side,
  writeHandlings,
} from '../handling/handling.queries.ts'
import { carriedOn, handlingOf, type PeopleHalf, untouched } from '../handling/handling.states.ts'
import { repeatKeyOf, repeatName } from './repeat-names.ts'
import {
  type AlarmKey,
  forgetLate,
  keysOfHandled,
  listRecurred,
  listSuccessions,
  lockFold,
  occurrencesAtMost,
  type Place,
  type RepeatKey,
  readKnown,
  writeTroubles,
} from './repeats.queries.ts'
import { foldOccurrences } from './repeats.rules.ts'

const lookAgainMs = 600_000
const retryMs = 1_000
/** Alarms of one burst are put together at once. */
const gatherMs = 50
/** Of the time that it takes: a twentieth of a connection at most. */
const restFactor = 20
const restAtMostMs = 30_000
/** Semaphores of one transaction. */
const portion = 500
/** Late semaphores of one transaction: each may have thousands of episodes to be put together anew. */
const lateAtOnce = 10
/** States of one look at everything. */
const statesAtOnce = 2_000
/** A look at everything goes back so far at the start. */
const lookBackMs = 86_400_000
/** A look goes back behind the one before: what devices sent late began earlier. */
const overlapMs = 3_600_000
const namedAtMost = 500
/** More are looked at as all. */
const waitingAtMost = 20_000

export interface FoldNeeds {
  db: Db
  notices: Pick<Notices, 'publish' | 'subscribe'>
  log: Log
}

export function createRepeatFold({ db, notices, log }: FoldNeeds): Worker {
  /** What notices have named, by name, each once; null: there were too many to name. */
  let repeated: Set<string> | null = null
  let handled: Set<string> | null = null
  /** A look at everything under way. */
  let looking: AsyncGenerator<string[]> | undefined
  let lookedUntilMs = sharedNowMs() - lookBackMs
  let lookAgainAtMs = 0
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let isRunning = false
  let stops: (() => void)[] = []

  const isWaiting = () =>
    looking !== undefined || repeated === null || handled === null || repeated.size + handled.size > 0

  function wait(ms: number): void {
    if (working || !isRunning || timer) return
    timer = setTimeout(fire, ms)
  }

  /** Brings a wait for the next look at everything forward. */
  function hasCome(): void {
    clearTimeout(timer)
    timer = undefined
    wait(Math.max(gatherMs, restUntilMs - performance.now()))
  }
  let restUntilMs = 0

  function fire(): void {
    timer = undefined
    if (sharedNowMs() >= lookAgainAtMs) repeated = null
    const startMs = performance.now()
    working = step()
      .then(() => Math.min((performance.now() - startMs) * restFactor, restAtMostMs))
      .catch((err: unknown) => {
        looking = undefined
        repeated = null
        handled = null
        log.warn(
          { err },
          spoken({
            zh: '重复告警暂时无法合并，将继续重试',
            en: 'alarms that repeat could not be put together, trying again',
          }),
        )
        return retryMs
      })
      .then((restMs) => {
        working = undefined
        restUntilMs = performance.now() + restMs
        wait(isWaiting() ? Math.max(restMs, gatherMs) : lookAgainMs)
      })
  }

  /** One portion: of what was named, else of everything. */
  async function step(): Promise<void> {
    const isOfAllHandled = handled === null
    handled ??= new Set()
    const ids = take(handled)
    const names = repeated ? take(repeated) : []
    if (isOfAllHandled || names.length > 0 || ids.length > 0) {
      const handledIds = isOfAllHandled ? null : ids
      const { changed, left } = await foldRepeats(db, { keys: names.map(repeatKeyOf), handledIds })
      for (const key of left) repeated?.add(repeatName(key))
      tell(changed)
      return
    }
    if (!looking && repeated === null) {
      repeated = new Set()
      const startedMs = sharedNowMs()
      lookAgainAtMs = startedMs + lookAgainMs
      looking = foldAllSince(db, new Date(lookedUntilMs - overlapMs))
      lookedUntilMs = startedMs
    }
    const found = await looking?.next()
    if (found?.done === false) tell(found.value)
    else looking = undefined
  }

  function tell(changed: readonly string[]): void {
    if (changed.length > 0) notices.publish(alarmsChanged, changed.length > namedAtMost ? null : [...changed])
  }

  const added = (known: Set<string> | null, names: NamedIds<string>): Set<string> | null => {
    if (known === null || names === null || known.size > waitingAtMost) return null
    for (const name of names) known.add(name)
    return known
  }

  return {
    start() {
      isRunning = true
      stops = [
        notices.subscribe(alarmsRepeated, (names) => {
          repeated = added(repeated, names)
          hasCome()
        }),
        notices.subscribe(alarmsHandled, (ids) => {
          handled = added(handled, ids)
          hasCome()
        }),
      ]
      wait(gatherMs)
    },
    async stop() {
      isRunning = false
      for (const stop of stops) stop()
      clearTimeout(timer)
      await working
    },
  }
}

/** So many of these, which are taken out. */
function take(waiting: Set<string>): string[] {
  const some = [...waiting].slice(0, portion)
  for (const one of some) waiting.delete(one)
  return some
}

/**
 * Puts together what has come to these semaphores, and to those of these touched episodes, or of those touched lately.
 * Returns the episodes that show something else now, and the semaphores of which there is more than one transaction takes:
 * no other process puts anything together meanwhile.
 */
export async function foldRepeats(
  db: Db,
  { keys, handledIds }: { keys: readonly RepeatKey[]; handledIds: readonly string[] | null },
): Promise<{ changed: string[]; left: RepeatKey[] }> {
  const all = distinct(keys)
  const late = all.filter(({ lateMs }) => lateMs !== null)
  const taken = [...all.filter(({ lateMs }) => lateMs === null), ...late.slice(0, lateAtOnce)]
  return await db.transaction().execute(async (trx) => {
    await lockFold(trx)
    const changed = new Set<string>()
    const known = taken.length > 0 ? await readKnown(trx, taken, await forgetLate(trx, taken)) : []
    const grown = known.flatMap(({ troubles, occurrences, isByValue, ...key }) =>
      foldOccurrences(troubles, occurrences, isByValue).map((trouble) => ({ key, trouble })),
    )
    if (grown.length > 0) await writeTroubles(trx, grown)
    for (const { trouble } of grown) changed.add(trouble.last.id)
    const hasGrown = new Set(grown.map(({ key: { deviceId, code } }) => `${deviceId} ${code}`))
    const more = known.flatMap(({ deviceId, code, occurrences }) =>
      occurrences.length >= occurrencesAtMost && hasGrown.has(`${deviceId} ${code}`)
        ? [{ deviceId, code, lateMs: null }]
        : [],
    )
    const handledKeys = handledIds?.length === 0 ? [] : await keysOfHandled(trx, handledIds)
    for (const id of await carryOn(trx, [...taken, ...handledKeys])) changed.add(id)
    return { changed: [...changed], left: [...more, ...late.slice(lateAtOnce)] }
  })
}

/** Of one semaphore the earliest moment from which it is late. */
function distinct(keys: readonly RepeatKey[]): RepeatKey[] {
  const byName = new Map<string, RepeatKey>()
  for (const key of keys) {
    const name = `${key.deviceId} ${key.code}`
    const known = byName.get(name)
    const late = [known?.lateMs, key.lateMs].filter((ms) => ms !== null && ms !== undefined)
    byName.set(name, { ...key, lateMs: late.length > 0 ? Math.min(...late) : null })
  }
  return [...byName.values()]
}

/** Later episodes that nobody has touched get what people did about an earlier one of the same trouble. */
async function carryOn(trx: Trx, keys: readonly AlarmKey[]): Promise<string[]> {
  if (keys.length === 0) return []
  const successions = await listSuccessions(trx, keys)
  if (successions.length === 0) return []
  const placeOf =
    (deviceId: number) =>
    ({ id, at }: { id: string; at: string }): EpisodePlace => ({ id, occurredAt: at, deviceId, isSeen: true })
  const heirs = successions.flatMap(({ to, deviceId }) => to.map(placeOf(deviceId)))
  const all = [...heirs, ...successions.map(({ from, deviceId }) => placeOf(deviceId)(from))]
  const byId = (a: EpisodePlace, b: EpisodePlace) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)
  // As users' calls do it: all rows are added before any is locked, both in the order of ids.
  await insertUntouched(trx, heirs.toSorted(byId))
  const locked = new Map((await lockHandlings(trx, all.toSorted(byId))).map((one) => [one.id, one]))
  const now = await readNow(trx)
  const nowMs = now.getTime()
  const handled: Handled[] = []
  for (const { from, to } of successions) {
    const source = locked.get(from.id)
    const carried = source && carriedOn(source.device, source.people, nowMs)
    if (!carried) continue
    for (const { id } of to) {
      const heir = locked.get(id)
      // Somebody was faster.
      if (!heir || heir.people.version !== untouched.version) continue
      const sideOf = (half: PeopleHalf): Side => ({
        handling: handlingOf(heir.device, half, nowMs),
        assigneeName: half.assignee?.name ?? null,
        causeName: null,
      })
      const after = sideOf(carried)
      // It is news, or the acknowledgement is forgotten: nothing goes on.
      if (after.handling === sideOf(untouched).handling && !carried.assignee) continue
      handled.push({ id, deviceId: heir.deviceId, people: carried, before: sideOf(untouched), after })
    }
  }
  if (handled.length > 0)
    await writeHandlings(trx, handled, {
      kind: 'carry',
      note: null,
      at: now,
      by: { userId: 0, userName: '系统', source: 'system', address: '' },
    })
  return handled.map(({ id }) => id)
}

/** Until nothing is left. */
async function* foldInPortions(db: Db, keys: readonly RepeatKey[]): AsyncGenerator<string[]> {
  for (let left = keys; left.length > 0; ) {
    const folded = await foldRepeats(db, { keys: left, handledIds: [] })
    left = folded.left
    yield folded.changed
  }
}

/** All states whose newest episode began since then, portion by portion. */
export async function* foldAllSince(db: Db, since: Date): AsyncGenerator<string[]> {
  for (const isActive of [true, false]) {
    let place: Place | null = { at: since.toISOString(), id: '0' }
    while (place) {
      const found: Awaited<ReturnType<typeof listRecurred>> = await listRecurred(
        db,
        isActive,
        place,
        statesAtOnce,
      )
      for (let from = 0; from < found.keys.length; from += portion)
        yield* foldInPortions(
          db,
          found.keys.slice(from, from + portion).map((key) => ({ ...key, lateMs: null })),
        )
      // A rest follows also where nothing was found.
      yield []
      place = found.next
    }
  }
}
