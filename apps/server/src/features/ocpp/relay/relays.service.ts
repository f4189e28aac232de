/**
 * Relays as users set them. Whoever changes a device and sees it sets its relay: the platform that gets control of it is a
 * decision about that device alone. That platform can do all that a station does, so who gives it control may do it all.
 */
import {
  extractLog,
  type insertOcppRelay,
  insertParameterBatch,
  insertUpgradeTask,
  type ParsedInputFor,
  type RelayState,
  remoteActionCodes,
  type updateOcppRelay,
} from '@voltkeep/contract'
import { scopeOf } from '../../../domain/access/data-scope.ts'
import { type Actor, mayCall } from '../../../platform/calls/actor.ts'
import { refuse, refuseInput } from '../../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../../platform/database/changing.ts'
import type { Db, Trx } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import { recordOperation } from '../../../platform/database/operation-log.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { ocppRelaysChanged } from '../ocpp.notices.ts'
import { findUpgrade } from '../ocpp.queries.ts'
import { isOtherServer, readRelayUrl } from './relay.rules.ts'
import * as queries from './relays.queries.ts'
import { isUsable, openTls, type RelayTls, sealPassword, sealTls } from './sealed.ts'

export type OcppRelays = ReturnType<typeof createOcppRelays>

type Form = ParsedInputFor<typeof insertOcppRelay>

export function createOcppRelays({
  db,
  notices,
  sealer,
}: {
  db: Db
  notices: Pick<Notices, 'publishAtOnce'>
  sealer: Sealer
}) {
  const tellChanged = (id: number) => notices.publishAtOnce(ocppRelaysChanged, [id])

  const relayOf = (actor: Actor, id: string): Subject<queries.RelayEntry> => ({
    async lock(trx) {
      const scope = await scopeOf(trx, actor)
      if (!(await queries.lockStation(trx, scope, idNumber(id)))) refuse('deviceNotFound')
      return queries.lockRelay(trx, scope, idNumber(id))
    },
    notFound: 'relayNotFound',
    target: targetOf,
  })

  /** The form as it is kept, with the secrets that it leaves out. Refuses (400) what cannot be. */
  function valuesOf(actor: Actor, form: Form, before: queries.RelayEntry | null): queries.RelayValues {
    const address = readRelayUrl(form.url)
    if ('problem' in address) return refuseInput({ field: 'url', message: address.problem })
    const { url } = address
    const isElsewhere = before !== null && isOtherServer(before.url, url)
    // Whoever may change the address would have the secrets sent to a server of their own.
    if (isElsewhere && before.password !== null && form.password === undefined)
      refuseInput({ field: 'password', message: '更换原平台地址时须重新输入密码' })
    const given = { ca: form.ca, cert: form.certificate, key: form.key }
    const isGiven = Object.values(given).some((text) => text !== undefined)
    if (isElsewhere && before.tls !== null && !isGiven)
      refuseInput({ field: 'certificate', message: '更换原平台地址时须重新填写证书' })
    const kept = before && !isElsewhere ? openTls(sealer, before.tls) : null
    const tls = isGiven ? { ...kept, ...defined(given) } : null
    if (tls) checkTls(tls)
    return {
      url,
      identity: form.identity ?? null,
      password:
        form.password === undefined ? (before?.password ?? null) : sealPassword(sealer, form.password),
      tls: tls ? sealTls(sealer, tls) : (before?.tls ?? null),
      isEnabled: form.isEnabled === 1,
      updatedByName: actor.loginName,
    }
  }

  function requireControl(actor: Actor): void {
    if (!controls.every((access) => mayCall(actor, access))) refuse('relayNeedsControl')
  }

  /** Commands of an upgrade that is under way would be answered to nobody. */
  async function requireIdle(trx: Trx, id: number): Promise<void> {
    if ((await findUpgrade(trx, id)) !== undefined) refuse('relayUpgrading')
  }

  return {
    /** Refuses `deviceNotFound`. */
    async readOcppRelay(actor: Actor, { id }: { id: string }) {
      const row =
        (await queries.findRelay(db, await scopeOf(db, actor), idNumber(id))) ?? refuse('deviceNotFound')
      if (row.url === null) return { relay: null }
      const { password, tls, isEnabled, ...shown } = row
      const opened = openTls(sealer, tls)
      return {
        relay: {
          ...shown,
          hasPassword: password !== null,
          hasCa: opened?.ca !== undefined,
          hasCertificate: opened?.cert !== undefined,
          isEnabled: (isEnabled ? 1 : 0) as 0 | 1,
          state: stateOf(row),
        },
      }
    },

    /** Refuses `relayNeedsControl`, `deviceNotFound`, `notStation`, `relayTaken`, `relayUpgrading`, and 400 as `valuesOf` does. */
    async insertOcppRelay(actor: Actor, input: Form): Promise<void> {
      requireControl(actor)
      const id = idNumber(input.id)
      await db.transaction().execute(async (trx) => {
        const device =
          (await queries.lockStation(trx, await scopeOf(trx, actor), id)) ?? refuse('deviceNotFound')
        if (!device.isStation) refuse('notStation')
        const values = valuesOf(actor, input, null)
        if (values.isEnabled) await requireIdle(trx, id)
        await queries.insertRelay(trx, id, values)
        await recordOperation(trx, actor, { target: targetOf(device), changes: { after: shownOf(values) } })
      })
      tellChanged(id)
    },

    /** Refuses `relayNeedsControl`, `deviceNotFound`, `relayNotFound`, `conflict`, `relayUpgrading`, and 400 as `valuesOf` does. */
    async updateOcppRelay(actor: Actor, input: ParsedInputFor<typeof updateOcppRelay>): Promise<void> {
      requireControl(actor)
      const { id, version } = input
      await changing(db, actor, { ...relayOf(actor, id), version }, async (trx, before) => {
        const values = valuesOf(actor, input, before)
        if (values.isEnabled && !before.isEnabled) await requireIdle(trx, before.id)
        await queries.updateRelay(trx, before.id, values)
        return {
          before: shownOf(before),
          after: {
            ...shownOf(values),
            // That it is another one, and no more.
            ...(input.password !== undefined && { password: '已更换' }),
          },
        }
      })
      tellChanged(idNumber(id))
    },

    /** Refuses `deviceNotFound` and `relayNotFound`. */
    async deleteOcppRelay(actor: Actor, { id }: { id: string }): Promise<void> {
      await changing(db, actor, relayOf(actor, id), async (trx, before) => {
        await queries.deleteRelay(trx, before.id)
        return { before: shownOf(before) }
      })
      tellChanged(idNumber(id))
    },
  }
}

/** What a platform can have a station do. */
const controls = [
  ...new Set(Object.values(remoteActionCodes)),
  insertParameterBatch.access,
  insertUpgradeTask.access,
  extractLog.access,
]

function stateOf({ isEnabled, isStation, isOnline, connectedTime }: queries.RelayRow): RelayState {
  if (!isEnabled || !isStation) return 'off'
  if (!isOnline) return 'waiting'
  return connectedTime === null ? 'away' : 'connected'
}

const defined = (tls: RelayTls): RelayTls =>
  Object.fromEntries(Object.entries(tls).filter(([, text]) => text !== undefined))

function checkTls({ ca, cert, key }: RelayTls): void {
  if (cert !== undefined && key === undefined)
    refuseInput({ field: 'key', message: '请填写客户端证书的私钥' })
  if (cert === undefined && key !== undefined)
    refuseInput({ field: 'certificate', message: '请填写私钥的客户端证书' })
  if (!isUsable({ ca })) refuseInput({ field: 'ca', message: 'CA 证书无效，应为 PEM 文本' })
  if (!isUsable({ cert, key }))
    refuseInput({ field: 'certificate', message: '客户端证书或私钥无效，应为成对的 PEM 文本' })
}

const targetOf = ({ code }: { code: string }) => `设备 ${code} 的转发`

const shownOf = ({
  url,
  identity,
  isEnabled,
  password,
  tls,
}: Omit<queries.RelayValues, 'updatedByName'>) => ({
  url,
  identity,
  isEnabled: isEnabled ? 1 : 0,
  password: password === null ? '未设置' : '已设置',
  certificate: tls === null ? '未设置' : '已设置',
})
