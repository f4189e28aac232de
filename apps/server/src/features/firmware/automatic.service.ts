/**
 * Consent of a second person to automatic upgrades that reach more devices than one person decides about in this
 * installation. A package that is switched on is held until somebody agrees, and held again by another file, or when it
 * reaches many more devices than were agreed to. The server looks before each offer; whoever switches on is told at once.
 */
import { describeStop } from '@voltkeep/contract'
import { type DataScope, intersectScopes } from '../../domain/access/data-scope.ts'
import { type Standing, standingScope } from '../../domain/access/deciders.ts'
import { readHoldings } from '../../domain/access/holdings.ts'
import type { Client } from '../../platform/calls/actor.ts'
import { Refusal, refuse } from '../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { recordOperation } from '../../platform/database/operation-log.ts'
import {
  type Approvals,
  type Asking,
  type Consent,
  describeWait,
  isAgreed,
  isToBeAsked,
  patientMinutes,
  refuseGrown,
} from '../approvals/index.ts'
import { countReached, isOutdatedWithin, writeConsent, writeReviewed } from './automatic.queries.ts'
import { findPackage, lockPackage } from './firmware.queries.ts'
import { type PackageRecord, peopleOf } from './package-columns.ts'
import { automaticApprover, codesOfLast, standingOf } from './people.ts'

export type AutomaticConsent = ReturnType<typeof createAutomaticConsent>

/** What the second person agrees to. */
interface Payload {
  packageId: number
  fileId: string
}

/** The people of an automatic package, and how far they reach without who agreed. */
interface Deciding {
  record: PackageRecord
  approver: ReturnType<typeof automaticApprover>
  standing: Standing
}

export interface Reviewed {
  /** Nobody stops it, and nobody has to agree first. */
  mayBeOffered: boolean
  /** What waits for a second person. */
  approvalId: string | null
}

const notOffered: Reviewed = { mayBeOffered: false, approvalId: null }

export function createAutomaticConsent(
  approvals: Pick<Approvals, 'askInTime' | 'causesOf' | 'define' | 'drop' | 'listLast' | 'told'>,
) {
  approvals.define('automatic', {
    async isWithin(db, scope, payload, own) {
      const found = await findPackage(db, (payload as Payload).packageId)
      const deciding = found && (await decidingOf(db, found, payload as Payload))
      if (!deciding?.standing.scope) return false
      const { record, standing } = deciding
      return isOutdatedWithin(db, record.id, intersectScopes([own, standing.scope]), scope)
    },
    carryOut,
  })

  /** Puts who asked and who agreed into the package. */
  async function carryOut(trx: Trx, asker: Asking, payload: unknown, consent: Consent) {
    const { packageId } = payload as Payload
    const locked = (await lockPackage(trx, packageId)) ?? refuse('packageNotFound')
    const deciding = await decidingOf(trx, locked, payload as Payload)
    if (!deciding) throw new Refusal('conflict', null, '自动升级或软件文件已有变化，请申请人重新提交')
    const { scope, stopped } = deciding.standing
    if (stopped) throw new Refusal('conflict', null, `${describeStop(stopped)}，不能自动升级`)
    refuseGrown(consent, await countReached(trx, packageId, scope))
    await writeConsent(trx, packageId, {
      asker: { userId: asker.userId, name: asker.loginName },
      approver: consent.agreedBy,
      deviceCount: consent.deviceCount,
    })
    await recordOperation(trx, asker, {
      target: targetOf(locked),
      changes: { after: { autoUpgradeBy: asker.loginName, agreedBy: consent.agreedBy.name } },
    })
    return { resultId: String(packageId), afterCommit: () => undefined }
  }

  return {
    told: approvals.told,

    /**
     * Whether the package, locked by the caller, may be offered as things stand; if not, somebody is asked, once for each
     * decision. `next`: the codes of the devices that it is to be offered to. Call `told` after the commit.
     */
    async review(
      trx: Trx,
      packageId: number,
      client: Client,
      next: readonly string[] = [],
    ): Promise<Reviewed> {
      const record = await findPackage(trx, packageId)
      const deciding = record?.isRelease ? await decidingOf(trx, record) : null
      if (!record || !deciding?.standing.scope) return notOffered
      const { scope } = deciding.standing
      let deviceCount = 0
      const causes = await approvals.causesOf({
        async countDevices() {
          deviceCount = await countReached(trx, packageId, scope, next)
          return deviceCount
        },
      })
      const agreed = record.autoApprovedCount
      const isHeld = causes.length > 0 && (agreed === null || !isAgreed(agreed, deviceCount))
      await writeReviewed(trx, packageId, { isHeld, isNarrowed: await leavesOut(trx, deciding, scope) })
      if (!isHeld) {
        const approvalId = record.isAutoHeld
          ? await approvals.drop(trx, keyOf(record), '设备已减少，不再需要另一人同意')
          : null
        return { mayBeOffered: true, approvalId }
      }
      const key = keyOf(record)
      if (!isToBeAsked((await approvals.listLast(trx, [key])).get(key)))
        return { mayBeOffered: false, approvalId: null }
      const asked = await askerOf(trx, record, client)
      const approvalId = await approvals.askInTime(trx, asked.asker, {
        kind: 'automatic',
        functionCode: asked.functionCode,
        payload: { packageId, fileId: record.fileId } satisfies Payload,
        sameAs: key,
        waitMinutes: patientMinutes,
        subject: `自动升级 ${record.pcbCode} V${record.versionText}（${deviceCount} 台）`,
        details: [
          { name: '软件文件', value: record.fileName },
          { name: '上传人', value: record.uploadBy },
        ],
        causes,
        deviceCount,
      })
      return { mayBeOffered: false, approvalId }
    },

    /** The decision ends: nobody is to agree to it any more. Returns what waited; call `told` with it after the commit. */
    end: (trx: Trx, before: PackageRecord, note: string) =>
      before.isAutoHeld ? approvals.drop(trx, keyOf(before), note) : Promise.resolve(null),

    /** What the held ones of these packages wait for, by id. */
    async waitsOf(db: Db, records: readonly PackageRecord[]): Promise<Map<number, string>> {
      const held = records.filter(({ isAutoHeld }) => isAutoHeld)
      const last = await approvals.listLast(db, held.map(keyOf))
      return new Map(
        held.map((record) => [
          record.id,
          `设备数超过须另一人同意的数量，${describeWait(last.get(keyOf(record)))}`,
        ]),
      )
    },

    /** Whether so many devices need a second person. */
    isNeeded: async (deviceCount: number): Promise<boolean> =>
      (await approvals.causesOf({ countDevices: () => Promise.resolve(deviceCount) })).length > 0,
  }
}

/** Null where it is not switched on any more, or has another file than the one that is agreed to. */
async function decidingOf(db: Db, record: PackageRecord, payload?: Payload): Promise<Deciding | null> {
  const { switcher, ...people } = peopleOf(record)
  if (!switcher || (payload && payload.fileId !== record.fileId)) return null
  const { withCreation, autoIn, autoApprovedIn } = record
  const approved = { approvedBy: record.autoApprovedBy, approvedByName: record.autoUpgradeApprovedBy }
  const standing = await standingOf(db, {
    ...people,
    switcher: { ...switcher, decidedIn: autoIn },
    approver: null,
    withCreation,
  })
  return { record, approver: automaticApprover(approved, autoApprovedIn), standing }
}

/** Whether who agreed does not reach all devices that the others do. */
async function leavesOut(db: Db, { record, approver }: Deciding, scope: DataScope): Promise<boolean> {
  if (!approver) return false
  const { scope: own } = await standingScope(db, [approver])
  return own !== null && !(await isOutdatedWithin(db, record.id, scope, own))
}

/** Another decision is asked for anew: who switches on again, or supplies another file. */
const keyOf = ({ id, autoUpgradeTime, uploadTime }: PackageRecord) =>
  `automatic ${id} ${Math.max(autoUpgradeTime?.getTime() ?? 0, uploadTime.getTime())}`

/** Who decided last: the others are people whose bytes or switch that user found there. */
async function askerOf(trx: Trx, record: PackageRecord, client: Client) {
  const { supplier, switcher } = peopleOf(record)
  const isReplaced = record.uploadTime > (record.autoUpgradeTime ?? record.uploadTime)
  const user = isReplaced ? supplier : (switcher ?? supplier)
  const held = (await readHoldings(trx, [user.userId])).get(user.userId)
  if (!held) throw new Error(`package ${record.id}: ${user.name} decided and is not there`)
  const { userId, organizationId, isSystem, functionCodes } = held
  const codes = codesOfLast(record.withCreation, isReplaced)
  return {
    asker: { userId, loginName: user.name, organizationId, isSystem, client },
    functionCode: codes.find((code) => functionCodes.includes(code)) ?? codes[0],
  }
}

const targetOf = ({ pcbCode, versionText }: PackageRecord) => `固件 ${pcbCode} V${versionText}`
