/**
 * Shelves as users keep them: made at once or when a second person has agreed, listed with who, why and until when, ended
 * early. A shelf changes nothing of an alarm: what it keeps quiet is asked for when alarms are read or told of.
 */
import {
  type endAlarmShelf,
  type endIdleShelves,
  formatDateTime,
  type insertAlarmShelf,
  type listAlarmShelves,
  mayDifferBy,
  type ParsedInputFor,
  type previewAlarmShelf,
  type ShelfState,
  shelfIdleDays,
  shelfKindNames,
  shelfTargetsAtMost,
  shelvesAtMost,
  type updateAlarmShelf,
} from '@voltkeep/contract'
import { type DataScope, intersectScopes, scopeOf } from '../../../domain/access/data-scope.ts'
import { standingScope } from '../../../domain/access/deciders.ts'
import { findUnseen } from '../../../domain/access/places-seen.ts'
import { hasRoom } from '../../../domain/access/row-limits.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { Refusal, refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changingIn } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import { pageOf } from '../../../platform/database/paging.ts'
import { startOfDay } from '../../../platform/process/clock.ts'
import { sharedNow } from '../../../platform/process/clocks/shared-clock.ts'
import { type Approvals, asWaiting, type Consent } from '../../approvals/index.ts'
import { alarmsChanged, shelvesChanged } from '../alarms.notices.ts'
import { isNothing, listOpenShelves, pairsAtMost, type Quiet, reachesOf, windowOf } from './quiet.queries.ts'
import { criticalShelving, decidersOf, furtherFunctionOf } from './shelf-decider.ts'
import { type PlannedTimes, type ShelfForm, timesOf, windowTimesOf } from './shelf-form.rules.ts'
import { nextSpans, spanAt, type WindowTimes, wallTextAt } from './shelf-times.rules.ts'
import * as queries from './shelves.queries.ts'

export type Shelves = ReturnType<typeof createShelves>

/** As many as one notice names; of more, pages read their lists again. */
const namedAtMost = 500
const nextShown = 3

export interface ShelfNeeds {
  db: Db
  notices: Pick<Notices, 'publish'>
  approvals: Pick<Approvals, 'ask' | 'told' | 'define'>
  /** Of windows that name none. */
  zone: string
}

/** What a form asks for, as far as the caller reaches. */
interface Planned {
  shelf: Omit<queries.NewShelf, 'reason' | 'approvedBy' | 'pairCount' | 'reachedIds'>
  scope: DataScope
  times: PlannedTimes
  targets: queries.FoundTarget[]
  fire: { code: string; name: string }[]
  quiet: Quiet
}

export function createShelves({ db, notices, approvals, zone }: ShelfNeeds) {
  approvals.define('alarmShelf', {
    async isWithin(reader, scope, payload, own) {
      const both = intersectScopes([scope, own])
      return (await targetsOf(reader, both, payload as ShelfForm)) !== null
    },
    async carryOut(trx, actor, payload, consent) {
      const made = await make(trx, actor, payload as ParsedInputFor<typeof insertAlarmShelf>, consent)
      if (!('id' in made)) throw new Error('a shelf that was agreed to is made')
      return { resultId: String(made.id), afterCommit: made.afterCommit }
    },
  })

  /**
   * Makes it, or asks for a second person. Refuses 400 for what cannot be, `alarmNotFound`, `notPermitted`, `alarmsDiffer`,
   * `alarmShelfTaken`, `tooManyShelves`, `tooManyNamedShelves` and `approvalWaiting`.
   */
  async function make(
    trx: Trx,
    actor: Actor,
    form: ParsedInputFor<typeof insertAlarmShelf>,
    consent: Consent | null,
  ): Promise<{ id: number; afterCommit: () => void } | { approvalId: string; afterCommit: () => void }> {
    const { shelf, scope, times, targets, fire, quiet } = await plan(trx, actor, form)
    const further = furtherFunctionOf({ ...shelf, startAt: times.startAt, endAt: times.endAt })
    if (further !== null && !actor.isSystem && !actor.functionCodes.has(further)) refuse('notPermitted')
    const stored = shelf.isOneShot
      ? { ...shelf, filter: null, codes: null, levels: null, compartment: null }
      : shelf
    const named = shelf.isOneShot ? await onceOf(trx, quiet) : namedOf(form, targets)
    const made = {
      ...stored,
      reason: form.reason,
      approvedBy: consent?.agreedBy ?? null,
      pairCount: stored.filter === null ? pairsOf(quiet, named.length) : 0,
      reachedIds: await reachedBy(trx, scope, stored, times.startAt),
    }
    const [target] = targets
    const asks = fire.length > 0 && target !== undefined && !consent
    // Searched before the lock of those who make one: others wait for no search.
    if (!asks && form.count !== undefined && shelf.filter !== null) await refuseOther(trx, quiet, form.count)
    const met = asks || isNothing(quiet) ? [] : await queries.listMet(trx, quiet, namedAtMost + 1)
    await refuseMore(trx, actor, made, named)
    if (asks) {
      const names = fire.map(({ name }) => name).join('、')
      const approvalId = await approvals.ask(trx, actor, {
        kind: 'alarmShelf',
        functionCode: criticalShelving,
        payload: form,
        sameAs: `alarmShelf ${target.deviceId} ${fire.map(({ code }) => code).join(' ')}`,
        subject: `搁置告警 ${target.deviceCode} ${names}`,
        details: [
          { name: '告警', value: names, isSaid: true },
          { name: '时长', value: minutesText(times), isSaid: true },
          { name: '原因', value: form.reason },
        ],
        causes: ['fire'],
        deviceId: target.deviceId,
        deviceCount: 1,
      })
      return { approvalId, afterCommit: () => approvals.told(approvalId) }
    }
    const id = await queries.insertShelf(trx, actor, made, named)
    await recordOperation(trx, actor, {
      target: targetOf(shelf.kind, targets),
      changes: { after: { ...shownForm(form, times), ...(consent && { agreedBy: consent.agreedBy.name }) } },
    })
    return {
      id,
      afterCommit: () => {
        const ids = met.map((one) => one.id)
        notices.publish(alarmsChanged, ids.length > namedAtMost ? null : ids)
        notices.publish(shelvesChanged, [id])
      },
    }
  }

  /** Refuses 400 for what cannot be, and `alarmNotFound`. */
  async function plan(trx: Trx, actor: Actor, form: ShelfForm): Promise<Planned> {
    const scope = await scopeOf(trx, actor)
    const targets = await targetsOf(trx, scope, form)
    if (!targets) {
      if (form.ids) refuse('alarmNotFound')
      return refuseInput({ field: 'deviceCodes', message: '有设备不存在，请检查设备编号' })
    }
    const unseen = form.filter && (await findUnseen(trx, actor, scope, form.filter))
    if (unseen) refuseInput({ field: 'filter', message: unseen })
    const codes = [...new Set([...(form.semaphoreCodes ?? []), ...targets.flatMap(({ code }) => code ?? [])])]
    const fire = form.semaphoreCodes || form.ids ? await queries.listFireNames(trx, codes) : []
    if (fire.length > 0) {
      const devices = new Set(targets.map(({ deviceId }) => deviceId))
      if (form.kind !== 'shelve' || form.filter || devices.size !== 1 || fire.length < codes.length)
        refuseInput({
          field: form.ids ? 'ids' : 'semaphoreCodes',
          message: `火情告警（${fire.map(({ name }) => name).join('、')}）只能逐台单独搁置`,
        })
      if (form.isOneShot === 1) refuseInput({ field: 'isOneShot', message: '火情告警只能按时长搁置' })
    }
    const times = timesOf(form, { isOfFire: fire.length > 0, now: sharedNow(), zone })
    if ('message' in times) return refuseInput(times)
    const shelf = {
      kind: form.kind,
      filter: form.filter ?? null,
      codes: form.semaphoreCodes ? [...new Set(form.semaphoreCodes)] : null,
      levels: form.alarmLevels ? [...new Set(form.alarmLevels)] : null,
      compartment: form.compartment ?? null,
      isOneShot: form.isOneShot === 1,
      isCritical: fire.length > 0,
      ...times,
    }
    const quiet = await reachesOf(
      trx,
      [{ shelf: { ...shelf, id: 0 }, until: times.endAt, scope }],
      namedOf(form, targets).map((target) => ({ ...target, shelfId: 0 })),
    )
    return { shelf, scope, times, targets, fire, quiet }
  }

  return {
    async previewAlarmShelf(actor: Actor, form: ParsedInputFor<typeof previewAlarmShelf>) {
      return await db.transaction().execute(async (trx) => {
        const { shelf, times, targets, fire, quiet } = await plan(trx, actor, form)
        const isEmpty = isNothing(quiet)
        return {
          deviceCount:
            shelf.filter === null
              ? new Set(targets.map(({ deviceId }) => deviceId)).size
              : isEmpty
                ? 0
                : await queries.countDevices(trx, quiet),
          alarmCount: isEmpty ? 0 : await queries.countMet(trx, quiet),
          isOfFire: fire.length > 0,
          endTime: times.endAt,
          next: occurrencesOf(times.window),
        }
      })
    },

    /** Refuses as `make` does. */
    async insertAlarmShelf(actor: Actor, form: ParsedInputFor<typeof insertAlarmShelf>) {
      const made = await db.transaction().execute((trx) => make(trx, actor, form, null))
      made.afterCommit()
      return 'id' in made ? { id: made.id } : asWaiting(made.approvalId)
    },

    async listAlarmShelves(actor: Actor, input: ParsedInputFor<typeof listAlarmShelves>) {
      const scope = await scopeOf(db, actor)
      const now = sharedNow()
      const filter = {
        kind: input.kind,
        isIdle: input.isIdle === 1,
        codes: input.code,
        alarmId: input.alarmId,
        ids: input.ids?.map(idNumber),
        ...(await byState(db, input.states, now)),
      }
      if (input.ids && filter.ids) filter.ids = filter.ids.filter((id) => input.ids?.includes(String(id)))
      const [rows, total] = await Promise.all([
        queries.listShelves(db, actor, scope, filter, shelfIdleDays, pageOf(input)),
        queries.countShelves(db, actor, scope, filter, shelfIdleDays),
      ])
      return { rows: await Promise.all(rows.map((row) => shownRow(db, row, now))), total }
    },

    /**
     * Refuses `alarmShelfNotFound`, `conflict`, `notPermitted` where it is no window or another's that is about more than
     * the actor sees, 409 `alarmShelfOver`, and 400 for times that cannot be.
     */
    async updateAlarmShelf(actor: Actor, input: ParsedInputFor<typeof updateAlarmShelf>): Promise<void> {
      const shelfId = idNumber(input.id)
      await db.transaction().execute(async (trx) => {
        // The watch writes to the same rows, in another order.
        await queries.lockWatch(trx)
        const scope = await scopeOf(trx, actor)
        await changingIn(
          trx,
          actor,
          {
            lock: () => queries.lockShelf(trx, actor, scope, shelfId),
            notFound: 'alarmShelfNotFound',
            target: ({ kind, id }) => `${shelfKindNames[kind]} ${id}`,
            version: input.version,
          },
          async (_, before) => {
            if (before.isOver) refuseOver(before)
            if (!before.mayChange) refuse('notPermitted')
            const times = windowTimesOf(input, sharedNow(), zone, before)
            if ('message' in times) return refuseInput(times)
            const startAt = new Date(Math.min(Number(times.startAt), Number(before.startAt)))
            const codes = before.isOfDevices ? null : []
            const changed = { filter: before.filter, codes, levels: null, compartment: null }
            const reachedIds = await reachedBy(trx, scope, { ...changed, kind: before.kind }, startAt)
            await queries.changeWindow(trx, actor, shelfId, { ...times, reason: input.reason, reachedIds })
            return {
              before: shownWindow(before, before.reason),
              after: shownWindow(times.window, input.reason),
            }
          },
        )
      })
      notices.publish(shelvesChanged, [shelfId])
    },

    /** Refuses 409 `alarmsDiffer` where there are other ones than the user was shown. */
    async endIdleShelves(actor: Actor, { count }: ParsedInputFor<typeof endIdleShelves>) {
      const ended = await db.transaction().execute(async (trx) => {
        await queries.lockWatch(trx)
        const scope = await scopeOf(trx, actor)
        const ids = await queries.endIdle(trx, actor, scope, { idleDays: shelfIdleDays, at: sharedNow() })
        if (ids.length !== count)
          throw new Refusal('alarmsDiffer', null, `建议结束的搁置现有 ${ids.length} 项，请重新确认`)
        await recordOperation(trx, actor, {
          target: `建议结束的搁置 ${count} 项`,
          changes: { after: { count } },
        })
        return ids
      })
      notices.publish(shelvesChanged, ended.length > namedAtMost ? null : ended)
      return { done: ended.length }
    },

    /** Refuses `alarmShelfNotFound`, `notPermitted`, and 409 `alarmShelfOver` with who ended it when. */
    async endAlarmShelf(actor: Actor, { id }: ParsedInputFor<typeof endAlarmShelf>): Promise<void> {
      const shelfId = idNumber(id)
      await db.transaction().execute(async (trx) => {
        // The watch writes to the same rows, in another order.
        await queries.lockWatch(trx)
        const shelf =
          (await queries.lockShelf(trx, actor, await scopeOf(trx, actor), shelfId)) ??
          refuse('alarmShelfNotFound')
        if (shelf.isOver) refuseOver(shelf)
        if (!shelf.mayEnd) refuse('notPermitted')
        await queries.endShelf(trx, shelfId, actor.loginName, sharedNow())
        await recordOperation(trx, actor, {
          target: `${shelfKindNames[shelf.kind]} ${shelfId}`,
          changes: { before: { reason: shelf.reason } },
        })
      })
      notices.publish(shelvesChanged, [shelfId])
    },
  }
}

/** What a shelf of named devices is looked up by; of one that is a condition more than that. */
const pairsOf = ({ places, targets }: Quiet, named: number) =>
  places.length > 0 ? pairsAtMost + 1 : Math.max(named, targets.length)

/** Of a window by filter, whom it takes out of use on days that are over; null where it is none. */
async function reachedBy(
  trx: Trx,
  scope: DataScope,
  {
    kind,
    filter,
    codes,
    levels,
    compartment,
  }: Pick<queries.NewShelf, 'kind' | 'filter' | 'codes' | 'levels' | 'compartment'>,
  startAt: Date,
): Promise<number[] | null> {
  if (kind !== 'maintenance' || filter === null) return null
  const isOfDevices = codes === null && levels === null && compartment === null
  return isOfDevices && startAt < startOfDay(sharedNow()) ? queries.listFound(trx, scope, filter) : []
}

/** Refuses `alarmShelfTaken`, `tooManyShelves` and `tooManyNamedShelves`. */
async function refuseMore(
  trx: Trx,
  actor: Actor,
  shelf: queries.NewShelf,
  named: readonly Pick<queries.FoundTarget, 'deviceId' | 'code' | 'episodeId'>[],
): Promise<void> {
  const open = await queries.countOpen(trx, actor)
  const isFull = async (kind: keyof queries.Shelved, more = 1) => {
    const own = open.reduce((total, { ofUser }) => total + ofUser[kind], 0)
    if (own + more > shelvesAtMost.ofUser[kind]) return true
    const rows = open.map(({ organizationId, ofAll }) => ({ organizationId, count: ofAll[kind] }))
    const atMost = { inAll: shelvesAtMost.inAll[kind], ofEachBranch: shelvesAtMost.ofEachBranch[kind] }
    return !(await hasRoom(trx, actor.organizationId, rows, atMost, more))
  }
  if (shelf.filter !== null || shelf.pairCount > pairsAtMost) {
    if (await isFull('byFilter')) refuse('tooManyShelves')
  } else if ((await isFull('named')) || (await isFull('pairs', shelf.pairCount)))
    refuse('tooManyNamedShelves')
  if (shelf.filter === null && (await queries.hasSame(trx, actor, shelf, named))) refuse('alarmShelfTaken')
}

/** Null where a named device or alarm is not there, or out of scope. Of a filter there are none. */
async function targetsOf(trx: Db, scope: DataScope, form: ShelfForm): Promise<queries.FoundTarget[] | null> {
  if (form.ids) {
    const ids = new Set(form.ids)
    const found = await queries.lockEpisodes(trx, scope, [...ids])
    return new Set(found.map(({ episodeId }) => episodeId)).size < ids.size ? null : found
  }
  if (form.deviceCodes) {
    const codes = new Set(form.deviceCodes)
    const found = await queries.lockDevices(trx, scope, [...codes])
    return found.length < codes.size ? null : found
  }
  return []
}

/** Where far more or fewer alarms match than the user was shown. */
async function refuseOther(trx: Trx, quiet: Quiet, shown: number): Promise<void> {
  const count = isNothing(quiet) ? 0 : await queries.countMet(trx, quiet)
  if (Math.abs(count - shown) > mayDifferBy(shown))
    throw new Refusal('alarmsDiffer', null, `符合条件的告警现有 ${count} 条，请重新确认`)
}

/** A shelf is bound to device and code, each once: an alarm of the same kind tomorrow is its, too. */
function namedOf(form: ShelfForm, targets: readonly queries.FoundTarget[]): queries.FoundTarget[] {
  if (form.isOneShot === 1 && form.ids) return [...targets]
  const once = new Map(targets.map((target) => [`${target.deviceId} ${target.code}`, target]))
  return [...once.values()].map((target) => ({ ...target, episodeId: null }))
}

/** The episodes that are active now. Refuses 400 where there is none, or more than a shelf names. */
async function onceOf(trx: Trx, quiet: Quiet) {
  const met = isNothing(quiet) ? [] : await queries.listMet(trx, quiet, shelfTargetsAtMost + 1)
  if (met.length === 0) refuseInput({ field: 'isOneShot', message: '当前没有符合条件的告警' })
  if (met.length > shelfTargetsAtMost)
    refuseInput({ field: 'isOneShot', message: `一次最多搁置 ${shelfTargetsAtMost} 条告警，请缩小范围` })
  return met.map(({ id, deviceId, code }) => ({ deviceId, code, episodeId: id }))
}

/** Windows are in force by their clocks, which the database does not know: which are, is asked of the few open ones. */
async function byState(
  db: Db,
  states: readonly ShelfState[] | undefined,
  now: Date,
): Promise<{ isOver: boolean | null; ids?: number[]; exceptIds?: number[] }> {
  const wanted = new Set(states ?? [])
  if (wanted.size === 0 || wanted.size === 3) return { isOver: null }
  const [hasActive, hasPlanned, hasOver] = [wanted.has('active'), wanted.has('planned'), wanted.has('over')]
  if (hasActive === hasPlanned) return { isOver: hasOver }
  const open = await listOpenShelves(db, now)
  const active = open
    .filter((shelf) => spanAt({ ...shelf, window: windowOf(shelf) }, now) !== null)
    .map(({ id }) => id)
  if (hasActive && !hasOver) return { isOver: false, ids: active }
  if (hasPlanned && !hasOver) return { isOver: false, exceptIds: active }
  const planned = () => open.map(({ id }) => id).filter((id) => !active.includes(id))
  return { isOver: null, exceptIds: hasActive ? planned() : active }
}

async function shownRow(db: Db, row: queries.ShelfRow, now: Date) {
  const {
    organizationId: _organization,
    decidedBy: _by,
    decidedIn: _in,
    approvedBy: _agreed,
    approvedIn: _agreedIn,
    startLocal,
    endLocal,
    startAt,
    endAt,
    endedAt,
    isOneShot,
    isCritical,
    ...shown
  } = row
  const window = windowOf(row)
  const isOver = endedAt !== null || (endAt !== null && endAt <= now)
  const state: ShelfState = isOver
    ? 'over'
    : spanAt({ startAt, endAt, endedAt, window }, now)
      ? 'active'
      : 'planned'
  const { stopped } = isOver ? { stopped: null } : await standingScope(db, decidersOf(row))
  return {
    ...shown,
    state,
    localStartTime: startLocal,
    localEndTime: endLocal,
    isOneShot: (isOneShot ? 1 : 0) as 0 | 1,
    isOfFire: isCritical,
    startTime: startAt,
    endTime: endAt,
    next: isOver ? [] : occurrencesOf(window, now),
    createBy: row.decidedByName,
    approveBy: row.approvedByName,
    endedTime: endedAt,
    stopped,
  }
}

function occurrencesOf(window: WindowTimes | null, now = sharedNow()) {
  if (!window) return []
  return nextSpans(window, now, nextShown).map(({ from, to }) => ({
    startTime: from,
    endTime: to,
    localStartTime: wallTextAt(window.timeZone, from),
    localEndTime: wallTextAt(window.timeZone, to),
  }))
}

function refuseOver({ endBy, endedAt }: queries.LockedShelf): never {
  if (endBy === null || endedAt === null) return refuse('alarmShelfOver')
  throw new Refusal('alarmShelfOver', null, `${endBy} 已于 ${formatDateTime(endedAt)} 结束该搁置`)
}

type WindowColumns = Pick<queries.LockedShelf, 'startLocal' | 'endLocal' | 'repeat' | 'timeZone'>
const shownWindow = ({ startLocal, endLocal, repeat, timeZone }: WindowColumns, reason: string) => ({
  startTime: startLocal,
  endTime: endLocal,
  repeat,
  timeZone,
  reason,
})

const minutesText = ({ startAt, endAt }: PlannedTimes) =>
  endAt === null ? '直到结束' : `${Math.ceil((endAt.getTime() - startAt.getTime()) / 60_000)} 分钟`

function targetOf(kind: ShelfForm['kind'], targets: readonly queries.FoundTarget[]): string {
  const codes = [...new Set(targets.map(({ deviceCode }) => deviceCode))]
  if (codes.length === 0) return `${shelfKindNames[kind]} 按条件`
  return `${shelfKindNames[kind]} 设备 ${codes.slice(0, 3).join('、')}${codes.length > 3 ? ` 等 ${codes.length} 台` : ''}`
}

const shownForm = (
  form: ParsedInputFor<typeof insertAlarmShelf>,
  { startAt, endAt, window }: PlannedTimes,
) => ({
  reason: form.reason,
  ...form.filter,
  ...(form.semaphoreCodes && { semaphoreCodes: form.semaphoreCodes.join('、') }),
  ...(form.alarmLevels && { alarmLevels: form.alarmLevels }),
  ...(form.compartment !== undefined && { compartment: `${form.compartment}号仓` }),
  ...(form.isOneShot === 1 && { isOneShot: true }),
  startTime: formatDateTime(startAt),
  ...(endAt && { endTime: formatDateTime(endAt) }),
  ...(window && { timeZone: window.timeZone }),
  ...(window?.repeat && { repeat: window.repeat }),
})
