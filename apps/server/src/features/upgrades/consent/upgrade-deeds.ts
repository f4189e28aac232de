/**
 * Upgrades that may need a second person: what is asked of them, and how they are done once somebody has agreed. A task
 * that waits does not exist yet, and one whose change waits stays as it is; what is kept is the form.
 */
import type {
  FunctionCode,
  insertUpgradeTask,
  ParsedInputFor,
  rollBackUpgradeTask,
  updateUpgradeTask,
  upgradeDevices,
  upgradeDevicesByBoard,
} from '@voltkeep/contract'
import { type SqlBool, sql } from 'kysely'
import type { DataScope } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { Refusal } from '../../../platform/calls/refusal.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import {
  type Approvals,
  type AskedDeed,
  type Asking,
  asWaiting,
  type Consent,
  patientMinutes,
  refuseGrown,
} from '../../approvals/index.ts'
import { devicesChosen, isSeenWhole } from '../../devices/index.ts'
import { findChoice, ofTask } from './consent.queries.ts'

export type UpgradeDeed =
  | { call: 'insert'; form: ParsedInputFor<typeof insertUpgradeTask> }
  | { call: 'update'; form: ParsedInputFor<typeof updateUpgradeTask> }
  | { call: 'devices'; form: ParsedInputFor<typeof upgradeDevices> }
  | { call: 'board'; form: ParsedInputFor<typeof upgradeDevicesByBoard> }
  | { call: 'rollBack'; form: ParsedInputFor<typeof rollBackUpgradeTask> }
  /** A planned task whose time has come. */
  | { call: 'start'; form: { id: string } }

/** A file that an upgrade brings. */
export interface PackageFile {
  fileId: string
  fileName: string
}

/** A deed that was agreed to, with the files that it was to bring. */
export interface UpgradeConsent extends Consent {
  fileIds: readonly string[]
}

/** What was made, or what waits; and what is to be done after the commit. */
export interface UpgradeDone {
  answer: { id: number | string; approvalId?: string }
  afterCommit: () => void
}

/** Does a deed, or asks for a second person where it needs one and there is none. */
export type DoUpgrade<Call extends UpgradeDeed['call']> = (
  trx: Trx,
  actor: Actor,
  form: (UpgradeDeed & { call: Call })['form'],
  consent: UpgradeConsent | null,
) => Promise<UpgradeDone>

export type UpgradeDoers = { readonly [Call in UpgradeDeed['call']]: DoUpgrade<Call> }

const codes: Readonly<Record<UpgradeDeed['call'], FunctionCode>> = {
  insert: 'upgrade:insert',
  update: 'upgrade:update',
  devices: 'upgrade:device',
  board: 'upgrade:device',
  rollBack: 'upgrade:control',
  start: 'upgrade:insert',
}

export type AskUpgrade = (
  trx: Trx,
  actor: Asking,
  deed: UpgradeDeed,
  about: {
    subject: string
    files: readonly PackageFile[]
    countDevices: () => Promise<number>
    /** Where it is not the one of the call. */
    functionCode?: FunctionCode
    /** Of a deed for which nobody waits in front of a screen. */
    sameAs?: string
  },
) => Promise<UpgradeDone | null>

/** Asks for a second person where the installation wants one for so many devices; null where it does not, or asks later. */
export const createAskUpgrade =
  (approvals: Pick<Approvals, 'ask' | 'askInTime' | 'causesOf' | 'told'>): AskUpgrade =>
  async (trx, actor, deed, { subject, files, countDevices, functionCode, sameAs }) => {
    let deviceCount = 0
    const causes = await approvals.causesOf({
      async countDevices() {
        deviceCount = await countDevices()
        return deviceCount
      },
    })
    if (causes.length === 0) return null
    const asked: AskedDeed = {
      kind: 'upgrade',
      functionCode: functionCode ?? codes[deed.call],
      payload: { ...deed, fileIds: files.map(({ fileId }) => fileId) },
      subject: `${subject}（${deviceCount} 台）`,
      details: files.map(({ fileName }) => ({ name: '软件文件', value: fileName })),
      causes,
      deviceCount,
    }
    const approvalId =
      sameAs === undefined
        ? await approvals.ask(trx, actor, asked)
        : await approvals.askInTime(trx, actor, { ...asked, sameAs, waitMinutes: patientMinutes })
    if (approvalId === null) return null
    return { answer: asWaiting(approvalId), afterCommit: () => approvals.told(approvalId) }
  }

/** An upgrade that was agreed to and reaches many more devices by now, or brings other files, is another one. */
export function refuseOther(
  consent: UpgradeConsent,
  files: readonly PackageFile[],
  deviceCount: number,
): void {
  refuseGrown(consent, deviceCount)
  const agreed = new Set(consent.fileIds)
  if (files.length !== agreed.size || files.some(({ fileId }) => !agreed.has(fileId)))
    throw new Refusal('conflict', null, '软件文件已有变化，请申请人重新提交')
}

/** Says how upgrades are done that were agreed to. */
export function defineUpgrades(approvals: Pick<Approvals, 'define'>, doers: UpgradeDoers): void {
  approvals.define('upgrade', {
    isWithin: (db, scope, payload, own) => isWithin(db, scope, payload as UpgradeDeed, own),
    async carryOut(trx, actor, payload, consent) {
      const { call, form, fileIds } = payload as UpgradeDeed & Pick<UpgradeConsent, 'fileIds'>
      // The form is that of the call: they were kept together.
      const doIt = doers[call] as DoUpgrade<typeof call>
      const { answer, afterCommit } = await doIt(trx, actor, form as never, { ...consent, fileIds })
      return { resultId: String(answer.id), afterCommit }
    },
  })
}

async function isWithin(db: Db, scope: DataScope, deed: UpgradeDeed, own: DataScope): Promise<boolean> {
  switch (deed.call) {
    case 'insert':
      return isSeenWhole(db, scope, await devicesChosen(db, own, deed.form.devices))
    case 'update': {
      const devices = deed.form.devices ?? (await findChoice(db, idNumber(deed.form.id)))
      return devices !== undefined && isSeenWhole(db, scope, await devicesChosen(db, own, devices))
    }
    case 'devices':
    case 'board': {
      const { equipId, equipIds } = deed.form
      const ids = (equipIds?.length ? equipIds : [equipId ?? '']).map(idNumber)
      return isSeenWhole(db, scope, sql<SqlBool>`d.id = ANY(${ids}::int[])`)
    }
    case 'start': {
      const devices = await findChoice(db, idNumber(deed.form.id))
      return devices !== undefined && isSeenWhole(db, scope, await devicesChosen(db, own, devices))
    }
    case 'rollBack':
      // Where the devices stand now: the tally keeps where they stood when it was counted last.
      return isSeenWhole(db, scope, ofTask(idNumber(deed.form.id)))
  }
}
