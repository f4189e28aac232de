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
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import { type Approvals, asWaiting, type Consent } from '../../approvals/index.ts'
import { devicesChosen, isSeenWhole } from '../../devices/index.ts'
import { reachesBeyond } from '../targets/index.ts'
import { findChoice } from './consent.queries.ts'

export type UpgradeDeed =
  | { call: 'insert'; form: ParsedInputFor<typeof insertUpgradeTask> }
  | { call: 'update'; form: ParsedInputFor<typeof updateUpgradeTask> }
  | { call: 'devices'; form: ParsedInputFor<typeof upgradeDevices> }
  | { call: 'board'; form: ParsedInputFor<typeof upgradeDevicesByBoard> }
  | { call: 'rollBack'; form: ParsedInputFor<typeof rollBackUpgradeTask> }

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
  consent: Consent | null,
) => Promise<UpgradeDone>

export type UpgradeDoers = { readonly [Call in UpgradeDeed['call']]: DoUpgrade<Call> }

const codes: Readonly<Record<UpgradeDeed['call'], FunctionCode>> = {
  insert: 'upgrade:insert',
  update: 'upgrade:update',
  devices: 'upgrade:device',
  board: 'upgrade:device',
  rollBack: 'upgrade:control',
}

export type AskUpgrade = (
  trx: Trx,
  actor: Actor,
  deed: UpgradeDeed,
  about: { subject: string; files: readonly string[]; countDevices: () => Promise<number> },
) => Promise<UpgradeDone | null>

/** Asks for a second person where the installation wants one for so many devices; null where it does not. */
export const createAskUpgrade =
  (approvals: Pick<Approvals, 'ask' | 'causesOf' | 'told'>): AskUpgrade =>
  async (trx, actor, deed, { subject, files, countDevices }) => {
    let deviceCount = 0
    const causes = await approvals.causesOf({
      async countDevices() {
        deviceCount = await countDevices()
        return deviceCount
      },
    })
    if (causes.length === 0) return null
    const approvalId = await approvals.ask(trx, actor, {
      kind: 'upgrade',
      functionCode: codes[deed.call],
      payload: deed,
      subject: `${subject}（${deviceCount} 台）`,
      details: files.map((file) => ({ name: '软件文件', value: file })),
      causes,
      deviceCount,
    })
    return { answer: asWaiting(approvalId), afterCommit: () => approvals.told(approvalId) }
  }

/** Says how upgrades are done that were agreed to. */
export function defineUpgrades(approvals: Pick<Approvals, 'define'>, doers: UpgradeDoers): void {
  approvals.define('upgrade', {
    isWithin: (db, scope, payload, own) => isWithin(db, scope, payload as UpgradeDeed, own),
    async carryOut(trx, actor, payload, consent) {
      const { call, form } = payload as UpgradeDeed
      // The form is that of the call: they were kept together.
      const doIt = doers[call] as DoUpgrade<typeof call>
      const { answer, afterCommit } = await doIt(trx, actor, form as never, consent)
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
    case 'rollBack':
      return !(await reachesBeyond(db, scope, idNumber(deed.form.id)))
  }
}
