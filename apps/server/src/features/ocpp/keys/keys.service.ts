/**
 * Stations' passwords, changed over their own connections. The former one stays valid until the station has come with the
 * new one, so that whatever happens between, it gets in.
 */
import type { KeyChangeState } from '@voltkeep/contract'
import { scopeOf } from '../../../domain/access/data-scope.ts'
import type { Actor } from '../../../platform/calls/actor.ts'
import { refuse } from '../../../platform/calls/refusal.ts'
import { changing } from '../../../platform/database/changing.ts'
import type { Db } from '../../../platform/database/database.ts'
import { idNumber } from '../../../platform/database/ids.ts'
import type { Notices } from '../../../platform/database/notices/notices.ts'
import type { Sealer } from '../../../platform/process/sealing.ts'
import { devicesChanged, hashSecret, makeSecret } from '../../devices/index.ts'
import type { SpokenProtocols } from '../../mappings/index.ts'
import { ocppKeysAsked } from '../ocpp.notices.ts'
import * as queries from './keys.queries.ts'

export type OcppKeys = ReturnType<typeof createOcppKeys>

export const keyPurpose = 'ocpp_key_change.key'

export function createOcppKeys({
  db,
  notices,
  sealer,
  spokenBy,
}: {
  db: Db
  notices: Pick<Notices, 'publishAtOnce'>
  sealer: Sealer
  spokenBy: SpokenProtocols['spokenBy']
}) {
  return {
    /** Refuses `deviceNotFound`. */
    async readOcppKeyChange(actor: Actor, { id }: { id: string }) {
      const row =
        (await queries.findChange(db, await scopeOf(db, actor), idNumber(id))) ?? refuse('deviceNotFound')
      return { change: row.askTime === null ? null : { ...row, state: stateOf(row) } }
    },

    /** Refuses `deviceNotFound`, `notStation`, `deviceObserved` and `stationKeyChanging`. */
    async renewOcppKey(actor: Actor, { id }: { id: string }): Promise<void> {
      const subject = {
        lock: async (trx: Parameters<typeof queries.lockKeyed>[0]) =>
          queries.lockKeyed(trx, await scopeOf(trx, actor), idNumber(id)),
        notFound: 'deviceNotFound' as const,
        target: ({ code }: queries.KeyedStation) => `设备 ${code}`,
      }
      const { code } = await changing(db, actor, subject, async (trx, before) => {
        if (!before.isStation) refuse('notStation')
        if ((await spokenBy(trx, before.id)).isObserved) refuse('deviceObserved')
        if (before.isChanging) refuse('stationKeyChanging')
        const key = makeSecret('ocpp16')
        await queries.upsertChange(trx, before.id, {
          formerHash: before.secretHash,
          secretHash: hashSecret(key),
          key: sealer.seal(key, keyPurpose),
          askedBy: actor.userId,
          askedByName: actor.loginName,
        })
        return undefined
      })
      // Both are valid before the station hears of one.
      notices.publishAtOnce(devicesChanged, [code])
      notices.publishAtOnce(ocppKeysAsked, [idNumber(id)])
    },
  }
}

function stateOf({ isCurrent, failure, toldTime, doneTime }: queries.KeyChangeRow): KeyChangeState {
  if (doneTime !== null) return 'done'
  if (failure !== null) return 'failed'
  if (!isCurrent) return 'ended'
  return toldTime === null ? 'waiting' : 'told'
}
