/**
 * Deeds that a second person has to agree to. What a feature asks for waits here and does nothing; agreed to, it is done
 * by the feature in the same transaction, as who asked for it, with the rights and the data scope that both have then.
 */
import {
  type ApprovalCause,
  type ApprovalKind,
  type agreeApproval,
  approvalMinutes,
  describeStop,
  type listApprovals,
  type ParsedInputFor,
  type refuseApproval,
  safetyParametersIn,
} from '@voltkeep/contract'
import { type DataScope, scopeOf } from '../../domain/access/data-scope.ts'
import { standingScope } from '../../domain/access/deciders.ts'
import { readHoldings } from '../../domain/access/holdings.ts'
import { areOnePerson } from '../../domain/access/one-person.ts'
import type { Actor } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { statementsOf } from '../../platform/database/statements.ts'
import { wake } from '../../platform/database/work/lease-queue.ts'
import { sharedNowMs } from '../../platform/process/clocks/shared-clock.ts'
import type { Config } from '../../platform/process/config.ts'
import { said } from '../../platform/process/language/speech.ts'
import * as queries from './approvals.queries.ts'
import { approvalAfter } from './approvals.states.ts'
import type { AskedDeed, Asking, Deed, LastAsked } from './deeds.ts'

export type Approvals = ReturnType<typeof createApprovals>

export const approvalTable = 'approval'
/** The badge says so many and no more. */
const countedAtMost = 200
/**
 * That wait at once: of one person, keys included, and of one organization those that are about a choice of devices. Each is
 * judged for every colleague who looks. What is about one device costs little, and may be a door with fire behind it.
 */
const waitingAtMost = { ofPerson: 50, ofOrganization: 200 } as const
/** What was judged for the badge, by reader and approval: everybody's badge asks again with each that is new. */
const judgedForMs = 15_000
const judgedAtMost = 20_000

const stateTexts = {
  agreed: (by: string) => `${by} 已同意`,
  refused: (by: string) => `${by} 已拒绝`,
  expired: () => '申请已过期',
  void: () => '申请已作废',
  withdrawn: () => '申请已撤回',
} as const

export interface ApprovalNeeds {
  db: Db
  config: Pick<Config, 'consentSafetyParameters' | 'consentDevices'>
  tellChanged: (id: string) => void
}

export function createApprovals({ db, config, tellChanged }: ApprovalNeeds) {
  const deeds = new Map<ApprovalKind, Deed>()
  const deedOf = (kind: ApprovalKind): Deed => {
    const deed = deeds.get(kind)
    if (!deed) throw new Error(`no feature does deeds of the kind ${kind}`)
    return deed
  }

  const judged = new Map<string, { mayDecide: boolean; atMs: number }>()

  function keepJudged(key: string, may: boolean): void {
    judged.delete(key)
    judged.set(key, { mayDecide: may, atMs: performance.now() })
    if (judged.size > judgedAtMost) judged.delete(judged.keys().next().value as string)
  }

  async function insert(trx: Trx, actor: Asking, deed: AskedDeed): Promise<string> {
    const minutes = deed.waitMinutes ?? approvalMinutes
    const id = await queries.insertApproval(trx, actor, deed, minutes)
    await statementsOf(trx).query(wake(approvalTable, minutes * 60_000))
    await recordOperation(trx, actor, {
      target: deed.subject,
      changes: { after: { approval: id, ...shown(deed.details), deviceCount: deed.deviceCount } },
    })
    return id
  }

  async function areTooMany(trx: Trx, actor: Asking, { deviceId }: AskedDeed): Promise<boolean> {
    const { ofPerson, ofOrganization } = await queries.countWaiting(trx, actor)
    if (ofPerson >= waitingAtMost.ofPerson) return true
    return deviceId === undefined && ofOrganization >= waitingAtMost.ofOrganization
  }

  return {
    /** Says how deeds of a kind are done. A kind belongs to one feature. */
    define(kind: ApprovalKind, deed: Deed): void {
      if (deeds.has(kind)) throw new Error(`two features do deeds of the kind ${kind}`)
      deeds.set(kind, deed)
    },

    /**
     * Keeps a deed until a second person agrees. The same one that waits already, asked for by the same user, is that
     * one; another's is refused (`approvalWaiting`), as is one more than may wait (`approvalTooMany`). Call `told` with the id
     * after the commit.
     */
    async ask(trx: Trx, actor: Asking, deed: AskedDeed): Promise<string> {
      const same = deed.sameAs === undefined ? undefined : await queries.findSame(trx, deed.sameAs)
      if (same) return same.createdBy === actor.userId ? same.id : refuse('approvalWaiting')
      if (await areTooMany(trx, actor, deed)) refuse('approvalTooMany')
      return insert(trx, actor, deed)
    },

    /**
     * The same of a deed that the server asks for and that stays held until somebody agrees. Null where so many wait that it
     * is asked for at a later look.
     */
    async askInTime(trx: Trx, actor: Asking, deed: AskedDeed & { sameAs: string }): Promise<string | null> {
      const same = await queries.findSame(trx, deed.sameAs)
      if (same) return same.id
      return (await areTooMany(trx, actor, deed)) ? null : insert(trx, actor, deed)
    },

    told: tellChanged,

    /** What became of deeds when they were asked for last, by what they are the same as. */
    listLast: (db: Db, sameAs: readonly string[]): Promise<Map<string, LastAsked>> =>
      sameAs.length === 0 ? Promise.resolve(new Map()) : queries.listLast(db, sameAs),

    /**
     * Ends the one that waits, of a deed that nobody is to agree to any more; returns its id. Call `told` with it after
     * the commit.
     */
    async drop(trx: Trx, sameAs: string, note: string): Promise<string | null> {
      const id = await queries.lockWaiting(trx, sameAs)
      if (id === undefined) return null
      await decide(trx, { id, state: 'waiting' }, 'dropped', { by: null, note })
      return id
    },

    /**
     * Why work on devices needs a second person in this installation; empty where it needs none. `countDevices` is asked
     * only where their number matters.
     */
    async causesOf({
      parameterIds = [],
      countDevices,
    }: {
      parameterIds?: readonly string[]
      countDevices: () => Promise<number>
    }): Promise<ApprovalCause[]> {
      const { consentSafetyParameters, consentDevices } = config
      const isSafety = consentSafetyParameters && safetyParametersIn(parameterIds).length > 0
      const isMany = consentDevices > 0 && (await countDevices()) > consentDevices
      return [...(isSafety ? (['safety'] as const) : []), ...(isMany ? (['many'] as const) : [])]
    },

    async listApprovals(actor: Actor, input: ParsedInputFor<typeof listApprovals>) {
      const scope = await scopeOf(db, actor)
      const [records, total] = await Promise.all([
        queries.listApprovals(db, actor, scope, input, pageOf(input)),
        queries.countApprovals(db, actor, scope, input),
      ])
      const rows = []
      for (const record of records) {
        const {
          createdBy,
          madeBy,
          payload: _,
          functionCode: __,
          address: ___,
          organizationId: ____,
          askedIn: _____,
          ...row
        } = record
        rows.push({
          ...row,
          details: row.details.map(({ name, value, isSaid }) => ({
            name,
            value: isSaid ? said(value) : value,
          })),
          note: row.state === 'void' ? said(row.note) : row.note,
          isOwn: createdBy === actor.userId || madeBy === actor.userId,
          mayDecide: await mayDecide(db, actor, scope, record),
        })
      }
      return { rows, total }
    },

    async countApprovals(actor: Actor) {
      const scope = await scopeOf(db, actor)
      const page = { limit: countedAtMost, offset: 0 }
      const filter = { states: ['waiting'], isOthers: true } as const
      const waiting = await queries.listApprovals(db, actor, scope, filter, page)
      let count = 0
      for (const record of waiting) {
        const key = `${actor.userId} ${record.id}`
        const known = judged.get(key)
        const isFresh = known !== undefined && performance.now() - known.atMs < judgedForMs
        const may = isFresh ? known.mayDecide : await mayDecide(db, actor, scope, record)
        if (!isFresh) keepJudged(key, may)
        if (may) count += 1
      }
      return { count }
    },

    /**
     * Refuses `approvalNotFound`, `approvalOwn`, `approvalOnePerson`, `approvalOver`, `approvalReachesBeyond`, `approvalVoid`,
     * and what the deed refuses: then it keeps waiting.
     */
    async agreeApproval(actor: Actor, { id, note }: ParsedInputFor<typeof agreeApproval>) {
      const done = await db.transaction().execute(async (trx) => {
        const scope = await scopeOf(trx, actor)
        const approval = await lockForDecision(trx, actor, scope, id)
        const { scope: own, why } = await standingOf(trx, approval)
        if (why !== null) {
          await decide(trx, approval, 'askerLost', { by: null, note: why })
          return { why, afterCommit: () => undefined }
        }
        const deed = deedOf(approval.kind)
        if (!(await deed.isWithin(trx, scope, approval.payload, own))) refuse('approvalReachesBeyond')
        const asker = await actorOf(trx, approval, actor)
        const by = { userId: actor.userId, name: actor.loginName }
        const { resultId, afterCommit } = await deed.carryOut(trx, asker, approval.payload, {
          approvalId: approval.id,
          agreedBy: by,
          deviceCount: approval.deviceCount,
        })
        await decide(trx, approval, 'agreed', { by, note: note ?? null, resultId })
        await recordOperation(trx, actor, {
          target: approval.subject,
          changes: { after: { approval: id, askedBy: approval.createBy, ...(note && { note }) } },
        })
        return { resultId, afterCommit }
      })
      tellChanged(id)
      if ('why' in done) throw new Refusal('approvalVoid', null, `${done.why}，申请已作废`)
      done.afterCommit()
      return { resultId: done.resultId }
    },

    /** Refuses `approvalNotFound`, `approvalOwn`, `approvalOnePerson`, `approvalOver` and `approvalReachesBeyond`. */
    async refuseApproval(actor: Actor, { id, note }: ParsedInputFor<typeof refuseApproval>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const scope = await scopeOf(trx, actor)
        const approval = await lockForDecision(trx, actor, scope, id)
        const { scope: own } = await standingOf(trx, approval)
        if (own && !(await deedOf(approval.kind).isWithin(trx, scope, approval.payload, own)))
          refuse('approvalReachesBeyond')
        await decide(trx, approval, 'refused', { by: { userId: actor.userId, name: actor.loginName }, note })
        await recordOperation(trx, actor, {
          target: approval.subject,
          changes: { after: { approval: id, askedBy: approval.createBy, note } },
        })
      })
      tellChanged(id)
    },

    /** Refuses `approvalNotFound` and `approvalOver`. */
    async withdrawApproval(actor: Actor, id: string): Promise<void> {
      await db.transaction().execute(async (trx) => {
        const approval = await queries.lockApproval(trx, actor, await scopeOf(trx, actor), id)
        if (!approval || approval.createdBy !== actor.userId) return refuse('approvalNotFound')
        refuseOver(approval)
        await decide(trx, approval, 'withdrawn', { by: null, note: null })
        await recordOperation(trx, actor, { target: approval.subject, changes: { after: { approval: id } } })
      })
      tellChanged(id)
    },
  }

  async function mayDecide(
    reader: Db,
    actor: Actor,
    scope: DataScope,
    approval: queries.ApprovalRecord,
  ): Promise<boolean> {
    if (approval.state !== 'waiting' || isAsker(actor, approval)) return false
    if (!holds(actor, approval) || (await isAskersOther(reader, actor, approval))) return false
    const { scope: own } = await standingOf(reader, approval)
    return own !== null && deedOf(approval.kind).isWithin(reader, scope, approval.payload, own)
  }
}

/** A key and its maker are one person: neither is the second one of the other. Nor is a key a person at all. */
const isAsker = ({ userId, makerId }: Actor, { createdBy, madeBy }: queries.ApprovalRecord) =>
  makerId !== null || createdBy === userId || madeBy === userId

/** Another account of who asked, as far as who has made and set the two says so. */
const isAskersOther = (db: Db, { userId }: Actor, { createdBy, madeBy }: queries.ApprovalRecord) =>
  areOnePerson(db, userId, madeBy ?? createdBy)

const holds = (actor: Actor, { functionCode }: queries.ApprovalRecord) =>
  actor.isSystem || actor.functionCodes.has(functionCode)

const askerOf = ({ createdBy, createBy, functionCode }: queries.ApprovalRecord) => ({
  userId: createdBy,
  name: createBy,
  role: '申请人',
  functionCodes: [functionCode],
})

/**
 * The devices that who asked reaches now, or why the deed is void. It stays in the organization where it was asked for:
 * a form for all devices would be for those of another one, and of all where who asked has become SYSTEM.
 */
async function standingOf(
  db: Db,
  approval: queries.ApprovalRecord,
): Promise<{ scope: DataScope; why: null } | { scope: null; why: string }> {
  const { scope, stopped } = await standingScope(db, [askerOf(approval)])
  if (stopped) return { scope: null, why: describeStop(stopped) }
  const held = (await readHoldings(db, [approval.createdBy])).get(approval.createdBy)
  if (held?.organizationId !== approval.organizationId)
    return { scope: null, why: `申请人 ${approval.createBy} 已调到其他组织` }
  if (held.isSystem && approval.askedIn !== null)
    return { scope: null, why: `申请人 ${approval.createBy} 已成为系统管理员` }
  return { scope, why: null }
}

/** Two who decide at once: the second waits for the lock, and finds it decided. */
async function lockForDecision(
  trx: Trx,
  actor: Actor,
  scope: DataScope,
  id: string,
): Promise<queries.ApprovalRecord> {
  const approval = (await queries.lockApproval(trx, actor, scope, id)) ?? refuse('approvalNotFound')
  if (isAsker(actor, approval)) refuse('approvalOwn')
  if (!holds(actor, approval)) refuse('approvalNotFound')
  refuseOver(approval)
  if (await isAskersOther(trx, actor, approval)) refuse('approvalOnePerson')
  return approval
}

function refuseOver({ state, decideBy, expireTime }: queries.ApprovalRecord): void {
  if (state !== 'waiting') throw new Refusal('approvalOver', null, stateTexts[state](decideBy ?? ''))
  // The queue may not have come to it yet.
  if (expireTime.getTime() <= sharedNowMs()) throw new Refusal('approvalOver', null, stateTexts.expired())
}

async function decide(
  trx: Trx,
  { id, state }: Pick<queries.ApprovalRecord, 'id' | 'state'>,
  event: Parameters<typeof approvalAfter>[1],
  decision: { by: { userId: number; name: string } | null; note: string | null; resultId?: string },
): Promise<void> {
  const next = approvalAfter(state, event)
  if (next === null) refuse('approvalOver')
  await queries.writeDecision(trx, id, { ...decision, state: next, resultId: decision.resultId ?? null })
}

/** Who asked, as of now, from where it was asked. */
async function actorOf(trx: Trx, approval: queries.ApprovalRecord, agreeing: Actor): Promise<Actor> {
  const held = (await readHoldings(trx, [approval.createdBy])).get(approval.createdBy)
  if (!held) return refuse('approvalVoid')
  return {
    userId: approval.createdBy,
    loginName: approval.createBy,
    organizationId: held.organizationId,
    isSystem: held.isSystem,
    makerId: held.makerId,
    functionCodes: new Set(held.functionCodes),
    mustChangePassword: false,
    tokenHash: Buffer.alloc(0),
    client: { ...agreeing.client, address: approval.address, userAgent: null },
  }
}

const shown = (details: AskedDeed['details']) =>
  Object.fromEntries(details.map(({ name, value }) => [name, value]))
