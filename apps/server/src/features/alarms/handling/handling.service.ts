// What people do about alarms, of one and of many: acknowledging, taking, assigning, releasing, noting, closing.
import {
  type Access,
  ackAlarms,
  alarmCauseType,
  assignAlarms,
  claimAlarms,
  closeAlarms,
  describeStop,
  formatDateTime,
  functionCodesOf,
  type HandlingKind,
  handledAtOnce,
  handledByIds,
  handlingKindNames,
  handlingNames,
  type listAlarmAssignees,
  listAlarmHistory,
  listAlarms,
  mayDifferBy,
  noteAlarm,
  type ParsedInputFor,
  type readAlarmHandling,
  releaseAlarms,
  unackAlarms,
} from '@voltkeep/contract'
import { type DataScope, everything, scopeOf } from '../../../domain/access/data-scope.ts'
import { standingBy } from '../../../domain/access/deciders.ts'
import { readHoldings } from '../../../domain/access/holdings.ts'
import { inOneSnapshot } from '../../../domain/history/index.ts'
import { type Actor, mayCall } from '../../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import type { TaskSource } from '../../../platform/calls/task-source.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { organizationOf, recordOperation } from '../../../platform/database/operation-log.ts'
import { stateFilterOf } from '../alarm-filters.ts'
import { findEpisode } from '../alarm-history.queries.ts'
import { alarmsChanged, alarmsHandled } from '../alarms.notices.ts'
import { countStates, listStateKeys } from '../current-alarms.queries.ts'
import {
  countNotes,
  type Doer,
  findCauseName,
  findLastAction,
  findUserName,
  type Handled,
  insertUntouched,
  type LockedHandling,
  listActions,
  listCandidates,
  lockCandidate,
  lockHandlings,
  placesOf,
  placesOfFilter,
  placesOfIds,
  readNow,
  type Side,
  writeHandlings,
} from './handling.queries.ts'
import { afterAct, type HandlingAct, handlingOf, type PeopleHalf } from './handling.states.ts'
import { insertRun, listRuns, writeRun } from './handling-runs.queries.ts'

export type Handling = ReturnType<typeof createHandling>

/** Alarms of one transaction: some hundreds of milliseconds. */
const portionSize = 2_000
/** As many as one notice names; of more, pages read their lists again. */
const namedAtMost = 500
const candidatesAtMost = 200
/** Actions of an alarm that are shown, the newest; and notes that it may have. */
const actionsAtMost = 1_000
const notesAtMost = 500

/** What has to be held for a deed until its end. */
const accessOf = {
  ack: ackAlarms.access,
  unack: unackAlarms.access,
  claim: claimAlarms.access,
  assign: assignAlarms.access,
  release: releaseAlarms.access,
  close: closeAlarms.access,
  note: noteAlarm.access,
} satisfies Partial<Record<HandlingKind, Access>>

/** Which alarms, as the contract has them. */
type Chosen = Pick<ParsedInputFor<typeof ackAlarms>, 'ids' | 'filter' | 'count' | 'version' | 'note'>

/** What is done, and to which alarms nobody but the assignee's scope may keep it from. */
interface Deed {
  kind: keyof typeof accessOf
  note: string | null
  /** Called in the transaction, with who acts as of now: people may have changed since the call came. */
  prepare(trx: Trx, actor: Actor): Promise<{ act: HandlingAct; also?: DataScope }>
}

interface Outcome {
  done: number
  skipped: { id: string; reason: string }[]
  skippedCount: number
}

export interface AcknowledgementTimes {
  criticalMs: number
  otherMs: number
}

export function createHandling({
  db,
  notices,
  lasts,
}: {
  db: Db
  notices: Pick<Notices, 'publish'>
  /** How long an acknowledgement counts on which nobody acts. */
  lasts: AcknowledgementTimes
}) {
  /** One portion, in the transaction of the caller. Refuses 409 `conflict` where `version` is not the alarm's. */
  async function handlePortion(
    trx: Trx,
    actor: Actor,
    deed: Deed,
    { ids, version, scope }: { ids: readonly string[]; version?: number | undefined; scope?: DataScope },
  ): Promise<{ handled: Handled[]; locked: LockedHandling[]; skipped: Outcome['skipped'] }> {
    const { act, also = everything } = await deed.prepare(trx, actor)
    const places = await placesOf(trx, { scope: scope ?? (await scopeOf(trx, actor)), also }, ids)
    const reachable = places.filter(({ isSeen }) => isSeen)
    // What nobody has touched can neither be taken back nor released.
    if (act.kind !== 'unack' && act.kind !== 'release') await insertUntouched(trx, reachable)
    const locked = await lockHandlings(trx, reachable)
    const now = await readNow(trx)
    const by = await doerOf(trx, actor)
    const skipped: Outcome['skipped'] = []
    const handled: Handled[] = []
    const lockedById = new Map(locked.map((one) => [one.id, one]))
    const placeById = new Map(places.map((one) => [one.id, one]))
    for (const id of ids) {
      const one = lockedById.get(id)
      if (!one) {
        const place = placeById.get(id)
        const reason = !place
          ? '告警不存在'
          : !place.isSeen
            ? '该用户无权查看该设备'
            : act.kind === 'release'
              ? '告警没有负责人'
              : '告警尚未确认'
        if (place && version !== undefined && version !== 0) refuse('conflict')
        skipped.push({ id, reason })
        continue
      }
      const { device, people } = one
      if (version !== undefined && version !== people.version) await refuseStale(trx, id)
      const result = afterAct(act, device, people, {
        nowMs: now.getTime(),
        byName: by.userName,
        lastsMs: device.level === 1 ? lasts.criticalMs : lasts.otherMs,
      })
      if ('skipped' in result) {
        skipped.push({ id, reason: result.skipped })
        continue
      }
      const sideOf = (half: PeopleHalf): Side => ({
        handling: handlingOf(device, half, now.getTime()),
        assigneeName: half.assignee?.name ?? null,
        causeName: half.closed?.causeName ?? null,
      })
      handled.push({
        id,
        deviceId: one.deviceId,
        people: result.after,
        before: sideOf(people),
        after: sideOf(result.after),
      })
    }
    if (handled.length > 0)
      await writeHandlings(trx, handled, { kind: deed.kind, note: deed.note, at: now, by })
    return { handled, locked, skipped }
  }

  async function doerOf(trx: Trx, { userId, loginName, client }: Actor): Promise<Doer> {
    return {
      userId,
      userName: (await findUserName(trx, userId)) ?? loginName,
      // Every browser says so, and no program does by itself.
      source: client.userAgent?.startsWith('Mozilla/') ? 'web' : 'api',
      address: client.address,
    }
  }

  const tell = (handled: readonly Handled[]) => {
    if (handled.length === 0) return
    const ids = handled.length > namedAtMost ? null : handled.map(({ id }) => id)
    notices.publish(alarmsChanged, ids)
    notices.publish(alarmsHandled, ids)
  }

  /** Of the alarms chosen, all that the act applies to. */
  async function handleAlarms(actor: Actor, chosen: Chosen, deed: Deed): Promise<Outcome> {
    const ids = chosen.ids ? [...new Set(chosen.ids)] : await idsOfFilter(actor, chosen)
    if (ids.length > handledByIds) return await handleMany(actor, ids, deed)
    const { handled, skipped } = await db.transaction().execute(async (trx) => {
      const portion = await handlePortion(trx, actor, deed, { ids, version: chosen.version })
      await recordOperation(trx, actor, operationOf(deed, portion, ids.length))
      return portion
    })
    tell(handled)
    return { done: handled.length, skipped, skippedCount: skipped.length }
  }

  /**
   * Who acts as of now, within the organization of the call; or why that user may not go on, who may have been disabled or
   * have lost the function since the call came.
   */
  async function actorNow(
    trx: Trx,
    actor: Actor,
    kind: Deed['kind'],
  ): Promise<{ actor: Actor; scope: DataScope } | { stopped: string }> {
    const { userId, loginName: name } = actor
    const holdings = await readHoldings(trx, [userId])
    const { scope, stopped } = await standingBy(trx, holdings, [
      {
        userId,
        name,
        role: '操作人',
        functionCodes: functionCodesOf({ access: accessOf[kind] }),
        decidedIn: organizationOf(actor),
      },
    ])
    const held = holdings.get(userId)
    if (stopped || !held) return { stopped: stopped ? describeStop(stopped) : '' }
    const { isSystem, organizationId } = held
    return {
      actor: { ...actor, isSystem, organizationId, functionCodes: new Set(held.functionCodes) },
      scope,
    }
  }

  /**
   * Portion by portion, each a transaction of its own, so that nobody waits for the whole; a task shows how far it is. The
   * rest is skipped where who acts may not any more.
   */
  async function handleMany(actor: Actor, ids: readonly string[], deed: Deed): Promise<Outcome> {
    const run = await db.transaction().execute(async (trx) => {
      // Refused before anything is done.
      await deed.prepare(trx, actor)
      await recordOperation(trx, actor, {
        target: `告警 ${ids.length} 条`,
        changes: { after: { count: ids.length, ...(deed.note !== null && { note: deed.note }) } },
      })
      return await insertRun(trx, actor.userId, ids.length)
    })
    const outcome: Outcome = { done: 0, skipped: [], skippedCount: 0 }
    try {
      for (let from = 0; from < ids.length; from += portionSize) {
        const some = ids.slice(from, from + portionSize)
        const { handled, skipped } = await db.transaction().execute(async (trx) => {
          const now = await actorNow(trx, actor, deed.kind)
          const portion =
            'stopped' in now
              ? { handled: [], skipped: some.map((id) => ({ id, reason: now.stopped })) }
              : await handlePortion(trx, now.actor, deed, { ids: some, scope: now.scope })
          await writeRun(trx, run, {
            done: outcome.done + portion.handled.length,
            skipped: outcome.skippedCount + portion.skipped.length,
            isOver: false,
          })
          return portion
        })
        outcome.done += handled.length
        outcome.skippedCount += skipped.length
        outcome.skipped.push(...skipped.slice(0, handledByIds - outcome.skipped.length))
        tell(handled)
      }
    } finally {
      await writeRun(db, run, { done: outcome.done, skipped: outcome.skippedCount, isOver: true })
    }
    return outcome
  }

  /** Refuses 409 `alarmsDiffer` where far more or fewer match than the user was shown. */
  async function idsOfFilter(actor: Actor, { filter: asked, count = 0 }: Chosen): Promise<string[]> {
    if (!asked) return []
    const filter = await stateFilterOf(db, actor, asked)
    return await inOneSnapshot(db, async (trx) => {
      const total = await countStates(trx, filter)
      if (Math.abs(total - count) > mayDifferBy(count) || total > handledAtOnce) {
        const isTooMany = total > handledAtOnce
        const text = isTooMany
          ? `一次最多处理 ${handledAtOnce} 条告警，请缩小范围`
          : `符合条件的告警现有 ${total} 条，请重新确认`
        throw new Refusal('alarmsDiffer', null, text)
      }
      const keys = await listStateKeys(trx, filter, { limit: handledAtOnce })
      return keys.map(({ id }) => id)
    })
  }

  const plain =
    (kind: 'ack' | 'unack') =>
    async (actor: Actor, { note, ...chosen }: Chosen): Promise<Outcome> =>
      await handleAlarms(actor, chosen, {
        kind,
        note: note ?? null,
        prepare: async () => ({ act: { kind } }),
      })

  return {
    /** Each refuses 409 `alarmsDiffer`, and `conflict` for a stale version. */
    ackAlarms: (actor: Actor, input: ParsedInputFor<typeof ackAlarms>) => plain('ack')(actor, input),
    unackAlarms: (actor: Actor, input: ParsedInputFor<typeof unackAlarms>) => plain('unack')(actor, input),

    async claimAlarms(actor: Actor, { note, ...chosen }: ParsedInputFor<typeof claimAlarms>) {
      return await handleAlarms(actor, chosen, {
        kind: 'claim',
        note: note ?? null,
        prepare: async (trx) => ({ act: { kind: 'claim', me: await meOf(trx, actor) } }),
      })
    },

    async releaseAlarms(actor: Actor, { note, ...chosen }: ParsedInputFor<typeof releaseAlarms>) {
      return await handleAlarms(actor, chosen, {
        kind: 'release',
        note: note ?? null,
        prepare: async (trx, by) => ({
          act: { kind: 'release', me: await meOf(trx, by), mayAssign: mayCall(by, assignAlarms.access) },
        }),
      })
    },

    /** Refuses 400 for a user to whom the caller may assign no alarm at all. */
    async assignAlarms(actor: Actor, { note, userId, ...chosen }: ParsedInputFor<typeof assignAlarms>) {
      return await handleAlarms(actor, chosen, {
        kind: 'assign',
        note: note ?? null,
        async prepare(trx, by) {
          const to = await lockCandidate(trx, by, listedTo, idNumber(userId))
          if (!to) refuseInput({ field: 'userId', message: '该用户不存在，或不能处理告警' })
          const { id, userName, organizationId, isSystem } = to
          const also = await scopeOf(trx, { userId: id, organizationId, isSystem, makerId: null })
          return { act: { kind: 'assign', to: { id, name: userName } }, also }
        },
      })
    },

    /** Refuses 400 for a cause that the dictionary does not have. */
    async closeAlarms(actor: Actor, { note, cause, ...chosen }: ParsedInputFor<typeof closeAlarms>) {
      return await handleAlarms(actor, chosen, {
        kind: 'close',
        note: note ?? null,
        async prepare(trx) {
          const causeName = await findCauseName(trx, alarmCauseType, cause)
          if (causeName === undefined) refuseInput({ field: 'cause', message: '原因不存在' })
          return { act: { kind: 'close', cause, causeName } }
        },
      })
    },

    /** Refuses `alarmNotFound`, and 409 `tooManyNotes`. */
    async noteAlarm(actor: Actor, { id, note }: ParsedInputFor<typeof noteAlarm>) {
      const deed: Deed = { kind: 'note', note, prepare: async () => ({ act: { kind: 'note' } }) }
      const handled = await db.transaction().execute(async (trx) => {
        const portion = await handlePortion(trx, actor, deed, { ids: [id] })
        const [one] = portion.handled
        if (!one) refuse('alarmNotFound')
        // Its row is locked: no other note comes between.
        if ((await countNotes(trx, id, notesAtMost + 1)) > notesAtMost) refuse('tooManyNotes')
        await recordOperation(trx, actor, operationOf(deed, portion, 1))
        return one
      })
      tell([handled])
      return { handlingVersion: handled.people.version }
    },

    /** Refuses `alarmNotFound`. */
    async readAlarmHandling(actor: Actor, { id }: ParsedInputFor<typeof readAlarmHandling>) {
      if (!(await findEpisode(db, await scopeOf(db, actor), id, null))) refuse('alarmNotFound')
      return await listActions(db, id, actionsAtMost)
    },

    /** Of alarms that the caller does not see, nobody. */
    async listAlarmAssignees(
      actor: Actor,
      { ids, filter, userName }: ParsedInputFor<typeof listAlarmAssignees>,
    ) {
      const places = ids
        ? placesOfIds(await scopeOf(db, actor), ids)
        : placesOfFilter(await stateFilterOf(db, actor, filter ?? {}))
      return await listCandidates(db, actor, {
        functionCodes: listedTo,
        places,
        name: userName ?? null,
        limit: candidatesAtMost,
      })
    },
  }
}

/** Functions of which somebody who is to handle an alarm needs one: those that list it. */
const listedTo = [listAlarms.access, listAlarmHistory.access, claimAlarms.access]

async function meOf(trx: Trx, { userId, loginName }: Actor) {
  return { id: userId, name: (await findUserName(trx, userId)) ?? loginName }
}

/** Somebody was faster: says who did what, and when. */
async function refuseStale(trx: Trx, id: string): Promise<never> {
  const last = await findLastAction(trx, id)
  if (!last) refuse('conflict')
  const { userName, time, kind, after } = last
  const state = handlingNames[after.handling as keyof typeof handlingNames]
  throw new Refusal(
    'conflict',
    null,
    `${userName} 已于 ${formatDateTime(time)} ${handlingKindNames[kind]}该告警，当前为“${state}”`,
  )
}

/** Of one alarm with what became of it, of several with their number. */
function operationOf(
  { note }: Deed,
  { handled, locked, skipped }: { handled: Handled[]; locked: LockedHandling[]; skipped: Outcome['skipped'] },
  asked: number,
) {
  const said = note === null ? {} : { note }
  const [one] = locked
  const [done] = handled
  if (asked === 1 && one && done) {
    const { deviceCode, semaphoreName, semaphoreCode, occurrenceTime } = one
    const named = ({ handling, ...side }: Side) => ({
      handling: handlingNames[handling as keyof typeof handlingNames],
      ...Object.fromEntries(Object.entries(side).filter(([, value]) => value !== null)),
    })
    return {
      target: `设备 ${deviceCode} 告警 ${semaphoreName}（${semaphoreCode}）发生于 ${formatDateTime(occurrenceTime)}`,
      changes: { before: named(done.before), after: { ...named(done.after), ...said } },
    }
  }
  const names = [...new Set(locked.slice(0, 3).map(({ semaphoreName }) => semaphoreName))].join('、')
  const some = names === '' ? '' : `（${names}${locked.length > 3 ? ' 等' : ''}）`
  return {
    target: `告警 ${handled.length} 条${some}`,
    changes: {
      after: { count: handled.length, ...(skipped.length > 0 && { skipped: skipped.length }), ...said },
    },
  }
}

/** Calls on many alarms, in the list of their users' tasks. */
export function createHandlingTasks({ db }: { db: Db }): TaskSource {
  return {
    kind: 'alarmHandling',
    access: ['alarm:ack', 'alarm:assign', 'alarm:close'],
    async list({ userId }, endedSince) {
      const runs = await listRuns(db, userId, endedSince)
      return runs.map(({ id, total, done, skipped, createdAt, finishedAt, isBroken }) => ({
        id,
        subject: null,
        state: isBroken ? ('failed' as const) : finishedAt ? ('done' as const) : ('running' as const),
        done: done + skipped,
        total,
        failed: 0,
        skipped,
        reason: isBroken ? '服务已重启，其余告警未处理' : null,
        createTime: createdAt,
        finishTime: finishedAt,
      }))
    },
  }
}
