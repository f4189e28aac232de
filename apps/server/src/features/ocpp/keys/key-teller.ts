/**
 * Tells stations their new passwords, and ends the former one when a station has come with the new one. A station that has
 * taken it and comes with the former one is told again: it may not have kept it. Nothing is told any more once who asked for
 * it may not ask, or does not see the station.
 */
import { describeStop, renewOcppKey } from '@voltkeep/contract'
import { standingScope } from '../../../domain/access/deciders.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { devicesChanged, replaceSecret } from '../../devices/index.ts'
import { ocppKeysAsked } from '../ocpp.notices.ts'
import { passedError } from '../relay/relay.rules.ts'
import { comeAgain, type Session } from '../session.ts'
import * as queries from './keys.queries.ts'
import { keyPurpose } from './keys.service.ts'

const key = 'AuthorizationKey'

export function createKeyTeller({
  db,
  notices,
  sealer,
  sessions,
  complain,
}: {
  db: Db
  notices: Pick<Notices, 'subscribe' | 'publishAtOnce'>
  sealer: Sealer
  sessions: ReadonlyMap<number, Session>
  complain(error: unknown): void
}) {
  /** It waits for its next start, and is not told again before. */
  const toldSessions = new WeakSet<Session>()

  async function failed({ identity: { id, code } }: Session, sealed: string, why: string): Promise<void> {
    await queries.markTold(db, id, sealed, why)
    // It is none from now on.
    notices.publishAtOnce(devicesChanged, [code])
  }

  /** Why it is nobody's decision any more; null where it still is. */
  async function stopOf(
    deviceId: number,
    { askedBy, askedByName }: queries.UntoldKey,
  ): Promise<string | null> {
    const { scope, stopped } = await standingScope(db, [
      { userId: askedBy, name: askedByName, role: '更换人', functionCodes: [renewOcppKey.access] },
    ])
    if (stopped) return describeStop(stopped)
    return (await queries.isWithin(db, scope, deviceId)) ? null : '设备已不在更换人的数据范围内'
  }

  async function tell(session: Session): Promise<void> {
    const { identity, station } = session
    if (session.relay || identity.hasNewSecret || toldSessions.has(session)) return
    const untold = await queries.findUntold(db, identity.id)
    if (untold === undefined) return
    toldSessions.add(session)
    const sealed = untold.key
    const stop = await stopOf(identity.id, untold)
    if (stop !== null) {
      // One that has taken it may come with it: what is not told again stays valid.
      if (!untold.isTold) await failed(session, sealed, stop)
      return
    }
    const value = sealer.open(sealed, keyPurpose)
    if (value === null) {
      await failed(session, sealed, '密钥无法读取：密钥文件已更换（见 SEAL_KEY），请重新更换')
      return
    }
    const result = await station.ask('ChangeConfiguration', { key, value })
    switch (result.kind) {
      case 'silent':
      case 'gone':
        // It may have taken it: both stay valid, and it is told again when it comes with the former one.
        return
      case 'error':
        await failed(session, sealed, `设备应答错误 ${passedError(result.code)}`)
        return
      case 'result': {
        const { status } = result.payload
        if (status !== 'Accepted' && status !== 'RebootRequired') {
          await failed(session, sealed, status === 'NotSupported' ? '设备不支持更换密钥' : '设备拒绝更换密钥')
          return
        }
        await queries.markTold(db, identity.id, sealed, null)
        if (status === 'Accepted') station.close(comeAgain)
      }
    }
  }

  const unsubscribe = notices.subscribe(ocppKeysAsked, (ids) => {
    for (const id of ids ?? [...sessions.keys()]) {
      const session = sessions.get(id)
      if (session?.isReady) void tell(session).catch(complain)
    }
  })

  return {
    tell,

    /** The station has come with the new password: the former one ends. */
    async came({ identity }: Session): Promise<void> {
      const { id, code, secretHash, hasNewSecret } = identity
      if (!hasNewSecret) return
      const isDone = await db.transaction().execute(async (trx) => {
        if (!(await queries.finishChange(trx, id, secretHash))) return false
        await replaceSecret(trx, id, { hash: secretHash, by: null })
        return true
      })
      if (isDone) notices.publishAtOnce(devicesChanged, [code])
    },

    close: unsubscribe,
  }
}
